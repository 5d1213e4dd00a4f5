"""Ordinary mistakes: the text is CPython's own, place and carets included, and the hint says what to write instead."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

NESTED_GROUPS = """def f(n):
  1 / n
def g():
  found = []
  for n in (0, 0):
    try: f(n)
    except ZeroDivisionError as e:
      e.add_note('note')
      found.append(e)
  raise ExceptionGroup('all', [found[0], ExceptionGroup('in', [found[1], KeyError('k')])])
try: g()
except* KeyError: raise ValueError('again')
"""
COROUTINES = """import asyncio
async def f():
  await asyncio.sleep(0)
  {}[1]
async def g(): await f()
x = g()
x.send(None)
x.send(None)
"""
# The program, and a part of its hint; no hint where there is nothing certain to say.
MISTAKES = [
    ("print(totl)", ""),
    ("total = 1\nprint(totl)", "did you mean 'total'?"),
    ("x = lenn([])", "did you mean 'len'?"),
    ("json.loads('1')", "add `import json` at the top"),
    ("d = Decimal(1)", "add `from decimal import Decimal` at the top"),
    ("x = sqrt(4)", "add `from math import sqrt` at the top"),
    ("x = defaultdict(list)", "add `from collections import defaultdict` at the top"),
    ("a = true", "write True"),
    ("a = [null]", "write None"),
    ("x = unicode(1)", "write str(...)"),
    ("for x in items: pass", "the input is the variable inputs"),
    ("requests.get('x')", "no network"),
    ("{'a': 1}.a", "a dict has keys: write x['a']"),
    ("[].length", "write len(x)"),
    ("'a'.toUpperCase()", "write x.upper()"),
    ("import math\nmath.sqr(4)", "did you mean 'sqrt'?"),
    ("None.x", "the value is None here"),
    ("class A:\n  def __init__(self): self.name = 1\nA().nmae", "did you mean 'name'?"),
    ("class A: pass\nA().nothing_like_it", ""),
    ("len.x", "write () behind its name"),
    ("d = {'name': 1}\nd['nmae']", "did you mean 'name'?"),
    ("d = {'Name': 1}\nd['name']", "did you mean 'Name'?"),
    ("d = {'1': 1}\nd[1]", "the key is text: write '1'"),
    ("d = {'a': 1}\nd['zzz']", "x.get(key)"),
    ("item['json']", "the input is the variable inputs"),
    ("items = {'a': 1}\nitems[0]", "this is a dict, which has keys and no positions"),
    ("items = {5: 1}\nitems[0]", ""),
    ("items, seen = {'a': 1}, set()\nseen.remove(0)", ""),
    ("d = {'items': [1]}\nd.items[0]", "write x['items'] for the key, x.items() for the method"),
    ("d = {'items': [1]}\nfor x in d.items: pass", "write x['items'] for the key, x.items() for the method"),
    ("[1].append[0]", "write () behind its name"),
    ("from datetime import datetime\ndatetime.datetime.now()", "datetime is the class here: write datetime.now()"),
    ("from datetime import datetime\nx = datetime.datetime", "datetime is the class here: write datetime alone"),
    ("from datetime import datetime\ndatetime.timedelta(1)", "add `from datetime import timedelta` at the top"),
    ("import datetime\ndatetime.now()", "datetime is the module here: write datetime.datetime.now"),
    ("def f(): pass\nf()['a']", "the value is None here"),
    ("for x in None: pass", "the value is None here"),
    ("1 + 'a'", "int(x) or str(x)"),
    ("'a' + 1", "str(...) or an f-string"),
    ("int('3.5')", "write int(float(x))"),
    ("int('x')", ""),
    ("a, b = 1, 2, 3", "the number of names"),
    ("class A:\n  def f(self): pass\nA.f()", "make an instance first"),
    ("class A:\n  def f(): pass\nA().f()", "a method's first parameter is self"),
    ("def f(**k): pass\nf(1)", ""),
    ("def f():\n  n += 1\nn = 0\nf()", "global or nonlocal"),
    ("x = {1: 2}\nfor k in x: x[k + 5] = 1", "go over a copy"),
    ("[1][5]", "positions go from 0"),
    ("x = 'abc'; x['a']", "json.loads(x)"),
    ("x = [{'a': 1}]; x['a']", "x[0]"),
    ("{[1]: 2}", "make it a tuple"),
    ("sorted([1, 'a'])", "key=str"),
    ("str = 'a'\nstr(1)", "rename it"),
    ("raise ValueError", ""),
    ("assert 1 == 2, 'no'", ""),
    ("1 / 0", ""),
    ("x = {'é': [1]}; y = x['é'][2] + 1", "positions"),
    ("def f(x):\n  return (x.a +\n    x.b.c)\nf(1)", ""),
    ("def f(a, b): return a\nf(1)", ""),
    ("def load(t): return t[5]\ndef main():\n    return load('{')\nmain()", "positions"),
    ("x = [1, 2, 3]\nx[0]['a'][1] = 5", ""),
    ("e = ValueError('v'); e.add_note('n1\\nn2')\nraise e", ""),
    ("try:\n  {}['k']\nexcept KeyError as e:\n  raise ValueError('v') from e", ""),
    ("try:\n  {}['k']\nexcept KeyError:\n  1 / 0", ""),
    ("try:\n  {}['k']\nexcept KeyError:\n  raise ValueError('v') from None", ""),
    ("raise ExceptionGroup('g', [ValueError('a'), TypeError('b')])", ""),
    (NESTED_GROUPS, ""),
    ("raise ExceptionGroup('many', [ValueError(n) for n in range(20)])", ""),
    (COROUTINES, ""),
]
SYNTAX = [
    ("const x = 1", "write name = value"),
    ("if x = 1: pass", ""),
    ("if True\n  x = 1", ""),
    ("def f():\nx = 1", "indent"),
    ("x = (1,", ""),
    ("print 'a'", ""),
    ("x = 'abc", ""),
    ("for i in range(3) {\n}", "a colon"),
    ("a && b", "write and"),
    ("x++", "write x += 1"),
    ("y = x ? 1 : 2", "a if condition else b"),
    ("x = {'a?': 1 'b': a // b && c", "write and"),
    ("x = {'a && b': 1 'b'}", ""),
    ("f(a=1, 2)", ""),
    ("def f(x, x): pass", ""),
    ("break", ""),
    ("from x import", ""),
    ("é = )", ""),
    ("{{ $json.a }}", "the variable inputs"),
    ("None = 1", ""),
    ("async def f(): yield 1; return 2", "yield the value"),
    ("x = 08", ""),
    ("x = [\n  1,\n  2 3\n]", ""),
    ("def f():\n  y = 1\n  global y", ""),
]
PLAIN = """
import json, linecache, sys, traceback, warnings
warnings.simplefilter("ignore")
said = []
for source in json.load(sys.stdin):
    linecache.cache["node.py"] = len(source), None, (source + "\\n").splitlines(keepends=True), "node.py"
    try:
        exec(compile(source, "node.py", "exec"), {"__name__": "__main__"})
    except BaseException as error:
        if isinstance(error, SyntaxError) and error.text is None and error.lineno:
            error.text = source.splitlines()[error.lineno - 1]  # which it takes from the file, if there is one
        while error.__traceback__ and error.__traceback__.tb_frame.f_code.co_filename != "node.py":
            error.__traceback__ = error.__traceback__.tb_next
        said.append("".join(traceback.format_exception(error)))
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def plainly() -> dict[str, str]:
    sources = [source for source, _ in [*MISTAKES, *SYNTAX]]
    command = [sys.executable, "-I", "-X", "utf8", "-c", PLAIN]
    done = subprocess.run(command, input=json.dumps(sources), capture_output=True, text=True, check=True, timeout=60)
    return dict(zip(sources, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize(("source", "hint"), [*MISTAKES, *SYNTAX])
def test_text_and_hint(run, plainly, source, hint):
    failure = run(source).failure
    suggested = re.compile(r"\. Did you (mean|forget).*")  # stands in the hint here
    assert suggested.sub("", failure.traceback) == suggested.sub("", plainly[source])
    assert failure.line > 0
    assert failure.column > 0
    assert hint in failure.hint
    assert bool(hint) == bool(failure.hint)

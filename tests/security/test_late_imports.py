"""Nothing is loaded once a child is sealed: what ordinary programs need is there, so that no file is missed."""

from __future__ import annotations

import json

import pytest

from langserver.sandbox.layers import AUDIT, POLICY, SECCOMP
from langserver.zygote.request import TaskRequest
from tests.integration.holds.direct import one_zygote, output
from tests.runtimes.python import test_asyncio, test_local_time, test_modules
from tests.runtimes.python.test_language import PROGRAMS
from tests.security.public_names import INSTEAD

# The hook tells of each folder and file in which the interpreter looks for a module. That it looks at all the filter
# sees to: where it may ask for the times of its folders it may find that it has listed them already.
LAYERS = frozenset({POLICY, AUDIT, SECCOMP})
MORE = {
    "text": """
result = ['%.3f' % 1.5, f'{1.5:>10.2f}', format(10**6, ','), 'ß'.upper(), 'a'.encode('idna').decode()]
""",
    "time": """
import time, datetime
result = [time.strptime('1 Jan 2024', '%d %b %Y').tm_year,
    datetime.datetime.strptime('2024-01-31', '%Y-%m-%d').strftime('%A'),
    str(datetime.datetime.now().astimezone())]
""",
    "numbers": """
import decimal, fractions, statistics
result = [str(decimal.Decimal('1.1') ** 3), str(fractions.Fraction('0.1')), statistics.quantiles([1, 2, 3, 4])]
""",
    "errors": """
import traceback, warnings, logging
warnings.warn('w')
try: {}['a']
except KeyError: logging.exception('m'); traceback.print_exc()
result = 1
""",
    "compress": """
import gzip, zlib
result = [gzip.decompress(gzip.compress(b'a')).decode(), len(zlib.compress(b'a'))]
""",
    "hashes": """
import hashlib, hmac, secrets, uuid
names = ('md5', 'sha1', 'sha256', 'sha3_512', 'blake2b')
result = [hashlib.new(name, b'').hexdigest()[:4] for name in names]
result.append(len(hashlib.pbkdf2_hmac('sha256', b'a', b'b', 9)))
""",
    "csv": """
import csv, io
result = [csv.Sniffer().sniff('a;b\n1;2').delimiter, list(csv.DictReader(io.StringIO('a')))]
""",
    "html": """
import html, html.parser, urllib.parse, ipaddress
result = [html.unescape('&eacute;'), urllib.parse.quote('é'), str(ipaddress.ip_network('10.0.0.0/30'))]
""",
    "compare": """
import difflib, pprint, textwrap
result = [list(difflib.ndiff(['a'], ['b'])), pprint.pformat({'a': 1})]
""",
    "uncaught": """
raise ValueError('é')
""",
    "syntax": """
def f(:
""",
    "typed": """
import typing, dataclasses, enum, collections
class A(typing.NamedTuple):
    x: int = 1
result = [A()._asdict(), collections.namedtuple('B', 'y')(1).y]
""",
    "seeds": """
import random
random.seed("text")
result = [random.random(), random.Random(b"bytes").random(), random.Random(1.5).random()]
""",
    "recursion": """
def f(): f()
try: f()
except RecursionError as e: result = str(e)
""",
    "a suggestion": """
lenght = 1
result = length
""",
}
MORE |= {f"module {name}": source for name, source in test_modules.PROGRAMS.items()}
MORE |= {
    f"asyncio {name}": f"import asyncio\n{source}"
    for name, source in (test_asyncio.PROGRAMS | test_asyncio.OUTSIDE).items()
}
MORE |= {"zones": test_local_time.ZONEINFO, "instants": f"{test_local_time.LOOK}\nresult = look(1e9)"}
JAVASCRIPT = {
    "value": "({ a: [1, 'x', null], d: new Date(0) })",
    "async": "async function main() { await new Promise((done) => setTimeout(done, 1)); return 1 }",
    "dates": "new Date(2024, 1, 1).toLocaleString('de-DE', { timeZone: 'Asia/Tokyo' })",
    "logged": "console.log('%s %o', 'é', { a: 1 }); console.table([{ a: 1 }]); 1",
    "uncaught": "function f() { null.x }\nf()",
    "thrown": "throw { a: 1 }",
    "syntax": "function (",
    "import": "import fs from 'fs'",
    "refused": "require('fs')",
    "body": "return await 1",
    "no result": "() => 1",
}


@pytest.mark.parametrize("mode", ["run", "validate"])
@pytest.mark.parametrize("runtime", ["python", "js"])
async def test_no_ordinary_program_makes_the_child_open_a_file(runtime: str, mode: str) -> None:
    programs = {**PROGRAMS, **INSTEAD, **MORE} if runtime == "python" else JAVASCRIPT
    async with one_zygote(runtime, LAYERS) as supply:
        opened = {}
        for name, source in programs.items():
            outcome = await supply.run(TaskRequest(runtime, source, input_json=json.dumps({"path": "x"})), mode)
            assert outcome.verdict.report is not None, name
            opened[name] = [event for event in outcome.events if event.layer == AUDIT]
    assert {name: events for name, events in opened.items() if events} == {}


async def test_a_late_import_would_be_seen() -> None:
    async with one_zygote("python", frozenset({AUDIT, SECCOMP})) as supply:
        outcome = await supply.run(TaskRequest("python", "import json, wave"))
    assert ("audit", "denied") in {(event.layer, event.action) for event in outcome.events}


async def test_clocks_are_told_of_without_the_policy_too() -> None:
    source = """
import time
result = [time.get_clock_info(name).resolution < 1 for name in ("time", "monotonic", "process_time", "thread_time")]
"""
    async with one_zygote("python", frozenset({AUDIT, SECCOMP})) as supply:
        assert output(await supply.run(TaskRequest("python", source))) == [True] * 4

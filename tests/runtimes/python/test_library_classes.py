"""What the zygote remembers of the library's classes."""

from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import gc, weakref
from langserver.python_runtime import userclasses

gone = type("Gone", (), {})
seen = weakref.ref(gone)
userclasses.remember_library()
del gone
gc.collect()
assert seen() is not None, "its id is free for a class of the program, which would be refused"
try:
    userclasses.register(seen())
except userclasses.RefusedClass:
    print("refused")
"""


def test_a_class_that_only_the_set_knows_keeps_its_id() -> None:
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("refused\n", "")


def test_a_deep_copy_of_weak_dictionaries(run):
    ran = run(
        "import weakref\n"
        "class Key:\n"
        "    def __deepcopy__(self, memo): return other\n"
        "key, other = Key(), Key()\n"
        "by_key = weakref.WeakKeyDictionary({key: [1]}); by_value = weakref.WeakValueDictionary({key: key})\n"
        "first, second = by_key.__deepcopy__({}), by_value.__deepcopy__({})\n"
        "first[key].append(2)\n"
        "result = [type(first).__name__, by_key[key], first[key], list(second) == [other], second[other] is key]"
    )
    assert ran.value == ["WeakKeyDictionary", [1], [1, 2], True, True]


def test_elements_are_copied_and_built_by_factories(run):
    ran = run(
        "import copy, xml.etree.ElementTree as ET\n"
        "class Own(ET.Element):\n"
        "    def makeelement(self, tag, attrib): return Own(tag, attrib)\n"
        "own = Own('a'); own.text, own.tail = 'x', 'y'; own.append(ET.Element('b'))\n"
        "copied = own.__copy__()\n"
        "builder = ET.TreeBuilder(element_factory=Own, comment_factory=lambda text: None)\n"
        "parser = ET.XMLParser(target=builder); parser.feed('<a>x<b/>y<!--c--></a>')\n"
        "result = [type(copied).__name__, ET.tostring(copied, 'unicode'), ET.tostring(parser.close(), 'unicode')]"
    )
    assert ran.value == ["Own", "<a>x<b /></a>y", "<a>x<b />y</a>"]

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

"""What is done at a fork: what the library's modules have done for processes with threads is left out."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from langserver.zygote.fork import without_needless_hooks

# A child is told from its parent by the generator's state: the hook of `random` seeds it anew.
SAME_STATE_IN_A_CHILD = """
import os
from contextlib import nullcontext
from langserver.zygote.fork import without_needless_hooks

with {context}():
    import random
before = random.getstate()
pid = os.fork()
if pid == 0:
    os._exit(random.getstate() == before)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


@pytest.mark.parametrize(("context", "same"), [("without_needless_hooks", "1"), ("nullcontext", "0")])
def test_a_hook_of_the_library_is_not_run(context: str, same: str) -> None:
    """Beside it what Python does by itself: the test would not fail if there were no such hook."""
    script = SAME_STATE_IN_A_CHILD.format(context=context)
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == same


def test_other_modules_get_what_they_ask_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """An operator's package may need it."""
    registered: list[str] = []
    monkeypatch.setattr(os, "register_at_fork", lambda **hooks: registered.extend(hooks))
    ask = compile("import os; os.register_at_fork(after_in_child=print)", "module", "exec")
    real = os.register_at_fork
    with without_needless_hooks():
        for name in ("logging", "threading", "loggings", "a_package"):
            exec(ask, {"__name__": name})
    assert registered == ["after_in_child"] * 2
    assert os.register_at_fork is real

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

SCRIPT = """
import os, sys
sys.path.insert(0, sys.argv[1])
from langserver.sandbox import oom
def score(): return int(open("/proc/self/oom_score_adj").read())
before = score()
fd = oom.open_score()
with oom.first_to_die(fd):
    if os.fork() == 0:
        os._exit(7 if score() == 1000 else 8)
child = os.waitstatus_to_exitcode(os.wait()[1])
print(child, score() == before)
"""


def test_a_child_dies_before_its_zygote() -> None:
    done = subprocess.run([sys.executable, "-I", "-c", SCRIPT, str(ROOT)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["7", "True"]
    assert os.path.exists("/proc/self/oom_score_adj")

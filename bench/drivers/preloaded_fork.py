"""As bare_fork, in a process that is what the Python zygote is when it forks, by its own doing. No jail, no task: of
the layers it has the policy alone, which is a part of what a zygote loads.
"""

import sys
from pathlib import Path

from langserver.zygote.main import prepare

program = compile(Path(__file__).with_name("bare_fork.py").read_text(), "bare_fork.py", "exec")
prepare("python", frozenset({"policy"}), sys.stdin.fileno())
exec(program)  # noqa: S102 -- before its own imports, which a zygote does not have either

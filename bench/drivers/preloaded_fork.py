"""As bare_fork, in a process that has loaded what the Python zygote loads. No jail, no task."""

import gc
import runpy
from pathlib import Path

from langserver.python_runtime import PythonRuntime

PythonRuntime(policy=True).preload()
gc.collect()
gc.disable()
gc.freeze()
runpy.run_path(str(Path(__file__).with_name("bare_fork.py")))

"""Times programs as plain CPython and under the policy; prints a JSON object of nanoseconds.

Arguments: samples a row, and accesses a loop.
"""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from langserver.python_runtime import PythonRuntime  # noqa: E402 -- the path comes first
from langserver.python_runtime.compiler import compile_source  # noqa: E402

_LOOP = """
class Thing:
    def __init__(self):
        self.{name} = 0
        self.{other} = 1
    def run(self, times):
        for _ in range(times):
            self.{name} = self.{name} + self.{other}
        return self.{name}
def act():
    return Thing().run({times})
"""
_ITEMS = """
def act():
    counts = {{"a": 0}}
    cells = [0, 1, 2, 3]
    for n in range({times}):
        counts["a"] = counts["a"] + 1
        cells[n % 4] = cells[(n + 1) % 4] + 1
    return counts["a"]
"""
_MIX_TIMES = 20


_CLASSES = """
def act():
    for n in range(1000):
        class Base:
            def f(self): return n
        class Child(Base):
            kind = "c"
"""


def _silent(*args: Any, **rest: Any) -> None:
    """Instead of `print`."""


def mix() -> list[str]:
    """Small programs of functions, of the kind that people solve exercises with."""
    text = (ROOT / "tests" / "runtimes" / "python" / "programs" / "exercises.py").read_text("utf-8")
    programs = [part.partition("\n")[2] for part in text.split("\n#: ")]
    return [program for program in programs if "class " not in program]


def compiled(source: str, runtime: PythonRuntime | None) -> Callable[[], Any]:
    """Runs `source` once and returns what to time: its `act`, or the whole of it again."""
    if runtime is None:
        code = compile(source, "program", "exec")
        names: dict[str, Any] = {"__name__": "__main__", "print": _silent}
    else:
        program = compile_source("program.py", source, policy=True)
        assert program.code is not None, program.failures
        code, names = program.code, runtime._globals(program.name, {})
        names["print"] = _silent
    exec(code, names)  # noqa: S102 -- our own programs
    act: Callable[[], Any] | None = names.get("act")
    return act or (lambda: exec(code, dict(names)))  # noqa: S102


def timed(acts: list[Callable[[], Any]], times: int) -> int:
    """Nanoseconds of calling each of `acts` `times` times."""
    started = time.perf_counter_ns()
    for act in acts:
        for _ in range(times):
            act()
    return time.perf_counter_ns() - started


def main() -> None:
    """Measures the two sides in turn, so that a busy moment of the machine meets both."""
    samples, accesses = map(int, sys.argv[1:3])
    runtime = PythonRuntime(policy=True)
    runtime.preload()
    loops = {
        "self.x read and written": ([_LOOP.format(name="x", other="y", times=accesses // 3)], 1),
        "self._x read and written": ([_LOOP.format(name="_x", other="_y", times=accesses // 3)], 1),
        "items read and written": ([_ITEMS.format(times=accesses // 4)], 1),
        "two class statements, a thousand times": ([_CLASSES], 1),
        "a mix of small programs": (mix(), _MIX_TIMES),
    }
    found: dict[str, list[int]] = {}
    for name, (sources, times) in loops.items():
        plain, ours = ([compiled(source, side) for source in sources] for side in (None, runtime))
        found[f"{name}: plain CPython"], found[f"{name}: under the policy"] = [], []
        for _ in range(samples + 1):
            found[f"{name}: plain CPython"].append(timed(plain, times))
            found[f"{name}: under the policy"].append(timed(ours, times))
    set_up = found["python: a program's globals and module, before it runs"] = []
    set_up.extend(timed([lambda: runtime._globals("__main__", {})], 100) // 100 for _ in range(samples + 1))
    print(json.dumps({name: values[1:] for name, values in found.items()}))


if __name__ == "__main__":
    real, sys.stdout = sys.stdout, io.StringIO()
    try:
        main()
        text = sys.stdout.getvalue()
    finally:
        sys.stdout = real
    print(text)

"""What a child does while it waits for its task."""

from __future__ import annotations

import random
import sys
import warnings

from langserver.python_runtime import sources
from langserver.python_runtime.run import PythonRuntime


def test_compiling_ahead_leaves_nothing_behind(runtime: PythonRuntime) -> None:
    def seen() -> tuple[object, ...]:
        return set(sys.modules), sources.label(), list(sources.lines()), list(warnings.filters), random.getstate()

    before = seen()
    runtime.warm_up()
    assert seen() == before

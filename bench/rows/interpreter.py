"""The way without this project: a new interpreter for each task."""

from __future__ import annotations

import subprocess
import sys

from bench.measure import Context, Row, repeat

FRESH = "fresh `python -I -c 'import RestrictedPython'`"


def rows(context: Context) -> list[Row]:
    """Starting an interpreter that could compile a restricted program, and nothing more."""
    command = (sys.executable, "-I", "-c", "import RestrictedPython")
    return [Row(FRESH, repeat(context.count(20), lambda: subprocess.run(command, check=True)))]

"""The way without this project: a new interpreter for each task."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

from bench.context import DRIVERS, Context
from bench.measure import NotAvailable, Row, repeat
from bench.tasks import TRIVIAL

FRESH = "fresh `python -I` with RestrictedPython, one trivial task"
NODE = "`node -e 0`"


def rows(context: Context) -> list[Row]:
    """An interpreter that imports RestrictedPython, runs one task and prints; and a node that does nothing."""
    count = context.count(40)
    command = (sys.executable, "-I", str(DRIVERS / "restricted_task.py"))
    task = TRIVIAL["python"]
    words = json.dumps({"code": task.code, "input": task.input_json})

    def run() -> None:
        ran = subprocess.run(command, input=words, stdout=subprocess.PIPE, text=True, check=False)
        if ran.stdout.strip() != task.expected:
            raise NotAvailable(f"the task ended with status {ran.returncode} and the output {ran.stdout[:80]!r}")

    return [Row(FRESH, repeat(count, run)), _node(count)]


def _node(count: int) -> Row:
    node = shutil.which("node")
    if node is None:
        return Row(NODE, missing="there is no node", fault=False)
    return Row(NODE, repeat(count, lambda: subprocess.run((node, "-e", "0"), check=True)))

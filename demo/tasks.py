"""The tasks of the demo: ordinary ones, mistakes people make, and attempts to get out."""

from __future__ import annotations

from dataclasses import dataclass

SUCCESS = "SUCCESS"


@dataclass(frozen=True, slots=True)
class Task:
    """One task and what must become of it: SUCCESS, or one of the error kinds (without their prefix).

    `output` is the expected result as a JSON value, `line` the line an error must name if any, `logs_cut` whether the
    log must have reached its limit.
    """

    name: str
    runtime: str
    code: str
    outcomes: tuple[str, ...] = (SUCCESS,)
    input_json: str = ""
    output: object = None
    line: int = 0
    timeout_seconds: int = 10
    logs_cut: bool = False


TASKS = (
    Task(
        "CSV summary",
        "python",
        """\
import csv
import io
from collections import Counter

def main(inputs):
    totals = Counter()
    for row in csv.DictReader(io.StringIO(inputs["csv"])):
        totals[row["city"]] += int(row["sold"])
    return {"cities": len(totals), "best": totals.most_common(1)[0]}
""",
        input_json=r'{"csv": "city,sold\nOslo,3\nRome,5\nOslo,4\n"}',
        output={"cities": 2, "best": ["Oslo", 7]},
    ),
    Task(
        "date calculation",
        "python",
        """\
from datetime import date, timedelta

def main(start, days):
    due = date.fromisoformat(start) + timedelta(days=days)
    return {"due": due, "weekday": due.strftime("%A")}
""",
        input_json='{"start": "2024-02-20", "days": 10}',
        output={"due": "2024-03-01", "weekday": "Friday"},
    ),
    Task(
        "async JavaScript",
        "js",
        """\
const pause = ms => new Promise(done => setTimeout(done, ms));

async function main({ids}) {
  const load = async id => { await pause(5); return {id, square: id * id}; };
  const loaded = await Promise.all(ids.map(load));
  return loaded.reduce((sum, one) => sum + one.square, 0);
}
""",
        input_json='{"ids": [1, 2, 3, 4]}',
        output=30,
    ),
    Task(
        "unknown key",
        "python",
        """\
def main(inputs):
    order = inputs["order"]
    return order["price"] * order["quantity"]
""",
        ("USER_ERROR",),
        input_json='{"order": {"quantity": 2}}',
        line=3,
    ),
    Task("syntax error", "python", "def main(inputs):\n    total = = 1\n", ("SYNTAX_ERROR",), line=2),
    Task("syntax error", "js", "function main() {\n  return [1, 2;\n}\n", ("SYNTAX_ERROR",), line=2),
    Task(
        "endless loop",
        "python",
        "def main():\n    while True:\n        try:\n            pass\n        except Exception:\n            pass\n",
        ("TIMEOUT",),
        timeout_seconds=1,
    ),
    Task("endless loop", "js", "function main() {\n  for (;;) {}\n}\n", ("TIMEOUT",), timeout_seconds=1),
    Task(
        "memory bomb",
        "python",
        "def main():\n    kept = []\n    while True:\n        kept.append([0] * 1_000_000)\n",
        ("MEMORY_LIMIT",),
        line=4,
    ),
    Task(
        "memory bomb",
        "js",
        "function main() {\n  const kept = [];\n  for (;;) kept.push(new Array(100000).fill(kept.length));\n}\n",
        ("MEMORY_LIMIT",),
    ),
    Task(
        "huge print",
        "python",
        "def main():\n    for number in range(20_000):\n        print('line', number, '.' * 80)\n    return 'done'\n",
        output="done",
        logs_cut=True,
    ),
    Task(
        "read /etc/passwd",
        "python",
        "def main():\n    with open('/etc/passwd') as file:\n        return file.read()\n",
        ("POLICY_VIOLATION",),
        line=2,
    ),
    Task(
        "read /etc/passwd",
        "js",
        "const fs = require('fs');\nmodule.exports = () => fs.readFileSync('/etc/passwd', 'utf8');\n",
        ("POLICY_VIOLATION",),
        line=1,
    ),
    Task(
        "open a socket",
        "python",
        "import socket\n\ndef main():\n    socket.create_connection(('192.0.2.1', 80))\n",
        ("POLICY_VIOLATION",),
        line=1,
    ),
    Task(
        "fork",
        "python",
        "import os\n\ndef main():\n    while True:\n        os.fork()\n",
        ("POLICY_VIOLATION",),
        line=1,
    ),
)

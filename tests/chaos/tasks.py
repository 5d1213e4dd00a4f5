"""The tasks of a chaos run, and what must have become of each."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Planned:
    """A task and its end. `output` is the JSON value; None where it must fail."""

    task_id: str
    node_type: str
    input: dict[str, object]
    state: str
    value: object = None
    error: str = ""
    max_attempts: int = 10

    def line(self, run: str) -> str:
        """As `coordinator submit --file` reads it."""
        return json.dumps(
            {
                "run_id": run,
                "task_id": self.task_id,
                "node_type": self.node_type,
                "input": self.input,
                "max_attempts": self.max_attempts,
            }
        )


def planned(number: int, payments: str) -> Planned:
    """The task of a number: most are quick and succeed, some are slower than a lease, some must fail. Some pay, at the
    URL `payments`, where much goes wrong.
    """
    name = f"task-{number}"

    def program(code: str) -> dict[str, object]:
        return {"code": code, "input": {"n": number}, "timeout_seconds": 10}

    match number % 20:
        case 1 | 6 | 16:
            asked = {"method": "POST", "url": payments, "body": {"amount": number}, "timeout_seconds": 10}
            return Planned(name, "http", asked, "COMPLETED", {"charged": number}, max_attempts=30)
        case 10:
            asked = {"method": "GET", "url": "http://169.254.169.254/latest/meta-data/"}
            return Planned(name, "http", asked, "FAILED", error="EGRESS_REFUSED: ")
        case 3 | 8 | 13 | 18:
            return Planned(name, "js", program("return {twice: 2 * inputs.n}"), "COMPLETED", {"twice": 2 * number})
        case 5:
            slow = "import time\ndef main(n):\n    time.sleep(1.5)\n    return n + 1"
            return Planned(name, "python", program(slow), "COMPLETED", number + 1)
        case 7:
            code = "def main(n):\n    return n / 0"
            return Planned(name, "python", program(code), "FAILED", error="USER_ERROR: ", max_attempts=2)
        case 11:
            return Planned(name, "python", program("def main(n:\n"), "FAILED", error="SYNTAX_ERROR: ")
        case 15:
            # Longer than the lease of tests/chaos/test_chaos.py: it needs its renewals.
            slower = "import time\ndef main(n):\n    time.sleep(4)\n    return [n]"
            return Planned(name, "python", program(slower), "COMPLETED", [number])
        case _:
            return Planned(name, "python", program("def main(n):\n    return {'n': n}"), "COMPLETED", {"n": number})

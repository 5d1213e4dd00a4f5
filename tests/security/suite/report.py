"""`make security`: runs the suite, prints what was contained of what was tried, and brings the threat model up to date.

The tables that are printed are of this run; what is written comes from the rows, which a run that passes has confirmed.
"""

from __future__ import annotations

import sys
from typing import Final

import pytest

from tests.security.suite import matrix
from tests.security.suite.attack import load

_TESTS: Final = [f"tests/security/{name}" for name in ("test_attack_data.py", "test_judge.py", "test_attacks.py")]


class _Collector:
    """Keeps what each test of an attack has recorded."""

    def __init__(self) -> None:
        self.contained: dict[tuple[str, str], bool] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One test."""
        if report.when == "call":
            for name, value in report.user_properties:
                if name == "tried" and isinstance(value, tuple):
                    layer_set, attack, contained = value
                    self.contained[str(layer_set), str(attack)] = bool(contained)


def main(arguments: list[str]) -> int:
    """Returns pytest's exit status."""
    collector = _Collector()
    status = pytest.main([*_TESTS, "-q", *arguments], plugins=[collector])
    print(f"\n{matrix.tables(load(), collector.contained)}\n")
    if status == pytest.ExitCode.OK:
        matrix.write()
        print(f"written to {matrix.PAGE.relative_to(matrix.PAGE.parents[1])}")
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

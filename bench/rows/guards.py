"""What the policy costs a running program: the same code as plain CPython and under the policy, in one process each."""

from __future__ import annotations

from bench.context import Context
from bench.measure import Ratio, Row

# With the ratio that is aimed at; 0 for none.
_LOOPS = {
    "self.x read and written": 1.7,
    "self._x read and written": 3.0,
    "items read and written": 1.05,
    "two class statements, a thousand times": 0,
    "a mix of small programs": 1.05,
}
_PLAIN = "{}: plain CPython"
_OURS = "{}: under the policy"


def rows(context: Context) -> list[Row]:
    """Each loop runs a million accesses, the mix a few dozen small programs of this project."""
    table = context.driver_table("guards", str(context.count(9)), "10000" if context.quick else "1000000")
    return [Row(name, samples) for name, samples in table.items()]


RATIOS = tuple(
    Ratio(f"guards: {loop}", _OURS.format(loop), (_PLAIN.format(loop),), f"aim: {aim} at most" if aim else "paid once")
    for loop, aim in _LOOPS.items()
)

"""What a JavaScript program pays for what it uses first: from the source to the report, inside its child."""

from __future__ import annotations

from bench.context import Context
from bench.measure import Ratio, Row

PROGRAM = "js program: {}"
PRELUDE, PRELUDE_ALONE = PROGRAM.format("prelude"), PROGRAM.format("prelude without what waits to be used")

RATIOS = (
    Ratio(
        "the prelude over what of it every program uses", PRELUDE, (PRELUDE_ALONE,), "what waits costs next to nothing"
    ),
)


def rows(context: Context) -> list[Row]:
    """A trivial program, and one for each global and module that is made when it is first touched."""
    times = context.driver_table("js_first_use", str(context.count(40)))
    return [Row(PROGRAM.format(name), samples) for name, samples in times.items()]

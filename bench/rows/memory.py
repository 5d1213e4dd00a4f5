"""What server, zygotes and waiting children hold, against the number of children that wait."""

from __future__ import annotations

from bench.context import Context, language_server
from bench.measure import Ratio, Row, Unit, at_most
from bench.processes import held, warm_children

RUNTIMES = ("python", "js")
WAITING = (1, 2, 8, 16)
SERVER = "PSS of the server, {} waiting a runtime"
ZYGOTE = "PSS of the {} zygote, {} waiting"
CHILD = "PSS of a waiting {} child, {} waiting"
PRIVATE = "private memory of a waiting {} child, {} waiting"
ALL = "PSS of all processes, {} waiting a runtime"
_TARGET_MIB = {"python": 2, "js": 4}

RATIOS = tuple(
    Ratio(
        f"MiB of its own of a waiting {runtime} child",
        PRIVATE.format(runtime, 8),
        (),
        "what one more warm child costs",
        at_most(_TARGET_MIB[runtime]),
    )
    for runtime in RUNTIMES
)


def rows(context: Context) -> list[Row]:
    """A server of its own for each number; nothing has run on it. A child's rows have one sample for each child."""
    return [row for count in ((8,) if context.quick else WAITING) for row in _with(count)]


def _with(count: int) -> list[Row]:
    with language_server({"LANG_WARM_CHILDREN": str(count)}) as server:
        families = warm_children(server.pid, RUNTIMES, count)
        whole = held(server.pid).pss
        found = [Row(SERVER.format(count), (whole,), unit=Unit.SIZE)]
        for runtime, (zygote, children) in families.items():
            of_zygote, of_children = held(zygote), [held(child) for child in children]
            whole += of_zygote.pss + sum(child.pss for child in of_children)
            found += [
                Row(ZYGOTE.format(runtime, count), (of_zygote.pss,), unit=Unit.SIZE),
                Row(CHILD.format(runtime, count), tuple(child.pss for child in of_children), unit=Unit.SIZE),
                Row(PRIVATE.format(runtime, count), tuple(child.private for child in of_children), unit=Unit.SIZE),
            ]
    return [*found, Row(ALL.format(count), (whole,), unit=Unit.SIZE)]

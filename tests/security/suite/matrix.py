"""The tables of docs/threat-model.md: families by layer sets, contained of tried. From the rows alone.

The suite fails unless each attack ends as its row says. So what a run that passes has measured is what stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from langserver.sandbox.layers import LANDLOCK
from tests.security.suite.attack import FAMILIES, Attack, Host, Runtime, load
from tests.security.suite.layer_sets import (
    ALL,
    ALL_BUT_POLICY,
    ALL_WITH_JIT,
    ALONE,
    FULL,
    KERNEL,
    NEWEST_ABI,
    NO_SECCOMP,
    NO_SECCOMP_IN_CONTAINER,
    NONE,
    OLDER_LANDLOCK,
    POLICY_ALONE,
    REQUIRED_KERNEL,
    Expected,
    LayerSet,
)

PAGE: Final = Path(__file__).parents[3] / "docs" / "threat-model.md"
BEGIN: Final = "<!-- matrix: written by `make security` -->"
END: Final = "<!-- end of the matrix -->"

# Whether each attack was contained, by name of the set and id.
Contained = Mapping[tuple[str, str], bool]

_SOURCE: Final = {"all layers": ALL, "all, with JIT": ALL_WITH_JIT, "policy alone": POLICY_ALONE, "none": NONE}
_NATIVE: Final = {
    "all": ALL,
    "all but P": ALL_BUT_POLICY,
    "all but P, A": KERNEL,
    "S+R+I": REQUIRED_KERNEL,
    "L+N+R+I": NO_SECCOMP,
    "L+R+I": NO_SECCOMP_IN_CONTAINER,
    **{letter: ALONE[layer] for letter, layer in zip("AIRLSN", ALONE, strict=True)},
    "none": NONE,
}


def expected(attacks: Iterable[Attack]) -> Contained:
    """What must come of all that is tried, on a machine that has everything."""
    wanted = {}
    for layer_set in (*_SOURCE.values(), *_NATIVE.values(), *OLDER_LANDLOCK):
        for attack in attacks:
            expectation = layer_set.expects(attack, FULL)
            if layer_set.takes(attack) and expectation is not Expected.UNTRIED and not attack.decision:
                wanted[layer_set.name, attack.id] = expectation is Expected.CONTAINED
    return wanted


def tables(attacks: Sequence[Attack], contained: Contained) -> str:
    """All of it, as Markdown."""
    parts = (
        "**Programs in Python and JavaScript.**",
        _table(attacks, "python", _SOURCE, contained),
        _table(attacks, "javascript", _SOURCE, contained),
        _NATIVE_CAPTION,
        _table(attacks, "native", _NATIVE, contained),
        "**Landlock alone, by what the kernel's ABI knows.** Of those that the newest one stops.",
        _by_abi(attacks, contained),
    )
    return "\n\n".join(parts)


def page(attacks: Sequence[Attack]) -> str:
    """What stands between the markers."""
    parts = (
        _CAPTION,
        tables(attacks, expected(attacks)),
        "**Not shown to be real**, and why:",
        _listed(attacks, lambda one: one.real.why),
        "**Not tried where nothing stops them**, and why:",
        _listed(attacks, lambda one: one.dangerous),
        "**Not counted**: what they reach is meant to be reached.",
        _listed(attacks, lambda one: one.decision),
    )
    return "\n\n".join(parts)


_CAPTION: Final = """\
Contained of tried, on CPython 3.11 and a machine with landlock ABI 7 and namespaces, started as root. Where a set
stops fewer than it tries, the rest was seen to get through: a claim that is too small is found like one that is too
large. Of another CPython a row says so where its claims differ. A machine
without landlock or namespaces skips the columns that need them. Programs that only aim at a limit are not run
without one. *None* is no layer at all; what is contained there is what no switch turns off: a process for one task,
an empty environment, strict framing, the wall clock. *Real* counts the attacks that were seen to win something
where nothing stands in the way: without layers, against a naive host of the kind they aim at
(tests/security/suite/hosts), or by reaching the limit that ends them."""

_NATIVE_CAPTION: Final = """\
**Native code: plain CPython with ctypes at hand.** P policy, A audit, I privileges (identity), R rlimits, L landlock,
S seccomp, N namespaces. A single letter is that layer alone; what no switch turns off is not tried there."""


def _table(attacks: Sequence[Attack], runtime: Runtime, columns: Mapping[str, LayerSet], contained: Contained) -> str:
    shown = {name: one for name, one in columns.items() if runtime in one.runtimes}
    counted = [one for one in attacks if one.runtime == runtime and not one.decision]
    families = [family for family in FAMILIES if any(one.family == family for one in counted)]
    lines = [_line([runtime, *shown, "real"]), _line(["---"] * (len(shown) + 2))]
    for title, part in (
        *((family, [one for one in counted if one.family == family]) for family in families),
        ("**all**", counted),
    ):
        real = sum(one.real.host is not Host.NOWHERE for one in part)
        cells = [_cell(one, part, contained) for one in shown.values()]
        lines.append(_line([title, *cells, f"{real}/{len(part)}"]))
    return "\n".join(lines)


def _by_abi(attacks: Sequence[Attack], contained: Contained) -> str:
    sets = (*OLDER_LANDLOCK, ALONE[LANDLOCK])
    part = [one for one in attacks if OLDER_LANDLOCK[0].takes(one)]
    return "\n".join(
        _line(cells)
        for cells in (
            ["ABI", *(str(abi) for abi in range(1, NEWEST_ABI + 1))],
            ["---"] * (len(sets) + 1),
            ["contained", *(_cell(one, part, contained) for one in sets)],
        )
    )


def _cell(layer_set: LayerSet, attacks: Iterable[Attack], contained: Contained) -> str:
    ends = [contained[layer_set.name, one.id] for one in attacks if (layer_set.name, one.id) in contained]
    return f"{sum(ends)}/{len(ends)}" if ends else "-"


def _listed(attacks: Iterable[Attack], why: Callable[[Attack], str]) -> str:
    return "\n".join(f"- `{one.id}`: {why(one)}" for one in attacks if why(one))


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def between(text: str) -> str:
    """What a page holds between the markers. Raises ValueError when it has none."""
    return text[text.index(BEGIN) + len(BEGIN) : text.index(END)].strip()


def write() -> None:
    """Brings the page up to date."""
    text = PAGE.read_text("utf-8")
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(f"{text[:start]}\n\n{page(load())}\n\n{text[end:]}", "utf-8")

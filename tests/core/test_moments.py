"""The phases of an execution."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langserver.core.moments import Moments, Phase, phases

NAMES = ["queue", "spawn", "seal", "compile", "run", "report"]


def test_all_of_them() -> None:
    assert phases(1, 2, Moments(3, 4, 5, 6), 7) == [
        Phase(name, begin, begin + 1) for name, begin in zip(NAMES, range(1, 7), strict=True)
    ]


@pytest.mark.parametrize("known", range(5))
def test_the_phase_in_which_it_ended_is_the_last(known: int) -> None:
    found = phases(0, 1, Moments(*[2.0, 3.0, 4.0, 5.0][:known]), 9)
    assert [phase.name for phase in found] == NAMES[: known + 2]
    assert found[-1].end == 9


_MAYBE = st.none() | st.floats(0, 100)


@given(st.floats(0, 100), st.floats(0, 100), _MAYBE, _MAYBE, _MAYBE, _MAYBE, st.floats(0, 100))
def test_they_are_without_gaps_and_inside_whatever_was_heard(
    came: float,
    admitted: float,
    spawned: float | None,
    sealed: float | None,
    started: float | None,
    reported: float | None,
    more: float,
) -> None:
    ended = came + more
    found = phases(came, admitted, Moments(spawned, sealed, started, reported), ended)
    assert (found[0].begin, found[-1].end) == (came, ended)
    assert all(phase.begin <= phase.end for phase in found)
    assert [phase.end for phase in found[:-1]] == [phase.begin for phase in found[1:]]

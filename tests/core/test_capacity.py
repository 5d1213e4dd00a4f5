"""How many tasks fit: the arithmetic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langserver.core.capacity import USABLE_PERCENT, Capacity, Needs, Room, Wanted, capacity

MIB = 1 << 20
NEEDS = Needs(server=96 * MIB, zygotes=100 * MIB, waiting=12 * MIB, task=160 * MIB)


def of(mib, tasks=4, waiting=2, follows=True):
    return capacity(Room(mib * MIB, "a file"), NEEDS, Wanted(tasks, waiting, follows))


@pytest.mark.parametrize(
    ("mib", "fits"),
    [
        (410, (1, 1)),  # 0.9 x 410 = 369, and one takes 368
        (408, (0, 1)),
        (600, (2, 2)),  # 540
        (599, (1, 1)),
        (956, (4, 2)),
        (955, (3, 2)),
        (100_000, (4, 2)),
        (0, (0, 1)),
    ],
)
def test_what_fits(mib, fits):
    found = of(mib)
    assert (found.tasks, found.waiting) == fits
    assert found.is_lowered == (found.tasks < 4)


def test_waiting_children_that_were_asked_for_are_kept_and_tasks_make_room():
    assert (of(600, waiting=10, follows=False).tasks, of(600, waiting=10, follows=False).waiting) == (1, 10)
    assert of(600, waiting=40, follows=False).tasks == 0
    assert of(600, waiting=0, follows=False).tasks == 2


def test_the_account_has_all_numbers():
    assert of(600).account() == (
        "2 x 160 MiB for tasks, 2 x 12 MiB for waiting children, 100 MiB for zygotes and 96 MiB for the server are "
        "540 MiB; 540 MiB may be used, 90 % of the 600 MiB that a file allows"
    )
    assert of(100).account().startswith("1 x 160 MiB for tasks, 1 x 12 MiB"), "of what would be needed for one"


@given(
    room=st.integers(0, 1 << 40),
    needs=st.builds(Needs, *[st.integers(0, 1 << 34)] * 4),
    wanted=st.builds(Wanted, st.integers(1, 200), st.integers(0, 50), st.booleans()),
)
def test_what_is_given_fits_and_one_more_would_not(room, needs, wanted):
    found = capacity(Room(room, ""), needs, wanted)

    def fits(tasks):
        waiting = min(wanted.waiting, tasks) if wanted.waiting_follows else wanted.waiting
        return 100 * (needs.server + needs.zygotes + waiting * needs.waiting + tasks * needs.task) <= (
            USABLE_PERCENT * room
        )

    assert isinstance(found, Capacity)
    assert found.tasks <= wanted.tasks
    assert not found.tasks or fits(found.tasks)
    assert found.tasks == wanted.tasks or not fits(found.tasks + 1)

"""Jails that fail one after another."""

from __future__ import annotations

from langserver.core.seals import FAILURES, Seals


def test_so_many_in_a_row_are_no_accident_and_one_that_holds_ends_it():
    one = Seals()
    for _ in range(FAILURES - 1):
        one = one.failed()
        assert not one.fail
    assert one.failed().fail
    assert one.failed().failed().fail
    assert not one.failed().held().fail
    assert not one.held().failed().fail, "they were not in a row"

"""Control messages: one size, numbers only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langserver.wire.control import SIZE, ControlError, Message, Op


@given(st.sampled_from(Op), st.integers(0, 2**64 - 1), st.tuples(*[st.integers(-(2**63), 2**63 - 1)] * 6))
def test_a_message_survives_the_trip(op: Op, slot: int, numbers: tuple[int, ...]) -> None:
    message = Message(op, slot, numbers)
    assert len(message.encode()) == SIZE
    assert Message.decode(message.encode()) == message


def test_missing_numbers_are_zero() -> None:
    assert Message.decode(Message(Op.EXIT, 3, (1, 2)).encode()).numbers == (1, 2, 0, 0, 0, 0)


@pytest.mark.parametrize("size", [0, 1, SIZE - 1, SIZE + 1])
def test_another_size_is_no_message(size: int) -> None:
    with pytest.raises(ControlError, match=f"has {SIZE} bytes"):
        Message.decode(b"\x01" * size)


def test_an_unknown_opcode_is_no_message() -> None:
    with pytest.raises(ControlError, match="no control message 99"):
        Message.decode(bytes([99]) + bytes(SIZE - 1))

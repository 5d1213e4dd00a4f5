"""Control messages: of one size, with an opcode that there is, and nothing else of note."""

from __future__ import annotations

from langserver.wire.control import SIZE, ControlError, Message, Op

_PADDING = slice(1, 8)


def seeds() -> list[bytes]:
    messages = [Message(op, slot, (1, -1, 2**63 - 1, -(2**63))).encode() for op in Op for slot in (0, 2**64 - 1)]
    return [*messages, messages[0][:-1], messages[0] + b"x", b"", b"\xff" * SIZE]


def check(data: bytes) -> None:
    try:
        message = Message.decode(data)
    except ControlError:
        assert len(data) != SIZE or data[0] not in set(Op)
        return
    assert len(data) == SIZE
    assert 0 <= message.slot < 2**64
    assert len(message.numbers) == 6
    assert all(-(2**63) <= number < 2**63 for number in message.numbers)
    again = bytearray(message.encode())
    again[_PADDING] = data[_PADDING]
    assert bytes(again) == data

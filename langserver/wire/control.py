"""Control messages between server and zygote: fixed size, numbers only.

Whatever a zygote ever holds is readable by every later child, so nothing of a task can be put into a message: there is
no field for it. Descriptors travel beside a message (SCM_RIGHTS).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

_LAYOUT = struct.Struct("!BxxxxxxxQ6q")
SIZE = _LAYOUT.size
_NUMBERS = 6


class Op(IntEnum):
    """The first three go to the zygote, the others come from it."""

    # memory growth in bytes (0: none), CPU seconds (0: none), 1 when no task waits for it, 1 when it makes way on the
    # cores; descriptors: input to read, report to write, and where there are control groups the door to its own
    SPAWN = 1
    LIMIT = 2  # memory growth in bytes (0: leave), CPU seconds (0: leave), 1 when it makes way on the cores
    TEST = 3  # itself: its jail, with children of its own. Only while it has no others

    READY = 16  # four version numbers, of an idle child: held bytes, peak RSS in bytes; descriptor: its own pidfd
    SPAWNED = 17  # descriptor: pidfd. No pid: in the zygote's namespace it has another one than in the server's
    NOT_SPAWNED = 18  # errno
    LIMITED = 19  # errno, 0 when done
    EXIT = 20  # code or -1, signal or 0, user and system CPU in microseconds, peak RSS in bytes
    TRIED = 21  # slot: number of the trial; its answer (langserver.sandbox.selftest)


class ControlError(Exception):
    """A message that is none."""


@dataclass(frozen=True, slots=True)
class Message:
    """One control message; `slot` says which child, unused numbers are 0."""

    op: Op
    slot: int = 0
    numbers: tuple[int, ...] = ()

    def encode(self) -> bytes:
        """The SIZE bytes of this message."""
        padding = (0,) * (_NUMBERS - len(self.numbers))
        return _LAYOUT.pack(self.op, self.slot, *self.numbers, *padding)

    @classmethod
    def decode(cls, data: bytes) -> Message:
        """Reads a message. Raises ControlError."""
        if len(data) != SIZE:
            raise ControlError(f"a control message has {SIZE} bytes, not {len(data)}")
        op, slot, *numbers = _LAYOUT.unpack(data)
        try:
            return cls(Op(op), slot, tuple(numbers))
        except ValueError:
            raise ControlError(f"there is no control message {op}") from None

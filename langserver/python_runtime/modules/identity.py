"""`uuid.uuid1` and `getnode` with a random node (RFC 9562, section 6.10): a machine's address is nobody's business."""

from __future__ import annotations

import secrets
import uuid
from typing import Any

_MULTICAST = 1 << 40  # no network card has such an address


class _Node:
    number = 0


def getnode() -> int:
    """`uuid.getnode`: drawn once by each task."""
    if not _Node.number:
        _Node.number = secrets.randbits(48) | _MULTICAST
    return _Node.number


def uuid1(node: int | None = None, clock_seq: int | None = None) -> uuid.UUID:
    """`uuid.uuid1`."""
    return uuid.uuid1(getnode() if node is None else node, secrets.randbits(14) if clock_seq is None else clock_seq)


def uuid6(node: int | None = None, clock_seq: int | None = None) -> uuid.UUID:
    """`uuid.uuid6`, from Python 3.14 on."""
    make: Any = uuid.uuid6  # type: ignore[attr-defined]
    made: uuid.UUID = make(
        getnode() if node is None else node, secrets.randbits(14) if clock_seq is None else clock_seq
    )
    return made


NAMES: dict[str, Any] = {
    "getnode": getnode,
    "uuid1": uuid1,
    **({"uuid6": uuid6} if hasattr(uuid, "uuid6") else {}),
}

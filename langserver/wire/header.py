"""What the server tells a child of its task before the source: one HEADER frame."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

Mode = Literal["run", "validate"]
# Of the program's compiled form (decision 0038): nothing; the child shall send it; it follows the source.
Form = Literal["none", "wanted", "given"]


@dataclass(frozen=True, slots=True)
class TaskHeader:
    """The numbers and labels of one task.

    `zone` is an IANA name the server knows, `seed` the seed of `random` and `Math.random` only, `label` the file name
    shown in errors and never opened.
    """

    mode: Mode
    zone: str
    seed: int | None
    label: str
    output_bytes: int
    log_bytes: int
    form: Form = "none"

    def encode(self) -> bytes:
        """The payload of a HEADER frame."""
        return json.dumps({name: getattr(self, name) for name in self.__slots__}).encode()

    @classmethod
    def decode(cls, payload: bytes) -> TaskHeader:
        """Reads a payload made by `encode`: it comes from the server, which a child trusts."""
        return cls(**json.loads(payload))

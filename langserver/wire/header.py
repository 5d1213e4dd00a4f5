"""What the server tells a child of its task before the source: one HEADER frame."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final, Literal

Mode = Literal["run", "validate"]
# Of the program's compiled form (decision 0038): nothing; the child shall send it; it follows the source.
Form = Literal["none", "wanted", "given"]

_MODES: Final[tuple[Mode, ...]] = ("run", "validate")
_FORMS: Final[tuple[Form, ...]] = ("none", "wanted", "given")
_LAYOUT: Final = struct.Struct("!BBBqQQB")  # mode, form, is there a seed, seed, limits, length of the zone


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
        zone = self.zone.encode()
        seed = (False, 0) if self.seed is None else (True, self.seed)
        mode, form = _MODES.index(self.mode), _FORMS.index(self.form)
        numbers = _LAYOUT.pack(mode, form, *seed, self.output_bytes, self.log_bytes, len(zone))
        return numbers + zone + self.label.encode()

    @classmethod
    def decode(cls, payload: bytes) -> TaskHeader:
        """Reads a payload made by `encode`: it comes from the server, which a child trusts."""
        mode, form, is_seeded, seed, output_bytes, log_bytes, zone_bytes = _LAYOUT.unpack_from(payload)
        zone, label = payload[_LAYOUT.size :][:zone_bytes], payload[_LAYOUT.size + zone_bytes :]
        return cls(
            _MODES[mode],
            zone.decode(),
            seed if is_seeded else None,
            label.decode(),
            output_bytes,
            log_bytes,
            _FORMS[form],
        )

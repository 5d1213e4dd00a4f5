"""What the server tells a child of its task before the source: one HEADER frame."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final, Literal, get_args

Mode = Literal["run", "validate"]
# Of the program's compiled form (decision 0038): nothing; the child shall send it; it follows the source.
Form = Literal["none", "wanted", "given"]
_MODES: Final[tuple[Mode, ...]] = get_args(Mode)
_FORMS: Final[tuple[Form, ...]] = get_args(Form)
# Mode, form, whether there is a seed, the seed, the two limits; behind it zone and label. Of so little, as a child pays
# for every page that it touches to read it.
_NUMBERS = struct.Struct("!BB?qQQ")
_BETWEEN = "\0"


@dataclass(frozen=True, slots=True)
class TaskHeader:
    """The numbers and labels of one task.

    `zone` is an IANA name the server knows, `seed` that of `random` and `Math.random` only, 64 bits and signed, `label`
    the file name shown in errors and never opened. Neither text holds a NUL.
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
        mode, form = _MODES.index(self.mode), _FORMS.index(self.form)
        numbers = mode, form, self.seed is not None, self.seed or 0, self.output_bytes, self.log_bytes
        return _NUMBERS.pack(*numbers) + f"{self.zone}{_BETWEEN}{self.label}".encode()

    @classmethod
    def decode(cls, payload: bytes) -> TaskHeader:
        """Reads a payload made by `encode`: it comes from the server, which a child trusts."""
        mode, form, has_seed, seed, output_bytes, log_bytes = _NUMBERS.unpack_from(payload)
        zone, _, label = payload[_NUMBERS.size :].decode().partition(_BETWEEN)
        return cls(_MODES[mode], zone, seed if has_seed else None, label, output_bytes, log_bytes, _FORMS[form])

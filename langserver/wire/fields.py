"""Length-prefixed fields inside a payload, read strictly: every byte is accounted for."""

from __future__ import annotations

import re
import struct

_LENGTH = struct.Struct("!I")
_SURROGATE = re.compile("[\ud800-\udfff]")


class FieldError(Exception):
    """A payload is shorter, longer or other than its format says."""


def pack_bytes(value: bytes) -> bytes:
    """`value` with its length in front."""
    return _LENGTH.pack(len(value)) + value


def utf8(text: str) -> bytes:
    """`text` as UTF-8; lone surrogates, which UTF-8 cannot say, become U+FFFD.

    Of a subclass of str what it holds, whatever its methods say: a program's may be in a text of ours.
    """
    try:
        return str.encode(text)
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", str.__str__(text)).encode()


def cut(text: bytes, cap: int) -> bytes:
    """UTF-8 `text`, at most `cap` bytes of it, cut between characters."""
    return text if len(text) <= cap else text[:cap].decode("utf-8", "ignore").encode()


def pack_text(value: str, cap: int) -> bytes:
    """`value` as UTF-8 with its length in front; at most `cap` bytes of it are kept."""
    return pack_bytes(cut(utf8(str.__getitem__(value, slice(cap))), cap))


def shown(data: bytes, cap: int) -> str:
    """Hostile bytes, at most `cap` of them, as text of at most `cap` bytes of UTF-8.

    What is no UTF-8 becomes U+FFFD, and NUL is removed (it cuts strings in C programs).
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        # U+FFFD has three bytes, and may stand for one: replaced, a text would be up to three times its cap.
        text = cut(data.decode("utf-8", "replace").encode(), cap).decode()
    return text.replace("\0", "")


class FieldReader:
    """Takes fields off the front of one payload. Every method raises FieldError when the bytes run out."""

    def __init__(self, payload: bytes) -> None:
        self._payload = memoryview(payload)
        self._at = 0

    def numbers(self, layout: struct.Struct) -> tuple[int, ...]:
        """The numbers of `layout`."""
        return layout.unpack(self._take(layout.size))

    def bytes(self, cap: int) -> bytes:
        """A length-prefixed byte string of at most `cap` bytes."""
        (length,) = _LENGTH.unpack(self._take(_LENGTH.size))
        if length > cap:
            raise FieldError(f"a field of {length} bytes is over its cap of {cap}")
        return bytes(self._take(length))

    def text(self, cap: int) -> str:
        """A length-prefixed string of at most `cap` bytes, as `shown` shows it."""
        return shown(self.bytes(cap), cap)

    def end(self) -> None:
        """Raises FieldError unless everything was read."""
        if self._at != len(self._payload):
            raise FieldError(f"{len(self._payload) - self._at} bytes are left over")

    def _take(self, size: int) -> memoryview:
        if size > len(self._payload) - self._at:
            raise FieldError("the payload ends inside a field")
        self._at += size
        return self._payload[self._at - size : self._at]

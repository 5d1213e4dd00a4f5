"""From the bytes of a request to its protobuf message: first it is counted, then it is parsed.

Parsing is done on the event loop, and what it costs is a matter of fields more than of bytes: forty megabytes in one
string take milliseconds, in fields of two bytes many seconds, in which nobody else is answered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from langserver.errors import RequestError

MOST_FIELDS: Final = 512  # of a message and the messages in it; ours have a dozen, and two for an entry of metadata
_MOST_DEPTH: Final = 8
_VARINT_BYTES: Final = 10
# Wire types (protobuf.dev, "Encoding"). 3 and 4 are groups, which proto3 does not have.
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_UNREADABLE: Final = "the request is not the protobuf message of this method: is all text UTF-8?"
_PACKAGE: Final = "lang.v1."

AnyMessage = TypeVar("AnyMessage", bound=Message)


def parse(kind: type[AnyMessage], data: bytes | None) -> AnyMessage:
    """The message in `data`; None is a call that sent none. Raises RequestError."""
    if data is None:
        raise RequestError("the call ended without a request")
    _Counter(data).count(_descriptor(kind), 0, len(data), 0)
    try:
        return kind.FromString(data)
    except DecodeError:
        _Counter(data, _refuse_other_bytes).count(_descriptor(kind), 0, len(data), 0)
        raise RequestError(_UNREADABLE) from None


def _refuse_other_bytes(field: str, data: bytes) -> None:
    """Raises RequestError for what is no UTF-8; half of a surrogate pair is none (RFC 3629, section 3)."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise RequestError(f"{field} is not UTF-8 at byte {error.start}") from None


def _descriptor(kind: type[Message]) -> Descriptor:
    descriptor: Any = kind.DESCRIPTOR  # of one of two classes that typeshed does not relate
    return cast("Descriptor", descriptor)


class _Counter:
    """Walks over encoded fields without building anything, and shows `judge` each text with its field's name."""

    def __init__(self, data: bytes, judge: Callable[[str, bytes], None] | None = None) -> None:
        self._data = data
        self._fields = 0
        self._judge = judge

    def count(self, kind: Descriptor, at: int, end: int, depth: int) -> None:
        """Counts the fields in `data[at:end]`, a message of this kind. Raises RequestError."""
        if depth > _MOST_DEPTH:
            raise RequestError(_UNREADABLE)
        while at < end:
            self._fields += 1
            if self._fields > MOST_FIELDS:
                raise RequestError(
                    f"the request has more than {MOST_FIELDS} protobuf fields (each entry of metadata is three): "
                    "send fewer"
                )
            tag, at = self._varint(at, end)
            wire_type = tag & 7
            if wire_type == _LENGTH:
                size, at = self._varint(at, end)
                field = kind.fields_by_number.get(tag >> 3)
                if at + size <= end and field is not None and field.message_type is not None:
                    self.count(field.message_type, at, at + size, depth + 1)
                elif self._judge and field is not None and field.type == FieldDescriptor.TYPE_STRING:
                    self._judge(field.full_name.removeprefix(_PACKAGE), self._data[at : at + size])
                at += size
            elif wire_type == _VARINT:
                _, at = self._varint(at, end)
            elif wire_type in (_FIXED64, _FIXED32):
                at += 8 if wire_type == _FIXED64 else 4
            else:
                raise RequestError(_UNREADABLE)
        if at > end:
            raise RequestError(_UNREADABLE)

    def _varint(self, at: int, end: int) -> tuple[int, int]:
        """A number, and the place behind it. Raises RequestError."""
        number = 0
        for position in range(at, min(at + _VARINT_BYTES, end)):
            byte = self._data[position]
            number |= (byte & 0x7F) << 7 * (position - at)
            if byte < 0x80:
                return number, position + 1
        raise RequestError(_UNREADABLE)

"""What it means that a JSON object has every field of a message."""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor


def assert_complete(value: dict[str, Any], message: Descriptor) -> None:
    """Every field of the message is there, under its own name; an enum by name, int64 as a decimal string."""
    assert set(value) == {field.name for field in message.fields}
    for field in message.fields:
        found = value[field.name]
        for one in found if field.is_repeated else [found]:
            if field.type == FieldDescriptor.TYPE_MESSAGE:
                if one is not None:
                    assert_complete(one, field.message_type)
            elif field.type == FieldDescriptor.TYPE_ENUM:
                assert one in field.enum_type.values_by_name
            elif field.type == FieldDescriptor.TYPE_INT64:
                assert isinstance(one, str)
                assert one.isdecimal()

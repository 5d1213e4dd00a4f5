"""What binds an entry to its task: the words of proto/coordinator.proto, computed here a second time."""

from __future__ import annotations

import hashlib
import struct

import pytest

from coordinator.core.task import Content

CONTENT = Content(
    run_id="r1",
    task_id="t1",
    node_id="n1",
    node_type="python",
    workflow_id="w",
    workflow_version="7",
    input_json='{"code": "return \N{SNOWMAN}"}'.encode(),
    traceparent="00-1-2-01",
)


def test_is_over_the_fields_in_order_each_after_its_length():
    fields = [b"r1", b"t1", b"n1", b"python", b"w", b"2", '{"code": "return \N{SNOWMAN}"}'.encode()]
    expected = hashlib.sha256(b"".join(struct.pack(">Q", len(field)) + field for field in fields))

    assert CONTENT.digest(2) == expected.digest()


@pytest.mark.parametrize("field", ["run_id", "task_id", "node_id", "node_type", "workflow_id", "input_json"])
def test_another_field_is_another_digest(field):
    value = getattr(CONTENT, field)
    changed = {name: getattr(CONTENT, name) for name in Content.__slots__} | {field: value + value}

    assert Content(**changed).digest(1) != CONTENT.digest(1)


def test_what_moves_from_one_field_to_the_next_is_seen():
    fields = {name: getattr(CONTENT, name) for name in Content.__slots__}
    one, other = (
        Content(**{**fields, "run_id": "ab", "task_id": "c"}),
        Content(**{**fields, "run_id": "a", "task_id": "bc"}),
    )

    assert one.digest(1) != other.digest(1)


def test_an_entry_has_the_fields_of_the_contract():
    assert CONTENT.entry(3) == {
        "task_id": "t1",
        "run_id": "r1",
        "node_id": "n1",
        "node_type": "python",
        "workflow_id": "w",
        "workflow_version": "7",
        "attempt": "3",
        "input": '{"code": "return \N{SNOWMAN}"}',
        "traceparent": "00-1-2-01",
    }

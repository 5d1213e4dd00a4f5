"""A request is counted before it is parsed; what is parsed is what protobuf reads."""

from __future__ import annotations

import grpc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langserver.errors import RequestError
from langserver.pb import lang_pb2
from langserver.server.messages import MOST_FIELDS, parse
from tests.integration.server.harness import request, status_of

Execute = lang_pb2.ExecuteRequest
UNREADABLE = "the request is not the protobuf message of this method"
TOO_MANY = f"the request has more than {MOST_FIELDS} protobuf fields"
INSIDE = 0x52  # field 10, inline_code


def inside(data: bytes, tag: int = INSIDE) -> bytes:
    size, length = len(data), bytearray()
    while size > 127:
        length.append(size & 127 | 128)
        size >>= 7
    return bytes([tag, *length, size]) + data


@settings(max_examples=30)
@given(
    st.builds(
        request,
        st.text(),
        runtime=st.text(),
        task_id=st.text(),
        input_json=st.text(),
        timeout_seconds=st.integers(-(2**31), 2**31 - 1),
        seed=st.integers(-(2**63), 2**63 - 1),
        metadata=st.dictionaries(st.text(), st.text(), max_size=20),
        limits=st.builds(lang_pb2.Limits, memory_mb=st.integers(-(2**31), 2**31 - 1)),
    )
)
def test_a_message_comes_out_as_it_went_in(sent):
    assert parse(Execute, sent.SerializeToString()) == sent


@given(st.binary(max_size=60))
def test_bytes_are_a_message_to_us_only_where_they_are_one_to_protobuf(data):
    try:
        read = parse(Execute, data)
    except RequestError:
        return
    assert read == Execute.FromString(data)


@pytest.mark.parametrize(
    "data",
    [
        b"\x2a\x00" * 2000,
        b"\x52\x00" * 2000,
        b"\x98\x06\x01" * 2000,
        b"\x0a\x01a" * 2000,
        b"\x9d\x06abcd" * 2000,
        b"\x99\x06abcdefgh" * 2000,
        inside(b"\x98\x06\x01" * 2000),
        inside(inside(b"\x98\x06\x01" * 2000, 0x0A), 0x32) * MOST_FIELDS,
        b"".join(inside(b"\x0a\x03%03d\x12\x00" % number, 0x2A) for number in range(200)),
    ],
)
def test_too_many_fields(data):
    with pytest.raises(RequestError, match=TOO_MANY):
        parse(Execute, data)


@pytest.mark.parametrize(
    "data",
    [b"\x0a", b"\x0a\x05a", b"\xff", b"\x80" * 20, b"\x0b\x0c", b"\x0f", b"\x9d\x06a", b"\x00\x00",
     b"\x0a" + b"\xff" * 9 + b"\x01", inside(b"\x0a\x05a")],
)  # fmt: skip
def test_no_message(data):
    with pytest.raises(RequestError, match=UNREADABLE):
        parse(Execute, data)


def test_a_text_that_is_no_utf_8_is_named():
    with pytest.raises(RequestError, match=r"ExecuteRequest\.task_id is not UTF-8 at byte 0"):
        parse(Execute, b"\x0a\x01\xff")


def test_no_message_at_all():
    with pytest.raises(RequestError, match="the call ended without a request"):
        parse(Execute, None)


def test_as_a_caller_sees_it(client):
    for method in ("lang.v1.LanguageServer/Execute", "lang.v1.LanguageServer/Validate", "grpc.health.v1.Health/Check"):
        call = client.channel.unary_unary(f"/{method}")
        code, details = status_of(lambda call=call: call(b"\x98\x06\x01" * 1_000_000, timeout=30))
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert details.startswith(TOO_MANY)


def test_metadata_of_a_task(client):
    fine = {f"key-{number}": "x" * 100 for number in range(64)}
    assert client.stub.Execute(request("return 1", metadata=fine)).output_json == "1"
    for metadata, message in (
        (fine | {"one": "more"}, "metadata has 65 entries, the limit is 64"),
        ({"k": "é" * 9000}, "metadata has 18001 bytes, the limit is 16384"),
    ):
        code, details = status_of(lambda metadata=metadata: client.stub.Execute(request("return 1", metadata=metadata)))
        assert (code, details) == (grpc.StatusCode.INVALID_ARGUMENT, message)

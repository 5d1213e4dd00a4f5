"""Requests that no gRPC library sends: each costs its caller the call or the connection, nobody else anything."""

from __future__ import annotations

import contextlib

import psutil
import pytest

from tests.integration.server.harness import SERVING, running_server
from tests.integration.server.raw_caller import DATA, END_HEADERS, HEADERS, RawCaller, frame, message

TOKEN = "correct-horse-battery-staple"
SECRET = b"Bearer a-token-that-is-nearly-right\xff"
EMPTY = message(b"")
MIB = 1 << 20

HEADS = {
    "path": [b"/\xff", b"\xff", b"", b"/", b"//", b"/a/\xc3", b"/lang.v1.LanguageServer/\xff", b"*", b"/a\0b", b"/a\nb",
             b"/" + b"x" * 12_000, b"/grpc.health.v1.Health/\xff"],
    "authority": [b"\xff\xfe", b"", b"a\0b", b"x" * 9000],
    "method": [b"GET", b"PUT", b"\xff", b""],
    "scheme": [b"\xff", b"", b"ftp"],
    "te": [b"\xff", b"", b"gzip"],
    "content_type": [b"\xff", b"", b"text/html", b"application/grpc+\xff"],
    "grpc_timeout": [b"\xff", b"", b"0n", b"1n", b"99999999H", b"999999999999H", b"-1S", b"1X", b"S"],
    "grpc_encoding": [b"\xff", b"br", b"gzip", b""],
    "grpc_accept_encoding": [b"\xff", b"," * 5000],
    "authorization": [SECRET, b"\xff" * 9000, b""],
    "x_name": [b"\xff", b"\0", b"a\r\nb: c"],
    "x_bin": [b"!!!", b"\xff", b"QQ", b"=" * 100],
    "grpc_tags_bin": [b"\xff", b"!!"],
    "grpc_trace_bin": [b"\xff", b"!!"],
    "user_agent": [b"\xff"],
    "host": [b"\xff"],
    "grpc_message": [b"\xff", b"%"],
    "grpc_status": [b"\xff", b"99"],
}  # fmt: skip


@pytest.fixture(scope="module")
def guarded_server():
    with running_server(LANG_AUTH_TOKEN=TOKEN) as server:
        yield server


def survives(server):
    with server.connect() as client:
        assert client.health() == SERVING
        assert client.execute("return 1", metadata=[("authorization", f"Bearer {TOKEN}")]).output_json == "1"


@pytest.mark.parametrize("name", HEADS)
def test_header_fields(guarded_server, name):
    for value in HEADS[name]:
        with RawCaller(guarded_server.address) as caller, contextlib.suppress(ConnectionError):
            caller.wait_for_end_of({caller.call(EMPTY, **{name: value})})
    survives(guarded_server)


def test_many_and_large_header_fields(guarded_server):
    for extra in (
        tuple((b"k%d" % count, b"") for count in range(2000)),
        tuple((b"k%d" % count, b"\xff" * 1000) for count in range(12)),
        ((b"x" * 15_000, b"y"),),
        ((b"authorization", b"Bearer x"),) * 100,
        ((b"X-Upper", b"y"),),
        ((b":path", b"/other"),),
    ):
        with RawCaller(guarded_server.address) as caller, contextlib.suppress(ConnectionError):
            caller.wait_for_end_of({caller.call(EMPTY, extra)})
    survives(guarded_server)


def test_a_block_of_headers_that_never_ends(guarded_server):
    with RawCaller(guarded_server.address) as caller, contextlib.suppress(ConnectionError):
        caller.send(frame(HEADERS, 0, 1, b"\0\x7f\xff\xff\xff\x7f"))
        survives(guarded_server)
        caller.send(frame(9, END_HEADERS, 1, b"\xff" * 1000))
        caller.wait_for_end_of({1})
    survives(guarded_server)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\0",
        EMPTY * 3,
        message(b"\xff" * 3),
        b"\1" + message(b"\xff" * 3)[1:],
        message(b"", 2**32 - 1),
        message(b"x", 2),
    ],
    ids=["none", "cut", "three", "noise", "compressed", "4 GiB", "short"],
)
def test_bodies(guarded_server, body):
    """Each ends, a call without any message too."""
    with RawCaller(guarded_server.address) as caller:
        streams = {caller.call(body, path=b"/grpc.health.v1.Health/" + method) for method in (b"Check", b"Watch")}
        streams |= {
            caller.call(body, path=b"/lang.v1.LanguageServer/" + method, authorization=f"Bearer {TOKEN}".encode())
            for method in (b"Execute", b"ExecuteStream", b"Validate")
        }
        if body == EMPTY * 3:
            streams -= {3}  # a watch that nothing is wrong with: the first message counts
        caller.wait_for_end_of(streams)
    survives(guarded_server)


@pytest.mark.parametrize(
    "path", [b"/grpc.health.v1.Health/Check", b"/lang.v1.LanguageServer/Execute", b"/other/Method"]
)
def test_messages_that_never_end_cost_little(guarded_server, path):
    """Without a token. Each has sent all that the server lets it, and waits for the rest of a large message."""
    process = psutil.Process(guarded_server.process.pid)
    before = process.memory_info().rss
    with RawCaller(guarded_server.address) as caller:
        streams = {caller.call(path=path) for _ in range(100)}
        for stream in streams:
            caller.send(frame(DATA, 0, stream, message(b"a" * 600, 16 * MIB)))
        survives(guarded_server)
        caller.wait_for_end_of(streams)
        assert process.memory_info().rss - before < 64 * MIB
    survives(guarded_server)


def test_what_callers_send_is_not_in_the_log():
    with running_server(LANG_AUTH_TOKEN=TOKEN) as server:
        for _ in range(10):
            with RawCaller(server.address) as caller:
                streams = {
                    caller.call(EMPTY, authorization=SECRET, path=path, x_name=b"\xff" * 500)
                    for path in (b"/\xff", b"/x", b"/grpc.health.v1.Health/Check", b"/lang.v1.LanguageServer/Execute")
                    for _ in range(10)
                }
                caller.wait_for_end_of(streams)
        survives(server)
        server.signal()
        _, _, errors = server.wait()
    assert "a-token" not in errors
    assert "xff" not in errors
    assert len(errors.splitlines()) < 40, errors

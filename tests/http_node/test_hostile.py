"""A hostile server: each attack has a clear error, costs no memory, and leaves a pool that works."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc
import zlib

import pytest

from tests.http_node.servers import GUARD_SECONDS, Act, Got, Hangup, Node, answer, node, saying, serving

OK = answer(b'{"ok": true}')
# What a whole response may take, twice over, and what Python keeps of it in between.
MOST_BYTES = 24 << 20


def bytes_of(start: bytes, piece: bytes, *, pause: float = 0.0) -> Act:
    """`start`, and then `piece` without end."""

    async def act(_got: Got, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(start)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return act


def bomb() -> bytes:
    """300 MiB in a few hundred bytes."""
    inner = zlib.compressobj(9, wbits=31)
    once = b"".join(inner.compress(bytes(1 << 20)) for _ in range(300)) + inner.flush()
    return gzip.compress(once, 9)


HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
TWICE = bomb()
ONCE = gzip.decompress(TWICE)

ATTACKS: dict[str, tuple[Act, str, bool]] = {
    "endless headers": (bytes_of(HEAD, b"X-Filler: " + b"x" * 1_000 + b"\r\n"), "TOO_LARGE: ", True),
    "one endless header": (bytes_of(HEAD + b"X: ", b"x" * 60_000), "TOO_LARGE: ", True),
    "an endless first line": (bytes_of(b"HTTP/1.1 200 ", b"x" * 60_000), "TOO_LARGE: ", True),
    "endless informational answers": (
        bytes_of(b"", b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n" * 100),
        "TOO_LARGE: ",
        True,
    ),
    "endless body": (bytes_of(HEAD + b"\r\n", b"x" * 60_000), "TOO_LARGE: ", True),
    "endless chunks": (bytes_of(CHUNKED, b"1000\r\n" + b"x" * 4_096 + b"\r\n"), "TOO_LARGE: ", True),
    "an endless extension of a chunk": (bytes_of(CHUNKED + b"5;", b"x" * 60_000), "TOO_LARGE: ", True),
    "endless trailers": (bytes_of(CHUNKED + b"0\r\n", b"X: " + b"y" * 1_000 + b"\r\n"), "TOO_LARGE: ", True),
    "a slow body": (bytes_of(HEAD + b"Content-Length: 9999\r\n\r\n", b"x", pause=0.05), "TIMEOUT: ", False),
    "a slow head": (bytes_of(HEAD, b"X", pause=0.05), "TIMEOUT: ", False),
    "slow empty gzip": (
        bytes_of(HEAD + b"Content-Encoding: gzip\r\n\r\n", gzip.compress(b"", mtime=0), pause=0.05),
        "TIMEOUT: ",
        False,
    ),
    "silence": (bytes_of(b"", b"", pause=0.05), "TIMEOUT: ", False),
    "a bomb in a bomb": (saying(answer(TWICE, headers=[("Content-Encoding", "gzip, gzip")])), "BAD_RESPONSE: ", False),
    "a bomb in two headers": (
        saying(answer(TWICE, headers=[("Content-Encoding", "gzip")] * 2)),
        "BAD_RESPONSE: ",
        False,
    ),
    "a bomb": (saying(answer(ONCE, headers=[("Content-Encoding", "gzip")])), "TOO_LARGE: ", True),
    "a bomb as deflate": (
        saying(answer(zlib.compress(bytes(50 << 20)), headers=[("Content-Encoding", "deflate")])),
        "TOO_LARGE: ",
        True,
    ),
    "a body that is too long": (saying(answer(b"x" * (3 << 20))), "TOO_LARGE: ", True),
    "a length that is too long": (saying(HEAD + b"Content-Length: 99999999999999\r\n\r\nx"), "TIMEOUT: ", False),
    "two lengths": (saying(HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx"), "BAD_RESPONSE: ", False),
    "a negative length": (saying(HEAD + b"Content-Length: -1\r\n\r\nx"), "BAD_RESPONSE: ", False),
    "a length with a sign": (saying(HEAD + b"Content-Length: +1\r\n\r\nx"), "BAD_RESPONSE: ", False),
    "an unknown transfer coding": (
        saying(HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        "BAD_RESPONSE: ",
        False,
    ),
    "a chunk that is no number": (saying(CHUNKED + b"zz\r\nx\r\n0\r\n\r\n"), "BAD_RESPONSE: ", False),
    "a chunk with a sign": (saying(CHUNKED + b"+1\r\nx\r\n0\r\n\r\n"), "BAD_RESPONSE: ", False),
    "a chunk that is too large to be": (saying(CHUNKED + b"f" * 30 + b"\r\n"), "BAD_RESPONSE: ", False),
    "a chunk that is longer than it says": (saying(CHUNKED + b"1\r\nxyz\r\n0\r\n\r\n"), "BAD_RESPONSE: ", False),
    "an injected header": (saying(HEAD + b"X: a\rSet-Cookie: b\r\n\r\n"), "BAD_RESPONSE: ", False),
    "a header with NUL": (saying(HEAD + b"X: a\0b\r\n\r\n"), "BAD_RESPONSE: ", False),
    "a header without a name": (saying(HEAD + b": a\r\n\r\n"), "BAD_RESPONSE: ", False),
    "a space before the colon": (saying(HEAD + b"Content-Length : 1\r\n\r\nx"), "BAD_RESPONSE: ", False),
    "no HTTP": (saying(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), "BAD_RESPONSE: ", False),
    "a status of four digits": (saying(b"HTTP/1.1 2000 OK\r\n\r\n"), "BAD_RESPONSE: ", False),
    "HTTP/2": (saying(b"HTTP/2 200 OK\r\n\r\n"), "BAD_RESPONSE: ", False),
    "another protocol": (
        saying(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
        "BAD_RESPONSE: ",
        False,
    ),
    "a redirect loop": (saying(answer(b"", "302 Found", [("Location", "/")])), "TOO_MANY_REDIRECTS: ", False),
    "a redirect with a huge body": (
        saying(answer(b"x" * (4 << 20), "302 Found", [("Location", "/")])),
        "TOO_MANY_REDIRECTS: ",
        False,
    ),
    "an error with an endless body": (
        bytes_of(b"HTTP/1.1 500 No\r\n\r\n", b"\x1b[31m" * 9_000),
        "HTTP_STATUS: 500 No: ",
        False,
    ),
    "an error that drips": (bytes_of(b"HTTP/1.1 404 No\r\n\r\n", b"x", pause=0.05), "HTTP_STATUS: 404 No: xx", True),
    "a redirect that drips": (
        bytes_of(b"HTTP/1.1 302 No\r\nLocation: http://10.0.0.1/\r\n\r\n", b"x", pause=0.05),
        "EGRESS_REFUSED: 10.0.0.1: ",
        True,
    ),
    "an error that is a bomb": (
        saying(answer(ONCE, "404 No", [("Content-Encoding", "gzip")])),
        "HTTP_STATUS: 404 No: ",
        True,
    ),
}


async def attacked(made: Node, act: Act, seconds: float) -> tuple[str, bool]:
    async with serving(act) as server:
        outcome = await made.run(server.url, timeout_seconds=seconds)
        assert not outcome.completed, outcome.output[:100]
        return outcome.error, outcome.terminal


@pytest.mark.parametrize("name", ATTACKS)
async def test_a_clear_error_and_a_pool_that_works(name: str) -> None:
    act, error, terminal = ATTACKS[name]
    async with serving(saying(OK)) as honest, node() as made:
        assert await made.output(honest.url) == {"ok": True}
        tracemalloc.start()
        try:
            said, final = await attacked(made, act, 2 if error == "TIMEOUT: " else GUARD_SECONDS)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert said.startswith(error)
        assert final is terminal
        assert said.isprintable()
        assert len(said) < 1_500
        assert peak < MOST_BYTES
        assert await made.output(honest.url) == {"ok": True}
        assert honest.connections == 1


async def test_many_attackers_at_once_starve_nobody() -> None:
    slow = bytes_of(HEAD, b"X", pause=0.05)
    async with serving(saying(OK)) as honest, serving(slow) as hostile, node() as made:
        attacks = [asyncio.create_task(made.run(hostile.url, timeout_seconds=3)) for _ in range(60)]
        while hostile.connections < 20:  # noqa: ASYNC110 - a figure of the server's
            await asyncio.sleep(0.01)
        assert await made.output(honest.url) == {"ok": True}
        assert {outcome.error for outcome in await asyncio.gather(*attacks)} == {
            "TIMEOUT: no whole response within 3 s"
        }
        assert await made.output(honest.url) == {"ok": True}


RESPONSES = {
    "a length": answer(b'{"ok": true}', headers=[("Content-Type", "application/json")]),
    "chunks": CHUNKED + b'5\r\n{"ok"\r\n7\r\n: true}\r\n0\r\nX-Trailer: y\r\n\r\n',
    "gzip": answer(gzip.compress(b'{"ok": true}', mtime=0), headers=[("Content-Encoding", "gzip")]),
    "a hint first": b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + answer(b'{"ok": true}'),
}


@pytest.mark.parametrize("name", RESPONSES)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_connection_closed_at_every_byte(name: str, method: str) -> None:
    response = RESPONSES[name]

    async def act(got: Got, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(response[: int(got.path[1:])])
        await writer.drain()
        writer.write_eof()
        raise Hangup

    async with serving(saying(OK)) as honest, serving(act) as server, node() as made:
        for cut in range(len(response)):
            error = await made.error(f"{server.url}/{cut}", method, terminal=False)
            assert error.startswith("BAD_RESPONSE: "), (cut, error)
        assert await made.output(f"{server.url}/{len(response)}", method) == {"ok": True}
        assert await made.output(honest.url) == {"ok": True}
        assert len(server.got) == len(response) + 1  # nothing was sent twice


async def test_a_response_in_single_bytes() -> None:
    for response in RESPONSES.values():

        async def act(
            _got: Got, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter, response=response
        ) -> None:
            for at in range(len(response)):
                writer.write(response[at : at + 1])
                await asyncio.sleep(0)

        async with serving(act) as server, node() as made:
            assert await made.output(server.url) == {"ok": True}

"""A child that is asked for a compiled form: one is kept only if it came in time, and no input is sent before it."""

from __future__ import annotations

import asyncio
import os

from langserver.core.forms import LARGE_BYTES, FormCache, Shelf
from langserver.core.verdict import Exit
from langserver.limits import Asked
from langserver.wire.channel import FORM_BYTES
from langserver.wire.conversation import Conversation
from langserver.wire.frames import HEAD, Kind, encode
from langserver.zygote.execution import Execution
from langserver.zygote.request import TaskRequest, make_job
from tests.fuzz import oracle
from tests.fuzz.source import Source, pieces
from tests.fuzz.targets import conversation
from tests.fuzz.targets.conversation import EVENT, LOG, REPORT, SEALED, STARTED
from tests.fuzz.targets.execution import CEILINGS, PIPE_BYTES
from tests.fuzz.virtual_loop import run, settle
from tests.integration.server.fake_child import FakeSupply

COMPILED = encode(Kind.COMPILED, b"form")
INPUT = b'"the input"'
IMAGE = 1
MOST_PIECES = 60


def streams() -> list[bytes]:
    return [
        SEALED + EVENT + COMPILED + STARTED + LOG + REPORT,
        SEALED + COMPILED + EVENT + STARTED + REPORT,
        SEALED + encode(Kind.COMPILED) + encode(Kind.BAD_INPUT, b"x"),
        SEALED + STARTED + REPORT,
        SEALED + STARTED + COMPILED + REPORT,
        SEALED + COMPILED + COMPILED + STARTED + REPORT,
        SEALED + STARTED + REPORT + COMPILED,
        SEALED + encode(Kind.BAD_INPUT, b"x"),
        SEALED + LOG + COMPILED,
        COMPILED + SEALED + STARTED + REPORT,
        SEALED + COMPILED[:-1],
        SEALED + HEAD.pack(Kind.COMPILED, FORM_BYTES + 1),
        SEALED + HEAD.pack(Kind.COMPILED, 2**32 - 1) + bytes(100),
        SEALED + encode(Kind.COMPILED, bytes(20_000)) + STARTED + REPORT,
    ]


def seeds() -> list[bytes]:
    # Cut so that the form ends a piece, whole, and in pieces of a byte.
    return [cuts + stream for stream in streams() for cuts in (b"\5\11", b"\0\0", b"\1\1")]


def check(data: bytes) -> None:
    source = Source(data)
    cuts, stream = source.take(2), source.rest()[:PIPE_BYTES]
    cut = pieces(stream, cuts)
    _hear(cut)
    _hear([stream])
    for way in ([stream], cut):
        if len(way) <= MOST_PIECES:
            run(_run(way))


def _hear(way: list[bytes]) -> None:
    """The conversation alone."""
    heard, so_far = Conversation(100, 1000, wants_form=True), b""
    for piece in way:
        heard.hear(piece)
        so_far += piece
        if heard.waits:
            assert so_far.endswith(encode(Kind.COMPILED, heard.form or b"")), "and nothing behind it"
            heard.hand_on()
    kinds, form = _read(so_far)
    assert heard.form == form
    if heard.broken is None:
        assert oracle.in_order(kinds, wants_form=True)


def _read(stream: bytes) -> tuple[list[int], bytes | None]:
    """A stream's frames, and the form in it that is in time."""
    frames, _, _ = oracle.frames(stream, conversation.caps(100) | {Kind.COMPILED: 2 << 20})
    kinds = [kind for kind, _ in frames]
    if Kind.COMPILED not in kinds:
        return kinds, None
    at = kinds.index(Kind.COMPILED)
    in_time = oracle.in_order(kinds[: at + 1], wants_form=True) and all(map(_is_good, frames[:at]))
    return kinds, frames[at][1] if in_time else None


def _is_good(frame: tuple[int, bytes]) -> bool:
    kind, payload = frame
    heard = Conversation(100, 1000)
    heard.hear(SEALED + (encode(Kind(kind), payload) if kind == Kind.EVENT else b""))
    return heard.broken is None


async def _run(way: list[bytes]) -> None:
    """A whole execution."""
    job = make_job(TaskRequest("python", "1", INPUT.decode(), asked=Asked(timeout_seconds=5)), CEILINGS, "run")
    cache = FormCache(1 << 20)
    supply = FakeSupply()
    supply.allowed.set()
    child = supply.child
    child.zygote.image = IMAGE
    shelf = Shelf(cache, "", b"key", LARGE_BYTES)
    running = asyncio.create_task(Execution(job, supply, lambda _: None, shelf).run())
    await settle()
    os.set_blocking(child.far_input, False)
    so_far = sent = b""
    for piece in way:
        os.write(child.far_report, piece)
        so_far += piece
        await settle()
        sent += _sent(child.far_input)
        _, form = _read(so_far)
        assert INPUT not in sent or form is not None, "it had its input before its form was there"
    child.end(Exit(0, None, 0.01, 1 << 20))
    await running
    _, form = _read(so_far)
    kept = shelf.find(IMAGE)
    assert not kept.form or kept.form == form
    if INPUT in sent:
        assert kept.form == form


def _sent(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except BlockingIOError:
        return b""

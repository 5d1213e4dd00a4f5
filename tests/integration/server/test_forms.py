"""The hand-over with a compiled form, on a child whose every word is the test's."""

from __future__ import annotations

import asyncio
import os

import pytest

from langserver.core.fairness import Whose
from langserver.core.forms import LARGE_BYTES, FormCache, Shelf
from langserver.core.verdict import Exit
from langserver.limits import Ceilings
from langserver.server.shelves import shelf_of
from langserver.wire.channel import TaskPipe
from langserver.wire.frames import Kind, encode
from langserver.wire.header import TaskHeader
from langserver.zygote.execution import Execution
from langserver.zygote.request import TaskRequest, make_job
from tests.fuzz.virtual_loop import settle
from tests.integration.server.fake_child import DONE, FakeSupply

IMAGE = 5
SEALED, STARTED = encode(Kind.SEALED), encode(Kind.STARTED)
COMPILED = encode(Kind.COMPILED, b"form")
CRASHED = Exit(code=None, signal=11, cpu_seconds=0.0, max_rss_bytes=0)
BAD_INPUT = encode(Kind.BAD_INPUT, b"no JSON")


def job(runtime="python", mode="run", code="return 1", **fields):
    return make_job(TaskRequest(runtime, code, "[7]", **fields), Ceilings(), mode)


class Met:
    """An execution that has met its child."""

    def __init__(self, shelf, code="return 1"):
        self.code = code
        self.supply = FakeSupply()
        self.supply.allowed.set()
        self.child = self.supply.child
        self.child.zygote.image = IMAGE
        self.pipe = TaskPipe(self.child.far_input)
        self.running = asyncio.create_task(Execution(job(code=code), self.supply, lambda _: None, shelf).run())

    def header(self):
        header = TaskHeader.decode(self.pipe.read(Kind.HEADER))
        assert self.pipe.read(Kind.SOURCE) == self.code.encode()
        return header

    def rest(self):
        assert self.pipe.read(Kind.INPUT) == b"[7]"
        self.pipe.read(Kind.GO)

    def has_more(self):
        os.set_blocking(self.child.far_input, False)
        try:
            return bool(os.read(self.child.far_input, 1))
        except BlockingIOError:
            return False
        finally:
            os.set_blocking(self.child.far_input, True)

    async def end(self, exit_=DONE):
        self.child.end(exit_)
        return await self.running


@pytest.fixture
def shelf():
    return Shelf(FormCache(1 << 20), "", b"key", LARGE_BYTES)


async def test_the_input_follows_the_form(shelf):
    met = Met(shelf)
    await settle()
    assert met.header().form == "wanted"
    assert not met.has_more()
    met.child.say(SEALED, COMPILED)
    await settle()
    met.rest()
    assert shelf.find(IMAGE).form == b"form"
    met.child.say(STARTED)
    met.child.report()
    assert (await met.end()).verdict.report.output == b"1"


async def test_the_form_follows_the_source(shelf):
    shelf.keep(IMAGE, b"form")
    met = Met(shelf)
    await settle()
    assert met.header().form == "given"
    assert met.pipe.read(Kind.FORM) == b"form"
    met.rest()
    met.child.say(SEALED, STARTED)
    met.child.report()
    await met.end()
    assert shelf.find(IMAGE).form == b"form"


async def test_a_form_that_comes_before_its_source_was_read_goes_no_faster(shelf):
    """Of a source that no pipe holds: the input stands behind all of it, however early the child spoke."""
    met = Met(shelf, "#" * 200_000)
    await settle()
    met.child.say(SEALED, COMPILED)
    await settle()
    assert (await asyncio.to_thread(met.header)).form == "wanted"
    await asyncio.to_thread(met.rest)
    met.child.say(STARTED)
    met.child.report()
    assert (await met.end()).verdict.report.output == b"1"


async def test_without_a_shelf_nothing_is_held_back():
    met = Met(None)
    await settle()
    assert met.header().form == "none"
    met.rest()
    await met.end(CRASHED)


@pytest.mark.parametrize(("said", "is_kept"), [((), False), ((BAD_INPUT,), True), ((STARTED,), True)])
async def test_a_form_is_given_up_when_a_child_did_not_come_past_it(shelf, said, is_kept):
    shelf.keep(IMAGE, b"form")
    met = Met(shelf)
    await settle()
    met.child.say(SEALED, *said)
    await settle()
    await met.end(CRASHED)
    assert (shelf.find(IMAGE).form == b"form") is is_kept


async def test_a_form_that_a_dead_child_leaves_in_its_pipe_is_not_taken(shelf):
    """What it would have been given next can't be, so nothing is known of it."""
    met = Met(shelf)
    met.child.say(SEALED)
    await settle()
    met.child.say(COMPILED)
    met.child.end(DONE)
    await met.running
    assert not shelf.find(IMAGE).form


async def test_a_child_whose_memory_ran_out_starts_without_a_form(shelf):
    met = Met(shelf)
    await settle()
    met.child.say(SEALED, STARTED)
    met.child.report(b"2")
    await settle()
    met.header()
    assert not met.has_more()
    assert (await met.end()).verdict.report.output == b"2"
    assert shelf.find(IMAGE).wanted


def test_whose_a_form_is():
    cache = FormCache(1 << 20)
    shelves = {
        "one": shelf_of(cache, Whose("ann", "t"), job()),
        "another caller": shelf_of(cache, Whose("bob", "t"), job()),
        "another tenant": shelf_of(cache, Whose("ann", "u"), job()),
        "another source": shelf_of(cache, Whose("ann", "t"), job(code="return 2")),
        "another label": shelf_of(cache, Whose("ann", "t"), job(filename="x.py")),
        "parts that run into one another": shelf_of(cache, Whose("ann", "tt"), job(filename="ask.py")),
    }
    places = {(shelf.owner, shelf.key) for shelf in shelves.values()}
    assert len(places) == len(shelves)
    same = shelf_of(cache, Whose("ann", "t"), job(timezone="Asia/Kolkata", seed=4))
    assert (same.owner, same.key) == (shelves["one"].owner, shelves["one"].key)


def test_what_has_none():
    cache = FormCache(1 << 20)
    assert shelf_of(cache, Whose("ann", ""), job("js")) is None
    assert shelf_of(cache, Whose("ann", ""), job(mode="validate")) is None

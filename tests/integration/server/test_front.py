"""A gRPC server that ends by itself is followed by another, at the same address, and its calls still end well."""

from __future__ import annotations

import asyncio

import grpc
import pytest

from langserver.errors import StartError
from langserver.server import front as front_module
from langserver.server.endpoint import bind, keys_of, make_server
from langserver.server.front import Front
from langserver.settings import Settings
from operating.access.address import Address


class Echo:
    """Servers with one method, whose answer waits until it may go."""

    def __init__(self):
        self.made = []
        self.called, self.may_answer = asyncio.Event(), asyncio.Event()

    def build(self, at):
        server = make_server(Settings(), keys_of(Settings()))
        handlers = {"Say": grpc.unary_unary_rpc_method_handler(self.say)}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("test.Echo", handlers),))
        self.made.append(server)
        return server, bind(server, at, Settings(), keys_of(Settings()))

    async def say(self, data, _):
        self.called.set()
        await self.may_answer.wait()
        return data


def main_loops():
    return [task for task in asyncio.all_tasks() if "_server_main_loop" in getattr(task.get_coro(), "__qualname__", "")]


class Unlucky:
    """A gRPC server that seems to have ended by itself once it is told to."""

    def __init__(self, server):
        self._server = server
        self.ends = asyncio.Event()
        self.start, self.stop = server.start, server.stop

    async def wait_for_termination(self, _timeout):
        await self.ends.wait()
        raise OSError("secret")


@pytest.fixture
async def echo():
    yield Echo()
    asyncio.get_running_loop().set_task_factory(None)


class Ending:
    """Stands for a gRPC server that ends by itself at once."""

    def __init__(self):
        self.stopped = False

    async def start(self):
        pass

    async def wait_for_termination(self, _timeout):
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "secret")

    async def stop(self, _grace):
        self.stopped = True


async def test_another_takes_its_place(echo, caplog):
    ending, built = Ending(), []

    def build(at):
        built.append(at)
        return (ending, Address("127.0.0.1", 50)) if len(built) == 1 else echo.build(Address("127.0.0.1", 0))

    front = Front(build, Address("127.0.0.1", 0), linger_seconds=1)
    await front.start()
    keeping = asyncio.create_task(front.keep())
    while not main_loops():  # noqa: ASYNC110
        await asyncio.sleep(0)
    assert built[1] == Address("127.0.0.1", 50)  # the very address that callers know
    assert "the gRPC server has ended by itself (UnicodeDecodeError)" in caplog.text
    assert "secret" not in caplog.text
    keeping.cancel()
    await front.stop(0)
    assert ending.stopped


async def test_calls_go_on_while_another_takes_its_place(echo):
    unlucky = []

    def build(at):
        server, address = echo.build(at)
        unlucky.append(Unlucky(server))
        return unlucky[-1], address

    front = Front(build, Address("127.0.0.1", 0), linger_seconds=30)
    await front.start()
    keeping = asyncio.create_task(front.keep())
    async with grpc.aio.insecure_channel(str(front.address)) as first:
        answer = first.unary_unary("/test.Echo/Say")(b"old")
        await echo.called.wait()
        unlucky[0].ends.set()
        while len(echo.made) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        echo.may_answer.set()
        assert await answer == b"old"
    async with grpc.aio.insecure_channel(str(front.address)) as second:
        assert await second.unary_unary("/test.Echo/Say")(b"new", wait_for_ready=True, timeout=20) == b"new"
    keeping.cancel()
    await front.stop(0)


async def test_when_there_can_be_no_other_it_says_so(monkeypatch):
    monkeypatch.setattr(front_module, "_REBIND_SECONDS", 0)
    monkeypatch.setattr(front_module, "_LOOK_SECONDS", 0)
    built = []

    def build(at):
        if built:
            raise StartError("taken")
        built.append(at)
        return Ending(), at

    front = Front(build, Address("127.0.0.1", 50), linger_seconds=0)
    with pytest.raises(StartError, match="taken"):
        await front.keep()
    await front.stop(0)

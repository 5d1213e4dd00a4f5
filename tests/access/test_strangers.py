"""What neighbours without a token take from callers who have one, at both servers."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack

import grpc
import pytest

from coordinator import endpoint as of_coordinator
from langserver.server import endpoint as of_language_server
from langserver.settings import Settings
from operating.access.keys import KeyFiles, Keys
from tests.integration.server.raw_caller import ACK, PING, RawCaller, frame, message

TOKEN = "correct-horse-battery-staple"
PATH = "/test.Echo/Say"
# Together more than gRPC lets wait by itself, and fewer than a server of ours does.
CONNECTIONS, CALLS = 31, 120
KNOWN_CALLS = 100


class Stranger(RawCaller):
    """Notes that the server has read all that he sent: gRPC's core answers a ping by itself, in its turn."""

    def wait_until_read(self) -> None:
        self.send(frame(PING, 0, 0, b"all read"))
        while frame(PING, ACK, 0, b"all read") not in self._received:
            self._received += self._socket.recv(1 << 16)


def language_server(keys: Keys) -> grpc.aio.Server:
    return of_language_server.make_server(Settings(max_concurrency=4, max_queue=32), keys)


def coordinator(keys: Keys) -> grpc.aio.Server:
    return of_coordinator.make_server(keys, lambda: None)


async def say(data: bytes, _: object) -> bytes:
    return data


@pytest.mark.parametrize("make", [language_server, coordinator])
async def test_their_calls_cancel_no_others(make: Callable[[Keys], grpc.aio.Server]) -> None:
    server = make(Keys(KeyFiles("LANG", token=TOKEN.encode())))
    handlers = {"Say": grpc.unary_unary_rpc_method_handler(say)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("test.Echo", handlers),))
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    with ExitStack() as stack:
        ask = stack.enter_context(grpc.insecure_channel(address)).unary_unary(PATH)
        known = (("authorization", f"Bearer {TOKEN}"),)
        await asyncio.to_thread(ask, b"there", timeout=30, metadata=known)
        # From here on the loop stands still: gRPC's own threads read calls, and nobody takes them.
        for _ in range(CONNECTIONS):
            stranger = stack.enter_context(Stranger(address))
            for _ in range(CALLS):
                stranger.call(message(b""), path=PATH.encode())
            stranger.wait_until_read()
        calls = [ask.future(b"a call", timeout=30, metadata=known) for _ in range(KNOWN_CALLS)]
        time.sleep(0.5)  # noqa: ASYNC251 - they come behind the strangers': later they would meet fewer
        codes = await asyncio.to_thread(lambda: Counter(call.code() for call in calls))
    await server.stop(None)
    asyncio.get_running_loop().set_task_factory(None)
    assert codes == {grpc.StatusCode.OK: KNOWN_CALLS}

"""A server of raw bytes, honest or not; and what drives the executor against it."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from worker_bridge.core.envelope import Task
from worker_bridge.core.outcome import Outcome
from worker_bridge.executors.egress.policy import HostClass, Policy
from worker_bridge.executors.egress.refusal import Reason
from worker_bridge.executors.egress.url import Address
from worker_bridge.executors.http.dialing import Resolve
from worker_bridge.executors.http.executor import HttpExecutor

GUARD_SECONDS = 30  # against hanging; nothing is measured with it
LOOPBACK = Policy((ipaddress.ip_network("127.0.0.0/8"),))


@dataclass(frozen=True)
class Got:
    """A request as it came. Names of headers are as they were written."""

    method: str
    path: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        found = [value for given, value in self.headers if given.lower() == name.lower()]
        assert len(found) < 2, found
        return found[0] if found else None


Act = Callable[[Got, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Server:
    """Counts its connections and keeps its requests."""

    port: int = 0
    connections: int = 0
    got: list[Got] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.address}"


@contextlib.asynccontextmanager
async def serving(act: Act, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """Calls `act` for each request; a connection ends when it raises, or when the client goes."""
    server, lives = Server(), set[asyncio.Task[None]]()

    async def live(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        try:
            while True:
                got = await _request(reader)
                server.got.append(got)
                await act(got, reader, writer)
                await writer.drain()
        except (OSError, EOFError, Hangup):
            pass
        finally:
            writer.transport.abort()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        life = asyncio.ensure_future(live(reader, writer))
        lives.add(life)
        life.add_done_callback(lives.discard)

    listening = await asyncio.start_server(begin, "127.0.0.1", 0, ssl=tls)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        for life in list(lives):
            life.cancel()
        await asyncio.gather(*lives, return_exceptions=True)


class Hangup(Exception):
    """Raised by an act: the connection is closed."""


async def _request(reader: asyncio.StreamReader) -> Got:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, version = head[0].split(" ")
    assert version == "HTTP/1.1"
    headers = [(name, value.strip()) for name, _, value in (line.partition(":") for line in head[1:-2])]
    size = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
    return Got(method, path, headers, await reader.readexactly(size))


def answer(
    body: bytes = b"", status: str = "200 OK", headers: Sequence[tuple[str, str]] = (), *, length: bool = True
) -> bytes:
    """A whole response."""
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers)]
    if length:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def saying(*responses: bytes) -> Act:
    """Answers with these in turn, the last one from then on."""
    left = list(responses)

    async def act(_got: Got, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(left.pop(0) if len(left) > 1 else left[0])

    return act


@dataclass
class Figures:
    """What the executor told its telemetry."""

    answered: Counter[tuple[HostClass, int]] = field(default_factory=Counter)
    refused: Counter[Reason] = field(default_factory=Counter)

    def http_answered(self, host: HostClass, status: int, seconds: float) -> None:
        assert seconds > 0
        self.answered[host, status] += 1

    def http_refused(self, reason: Reason) -> None:
        self.refused[reason] += 1


class Node:
    """An executor, and the figures that it gave."""

    def __init__(
        self, policy: Policy = LOOPBACK, resolve: Resolve | None = None, tls: ssl.SSLContext | None = None
    ) -> None:
        self.figures = Figures()
        self.executor = HttpExecutor(policy, self.figures, resolve, tls)

    async def run(self, url: str, method: str = "GET", *, seconds: int = GUARD_SECONDS, **given: object) -> Outcome:
        return await self.text(json.dumps({"method": method, "url": url, **given}), seconds=seconds)

    async def text(self, text: str, task_id: str = "task-1", traceparent: str = "", seconds: int = 30) -> Outcome:
        task = Task(task_id, "run", "node", "http", "flow", "1", 1, text, traceparent)
        async with asyncio.timeout(2 * GUARD_SECONDS):
            return await self.executor.execute(task, seconds)

    async def output(self, url: str, method: str = "GET", **given: object) -> object:
        """Of a request that must succeed."""
        outcome = await self.run(url, method, **given)
        assert outcome.completed, outcome.error
        return json.loads(outcome.output)

    async def error(self, url: str, method: str = "GET", *, terminal: bool, **given: object) -> str:
        """Of a request that must fail."""
        outcome = await self.run(url, method, **given)
        assert not outcome.completed, outcome.output
        assert outcome.terminal is terminal, outcome.error
        return outcome.error


@contextlib.asynccontextmanager
async def node(
    policy: Policy = LOOPBACK, resolve: Resolve | None = None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Node]:
    made = Node(policy, resolve, tls)
    try:
        yield made
    finally:
        await made.executor.close()


class Names:
    """A resolver: each name's answers in turn, the last one from then on; what was asked is kept."""

    def __init__(self, **answers: Sequence[str]) -> None:
        self.asked: list[str] = []
        self._answers = {name.replace("_", "."): list(given) for name, given in answers.items()}

    async def resolve(self, name: str, _port: int) -> Sequence[Address]:
        self.asked.append(name)
        given = self._answers.get(name)
        if given is None:
            raise OSError(-2, "Name or service not known")
        now = given.pop(0) if len(given) > 1 else given[0]
        return [ipaddress.ip_address(text) for text in now.split()]

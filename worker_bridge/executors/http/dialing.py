"""Connecting: a name's whole answer is judged, and one of these very addresses is connected to."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from worker_bridge.executors.egress.policy import Policy
from worker_bridge.executors.egress.url import Address, Target
from worker_bridge.executors.http.connection import Connection
from worker_bridge.executors.http.failure import Failure, Kind, excerpt
from worker_bridge.executors.http.wire import Wire

DIAL_SECONDS: Final = 30.0
TLS_SECONDS: Final = 10.0

_RESOLVERS: Final = 16
_MOST_ADDRESSES: Final = 4
_GOODBYE_SECONDS: Final = 1.0

Resolve = Callable[[str, int], Awaitable[Sequence[Address]]]


class Resolver:
    """The system's resolver, in threads of its own: names that nobody answers for keep no other work waiting, nor the
    end of the process.
    """

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(_RESOLVERS)

    async def resolve(self, name: str, port: int) -> Sequence[Address]:
        """All addresses of a name. Raises OSError, ValueError."""
        await self._places.acquire()  # and kept until the system has answered, cancelled or not
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Sequence[Address]] = loop.create_future()

        def give(found: Sequence[Address], error: Exception | None) -> None:
            self._places.release()
            if answer.cancelled():
                return
            if error is None:
                answer.set_result(found)
            else:
                answer.set_exception(error)

        def ask() -> None:
            found: Sequence[Address] = ()
            trouble: Exception | None = None
            try:
                found = _look_up(name, port)
            except (OSError, ValueError) as error:
                trouble = error
            with contextlib.suppress(RuntimeError):  # the loop is closed, and nobody waits
                loop.call_soon_threadsafe(give, found, trouble)

        threading.Thread(target=ask, name="resolver", daemon=True).start()
        return await answer


class Dialer:
    """Opens connections that the policy allows."""

    def __init__(self, policy: Policy, resolve: Resolve, tls: ssl.SSLContext) -> None:
        self._policy = policy
        self._resolve = resolve
        self._tls = tls

    async def dial(self, target: Target) -> Connection:
        """Connects to one of the target's addresses, in the resolver's order. Raises Refused, and Failure."""
        addresses = await self._addresses(target)
        host = self._policy.judge(target, addresses)
        tried = addresses[:_MOST_ADDRESSES]
        trouble = ""
        for address in tried:
            try:
                wire = await self._connect(target, address, DIAL_SECONDS / len(tried))
                return Connection(target.origin, host, wire)
            except (OSError, ValueError) as error:  # ValueError: a certificate for a name that no certificate can hold
                trouble = excerpt(str(error).encode() or type(error).__name__.encode(), 300)
        raise Failure(Kind.CONNECT_FAILED, f"{target.authority}: {trouble}")

    async def _addresses(self, target: Target) -> Sequence[Address]:
        if target.address is not None:
            return (target.address,)
        try:
            async with asyncio.timeout(DIAL_SECONDS):
                found = await self._resolve(target.host, target.port)
        except TimeoutError:
            raise Failure(Kind.CONNECT_FAILED, f"{target.host} was not resolved in {DIAL_SECONDS:.0f} s") from None
        except (OSError, ValueError) as error:
            said = getattr(error, "strerror", None) or str(error)
            raise Failure(Kind.CONNECT_FAILED, f"{target.host} is not resolved: {said}") from None
        if not found:
            raise Failure(Kind.CONNECT_FAILED, f"{target.host} has no address")
        return found

    async def _connect(self, target: Target, address: Address, seconds: float) -> Wire:
        loop = asyncio.get_running_loop()
        connection = socket.socket(socket.AF_INET6 if address.version == 6 else socket.AF_INET, socket.SOCK_STREAM)
        try:
            connection.setblocking(False)
            async with asyncio.timeout(seconds):
                await loop.sock_connect(connection, (str(address), target.port))
        except TimeoutError:
            connection.close()
            raise OSError(f"{address} did not answer") from None
        except BaseException:
            connection.close()
            raise
        if target.scheme == "http":
            _, wire = await loop.create_connection(Wire, sock=connection)
            return wire
        _, wire = await loop.create_connection(
            Wire,
            sock=connection,
            ssl=self._tls,
            server_hostname=target.host,
            ssl_handshake_timeout=TLS_SECONDS,
            ssl_shutdown_timeout=_GOODBYE_SECONDS,
        )
        return wire


def trust() -> ssl.SSLContext:
    """The system's certificates. Not `create_default_context`: that would write session keys to SSLKEYLOGFILE."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_default_certs()
    context.set_alpn_protocols(["http/1.1"])
    return context


def _look_up(name: str, port: int) -> Sequence[Address]:
    found = socket.getaddrinfo(name.encode("ascii"), port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return tuple(dict.fromkeys(ipaddress.ip_address(str(place[0])) for *_, place in found))

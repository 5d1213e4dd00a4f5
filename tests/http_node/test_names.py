"""Names: what is asked, what an answer may hold, and that the address that was judged is the one that is used."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
import threading

import pytest
import trustme

from tests.http_node.servers import Names, answer, node, saying, serving
from worker_bridge.executors.egress.policy import HostClass, Policy
from worker_bridge.executors.http.dialing import Resolver, trust

OK = answer(b"1")
LISTED_NETWORK = (ipaddress.ip_network("127.0.0.1/32"),)


async def test_a_resolver_that_changes_its_mind_wins_nothing() -> None:
    """First an allowed address, then a forbidden one: each connection is made to an address of the answer it asked."""
    names = Names(rebind_example_com=["127.0.0.1", "127.0.0.2"])
    async with serving(saying(OK)) as server, node(Policy(LISTED_NETWORK), names.resolve) as made:
        url = f"http://rebind.example.com:{server.port}/"
        assert await made.output(url) == 1
        assert await made.output(url) == 1  # on the connection to the judged address, and nobody is asked
        assert names.asked == ["rebind.example.com"]
        made.executor._pool.close()
        assert (await made.error(url, terminal=True)).startswith("EGRESS_REFUSED: rebind.example.com is at 127.0.0.2: ")
        assert names.asked == ["rebind.example.com"] * 2
        assert server.connections == 1
        assert server.got[0].header("host") == f"rebind.example.com:{server.port}"


async def test_one_forbidden_address_among_allowed_ones() -> None:
    names = Names(both_example_com=["127.0.0.1 10.0.0.1"], again_example_com=["10.0.0.1 127.0.0.1"])
    async with serving(saying(OK)) as server, node(Policy(LISTED_NETWORK), names.resolve) as made:
        for name in ("both", "again"):
            error = await made.error(f"http://{name}.example.com:{server.port}/", terminal=True)
            assert error.startswith(f"EGRESS_REFUSED: {name}.example.com is at 10.0.0.1")
        assert server.connections == 0


async def test_names_that_are_forbidden_are_not_asked_for() -> None:
    names = Names()
    async with node(Policy(), names.resolve) as made:
        for url in (
            "http://localhost/",
            "http://redis:6379/",
            "https://secret.x.internal/",
            "https://a.example.com:8443/",
        ):
            await made.error(url, terminal=True)
        assert names.asked == []
        error = await made.error("https://nowhere.example.com/", terminal=False)
        assert error == "CONNECT_FAILED: nowhere.example.com is not resolved: Name or service not known"
        assert names.asked == ["nowhere.example.com"]


async def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    names = Names(two_example_com=["127.0.0.2 127.0.0.1"])
    loopback = Policy((ipaddress.ip_network("127.0.0.0/8"),))
    async with serving(saying(OK)) as server, node(loopback, names.resolve) as made:
        assert await made.output(f"http://two.example.com:{server.port}/", "POST", body=1) == 1
        assert len(server.got) == 1


async def test_a_resolver_that_never_answers() -> None:
    async def resolve(_name: str, _port: int) -> list[ipaddress.IPv4Address]:
        await asyncio.Event().wait()
        raise AssertionError

    async with node(Policy(), resolve) as made:
        error = await made.error("https://slow.example.com/", timeout_seconds=0.3, terminal=False)
        assert error.startswith("TIMEOUT: ")


async def test_the_systems_resolver(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver = Resolver()
    assert ipaddress.ip_address("127.0.0.1") in await resolver.resolve("localhost", 80)

    def getaddrinfo(*_given: object, **_more: object) -> list[object]:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    for _ in range(40):  # no place is lost
        with pytest.raises(OSError, match="not known"):
            await resolver.resolve("nobody.example.com", 80)


async def test_names_that_nobody_answers_for_keep_their_places_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = threading.Event()

    def getaddrinfo(name: bytes, port: int, **_more: object) -> list[object]:
        answers.wait(30)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    resolver = Resolver()
    hanging = [asyncio.create_task(resolver.resolve("slow.example.com", 80)) for _ in range(16)]
    await asyncio.sleep(0.1)
    for one in hanging:
        one.cancel()
    await asyncio.wait(hanging)
    after = asyncio.create_task(resolver.resolve("next.example.com", 80))
    assert await asyncio.wait((after,), timeout=0.2) == (set(), {after})
    answers.set()
    assert await asyncio.wait_for(after, 30) == (ipaddress.ip_address("192.0.2.1"),)


async def test_tls_is_with_the_name_that_was_judged(trusted: ssl.SSLContext, certified: ssl.SSLContext) -> None:
    asked: list[str | None] = []
    certified.sni_callback = lambda _connection, name, _context: asked.append(name)
    names = Names(api_example_com=["127.0.0.1"], other_example_com=["127.0.0.1"])
    async with serving(saying(OK), certified) as server, node(Policy(LISTED_NETWORK), names.resolve, trusted) as made:
        assert await made.output(f"https://API.example.com:{server.port}/") == 1
        assert await made.output(f"https://{server.address}/") == 1
        error = await made.error(f"https://other.example.com:{server.port}/", terminal=False)
        assert error.startswith(f"CONNECT_FAILED: other.example.com:{server.port}: ")
        assert "certificate" in error
        assert asked == ["api.example.com", None, "other.example.com"]
        assert server.got[0].header("host") == f"api.example.com:{server.port}"
        assert made.figures.answered == {(HostClass.EXCEPTION, 200): 2}


async def test_a_certificate_that_nobody_vouches_for(certified: ssl.SSLContext, authority: trustme.CA) -> None:
    assert authority is not None
    async with serving(saying(OK), certified) as server, node(tls=trust()) as made:
        assert "certificate verify failed" in await made.error(f"https://{server.address}/", terminal=False)


async def test_a_server_that_does_not_speak_tls(trusted: ssl.SSLContext) -> None:
    async with serving(saying(OK)) as server, node(tls=trusted) as made:
        assert (await made.error(f"https://{server.address}/", terminal=False, timeout_seconds=5)).startswith(
            ("CONNECT_FAILED: ", "TIMEOUT: ")
        )


def test_session_keys_are_written_nowhere(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    assert trust().keylog_filename is None
    assert trust().verify_mode is ssl.CERT_REQUIRED
    assert trust().check_hostname

"""Every link with certificates and tokens, over real processes; and what each side says when they do not fit."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import ssl
from contextlib import suppress
from pathlib import Path

import pytest

from tests.bridge.waiting import until
from tests.chaos.processes import Part, python
from tests.links.conftest import Start
from tests.links.pki import Pki

OLD, NEW = "old-token-of-this-link", "new-token-of-this-link"
GUARD = 60.0


async def submit(addr: str, wait: int, **settings: str) -> tuple[int, dict[str, object], str]:
    """Exit status, the line of the one task, and what was said."""
    task = ["--node-type", "python", "--input", '{"code": "return 6 * 7"}', "--wait", str(wait)]
    ended = await asyncio.create_subprocess_exec(
        *python("coordinator.cli", "submit", *task),
        env={**os.environ, "COORDINATOR_ADDR": addr, **settings},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await ended.communicate()
    return ended.returncode or 0, json.loads(out) if out else {}, err.decode()


def says(part: Part, *words: str) -> bool:
    return all(word in part.words for word in words)


async def test_certificates_and_tokens_on_every_link_and_their_rotation(start: Start, pki: Pki) -> None:
    """Tokens are replaced on both sides of both links, and no process is started again."""

    def install(token: str) -> None:
        pki.write("engines", f"bridge:{token}\n")
        pki.write("bridges", token + "\n")

    install(OLD)
    tokens, token_file = str(pki.folder / "engines"), str(pki.folder / "bridges")
    keeper, coordinator = await start("coordinator", **pki.serving("COORDINATOR", AUTH_TOKENS_FILE=tokens))
    _, server = await start("langserver", **pki.serving("LANG", AUTH_TOKENS_FILE=tokens))
    bridge, _ = await start(
        "worker-bridge",
        COORDINATOR_ADDR=coordinator,
        LANG_WORKER_ADDRS=f"python:{server}",
        **pki.calling("COORDINATOR", TOKEN_FILE=token_file),
        **pki.calling("LANG_WORKER", TOKEN_FILE=token_file),
    )
    for token in (OLD, NEW):
        install(token)
        caller = pki.calling("COORDINATOR", TOKEN=token)
        status, line, err = await until(
            lambda caller=caller: _accepted(coordinator, caller), GUARD, "the token was not taken"
        )
        assert (status, line["state"], line["output"]) == (0, "COMPLETED", 42), err + bridge.words
    keeper.signal(signal.SIGHUP)
    await until(lambda: says(keeper, "COORDINATOR_TLS_CERT, _KEY, _CLIENT_CA: read again"), GUARD)
    assert not says(bridge, OLD)
    assert not says(bridge, NEW)


async def _accepted(coordinator: str, caller: dict[str, str]) -> tuple[int, dict[str, object], str] | None:
    ended = await submit(coordinator, 60, **caller)
    return None if "UNAUTHENTICATED" in ended[2] else ended


@pytest.mark.parametrize("link", ["COORDINATOR", "LANG_WORKER"])
async def test_a_wrong_token_is_an_alarm_and_no_task_fails(start: Start, pki: Pki, link: str) -> None:
    wrong = pki.write("token", NEW)
    coordinator, at = await start("coordinator", COORDINATOR_AUTH_TOKEN=OLD)
    server, language = await start("langserver", LANG_AUTH_TOKEN=OLD)
    right = {"COORDINATOR_TOKEN": OLD, "LANG_WORKER_TOKEN": OLD}
    del right[f"{link}_TOKEN"]
    bridge, _ = await start(
        "worker-bridge",
        COORDINATOR_ADDR=at,
        LANG_WORKER_ADDRS=f"python:{language}",
        LEASE_TTL_SECONDS="6",
        **right,
        **{f"{link}_TOKEN_FILE": wrong},
    )
    submitted = asyncio.create_task(submit(at, 100, COORDINATOR_TOKEN=OLD))
    advised = f"the server does not know the token: check {link}_TOKEN, {link}_TOKEN_FILE"
    await until(
        lambda: says(bridge, "UNAUTHENTICATED", advised, "has to be mended by an operator"), GUARD, bridge.words
    )
    refused_by = coordinator if link == "COORDINATOR" else server
    await until(lambda: says(refused_by, "calls without a valid token were refused, the latest from ipv4:127.0.0.1:"))
    assert not submitted.done()
    pki.write("token", OLD)
    status, line, err = await submitted
    assert (status, line["state"], line["attempt"]) == (0, "COMPLETED", 1), err + bridge.words
    assert not any(says(part, token) for part in (bridge, coordinator, server) for token in (OLD, NEW))


def _wrong(pki: Pki, what: str) -> tuple[dict[str, str], str]:
    """A client's settings that do not fit, and what is said then."""
    closed = "it may want a client certificate"
    match what:
        case "another CA":
            return {"TLS_CA": pki.other_ca}, "the server's certificate is not signed by a CA in"
        case "no TLS":
            return {"TLS_CA": "", "CLIENT_CERT": "", "CLIENT_KEY": ""}, "it may speak TLS only, which needs"
        case "no client certificate":
            return {"CLIENT_CERT": "", "CLIENT_KEY": ""}, closed
        case "a stranger's client certificate":
            cert, key = pki.files("stranger", "bridge@example.org", by=pki.stranger)
        case "an expired client certificate":
            cert, key = pki.files("expired", "bridge@example.org", expired=True)
        case _:
            raise AssertionError(what)
    return {"CLIENT_CERT": cert, "CLIENT_KEY": key}, closed


WRONG = [
    "another CA",
    "no TLS",
    "no client certificate",
    "a stranger's client certificate",
    "an expired client certificate",
]


async def test_what_the_bridge_says_when_certificates_do_not_fit(start: Start, pki: Pki) -> None:
    """On each link alone, so that each says it itself."""
    _, coordinator = await start("coordinator", **pki.serving("COORDINATOR"))
    _, plain = await start("coordinator", COORDINATOR_DATABASE_URL=f"sqlite:///{pki.folder}/plain.db")
    _, server = await start("langserver", **pki.serving("LANG"))
    for what in WRONG:
        different, said = _wrong(pki, what)
        for at, wrong_link in ((coordinator, "COORDINATOR"), (plain, "LANG_WORKER")):
            bridge, _ = await start(
                "worker-bridge",
                COORDINATOR_ADDR=at,
                LANG_WORKER_ADDRS=f"python:{server}",
                **pki.calling("LANG_WORKER", **(different if wrong_link == "LANG_WORKER" else {})),
                **(pki.calling("COORDINATOR", **different) if wrong_link == "COORDINATOR" else {}),
            )
            await until(
                lambda bridge=bridge, said=said: says(bridge, ": UNAVAILABLE: ", said),
                GUARD,
                f"{what} at {wrong_link}: {bridge.words}",
            )
            assert not says(bridge, "ssl_transport_security")
            await bridge.kill()


@pytest.mark.parametrize("kind", ["coordinator", "langserver"])
async def test_what_a_server_says_of_clients_that_do_not_fit(start: Start, pki: Pki, kind: str) -> None:
    """Few lines, with the reasons and nothing that a client sent."""
    prefix = {"coordinator": "COORDINATOR", "langserver": "LANG"}[kind]
    server, at = await start(kind, **pki.serving(prefix))
    head = "clients that could not connect over TLS: "
    expired = pki.files("expired", "evil@example.org", expired=True)
    stranger = pki.files("stranger", "evil@example.org", by=pki.stranger)
    told: list[str] = []
    for words, cert_and_key in (
        ("no client certificate", None),
        ("an expired client certificate", expired),
        ("a client certificate that the client CA did not sign", stranger),
    ):
        await _shake(at, pki, cert_and_key)
        told.append(f"{words} (1)")
    for _ in range(20):
        await _send(at, b"GET / HTTP/1.1 evil\r\n\r\n")
        await _send(at, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    await until(lambda: says(server, head + told[0]), GUARD, server.words)

    async def all_told() -> bool:
        await _send(at, b"GET / HTTP/1.1 evil\r\n\r\n")  # the next failure after a while tells of those before
        return all(says(server, words) for words in (*told[1:], "no TLS ("))

    try:
        await until(all_told, GUARD)
    except AssertionError:
        pytest.fail(server.words)
    assert server.words.count(head) <= 4, "one line in ten seconds"
    assert says(server, f"{kind}.audit: ", 'event="HANDSHAKE_FAILED" reason="an expired client certificate"')
    assert server.words.count("HANDSHAKE_FAILED") <= 3 * 4 * 4, "three in ten seconds, of each reason"
    assert not says(server, "evil")
    assert not says(server, "ssl_transport_security")
    assert await server.stop() == 0


async def _shake(at: str, pki: Pki, cert_and_key: tuple[str, str] | None) -> None:
    context = ssl.create_default_context(cafile=pki.ca)
    context.set_alpn_protocols(["h2"])
    if cert_and_key:
        context.load_cert_chain(*cert_and_key)
    host, _, port = at.rpartition(":")
    with suppress(OSError):
        reader, writer = await asyncio.open_connection(host, int(port), ssl=context)
        await reader.read()  # until it is ended
        writer.close()


async def _send(at: str, data: bytes) -> None:
    host, _, port = at.rpartition(":")
    with suppress(OSError):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(data)
        writer.write_eof()
        await reader.read()
        writer.close()


async def test_tls_to_a_server_without_and_a_certificate_for_another_host(
    start: Start, pki: Pki, tmp_path: Path
) -> None:
    _, plain = await start("coordinator", COORDINATOR_DATABASE_URL=f"sqlite:///{tmp_path}/plain.db")
    pki.server = pki.files("elsewhere", "lang.internal")
    _, elsewhere = await start("langserver", **pki.serving("LANG"))
    bridge, _ = await start(
        "worker-bridge",
        COORDINATOR_ADDR=plain,
        LANG_WORKER_ADDRS=f"python:{elsewhere}",
        **pki.calling("COORDINATOR"),
        **pki.calling("LANG_WORKER"),
    )
    await until(lambda: says(bridge, "the server's certificate is for another host"), GUARD)
    other, _ = await start(
        "worker-bridge", COORDINATOR_ADDR=plain, **pki.calling("COORDINATOR"), WORKER_QUEUES="python"
    )
    await until(lambda: says(other, "the server speaks no TLS, but COORDINATOR_TLS_CA is set"), GUARD, other.words)

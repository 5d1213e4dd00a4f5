"""The link to a real Redis: what bridge and coordinator show it, what they take from it, and what they say."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from coordinator.errors import StreamUnavailable
from coordinator.streams.redis import RedisStreams
from operating.redis.link import Link, LinkSettings
from tests.coordinator.servers import RedisServer, free_port
from tests.links.guarded_redis import GuardedRedis, acl_file
from tests.links.pki import Pki
from worker_bridge.errors import Unreachable
from worker_bridge.streams.redis import RedisConsumer

RIGHT, WRONG = b"right-password-of-redis", b"wrong-password-of-redis"
STREAM = "tasks:python:0"
ENDED = "Redis ended the connection"
CERTIFICATES = {"ca", "cert", "key"}


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    return Pki(tmp_path_factory.mktemp("pki"))


def link(port: int, **settings: Any) -> Link:
    paths = {name: Path(value) if name in CERTIFICATES else value for name, value in settings.items() if value}
    return Link(LinkSettings(port=port, **paths))


@asynccontextmanager
async def consumer(port: int, **settings: Any) -> AsyncIterator[RedisConsumer]:
    one = RedisConsumer(link(port, **settings), "me", "tasks")
    yield one
    await one.close()


async def said(port: int, **settings: Any) -> tuple[str, bool]:
    """What bridge and coordinator say, which is the same, and whether an operator has to mend it."""
    streams = RedisStreams(link(port, **settings))
    async with consumer(port, **settings) as one:
        with pytest.raises(Unreachable) as bridges:
            await one.check()
    with pytest.raises(StreamUnavailable) as coordinators:
        await streams.add(STREAM, {"a": "b"})
    await streams.close()
    if not any(ENDED in str(error.value) for error in (bridges, coordinators)):  # what was said before is lost at times
        assert str(bridges.value).partition(" (")[2] in str(coordinators.value)
    for text in (str(bridges.value), str(coordinators.value)):
        assert not any(secret.decode() in text for secret in (RIGHT, WRONG))
    return str(bridges.value), bridges.value.fault


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with GuardedRedis(tmp_path_factory.mktemp("redis"), "--requirepass", RIGHT.decode()) as server:
        yield server


@pytest.fixture(scope="module")
def encrypted(pki: Pki) -> Iterator[RedisServer]:
    with GuardedRedis.with_tls(pki, "--tls-auth-clients", "no") as server:
        yield server


@pytest.fixture(scope="module")
def mutual(pki: Pki) -> Iterator[RedisServer]:
    with GuardedRedis.with_tls(pki) as server:
        yield server


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"password": WRONG}, "does not know this password, or its user is off: check REDIS_USER"),
        ({"password": RIGHT, "user": "nobody"}, "does not know this password, or its user is off: check REDIS_USER"),
        ({}, "wants a password: set REDIS_USER and REDIS_PASSWORD_FILE"),
    ],
)
async def test_what_is_said_of_passwords(asking: RedisServer, settings: dict[str, Any], words: str) -> None:
    text, sure = await said(asking.port, **settings)
    assert words in text
    assert sure


async def test_a_password_that_nobody_asked_for(tmp_path: Path) -> None:
    with GuardedRedis(tmp_path) as server:
        assert "Redis's default user has no password" in (await said(server.port, password=RIGHT))[0]


async def test_the_right_password_in_a_variable_or_a_file(asking: RedisServer, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_bytes(RIGHT + b"\n")
    file.chmod(0o600)
    for settings in ({"password": RIGHT}, {"password_file": file}, {"password": RIGHT, "user": "default"}):
        async with consumer(asking.port, **settings) as one:
            await one.check()


async def test_tls_to_a_redis_without(asking: RedisServer, pki: Pki) -> None:
    text, sure = await said(asking.port, ca=pki.ca)
    assert "it may speak no TLS at this port, but REDIS_TLS_CA is set" in text
    assert not sure, "one that stands still says as little"


async def test_no_tls_to_a_redis_that_speaks_nothing_else(encrypted: RedisServer) -> None:
    text, sure = await said(encrypted.port)
    assert "it may speak TLS only, which needs REDIS_TLS_CA" in text
    assert not sure, "one that is being restarted ends connections, too"


async def test_with_another_ca(encrypted: RedisServer, pki: Pki) -> None:
    assert (await said(encrypted.port, ca=pki.other_ca))[1]
    assert "not signed by a CA in REDIS_TLS_CA" in (await said(encrypted.port, ca=pki.other_ca))[0]


async def test_the_machine_s_own_cas_are_not_trusted_besides(
    encrypted: RedisServer, pki: Pki, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", pki.ca)  # what OpenSSL takes for the machine's
    assert ssl.create_default_context().get_ca_certs(), "else this shows nothing"
    assert "not signed by a CA in REDIS_TLS_CA" in (await said(encrypted.port, ca=pki.other_ca))[0]


@pytest.mark.parametrize("why", ["expired", "another address", "another name"])
async def test_a_certificate_that_is_not_this_redis_s(pki: Pki, why: str) -> None:
    identity = {"another address": "127.0.0.2", "another name": "redis.example.org"}.get(why, "127.0.0.1")
    with GuardedRedis.with_tls(
        pki, "--tls-auth-clients", "no", cert=pki.files(why, identity, expired=why == "expired")
    ) as server:
        text, sure = await said(server.port, ca=pki.ca)
    assert ("Redis's certificate has expired" if why == "expired" else "for another host than") in text
    assert sure


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ("nobody", "Redis wants a client certificate: set REDIS_CLIENT_CERT and REDIS_CLIENT_KEY"),
        ("a stranger", "Redis does not take REDIS_CLIENT_CERT: its CA has not signed it, or it has expired"),
        ("time", "Redis does not take REDIS_CLIENT_CERT: its CA has not signed it, or it has expired"),
    ],
)
async def test_a_client_certificate_that_does_not_fit(mutual: RedisServer, pki: Pki, by: str, words: str) -> None:
    certs: dict[str, str] = {}
    if by != "nobody":
        made = pki.files(
            by, "bridge@example.org", by=pki.stranger if by == "a stranger" else None, expired=by == "time"
        )
        certs = dict(zip(("cert", "key"), made, strict=True))
    text, sure = await said(mutual.port, ca=pki.ca, **certs)
    if ENDED in text:  # Redis's word was overtaken by the end of the connection, as TLS 1.3 lets it
        words = "it may want a client certificate, or may not take ours (REDIS_CLIENT_CERT)"
    assert words in text
    assert sure is (ENDED not in text)


async def test_a_client_certificate_that_fits(mutual: RedisServer, pki: Pki) -> None:
    cert, key = pki.bridge
    async with consumer(mutual.port, ca=pki.ca, cert=cert, key=key) as one:
        await one.check()
    streams = RedisStreams(link(mutual.port, ca=pki.ca, cert=cert, key=key))
    assert await streams.add(STREAM, {"a": "b"})
    await streams.close()


async def test_a_password_is_replaced_without_a_restart(tmp_path: Path) -> None:
    """What stands goes on; what connects anew shows what is in the file then."""
    file = tmp_path / "password"
    file.write_text("bridge")
    file.chmod(0o600)
    with GuardedRedis(tmp_path, "--aclfile", acl_file(tmp_path)) as server, server.admin() as admin:
        async with consumer(server.port, user="bridge", password_file=file) as one:
            await one.check()
            admin.execute_command("ACL", "SETUSER", "bridge", ">another", "<bridge")
            await one.check()
            admin.client_kill_filter(_type="normal", skipme=True)
            with pytest.raises(Unreachable):  # the connection that was ended is noticed when it is used
                await one.check()
            with pytest.raises(Unreachable, match="does not know this password"):
                await one.check()
            (tmp_path / "new").write_text("another\n")
            (tmp_path / "new").chmod(0o600)
            (tmp_path / "new").replace(file)
            await one.check()


async def test_what_cannot_be_used_is_not_taken(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "password"
    file.write_bytes(RIGHT)
    one = link(1, password_file=file)
    file.write_text("")
    assert one.login() == (RIGHT,)
    assert "REDIS_PASSWORD_FILE: what was read before goes on to be used" in caplog.text
    assert "every user of this machine can read or write" in caplog.text
    file.write_bytes(WRONG + b"\n")
    assert one.login() == (WRONG,)
    assert not any(secret.decode() in caplog.text for secret in (RIGHT, WRONG))


async def test_certificates_are_replaced_without_a_restart(tmp_path: Path) -> None:
    """Redis has a certificate of another CA after its restart, and asks for one of that CA."""
    old, new = Pki(_folder(tmp_path, "old")), Pki(_folder(tmp_path, "new"))
    files = {name: tmp_path / name for name in ("ca", "cert", "key")}

    def install(pki: Pki) -> None:
        for name, source in zip(("ca", "cert", "key"), (pki.ca, *pki.bridge), strict=True):
            new_one = tmp_path / "next"
            new_one.write_bytes(Path(source).read_bytes())
            new_one.replace(files[name])

    install(old)
    with GuardedRedis.with_tls(old) as before:
        port = before.port
        async with consumer(port, **files) as one:
            await one.check()
            before.kill()
            after = GuardedRedis.with_tls(new)
            after.arguments = tuple(str(port) if part == str(after.port) else part for part in after.arguments)
            after.port = port
            with after:
                with pytest.raises(Unreachable):
                    await one.check()
                with pytest.raises(Unreachable, match="not signed by a CA in REDIS_TLS_CA"):
                    await one.check()
                install(new)
                await one.check()


def _folder(tmp_path: Path, name: str) -> Path:
    folder = tmp_path / f"of-{name}"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    "answer",
    [
        "-ERR unknown command 'AUTH', with args beginning with: '{password}' ",
        "-ERR what is {password}?",
        "-WRONGPASS invalid username-password pair {password}",
    ],
)
async def test_a_password_that_a_server_repeats_is_in_no_text(answer: str) -> None:
    """A Redis whose AUTH was renamed does, and what is no Redis may."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        writer.write(answer.format(password=RIGHT.decode()[: 10 if "args" in answer else None]).encode() + b"\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server, consumer(server.sockets[0].getsockname()[1], password=RIGHT) as one:
        with pytest.raises(Unreachable) as refused:
            await one.check()
    assert RIGHT.decode()[:10] not in str(refused.value)


FAR = {"host": "redis.internal"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            FAR,
            "could read tasks and add others. Set REDIS_TLS_CA and REDIS_PASSWORD_FILE (or REDIS_PASSWORD); REDIS_AL",
        ),
        (FAR | {"password": RIGHT}, "the password would cross the network in the clear. Set REDIS_TLS_CA; REDIS_ALLOW"),
        (FAR | {"ca": "ca"}, "everybody who can reach it could add tasks. Set REDIS_USER and REDIS_PASSWORD_FILE"),
        ({"password": RIGHT, "password_file": "password"}, "REDIS_PASSWORD and REDIS_PASSWORD_FILE are both set"),
        ({"user": "bridge"}, "REDIS_USER needs the user's password: set REDIS_PASSWORD_FILE"),
        ({"user": "a b", "password": RIGHT}, "REDIS_USER is not usable"),
        ({"password": b""}, "REDIS_PASSWORD is not usable"),
        ({"password": b"two\nlines"}, "REDIS_PASSWORD is not usable"),
        ({"password_file": "/dev/null"}, "REDIS_PASSWORD_FILE is not usable"),
        ({"password_file": "/nowhere"}, "REDIS_PASSWORD_FILE: [Errno 2]"),
        ({"cert": "cert"}, "REDIS_CLIENT_CERT and REDIS_CLIENT_KEY go together"),
        ({"cert": "cert", "key": "key"}, "REDIS_CLIENT_CERT needs REDIS_TLS_CA"),
        ({"ca": __file__}, "REDIS_TLS_CA holds no certificates in PEM"),
    ],
)
def test_what_cannot_be_is_named(settings: dict[str, Any], words: str) -> None:
    paths = CERTIFICATES | {"password_file"}
    given = {name: Path(value) if name in paths else value for name, value in settings.items()}
    with pytest.raises(ValueError, match="REDIS_") as refused:
        Link(LinkSettings(**given))
    assert words in str(refused.value)
    assert RIGHT.decode() not in str(refused.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_on_this_machine_nothing_is_needed(host: str) -> None:
    assert Link(LinkSettings(host=host)).tls() is None
    assert Link(LinkSettings(host=host, password=RIGHT)).login() == (RIGHT,)


def test_beyond_it_a_password_or_a_certificate_over_tls_is_enough(pki: Pki) -> None:
    cert, key = map(Path, pki.bridge)
    tls = LinkSettings(host="redis.internal", ca=Path(pki.ca), password=RIGHT)
    assert Link(tls).tls() is not None
    assert Link(LinkSettings(host="redis.internal", ca=Path(pki.ca), cert=cert, key=key)).tls() is not None
    assert Link(LinkSettings(host="redis.internal", allow_insecure=True)).login() is None


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("127.0.0.1", r"Connect call failed .*\(nothing listens there, .*: check REDIS_ADDR"),
        ("nobody.invalid", r"\(nobody knows the host's name: check REDIS_ADDR"),  # RFC 2606, section 2
    ],
)
async def test_a_redis_that_is_away_is_no_fault_of_an_operator_s(host: str, words: str) -> None:
    async with consumer(free_port(), host=host, password=RIGHT, allow_insecure=True) as one:
        with pytest.raises(Unreachable, match=words) as away:
            await one.check()
    assert not away.value.fault

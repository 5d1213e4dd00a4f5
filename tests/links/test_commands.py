"""`coordinator` and `langserver health` before servers that want certificates and tokens."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import grpc
import pytest

from tests.chaos.processes import free_port, python
from tests.integration.server.raw_caller import RawCaller, message
from tests.links.conftest import Start
from tests.links.pki import Pki
from tests.links.test_bridge_and_servers import WRONG, _wrong

TOKEN = "the-one-right-token"


def typed(module: str, *arguments: str, **settings: str) -> tuple[int, str]:
    """Exit status, and what was said on standard error; never a token, and one line."""
    ended = subprocess.run(
        python(module, *arguments),
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in ended.stderr
    assert TOKEN not in ended.stderr
    assert len(ended.stderr.splitlines()) <= 1, ended.stderr
    return ended.returncode, ended.stderr


async def test_every_command_of_the_coordinator_has_the_keys(start: Start, pki: Pki) -> None:
    file = pki.write("token", f" {TOKEN}\n")
    _, addr = await start("coordinator", **pki.serving("COORDINATOR", AUTH_TOKEN=TOKEN))
    keys = pki.calling("COORDINATOR", TOKEN_FILE=file, ADDR=addr)
    commands = (
        ["submit", "--node-type", "js", "--input", "{}"],
        ["status"],
        ["cancel", "--run-id", "r"],
        ["dead", "list"],
    )
    for command in commands:
        assert typed("coordinator.cli", *command, **keys) == (0, "")
        del_token = {**keys, "COORDINATOR_TOKEN_FILE": pki.write("other", "another-token-here")}
        status, said = typed("coordinator.cli", *command, **del_token)
        assert (status, "(the server does not know the token: check COORDINATOR_TOKEN" in said) == (4, True), said
        assert "another-token-here" not in said


async def test_what_a_command_says_when_certificates_do_not_fit(start: Start, pki: Pki) -> None:
    _, addr = await start("coordinator", **pki.serving("COORDINATOR"))
    for what in WRONG:
        different, words = _wrong(pki, what)
        status, said = typed("coordinator.cli", "status", **pki.calling("COORDINATOR", ADDR=addr, **different))
        assert (status, words in said) == (4, True), f"{what}: {said}"
    by_name = addr.replace("127.0.0.1", "localhost")
    status, said = typed("coordinator.cli", "status", **pki.calling("COORDINATOR", ADDR=by_name))
    assert (status, "the server's certificate is for another host" in said) == (4, True), said


async def test_tls_to_a_coordinator_without(start: Start, pki: Pki) -> None:
    _, addr = await start("coordinator")
    status, said = typed("coordinator.cli", "status", **pki.calling("COORDINATOR", ADDR=addr))
    assert (status, "the server speaks no TLS, but COORDINATOR_TLS_CA is set" in said) == (4, True), said


def test_a_coordinator_that_is_away() -> None:
    for host, words in (
        ("127.0.0.1", "nothing listens there: check the address, and whether the server runs"),
        ("nobody.invalid", "nobody knows the host's name: check the address"),  # RFC 2606, section 2
    ):
        status, said = typed("coordinator.cli", "status", COORDINATOR_ADDR=f"{host}:{free_port()}")
        assert (status, words in said) == (4, True), said


def _contents(files: Sequence[str]) -> list[bytes]:
    return [Path(file).read_bytes() for file in files]


@pytest.fixture
async def expired_server(pki: Pki) -> AsyncIterator[str]:
    """Ours refuse to start with such a certificate: a bare gRPC server has it."""
    cert, key = _contents(pki.files("old", "127.0.0.1", expired=True))
    server = grpc.aio.server()
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([(key, cert)]))
    await server.start()
    yield f"127.0.0.1:{port}"
    await server.stop(None)


async def test_a_server_whose_certificate_has_expired(expired_server: str, pki: Pki) -> None:
    status, said = typed("coordinator.cli", "status", **pki.calling("COORDINATOR", ADDR=expired_server))
    assert (status, "the server's certificate has expired" in said) == (4, True), said
    status, said = typed("langserver.cli", "health", "--addr", expired_server, "--tls-ca", pki.ca)
    assert (status, "the server's certificate has expired" in said) == (1, True), said


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"ADDR": "192.0.2.1:1", "TOKEN": TOKEN}, "the token would go there in the clear: set COORDINATOR_TLS_CA"),
        ({"ADDR": "coordinator:1", "TOKEN": TOKEN}, "the token would go there in the clear: set COORDINATOR_TLS_CA"),
        ({"TOKEN": f"{TOKEN} {TOKEN}"}, "COORDINATOR_TOKEN is not usable"),
        ({"TOKEN": TOKEN, "TOKEN_FILE": "x"}, "are both set"),
        ({"TOKEN_FILE": "/nowhere"}, "COORDINATOR_TOKEN_FILE: "),
        ({"CLIENT_CERT": "x"}, "go together"),
        ({"CLIENT_CERT": "x", "CLIENT_KEY": "x"}, "COORDINATOR_CLIENT_CERT needs COORDINATOR_TLS_CA"),
        ({"TLS_CA": __file__}, "COORDINATOR_TLS_CA holds no certificates"),
    ],
)
def test_keys_that_cannot_be_used(settings: dict[str, str], words: str) -> None:
    status, said = typed(
        "coordinator.cli", "status", **{f"COORDINATOR_{name}": text for name, text in settings.items()}
    )
    assert (status, words in said) == (2, True), said


async def test_health_says_what_to_check(start: Start, pki: Pki) -> None:
    pki.server = pki.files("elsewhere", "lang.internal")
    _, addr = await start("langserver", **pki.serving("LANG", AUTH_TOKEN=TOKEN))
    cert, key = pki.bridge
    ask = ["health", "--addr", addr]
    trusting, mine = ["--tls-ca", pki.ca], ["--tls-cert", cert, "--tls-key", key]
    named = ["--tls-name", "lang.internal"]
    assert typed("langserver.cli", *ask, *trusting, *mine, *named) == (0, "")
    for options, words in (
        ([*trusting, *mine], "the server's certificate is for another host"),
        ([*trusting, *named], "it may want a client certificate (--tls-cert)"),
        (["--tls-ca", pki.other_ca, *named], "the server's certificate is not signed by a CA in --tls-ca"),
        ([], "it may speak TLS only, which needs --tls-ca"),
    ):
        status, said = typed("langserver.cli", *ask, *options)
        assert (status, words in said) == (1, True), said
    assert typed("langserver.cli", *ask, *named)[0] == 2


async def test_what_callers_send_is_not_in_a_coordinators_log(start: Start) -> None:
    """Requests that no gRPC library sends, whose metadata is no text."""
    coordinator, addr = await start("coordinator", COORDINATOR_AUTH_TOKEN=TOKEN)

    def call() -> None:
        with RawCaller(addr) as caller:
            paths = (
                b"/\xff",
                b"/x",
                b"/workflow.v1.WorkflowService/AcquireTaskLease",
                b"/workflow.v1.Coordinator/None",
            )
            streams = {
                caller.call(message(b""), authorization=b"Bearer " + TOKEN[:-1].encode() + b"\xff", path=path)
                for path in paths
                for _ in range(10)
            }
            caller.wait_for_end_of(streams)

    await asyncio.to_thread(call)
    assert typed("coordinator.cli", "status", COORDINATOR_ADDR=addr, COORDINATOR_TOKEN=TOKEN) == (0, "")
    assert "calls without a valid token were refused, the latest from ipv4:127.0.0.1:" in coordinator.words
    assert TOKEN[:-1] not in coordinator.words
    assert "xff" not in coordinator.words
    assert len(coordinator.words.splitlines()) < 20

"""`langserver serve` as a process, and `langserver health` asking it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from langserver.commands.exits import UsageError
from langserver.commands.own_certificate import own_certificate

READY = "langserver listening on "
HANG_GUARD_SECONDS = 60


@contextmanager
def serving(*arguments: str, **env: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server with one runtime, and the address it printed; it must end with status 0 when told to."""
    command = [sys.executable, "-m", "langserver.cli", "serve", *arguments]
    settings = {"LANG_RUNTIMES": "python", "LANG_WARM_CHILDREN": "0", **env}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **settings}) as process:
        try:
            line = process.stdout.readline()
            assert line.startswith(READY)
            yield line.removeprefix(READY).strip(), process
        finally:
            process.send_signal(signal.SIGTERM)
            status = process.wait(HANG_GUARD_SECONDS)
    assert status == 0


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving("--listen", "127.0.0.1:0") as (listening, _):
        yield listening


def test_a_free_port_is_chosen_and_healthy(cli, address):
    assert not address.endswith(":0")
    ended = cli("health", "--addr", address)

    assert (ended.status, ended.out, ended.err) == (0, f"{address}: the server is SERVING\n", "")


def test_the_environment_says_where(cli, address):
    port = address.rpartition(":")[2]

    assert cli("health", "--service", "python", env={"LANG_LISTEN_ADDR": f"0.0.0.0:{port}"}).status == 0


def test_a_runtime_that_is_not_served(cli, address):
    ended = cli("health", "--addr", address, "--service", "js")

    assert (ended.status, ended.out) == (1, "")
    assert ended.err == f"{address}: js is not one of this server's health entries\n"


def test_nobody_there(cli, tmp_path):
    ended = cli("health", "--addr", f"unix:{tmp_path}/absent.sock", "--timeout", "2")

    assert (ended.status, ended.out) == (1, "")
    assert len(ended.err.splitlines()) == 1
    assert "UNAVAILABLE" in ended.err


def test_a_stopped_server_answers_nothing_in_time(cli):
    with serving("--listen", "127.0.0.1:0") as (address, process):
        process.send_signal(signal.SIGSTOP)
        try:
            ended = cli("health", "--addr", address, "--timeout", "0.3")
        finally:
            process.send_signal(signal.SIGCONT)

    assert (ended.status, ended.err) == (1, f"{address}: no answer in time\n")


def test_a_unix_socket(cli, tmp_path):
    where = f"unix:{tmp_path}/s.sock"
    with serving("--listen", where) as (address, _):
        assert address == where
        assert cli("health", "--addr", address).status == 0


def test_tls(cli, tmp_path: Path):
    authority = trustme.CA()
    server, client = authority.issue_cert("localhost"), authority.issue_cert("probe")
    files = {name: tmp_path / f"{name}.pem" for name in ("ca", "cert", "key", "client_cert", "client_key")}
    authority.cert_pem.write_to_path(files["ca"])
    server.cert_chain_pems[0].write_to_path(files["cert"])
    server.private_key_pem.write_to_path(files["key"])
    client.cert_chain_pems[0].write_to_path(files["client_cert"])
    client.private_key_pem.write_to_path(files["client_key"])
    env = {
        "LANG_TLS_CERT": str(files["cert"]),
        "LANG_TLS_KEY": str(files["key"]),
        "LANG_TLS_CLIENT_CA": str(files["ca"]),
    }
    with serving("--listen", "localhost:0", **env) as (address, _):
        ask = ["health", "--addr", address, "--tls-ca", str(files["ca"])]
        client_files = ["--tls-cert", str(files["client_cert"]), "--tls-key", str(files["client_key"])]
        assert cli(*ask, *client_files).status == 0
        assert cli(*ask, "--timeout", "2").status == 1
        assert cli("health", "--addr", address, "--timeout", "2").status == 1
        beside = {**env, "LANG_LISTEN_ADDR": address}  # as a container's health check is
        ended = cli("health", env=beside)
        assert (ended.status, ended.out) == (0, f"{address}: the server is SERVING\n"), ended.err
        assert cli("health", "--addr", address, "--timeout", "2", env=beside).status == 1


@pytest.mark.parametrize(
    ("names", "name"),
    [
        (["127.0.0.1"], "127.0.0.1"),
        (["*.example.org"], "any.example.org"),
        (["mail@example.org", "lang.internal"], "lang.internal"),
    ],
)
def test_what_a_probe_calls_the_server_beside_it(monkeypatch, tmp_path: Path, names, name):
    monkeypatch.setenv("LANG_TLS_CERT", str(tmp_path / "cert.pem"))
    monkeypatch.setenv("LANG_TLS_KEY", str(tmp_path / "key.pem"))
    issue(tmp_path, *names)
    assert own_certificate().name == name
    issue(tmp_path / "other", *names)
    (tmp_path / "other/key.pem").replace(tmp_path / "key.pem")
    with pytest.raises(UsageError, match="LANG_TLS_CERT and LANG_TLS_KEY are no certificate and its key"):
        own_certificate()


def test_a_certificate_for_no_host(cli, tmp_path: Path):
    issue(tmp_path, "mail@example.org")
    ended = cli("health", env={"LANG_TLS_CERT": f"{tmp_path}/cert.pem", "LANG_TLS_KEY": f"{tmp_path}/key.pem"})
    assert (ended.status, ended.out) == (2, "")
    assert "LANG_TLS_CERT is for no host" in ended.err


def test_an_expired_certificate_is_told_as_the_server_tells_it(cli, tmp_path: Path):
    issue(tmp_path, "lang.internal", not_after=datetime.now(UTC) - timedelta(days=1))
    files = {"LANG_TLS_CERT": f"{tmp_path}/cert.pem", "LANG_TLS_KEY": f"{tmp_path}/key.pem"}
    told = "LANG_TLS_CERT is no certificate that a client would take: certificate has expired"
    for command, status in (("health", 2), ("serve", 3)):
        ended = cli(command, env={**files, "LANG_LISTEN_ADDR": "127.0.0.1:0"})
        assert (ended.status, ended.out) == (status, "")
        assert told in ended.err


def issue(folder: Path, *names: str, not_after: datetime | None = None) -> None:
    """Certificate and key of a new CA's."""
    folder.mkdir(exist_ok=True)
    issued = trustme.CA().issue_cert(*names, not_after=not_after)
    issued.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    issued.private_key_pem.write_to_path(folder / "key.pem")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--tls-cert", "a.pem"], "belong together"),
        (["--tls-ca", "absent.pem"], "absent.pem: No such file or directory"),
        (["--timeout", "soon"], "--timeout"),
    ],
)
def test_bad_usage_of_health(typed, arguments, said):
    ended = typed("health", *arguments)

    assert ended.status == 2
    assert said in ended.err


@pytest.mark.parametrize(
    ("arguments", "env", "said"),
    [
        (["--listen", "nowhere"], {}, "nowhere"),
        ([], {"LANG_MAX_CONCURRENCY": "none"}, "LANG_MAX_CONCURRENCY"),
        (["--listen", "0.0.0.0:0"], {}, "LANG_ALLOW_INSECURE"),
    ],
)
def test_a_server_that_cannot_start_says_why(cli, arguments, env, said):
    ended = cli("serve", *arguments, env=env)

    assert (ended.status, ended.out) == (3, "")
    assert said in ended.err
    assert "Traceback" not in ended.err

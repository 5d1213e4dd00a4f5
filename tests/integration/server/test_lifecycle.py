"""How a server starts, refuses to start, drains and ends."""

from __future__ import annotations

import signal
import socket
import stat
from contextlib import contextmanager

import grpc
import psutil
import pytest

from langserver.core.jit import COMPILING
from tests.integration.server.harness import (
    NOT_SERVING,
    PATIENCE,
    refusal_to_start,
    running_server,
    starting_server,
    status_of,
    wait_for,
)

UNAVAILABLE = grpc.StatusCode.UNAVAILABLE
TWO_SECONDS = "import time\nprint('started')\nend = time.time() + 2\nwhile time.time() < end: pass\nreturn 'done'\n"


@contextmanager
def everything_ends(server):
    """Zygotes, running and warm children: none of them is there when the server has ended, with status 0."""
    processes = server.processes()
    assert processes
    yield
    status, output, errors = server.wait()
    assert (status, output) == (0, ""), errors
    assert "Traceback" not in errors
    assert not [process for process in processes if process.is_running() and process.status() != psutil.STATUS_ZOMBIE]


def test_one_line_says_where_it_listens():
    with running_server() as server:
        host, port = server.address.split(":")
        assert (host, int(port) > 0) == ("127.0.0.1", True)
        with everything_ends(server):
            server.signal()


def test_a_server_says_that_it_compiles_javascript():
    with running_server(LANG_RUNTIMES="js", LANG_JS_JIT="on") as server, server.connect() as client:
        (runtime,) = client.capabilities().runtimes
        assert (runtime.name, runtime.profile) == ("js", COMPILING)
        answer = client.execute("let s = 0; for (let i = 0; i < 1e5; i++) s += i; s", runtime="js")
        assert answer.output_json == "4999950000"
        server.signal()
        _, _, errors = server.wait()
    assert f"js runs in the profile {COMPILING}" in errors


def test_draining_lets_running_tasks_end_and_sends_away_the_rest():
    settings = {"LANG_MAX_CONCURRENCY": "1", "LANG_MAX_QUEUE": "1", "LANG_DRAIN_SECONDS": "60"}
    with running_server(**settings) as server, server.connect() as client, everything_ends(server):
        running = client.stream(TWO_SECONDS)
        assert next(running).log.text == "started"
        queued = client.queue("return 'never'")
        server.signal()
        wait_for(lambda: client.health() == NOT_SERVING)
        assert client.health("python") == NOT_SERVING
        assert status_of(queued.result) == (UNAVAILABLE, "draining: the server takes no new tasks")
        for call in (client.execute, client.validate, lambda code: list(client.stream(code))):
            code, message = status_of(lambda call=call: call("return 1"))
            assert code is UNAVAILABLE
            assert message.startswith("draining")
        assert client.capabilities().max_concurrency == 1
        assert client.health() == NOT_SERVING
        (last,) = running
        assert last.response.output_json == '"done"'


def test_after_the_drain_time_what_runs_is_ended():
    with running_server(LANG_DRAIN_SECONDS="1") as server, server.connect() as client, everything_ends(server):
        calls = [client.start_endless(), client.start_endless()]
        server.signal(signal.SIGINT)
        for call in calls:
            code, message = status_of(lambda call=call: list(call))
            assert code is UNAVAILABLE
            assert message.startswith("draining")


def test_the_second_signal_does_not_wait():
    with running_server(LANG_DRAIN_SECONDS="3600") as server, server.connect() as client, everything_ends(server):
        call = client.start_endless()
        server.signal()
        wait_for(lambda: client.health() == NOT_SERVING)
        server.signal()
        code, message = status_of(lambda: list(call))
        assert code is UNAVAILABLE
        assert message.startswith("draining")


def test_a_killed_server_leaves_nothing_running():
    with running_server() as server, server.connect() as client:
        client.start_endless()
        processes = server.processes()
        assert len(processes) >= 2
        server.signal(signal.SIGKILL)
        server.process.wait(PATIENCE)
        wait_for(lambda: not any(process.is_running() for process in processes))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_it_starts_ends_it(number):
    with starting_server() as server:
        wait_for(server.processes)  # a zygote on its way
        with everything_ends(server):
            server.signal(number)


def test_a_unix_socket(tmp_path):
    path = tmp_path / "lang.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))  # what a killed server leaves
    with running_server(LANG_LISTEN_ADDR=f"unix:{path}") as server, server.connect() as client:
        assert server.address == f"unix:{path}"
        assert stat.S_ISSOCK(path.stat().st_mode)
        assert client.execute("return 1").output_json == "1"
        assert "another server does" in refusal_to_start(LANG_LISTEN_ADDR=f"unix:{path}")
        assert client.execute("return 2").output_json == "2"
        with everything_ends(server):
            server.signal()
    assert not path.exists()


def test_a_port_in_use(shared_server):
    assert f"can't listen on {shared_server.address}: in use" in refusal_to_start(
        LANG_LISTEN_ADDR=shared_server.address
    )


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "example.org:50053"])
def test_a_network_without_protection_is_refused(address):
    assert f"refusing to listen on {address}" in refusal_to_start(LANG_LISTEN_ADDR=address)


def test_a_setting_that_is_wrong():
    assert "LANG_MEMORY_MB is 'much': expected a whole number" in refusal_to_start(LANG_MEMORY_MB="much")

"""Settings are checked at the start, and an error names the variable."""

from __future__ import annotations

import socket

import pytest

from coordinator.app import Coordinator
from coordinator.errors import StartError
from coordinator.settings import Settings


@pytest.fixture(autouse=True)
def no_variables(monkeypatch):
    for variable in Settings.variables().values():
        monkeypatch.delenv(variable, raising=False)


def test_defaults():
    settings = Settings()

    assert settings.listen_addr == "127.0.0.1:50051"
    assert settings.database_url.get_secret_value() == "sqlite:///coordinator.db"
    assert (settings.redis_addr, settings.stream_prefix, settings.stream_shards) == ("127.0.0.1:6379", "tasks", 1)
    assert (settings.lease_ttl_seconds, settings.max_deliveries, settings.max_attempts) == (90, 5, 3)


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("COORDINATOR_LISTEN_ADDR", "50051", "expected HOST:PORT"),
        ("COORDINATOR_LISTEN_ADDR", "h:70000", "expected HOST:PORT"),
        ("REDIS_ADDR", "h:70000", "expected HOST:PORT"),
        ("STREAM_PREFIX", "a b", "expected letters"),
        ("STREAM_SHARDS", "0", "expected a whole number from 1 to 1024"),
        ("LEASE_TTL_SECONDS", "x", "expected a whole number from 1 to 3600"),
        ("WORKER_MAX_DELIVERIES", "0", "expected a whole number"),
        ("COORDINATOR_MAX_ATTEMPTS", "0", "expected a whole number"),
        ("COORDINATOR_REQUIRE_DIGEST", "perhaps", "expected 1 or 0"),
        ("COORDINATOR_METRICS_ADDR", "9106", "expected HOST:PORT"),
        ("COORDINATOR_LOG_FORMAT", "xml", "expected one of console, json"),
        ("COORDINATOR_LOG_LEVEL", "loud", "expected one of debug, info, warning, error"),
    ],
)
def test_what_is_wrong_is_named(monkeypatch, variable, value, said):
    monkeypatch.setenv(variable, value)

    with pytest.raises(StartError, match=f"{variable} is '{value}': {said}".replace("(", r"\(")):
        Settings()


def test_a_database_s_password_is_not_shown(monkeypatch):
    monkeypatch.setenv("COORDINATOR_DATABASE_URL", "mysql://me:secret@h/d")

    with pytest.raises(StartError, match="COORDINATOR_DATABASE_URL is not usable: expected sqlite") as refused:
        Settings()
    assert "secret" not in str(refused.value)
    assert "secret" not in repr(Settings(database_url="postgresql://me:secret@h/d"))


@pytest.mark.parametrize("address", ["0.0.0.0:1", "[::]:1", "example.org:1", "10.0.0.1:1"])
async def test_beyond_this_machine_it_does_not_listen(tmp_path, address):
    settings = Settings(listen_addr=address, database_url=f"sqlite:///{tmp_path}/t.db")

    with pytest.raises(StartError, match="COORDINATOR_ALLOW_INSECURE"):
        await Coordinator(settings).start()


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"COORDINATOR_AUTH_TOKEN": "tooshort-secret"}, "COORDINATOR_AUTH_TOKEN is not usable: expected at least 16"),
        ({"COORDINATOR_TLS_CERT": __file__}, "COORDINATOR_TLS_CERT and COORDINATOR_TLS_KEY go together"),
        ({"COORDINATOR_TLS_CLIENT_CA": __file__}, "COORDINATOR_TLS_CLIENT_CA needs"),
        ({"COORDINATOR_AUTH_TOKENS_FILE": "/nowhere"}, "COORDINATOR_AUTH_TOKENS_FILE is '/nowhere': expected a file"),
    ],
)
def test_tokens_and_certificates_that_cannot_be_used(monkeypatch, variables, said):
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)

    with pytest.raises(StartError, match=f"^{said}") as refused:
        Settings()
    assert "secret" not in str(refused.value)


async def test_a_port_that_is_taken_is_named(start, tmp_path):
    first = await start()
    settings = Settings(listen_addr=str(first.coordinator.address), database_url=f"sqlite:///{tmp_path}/other.db")

    with pytest.raises(StartError, match=f"can't listen on {first.coordinator.address}"):
        await Coordinator(settings).start()


async def test_a_database_that_cannot_be_reached_is_named(monkeypatch):
    monkeypatch.setattr("coordinator.store.postgres._START_SECONDS", 0.5)
    settings = Settings(listen_addr="127.0.0.1:0", database_url="postgresql://me:secret@127.0.0.1:1/d")

    with pytest.raises(StartError, match="COORDINATOR_DATABASE_URL: PostgreSQL cannot be used") as refused:
        await Coordinator(settings).start()
    assert "Connection refused" in str(refused.value)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "example.org:1"])
def test_metrics_are_not_shown_beyond_this_machine_unasked(address):
    with pytest.raises(StartError, match="COORDINATOR_METRICS_ALLOW_REMOTE=1"):
        Settings(metrics_addr=address)
    assert Settings(metrics_addr=address, metrics_allow_remote=True).metrics_addr == address


async def test_a_port_of_metrics_that_is_taken_is_named(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        settings = Settings(database_url=f"sqlite:///{tmp_path}/c.db", listen_addr="127.0.0.1:0", metrics_addr=address)

        with pytest.raises(StartError, match=f"COORDINATOR_METRICS_ADDR: can't listen on {address}"):
            await Coordinator(settings).start()

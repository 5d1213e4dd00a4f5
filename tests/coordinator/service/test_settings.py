"""Settings are checked at the start, and an error names the variable."""

from __future__ import annotations

import pytest

from coordinator.address import check_exposure, parse_address
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
        ("REDIS_ADDR", "redis://h", "expected HOST:PORT"),
        ("STREAM_PREFIX", "a b", "expected letters"),
        ("STREAM_SHARDS", "0", "expected a whole number from 1 to 1024"),
        ("LEASE_TTL_SECONDS", "x", "expected a whole number from 1 to 3600"),
        ("WORKER_MAX_DELIVERIES", "0", "expected a whole number"),
        ("COORDINATOR_MAX_ATTEMPTS", "0", "expected a whole number"),
        ("COORDINATOR_REQUIRE_DIGEST", "perhaps", "expected 1 or 0"),
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
    check_exposure(parse_address(address), allow_insecure=True)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1"])
def test_on_this_machine_it_does(address):
    check_exposure(parse_address(address), allow_insecure=False)


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
    assert "secret" not in str(refused.value)

from __future__ import annotations

import pytest

from worker_bridge.errors import StartError
from worker_bridge.settings import Settings


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


def test_defaults() -> None:
    settings = Settings()
    assert settings.coordinator_addr == "localhost:50051"
    assert settings.redis_addr == "127.0.0.1:6379"
    assert settings.worker_id != Settings().worker_id
    assert settings.timings.renew_every == 30
    assert settings.streams(settings.node_types) == {"tasks:http:0": "http"}
    assert settings.streams(["js", "python"]) == {"tasks:js:0": "js", "tasks:python:0": "python"}


def test_addresses_of_several_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "LANG_WORKER_ADDRS", "python:h:1, node:[::1]:2 ,python:unix:/run/x.sock,javascript:h:3,python:h:1"
    )
    assert Settings().lang_worker_addrs == {"python": ("h:1", "unix:/run/x.sock"), "js": ("[::1]:2", "h:3")}


def test_queues_have_the_runtimes_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKER_QUEUES", "python:eu-west, node:eu,javascript:eu,gpu")
    monkeypatch.setenv("STREAM_SHARDS", "2")
    monkeypatch.setenv("STREAM_PREFIX", "mine")
    assert tuple(Settings().streams(["python"])) == (
        "mine:python:eu-west:0", "mine:python:eu-west:1", "mine:js:eu:0", "mine:js:eu:1", "mine:gpu:0", "mine:gpu:1",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("COORDINATOR_ADDR", "nowhere"),
        ("COORDINATOR_ADDR", "unix:"),
        ("REDIS_ADDR", "redis://h:1"),
        ("REDIS_ADDR", "h:99999"),
        ("LANG_WORKER_ADDRS", "python"),
        ("LANG_WORKER_ADDRS", "python:h"),
        ("LANG_WORKER_ADDRS", "h:1"),
        ("WORKER_QUEUES", "a b"),
        ("WORKER_QUEUES", "a::b"),
        ("WORKER_CONCURRENCY", "0"),
        ("WORKER_CONCURRENCY", "many"),
        ("LEASE_TTL_SECONDS", "0"),
        ("LEASE_TTL_SECONDS", "3601"),
        ("WORKER_ID", "with space"),
        ("WORKER_ID", "parked"),
        ("WORKER_MAX_DELIVERIES", "0"),
        ("TASK_TIMEOUT_SECONDS", "5"),
        ("WORKER_DRAIN_SECONDS", "-1"),
        ("STREAM_PREFIX", "a b"),
        ("STREAM_SHARDS", "0"),
        ("WORKER_EXECUTORS", "charge"),
        ("WORKER_EXECUTORS", "charge=acme"),
        ("WORKER_EXECUTORS", "charge=acme:a.b"),
        ("WORKER_EXECUTORS", "a b=acme:B"),
        ("WORKER_EXECUTORS", "node=acme:B,js=acme:B"),
        ("HTTP_ALLOW_NETWORKS", "10.0.0.1/8"),
        ("HTTP_ALLOW_NETWORKS", "internal"),
        ("HTTP_ALLOW_NETWORKS", "127.1"),
        ("WORKER_METRICS_ADDR", "0.0.0.0:9000"),
        ("WORKER_METRICS_ADDR", "example.org:9000"),
    ],
)
def test_what_is_wrong_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(StartError, match=name):
        Settings()


def test_what_can_be_executed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings().node_types == ("http",)
    monkeypatch.setenv("LANG_WORKER_ADDRS", "python:h:1,node:h:1")
    monkeypatch.setenv("WORKER_EXECUTORS", "charge=acme.charge:Charge, mail=acme:Mail")
    assert Settings().node_types == ("charge", "http", "js", "mail", "python")
    assert Settings().worker_executors == {"charge": "acme.charge:Charge", "mail": "acme:Mail"}


def test_exceptions_to_the_egress_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_ALLOW_NETWORKS", "10.0.0.0/8, fd12::/16,192.0.2.7")
    monkeypatch.setenv("HTTP_ALLOW_HOSTS", "Payments, db.internal:8080,[fd12::1]:81,10.0.0.1:80")
    settings = Settings()
    assert [str(network) for network in settings.http_allow_networks] == ["10.0.0.0/8", "fd12::/16", "192.0.2.7/32"]
    assert settings.http_allow_hosts == ("Payments", "db.internal:8080", "[fd12::1]:81", "10.0.0.1:80")


def test_variables_that_mean_nothing_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKER_CONCURENCY", "3")
    monkeypatch.setenv("WORKER_CONCURRENCY", "3")
    assert "WORKER_CONCURENCY" in Settings.unknown_variables()
    assert "WORKER_CONCURRENCY" not in Settings.unknown_variables()

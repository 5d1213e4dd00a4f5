"""deploy/compose.yaml: valid, hard, and with networks in which language servers reach nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy import hardened
from tests.deploy.needs import needed, settings_of
from tests.deploy.published import DEPLOY, complaints, compose

FILE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, Any] = FILE["services"]
LANGUAGES = [name for name in SERVICES if name.startswith("langserver-")]
OURS = [*LANGUAGES, "bridge", "coordinator"]
HARD = [
    ("user",), ("read_only",), ("cap_drop",), ("security_opt", 0), ("security_opt", 1), ("pids_limit",), ("mem_limit",),
    ("memswap_limit",), ("ipc",), ("healthcheck",), ("stop_grace_period",), ("secrets",),
]  # fmt: skip
THEIRS = {"user", "read_only", "cap_drop", "no-new-privileges", "pids_limit", "mem_limit", "no swap", "healthcheck"}
UNITS = {"m": 1, "g": 1024}


def mib(text: str) -> int:
    return int(text[:-1]) * UNITS[text[-1]]


def seconds(text: str) -> int:
    return int(text.removesuffix("s"))


def test_it_is_what_the_compose_specification_publishes() -> None:
    assert complaints(compose(), FILE) == []
    assert complaints(compose(), {**FILE, "services": {"one": {"imagee": "x"}}}) != []


def test_it_has_what_was_asked_for() -> None:
    assert len(LANGUAGES) == 2
    assert SERVICES.keys() == {*OURS, "redis", "postgres"}


@pytest.mark.parametrize("name", OURS)
def test_each_of_ours_is_hard(name: str) -> None:
    assert hardened.in_compose(SERVICES[name]) == []


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("at", HARD, ids=str)
def test_one_field_less_would_be_seen(name: str, at: hardened.Path) -> None:
    assert hardened.in_compose(hardened.without(SERVICES[name], at)) != []


@pytest.mark.parametrize("name", ["redis", "postgres"])
def test_the_others_are_no_softer_than_they_can_be(name: str) -> None:
    service = {"environment": {}, **SERVICES[name]}
    assert service["user"] == "999:999"  # of their images
    assert set(hardened.in_compose(service)) & THEIRS == {"user"}


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_language_server_reaches_nothing(name: str) -> None:
    """Its network leads nowhere, and nobody else is in it but a bridge, who listens to nobody."""
    (network,) = SERVICES[name]["networks"]
    assert FILE["networks"][network] == {"internal": True}
    assert {other for other, service in SERVICES.items() if network in service["networks"]} == {name, "bridge"}
    assert not {"ports", "expose", "extra_hosts", "links", "dns"} & SERVICES[name].keys()
    assert "ports" not in SERVICES["bridge"]


def test_what_keeps_state_reaches_nothing_outside() -> None:
    for name in ("redis", "postgres"):
        assert SERVICES[name]["networks"] == ["state"]
        assert "ports" not in SERVICES[name]
    assert FILE["networks"]["state"] == {"internal": True}
    assert all(port.startswith("127.0.0.1:") for service in SERVICES.values() for port in service.get("ports", ()))


def test_the_bridge_knows_every_language_server() -> None:
    named = SERVICES["bridge"]["environment"]["LANG_WORKER_ADDRS"].split(",")
    port = SERVICES[LANGUAGES[0]]["environment"]["LANG_LISTEN_ADDR"].rpartition(":")[2]
    assert sorted(named) == sorted(f"{runtime}:{name}:{port}" for name in LANGUAGES for runtime in ("js", "python"))


@pytest.mark.parametrize("name", LANGUAGES)
def test_its_memory_holds_what_its_settings_allow(name: str) -> None:
    environment = {
        key: value for key, value in SERVICES[name]["environment"].items() if not value.startswith("/run/secrets/")
    }
    assert needed(settings_of(environment)).total <= 0.9 * mib(SERVICES[name]["mem_limit"])
    assert needed(settings_of({**environment, "LANG_MAX_CONCURRENCY": "16"})).total > 0.9 * mib(
        SERVICES[name]["mem_limit"]
    )


def test_who_is_stopped_has_time_to_drain() -> None:
    for name, variable in [*((one, "LANG_DRAIN_SECONDS") for one in LANGUAGES), ("bridge", "WORKER_DRAIN_SECONDS")]:
        service = SERVICES[name]
        assert seconds(service["stop_grace_period"]) > int(service["environment"][variable]) + 20


def test_each_secret_is_a_file_that_the_script_makes_and_somebody_reads() -> None:
    script = (DEPLOY / "secrets.sh").read_text()
    assert {secret["file"] for secret in FILE["secrets"].values()} == {f"./secrets/{name}" for name in FILE["secrets"]}
    for name in FILE["secrets"]:
        base = name.removesuffix(".pem").removesuffix(".key")
        assert re.search(rf">{re.escape(name)}$|-out {re.escape(name)}\b|^certificate {base} ", script, re.MULTILINE), (
            name
        )
        readers = [service for service in SERVICES.values() if name in service.get("secrets", ())]
        assert readers
        for service in readers:
            said = [*service.get("environment", {}).values(), *service.get("command", ())]
            assert f"/run/secrets/{name}" in " ".join(said)


@pytest.mark.parametrize("name", OURS)
def test_each_variable_is_a_setting(name: str) -> None:
    known = set(re.findall(r"`([A-Z][A-Z_]+)`", (Path(__file__).parents[2] / "README.md").read_text()))
    assert SERVICES[name]["environment"].keys() <= known

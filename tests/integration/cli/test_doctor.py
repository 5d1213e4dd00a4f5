"""`langserver doctor`: what protects tasks here."""

from __future__ import annotations

import json
import re

from langserver import __version__
from langserver.cli import main
from langserver.commands import doctor
from langserver.core.jit import COMPILING, JITLESS
from langserver.core.outcome import ErrorKind
from langserver.errors import StartError
from langserver.limits import Ceilings
from langserver.sandbox.layers import LANDLOCK, LAYERS, RLIMITS
from langserver.sandbox.probe import LayerStatus, probe
from langserver.sandbox.selftest import ATTEMPTS
from langserver.server.memory import usable_memory
from langserver.zygote.request import RUNTIMES


def test_it_shows_each_layer_runtime_and_limit(cli):
    ended = cli("doctor")

    assert (ended.status, ended.err) == (0, "")
    assert f"langserver {__version__}, Python " in ended.out
    for name in (*LAYERS, *RUNTIMES, "timeout", "memory"):
        assert f"\n  {name} " in ended.out
    for attempt in ATTEMPTS:
        assert re.search(rf"\n  {attempt.name} +ok +ok +\w", ended.out)


def test_json_has_the_same(cli):
    ended = cli("doctor", "--json")

    assert ended.status == 0
    got = ended.json
    assert (got["ok"], got["version"]) == (True, __version__)
    assert [layer["name"] for layer in got["layers"]] == list(LAYERS)
    assert {runtime["name"]: runtime["ok"] for runtime in got["runtimes"]} == dict.fromkeys(RUNTIMES, True)
    assert all(runtime["version"] for runtime in got["runtimes"])
    for runtime in got["runtimes"]:
        assert {finding["attempt"] for finding in runtime["selftest"]} >= {attempt.name for attempt in ATTEMPTS}
        assert all(finding["held"] for finding in runtime["selftest"])
    assert got["limits"]["memory_mb"] == Ceilings().memory_mb
    assert 0 < got["together"]["max_concurrency"] <= got["together"]["wanted_concurrency"]


def test_the_limits_are_those_of_a_server_with_this_environment(cli):
    assert "64 MiB over an idle child" in cli("doctor", env={"LANG_MEMORY_MB": "64"}).out


def test_where_no_task_fits_into_the_memory(cli):
    ended = cli("doctor", "--json", env={"LANG_MEMORY_MB": str(usable_memory().size >> 20)})

    assert (ended.status, ended.json["ok"]) == (3, False)
    together = ended.json["together"]
    assert together["max_concurrency"] == 0
    assert together["account"].startswith("1 x ")
    assert "LANG_MEMORY_MB" in together["problem"]


def test_it_says_that_javascript_is_compiled_and_what_that_costs(cli):
    plain, compiled = (cli("doctor", "--json", env=env).json for env in ({}, {"LANG_JS_JIT": "on"}))
    assert {one["name"]: one["profile"] for one in plain["runtimes"]} == {"python": "", "js": JITLESS}
    assert {one["name"]: one["profile"] for one in compiled["runtimes"]} == {"python": "", "js": COMPILING}
    assert compiled["ok"]
    assert COMPILING in cli("doctor", env={"LANG_JS_JIT": "on"}).out


def test_settings_that_no_server_would_take(cli):
    ended = cli("doctor", env={"LANG_MEMORY_MB": "much"})

    assert (ended.status, ended.out) == (3, "")
    assert "LANG_MEMORY_MB" in ended.err


def _without(monkeypatch, name: str) -> None:
    found = tuple(LayerStatus(one.name, False, "none here") if one.name == name else one for one in probe())
    monkeypatch.setattr(doctor, "probe", lambda: found)


def test_a_missing_required_layer(monkeypatch, capsys):
    _without(monkeypatch, RLIMITS)

    assert main(["doctor"]) == 3
    assert "rlimits     MISSING  none here" in capsys.readouterr().out


def test_a_missing_layer_that_is_not_required(monkeypatch, capsys):
    _without(monkeypatch, LANDLOCK)

    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "landlock    off      none here" in out
    assert re.search(r"\n  signal the zygote +ok +ok +seccomp\n", out)


def test_a_runtime_that_does_not_start(monkeypatch, capsys):
    async def refuse(runtime: str, layers: frozenset[str], packages: tuple[str, ...], jit: bool) -> None:
        raise StartError(f"the {runtime} zygote could not start: it is too early")

    monkeypatch.setattr(doctor, "start_zygote", refuse)

    assert main(["doctor", "--json"]) == 3
    got = json.loads(capsys.readouterr().out)
    assert not got["ok"]
    assert [one["detail"] for one in got["runtimes"]] == [
        f"the {name} zygote could not start: it is too early" for name in RUNTIMES
    ]


def test_a_runtime_whose_task_fails(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "_TRIALS", {"python": "1 / 0", "js": "throw new Error('broken')"})

    assert main(["doctor", "--json"]) == 3
    details = [one["detail"] for one in json.loads(capsys.readouterr().out)["runtimes"]]
    assert all(ErrorKind.USER_ERROR.name in detail for detail in details)

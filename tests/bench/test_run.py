"""`make bench` as a whole: a tiny one for real, and that a row which fails is shown and not hidden."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest

from bench import run
from bench.context import Context
from bench.measure import NotAvailable, NotHere, Row

MILLISECOND = 1_000_000


def module(name: str, rows: Callable[[Context], list[Row]], **rest: object) -> ModuleType:
    made = ModuleType(f"bench.rows.{name}")
    vars(made).update(rest, rows=rows)
    return made


def works(_context: Context) -> list[Row]:
    return [Row("works", (MILLISECOND, MILLISECOND))]


def raises(error: Exception) -> Callable[[Context], list[Row]]:
    def fail(_context: Context) -> list[Row]:
        raise error

    return fail


def main(monkeypatch: pytest.MonkeyPatch, folder: Path, modules: list[ModuleType], *arguments: str) -> int:
    monkeypatch.setattr(run, "row_modules", lambda: modules)
    return run.main(["--quick", "--results", str(folder), *arguments])


def test_a_row_that_fails_is_shown_and_fails_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = module("broken", raises(NotAvailable("its server would not start")))
    assert main(monkeypatch, tmp_path, [broken, module("good", works)]) == 1
    assert "broken  not available: its server would not start" in capsys.readouterr().out
    written = json.loads((tmp_path / "latest.json").read_text())
    assert written["rows"]["works"]["median"] == 1
    assert written["machine"]["usable_cores"] >= 1


def test_what_the_machine_does_not_have_is_shown_and_no_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = module("absent", raises(NotHere("there is no node")))
    assert main(monkeypatch, tmp_path, [absent, module("good", works)]) == 0
    assert "absent  not available: there is no node" in capsys.readouterr().out


def test_long_rows_run_only_when_they_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    modules = [module("hours", raises(NotAvailable("it ran")), LONG=True), module("good", works)]
    assert main(monkeypatch, tmp_path, modules) == 0
    assert main(monkeypatch, tmp_path, modules, "--rows", "hours") == 1


def test_baselines_are_measured_with_whatever_is_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    base = module("base", lambda _: [Row("base", (MILLISECOND,))], BASELINE=True)
    modules = [base, module("good", works), module("other", raises(NotAvailable("it ran")))]
    assert main(monkeypatch, tmp_path, modules, "--rows", "good") == 0
    written = json.loads((tmp_path / "some.json").read_text())
    assert written["rows"].keys() == {"base", "works"}
    assert written["drift"].keys() == {"base"}
    assert not (tmp_path / "latest.json").exists(), "the figures of a whole run stay"


def test_an_unknown_row_is_refused_with_those_that_there_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(monkeypatch, tmp_path, [module("good", works)], "--rows", "goood")
    assert ended.value.code == 2
    assert "there is no goood; there are good" in capsys.readouterr().err


def test_a_tiny_run_for_real(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--quick", "--rows", "execute,phases", "--results", str(tmp_path)]) == 0
    written = json.loads((tmp_path / "some.json").read_text())
    assert written["missing"] == {}
    assert written["must_hold"]["a Python task over the floor"]["value"] > 0
    assert written["must_hold"]["a JavaScript task over a Python task"]["value"] > 0
    assert "what must hold" in capsys.readouterr().out
    texts = {text.text for text in ET.parse(tmp_path / "some.svg").iter("{http://www.w3.org/2000/svg}text")}
    assert {"python, one call at a time", "js, a new child", "python, a warm child"} < texts


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_row_can_be_measured(tmp_path: Path) -> None:
    names = [name.__name__.rpartition(".")[2] for name in run.row_modules()]
    assert run.main(["--quick", "--rows", ",".join(names), "--results", str(tmp_path)]) == 0
    written = json.loads((tmp_path / "some.json").read_text())
    assert [
        name for name, judged in written["must_hold"].items() if judged["value"] is None and not written["missing"]
    ] == []

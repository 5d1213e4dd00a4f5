"""The harness of `make bench`: its arithmetic, and that a row which fails is shown and not hidden."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

import bench.rows.baselines
import bench.rows.guards
import bench.rows.layers
from bench import run
from bench.measure import Context, NotAvailable, Ratio, Row, summarize
from bench.report import document, table
from langserver.sandbox.layers import POLICY
from langserver.sandbox.probe import probe

MILLISECOND = 1_000_000


def test_summary_of_known_samples() -> None:
    summary = summarize(tuple(number * MILLISECOND for number in range(1, 101)))
    assert summary.count == 100
    assert summary.median_ms == 50.5
    assert summary.p99_ms == 99
    assert summary.noise == pytest.approx(50.5 / 50.5)


def test_ratio_divides_by_the_sum_and_is_absent_when_a_row_is() -> None:
    rows = [
        Row("task", (12 * MILLISECOND,) * 2),
        Row("call", (2 * MILLISECOND,) * 2),
        Row("fork", (1 * MILLISECOND,) * 2),
        Row("gone", missing="no such thing here"),
    ]
    ratios = [Ratio("over", "task", ("call", "fork"), "x"), Ratio("lost", "gone", ("call",), "y")]
    found = document(rows, [Row("call", (3 * MILLISECOND,) * 2)], ratios, quick=False)
    assert found["ratios"] == {"over": 4.0, "lost": None}
    assert found["drift"] == {"call": 0.5}
    assert found["missing"] == {"gone": "no such thing here"}
    shown = table(found, ratios)
    assert "gone  not available: no such thing here" in shown
    assert "drift of call: +50%" in shown


def test_baselines_can_be_measured() -> None:
    context = Context(quick=True)
    with context.cleanup:
        rows = bench.rows.baselines.rows(context)
    assert [len(row.samples_ns) for row in rows] == [5, 5]
    assert all(sample > 0 for row in rows for sample in row.samples_ns)


def test_the_cost_of_each_layer_and_step_can_be_measured() -> None:
    context = Context(quick=True)
    with context.cleanup:
        rows = {row.name: row.samples_ns for row in bench.rows.layers.rows(context)}
    active = {status.name for status in probe() if status.available and status.name != POLICY}
    for runtime in ("python", "js"):
        parts = {name: samples for name, samples in rows.items() if name.startswith(f"sealing {runtime}: layer ")}
        assert {name.rpartition(" ")[2] for name in parts} == active | {"(none)"}
        steps = [samples for name, samples in rows.items() if name.startswith(f"sealing {runtime}: step ")]
        assert all(sample > 0 for samples in steps for sample in samples)
        whole = rows[f"sealing {runtime}"]
        assert whole == tuple(map(sum, zip(*steps, strict=True))) == tuple(map(sum, zip(*parts.values(), strict=True)))
        assert len(whole) == 5


def test_the_cost_of_guards_can_be_measured() -> None:
    rows = {row.name: row.samples_ns for row in bench.rows.guards.rows(Context(quick=True))}
    assert all(len(samples) == 5 and min(samples) > 0 for samples in rows.values())
    assert {each for ratio in bench.rows.guards.RATIOS for each in (ratio.of, *ratio.to)} < rows.keys()


def test_a_row_that_fails_is_shown_and_fails_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_context: Context) -> list[Row]:
        raise NotAvailable("its server would not start")

    def works(_context: Context) -> list[Row]:
        return [Row("works", (MILLISECOND, MILLISECOND))]

    modules = {}
    for name, rows in (("broken", fails), ("good", works)):
        modules[f"bench.rows.{name}"] = ModuleType(f"bench.rows.{name}")
        vars(modules[f"bench.rows.{name}"])["rows"] = rows
    monkeypatch.setattr(run, "row_modules", lambda: list(modules.values()))

    assert run.main(["--quick", "--json", str(tmp_path / "out.json")]) == 1

    assert "broken  not available: its server would not start" in capsys.readouterr().out
    written = json.loads((tmp_path / "out.json").read_text())
    assert written["rows"]["works"]["median_ms"] == 1

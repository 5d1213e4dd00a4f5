"""Rows of `make bench`: that they measure what they say, with a few samples."""

from __future__ import annotations

import ast
import os
from dataclasses import replace
from pathlib import Path

import pytest

import bench.rows.baselines
import bench.rows.guards
import bench.rows.layers
import bench.rows.load
import bench.rows.memory
import bench.rows.peers
import bench.rows.twice
from bench.context import Context
from bench.measure import NotAvailable, Row
from bench.processes import held
from bench.rows import peers
from bench.tasks import INVOICE, TRIVIAL, long_js, long_python
from langserver.sandbox.layers import POLICY
from langserver.sandbox.probe import probe


def test_baselines_can_be_measured() -> None:
    context = Context(quick=True)
    with context.cleanup:
        rows = bench.rows.baselines.rows(context)
    assert {len(row.samples) for row in rows} == {5, 10}
    assert all(sample > 0 for row in rows for sample in row.samples)


def test_the_cost_of_each_layer_and_step_can_be_measured() -> None:
    context = Context(quick=True)
    with context.cleanup:
        rows = {row.name: row.samples for row in bench.rows.layers.rows(context)}
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
    rows = {row.name: row.samples for row in bench.rows.guards.rows(Context(quick=True))}
    assert all(len(samples) == 5 and min(samples) > 0 for samples in rows.values())
    assert {each for ratio in bench.rows.guards.RATIOS for each in (ratio.of, *ratio.to)} < rows.keys()


def measured(module: object) -> dict[str, Row]:
    context = Context(quick=True)
    with context.cleanup:
        return {row.name: row for row in module.rows(context)}


def test_load_is_measured_with_what_its_ratios_name() -> None:
    rows = measured(bench.rows.load)
    assert all(min(row.samples) >= 0 and max(row.samples) > 0 for name, row in rows.items() if ": " not in name)
    named = {name for ratio in bench.rows.load.RATIOS for name in (ratio.of, *ratio.to)}
    assert named - rows.keys() == {bench.rows.baselines.FORK_LOOPS, bench.rows.baselines.ISOLATE_LOOPS}


def test_a_second_run_is_of_the_same_program_and_a_first_one_of_a_new_one() -> None:
    rows = measured(bench.rows.twice)
    assert all(len(row.samples) == 5 and min(row.samples) > 0 for row in rows.values())
    assert long_python(1000, 1) != long_python(1000, 2)


def test_memory_of_waiting_children_is_their_own() -> None:
    if os.geteuid():
        pytest.skip("only root may see what non-dumpable processes hold")
    rows = measured(bench.rows.memory)
    for runtime in ("python", "js"):
        private = rows[bench.rows.memory.PRIVATE.format(runtime, 8)].samples
        share = rows[bench.rows.memory.CHILD.format(runtime, 8)].samples
        assert len(private) == len(share) == 8
        assert all(0 < alone < with_shared for alone, with_shared in zip(private, share, strict=True))


def test_what_this_process_holds() -> None:
    before = held(os.getpid())
    kept = bytearray(32 << 20)
    after = held(os.getpid())
    assert after.private - before.private >= 30 << 20, len(kept)
    assert after.pss >= after.private


def test_who_is_gone_holds_nothing_that_could_be_said() -> None:
    with pytest.raises(NotAvailable, match="could not be looked at"):
        held(1 << 30)


def test_a_peer_that_is_not_installed_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = [peer for peer in peers._PEERS_HERE if "make bench-peers" in peer.lack]
    monkeypatch.setattr(peers, "_PEERS_HERE", [replace(peer, needs=Path("/nowhere")) for peer in installed])
    rows = measured(bench.rows.peers)
    absent = [row for row in rows.values() if row.missing]
    assert len(absent) == 4
    assert all("make bench-peers" in row.missing and not row.fault for row in absent)


def test_long_programs_have_the_lines_they_should_and_run() -> None:
    for lines in (10, 100, 1000):
        text = long_python(lines, 7)
        assert text.count("\n") == lines
        ast.parse(text)
        assert long_js(lines, 7).count("\n") == lines


def test_the_tasks_are_what_plain_python_makes_of_them() -> None:
    for tasks in (TRIVIAL, INVOICE):
        names: dict[str, object] = {}
        task = tasks["python"]
        exec(task.code, names)
        assert ast.literal_eval(task.expected) == names["main"](ast.literal_eval(task.input_json))  # type: ignore[operator]

"""Figures and log lines of real processes after known work; rules and dashboard that read what there is."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.telemetry.expressions import Known, faults
from tests.telemetry.installation import CANARY, HOSTILE, TOO_MANY, TRACE, Installation, Program, families, until

ROOT = Path(__file__).resolve().parents[2]
TELEMETRY = ROOT / "deploy" / "telemetry"
pytestmark = pytest.mark.timeout(300)  # on a busy machine all these processes take long to start
OPERATIONS = ROOT / "docs" / "operations.md"


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    made = Installation(tmp_path_factory.mktemp("installation"))
    try:
        made.start()
        made.work()
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def known(installation: Installation) -> Known:
    found = Known()
    for program in installation.programs:
        found.learn(families(program.text()))
    return found


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load((TELEMETRY / "alerts.yaml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((TELEMETRY / "dashboard.json").read_text())["panels"]
    return found


def test_executions_are_counted_by_what_became_of_them(installation: Installation) -> None:
    server = installation.server
    statuses = {
        "SUCCESS": 7,  # one of them came through the bridge
        "USER_ERROR": 2,
        "POLICY_VIOLATION": 1,
        "SYNTAX_ERROR": 1,
        "TIMEOUT": 1,
        "SANDBOX_VIOLATION": 1,
        "CANCELLED": 2,
    }
    for status, count in statuses.items():
        assert server.figure("langserver_executions_total", runtime="python", status=status) == count, status
    assert server.figure("langserver_executions_total", runtime="python") == sum(statuses.values())
    assert server.figure("langserver_executions_total", runtime="js") == 1
    assert server.figure("langserver_validations_total", runtime="python", status="SUCCESS") == 1


def test_phases_and_memory_are_measured(installation: Installation) -> None:
    server = installation.server
    for phase in ("queue", "spawn", "seal", "compile", "run", "execution"):
        assert server.figure(f"langserver_{phase}_seconds_count", runtime="python") == 15, phase
    assert 1 <= server.figure("langserver_run_seconds_sum", runtime="python") < 60
    whole = server.figure("langserver_execution_seconds_sum", runtime="python")
    assert server.figure("langserver_run_seconds_sum", runtime="python") < whole
    assert server.figure("langserver_cpu_seconds_total", runtime="python") > 0.1
    assert server.figure("langserver_peak_memory_bytes_count", runtime="js") == 1


def test_what_was_turned_away_is_counted(installation: Installation) -> None:
    server = installation.server
    assert server.figure("langserver_refusals_total", reason="unauthenticated") == TOO_MANY
    assert server.figure("langserver_refusals_total", reason="queue_full") == 1
    assert server.figure("langserver_refusals_total", reason="invalid") == 1
    assert server.figure("langserver_refusals_total") == TOO_MANY + 2


def test_security_events_are_counted(installation: Installation) -> None:
    server = installation.server
    killed = {"runtime": "python", "layer": "seccomp", "action": "killed"}
    assert server.figure("langserver_security_events_total", **killed) == 1
    assert server.figure("langserver_security_events_total", layer="policy", action="refused") == 1
    assert server.figure("langserver_audit_events_total", event="token_refused") == TOO_MANY
    assert server.figure("langserver_audit_events_total", event="zygote_lost") == 1


def test_pools_and_caches(installation: Installation) -> None:
    server = installation.server
    assert server.figure("langserver_zygote_restarts_total", runtime="js", reason="lost") == 1
    assert server.figure("langserver_zygote_restarts_total") == 1
    assert server.figure("langserver_pool_takes_total", runtime="python") == 16
    assert server.figure("langserver_compile_cache_lookups_total", result="hit") >= 1
    assert server.figure("langserver_compile_cache_bytes") > 0
    assert server.figure("langserver_slots") == 2
    assert server.figure("langserver_layer_active", layer="seccomp") == 1
    assert server.figure("langserver_serving", runtime="python") == 1
    assert server.figure("process_resident_memory_bytes") > 1 << 20


def test_a_bridge_counts(installation: Installation) -> None:
    bridge = installation.bridge
    assert bridge.figure("worker_bridge_entries_read_total", delivery="first") == 3
    assert bridge.figure("worker_bridge_leases_total", answer="granted") == 3
    assert bridge.figure("worker_bridge_reports_total", result="acknowledged") == 3
    assert bridge.figure("worker_bridge_outcomes_total", status="completed") == 1
    assert bridge.figure("worker_bridge_outcomes_total", status="failed") == 2
    assert bridge.figure("worker_bridge_entries_total", fate="ack") == 3
    assert bridge.figure("worker_bridge_execution_seconds_count", stream="tasks:python:0") == 2
    assert bridge.figure("worker_bridge_http_refused_total", reason="address") == 1
    assert bridge.figure("worker_bridge_language_servers", state="well") == 1
    assert bridge.figure("worker_bridge_leases_lost_total") == 0


def test_a_coordinator_counts(installation: Installation) -> None:
    coordinator = installation.coordinator
    for state, cause, count in (
        ("pending", "submitted", 3),
        ("running", "leased", 3),
        ("completed", "reported", 1),
        ("failed", "reported", 2),
    ):
        assert coordinator.figure("coordinator_transitions_total", state=state, cause=cause) == count, cause
    # A bridge may have leased an entry before the coordinator notes that it is there: such a task never is queued.
    queued = coordinator.figure("coordinator_transitions_total", state="queued", cause="dispatched")
    assert queued <= 3
    assert coordinator.figure("coordinator_transitions_total") == 9 + queued
    assert coordinator.figure("coordinator_reports_total", ruling="complete") == 1
    assert coordinator.figure("coordinator_reports_total", ruling="fail") == 2
    assert coordinator.figure("coordinator_leases_total") == 3
    assert coordinator.figure("coordinator_sweeps_total") >= 1
    until(lambda: coordinator.figure("coordinator_outbox_tasks") == 0, "the outbox is seen empty")


def test_an_execution_is_one_line(installation: Installation) -> None:
    (line,) = installation.server.lines(logger="langserver.executions", task_id="traced")
    assert line["level"] == "info"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
    assert (line["run_id"], line["trace_id"], line["runtime"], line["status"]) == ("r1", TRACE, "python", "SUCCESS")
    assert line["principal"] == "token:ann"
    for phase in ("queue", "spawn", "seal", "compile", "run", "total", "cpu"):
        assert 0 <= line[f"{phase}_seconds"] < 60, phase
    assert len(installation.server.lines(logger="langserver.executions")) == 17
    (reported,) = installation.bridge.lines(logger="worker_bridge.executions", task_id="good")
    assert (reported["run_id"], reported["status"], reported["stream"]) == ("run", "completed", "tasks:python:0")
    (failed,) = installation.bridge.lines(logger="worker_bridge.executions", task_id="bad")
    assert (failed["status"], failed["kind"]) == ("failed", "USER_ERROR")
    (ended,) = installation.coordinator.lines(logger="coordinator.tasks", task_id="bad")
    assert (ended["run_id"], ended["state"]) == ("run", "FAILED")
    assert installation.server.lines(logger="langserver.executions", task_id="good", run_id="run")


def test_ids_forge_no_line(installation: Installation) -> None:
    """Every line of every log is an object of ours, in ASCII, and no longer than a pipe takes at once."""
    for program in installation.programs:
        data = program.log.read_bytes()
        assert data.isascii()
        assert b"\x1b" not in data
        for line in data.splitlines():
            assert len(line) < 4096
            assert {"time", "level", "logger", "message"} <= json.loads(line).keys()
    assert installation.server.lines(event="FORGED") == []
    hostile = [line for line in installation.server.lines() if str(line.get("task_id", "")).startswith(HOSTILE[:40])]
    assert len(hostile) == 1
    assert hostile[0]["run_id"].startswith(HOSTILE[:40])


def test_the_audit_log(installation: Installation) -> None:
    audit = installation.server.lines(logger="langserver.audit")
    (killed,) = (line for line in audit if line["event"] == "SANDBOX_VIOLATION")
    assert (killed["layer"], killed["action"], killed["principal"]) == ("seccomp", "killed", "token:ann")
    assert killed["level"] == "warning"
    (refused,) = (line for line in audit if line["event"] == "POLICY_VIOLATION")
    assert (refused["layer"], refused["runtime"]) == ("policy", "python")
    (full,) = (line for line in audit if line["event"] == "CALL_REFUSED")
    assert (full["reason"], full["principal"]) == ("queue_full", "token:ann")
    (lost,) = (line for line in audit if line["event"] == "ZYGOTE_LOST")
    assert lost["runtime"] == "js"
    (away,) = installation.bridge.lines(logger="worker_bridge.audit")
    assert (away["event"], away["reason"], away["task_id"], away["run_id"]) == (
        "EGRESS_REFUSED",
        "address",
        "away",
        "run",
    )
    assert installation.coordinator.lines(logger="coordinator.audit") == []


def test_a_flood_of_strangers_is_few_lines_and_a_number(installation: Installation) -> None:
    def left_out() -> list[dict[str, Any]]:
        return installation.server.lines(logger="langserver.audit", message="audit lines were left out")

    until(left_out, "the end of the flood")
    written = [line for line in installation.server.lines(event="TOKEN_REFUSED") if "left_out" not in line]
    assert len(written) < TOO_MANY
    assert len(written) + sum(line["left_out"] for line in left_out()) == TOO_MANY


@pytest.mark.parametrize("name", ["coordinator", "server", "bridge"])
def test_what_tasks_hold_is_in_no_line_and_no_figure(installation: Installation, name: str) -> None:
    program: Program = getattr(installation, name)
    assert CANARY not in program.log.read_text()
    text = program.text()
    for said in (CANARY, "good", "ann", "traced", TRACE):
        assert f'"{said}"' not in text
    assert CANARY not in text


def test_alerts_read_what_there_is(known: Known) -> None:
    found = {rule["alert"]: faults(rule["expr"], known) for rule in rules()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}
    assert len(found) == len(rules()) > 20


def test_panels_read_what_there_is(known: Known) -> None:
    found = {(panel["title"], target["expr"]) for panel in panels() for target in panel.get("targets", [])}
    wrong = {title: told for title, text in found if (told := faults(text.replace("$__rate_interval", "5m"), known))}
    assert wrong == {}
    assert len(found) > 40


def test_the_page_has_every_figure(known: Known) -> None:
    """Its table: name, type, labels."""
    section = OPERATIONS.read_text().partition("\n## Metrics\n")[2].partition("\n## ")[0]
    table = {
        name: (kind, set(re.findall(r"`([a-z_]+)`", labels)))
        for name, kind, labels in re.findall(r"^\| `([a-z_]+)` \| (\w+) \|([^|]*)\|", section, re.MULTILINE)
    }
    shown: dict[str, tuple[str, set[str]]] = {}
    for sample, kind in known.types.items():
        if not sample.startswith("process_"):
            name = sample.removesuffix(f"_{kind.partition(' ')[2]}") if kind.startswith("histogram") else sample
            labels = set(known.labels[sample]) - {"le"}
            shown[name] = (kind.partition(" ")[0], labels)
    assert table == shown


def test_every_alert_has_its_words_and_its_section() -> None:
    headings = re.findall(r"^### (\w+)$", OPERATIONS.read_text().partition("\n## Alerts\n")[2], re.MULTILINE)
    assert [rule["alert"] for rule in rules()] == headings
    for rule in rules():
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["runbook_url"] == f"docs/operations.md#{rule['alert'].lower()}"
        assert rule["labels"]["severity"] in ("critical", "warning")


@pytest.mark.parametrize(
    ("what", "file"), [("check", TELEMETRY / "alerts.yaml"), ("test", Path(__file__).with_name("alerts_fire.yaml"))]
)
def test_prometheus_takes_the_rules_and_they_fire(what: str, file: Path) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is missing, which is part of Prometheus")
    ended = subprocess.run([promtool, what, "rules", file], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr + ended.stdout


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("langserver_no_such_thing > 0", "no such figure"),
        ("langserver_executions_total > 0", "only ever grows"),
        ("rate(langserver_slots[5m]) > 0", "goes up and down"),
        ('rate(langserver_executions_total{status="WRONG"}[5m])', "never 'WRONG'"),
        ('rate(langserver_executions_total{stats="OK"}[5m])', "no label stats"),
        ("sum by (reason) (rate(langserver_executions_total[5m]))", "no label reason"),
        ("histogram_quantile(0.9, sum by (le) (rate(langserver_executions_total[5m])))", "no buckets"),
        ("histogram_quantile(0.9, sum by (runtime) (rate(langserver_queue_seconds_bucket[5m])))", "without `le`"),
    ],
)
def test_a_wrong_expression_is_found(known: Known, expression: str, words: str) -> None:
    assert any(words in fault for fault in faults(expression, known)), faults(expression, known)

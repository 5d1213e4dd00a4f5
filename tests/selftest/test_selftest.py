"""The self-test as servers run it: it passes where all walls stand, and finds each one that only claims to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from langserver.sandbox.layers import AUDIT, LANDLOCK, LAYERS, NAMESPACES, POLICY, PRIVILEGES, RLIMITS, SECCOMP
from langserver.sandbox.selftest import ATTEMPTS, ENTROPY, SIBLINGS, Finding
from langserver.server.pool import Pool, PoolPlan
from langserver.server.zygotes import ZygotePlan
from langserver.zygote import launch
from langserver.zygote.client import Zygote
from langserver.zygote.failures import ZygoteError
from tests.security.layers import AVAILABLE, HAS_LANDLOCK, HAS_NAMESPACES, ROOT

ACTIVE = frozenset(name for name in LAYERS if AVAILABLE[name].available)
RUNTIMES = ("python", "js")
HERE = Path(__file__).parent
TIMEOUT = 60


async def results_of(runtime: str, layers: frozenset[str], jit: bool = False) -> tuple[Finding, ...]:
    zygote = await Zygote.start(runtime, layers, jit=jit)
    try:
        return await zygote.try_walls(layers)
    finally:
        await zygote.close()


def break_zygotes(monkeypatch: pytest.MonkeyPatch, breakage: str) -> None:
    script = str(HERE / "broken_zygote.py")
    monkeypatch.setattr(launch, "_INTERPRETER", ("-I", "-X", "utf8", script, str(ROOT), breakage))


def failed(findings: tuple[Finding, ...]) -> set[tuple[str, str | None]]:
    return {(finding.attempt, finding.layer) for finding in findings if finding.held is False}


@pytest.mark.parametrize(("runtime", "jit"), [("python", False), ("js", False), ("js", True)])
async def test_every_wall_of_this_host_holds(runtime: str, jit: bool) -> None:
    findings = await results_of(runtime, ACTIVE, jit)
    assert failed(findings) == set()
    assert {finding.attempt for finding in findings if finding.held} >= {attempt.name for attempt in ATTEMPTS}
    kernel = ACTIVE - {POLICY}
    assert {finding.layer for finding in findings if finding.held and finding.layer} == kernel


@pytest.mark.parametrize("layer", sorted(ACTIVE - {POLICY}))
async def test_without_one_layer_the_others_hold(layer: str) -> None:
    assert failed(await results_of("python", ACTIVE - {layer})) == set()


async def test_with_no_layer_nothing_is_tried() -> None:
    findings = await results_of("python", frozenset())
    assert [finding.attempt for finding in findings if finding.held is None] == [one.name for one in ATTEMPTS]
    assert failed(findings) == set()


# What must be found when a layer's steps are skipped: where the next wall gives another answer, or there is none.
SKIPPED = {
    SECCOMP: {
        ("open a folder", SECCOMP),
        ("use the network", SECCOMP),
        ("start a process", SECCOMP),
        ("execute a program", SECCOMP),
        ("trace the zygote", SECCOMP),
        ("map executable memory", SECCOMP),
        ("make memory executable", SECCOMP),
        ("map shared memory", SECCOMP),
        ("lower a limit", SECCOMP),
        ("write elsewhere than to its report", SECCOMP),
        ("read elsewhere than from its input", SECCOMP),
    },
    RLIMITS: {
        ("open a folder", RLIMITS),
        ("use the network", RLIMITS),
        ("start a process", RLIMITS),
        ("take memory over the limit", RLIMITS),
    },
    LANDLOCK: {("open a folder", LANDLOCK)},
    NAMESPACES: {("hold more descriptors", PRIVILEGES)},
    AUDIT: {("open from Python", AUDIT)},
    PRIVILEGES: {("hold more descriptors", PRIVILEGES)},
}


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("layer", [name for name in SKIPPED if name in ACTIVE])
async def test_a_layer_that_is_only_claimed_is_found(monkeypatch: pytest.MonkeyPatch, layer: str, runtime: str) -> None:
    break_zygotes(monkeypatch, layer)
    assert failed(await results_of(runtime, ACTIVE)) >= SKIPPED[layer]


ELSEWHERE = {(name, NAMESPACES) for name in ("execute a program", "see the host's files", "reach the host's network")}
if not HAS_NAMESPACES:
    ELSEWHERE = set()


@pytest.mark.parametrize(
    ("breakage", "runtime", "found"),
    [
        ("allow_any_mmap", "python", {("map executable memory", SECCOMP), ("map shared memory", SECCOMP)}),
        ("allow_any_mmap", "js", {("map executable memory", SECCOMP), ("map shared memory", SECCOMP)}),
        ("same_randomness", "python", {(SIBLINGS, None)}),
        ("same_randomness", "js", {(SIBLINGS, None)}),
        ("one_draw_dies", "python", {(SIBLINGS, None)}),
        ("keep_descriptors", "python", {("hold more descriptors", PRIVILEGES)}),
        ("keep_descriptors", "js", {("hold more descriptors", PRIVILEGES)}),
        ("no_memory_limit", "python", {("take memory over the limit", RLIMITS)}),
        ("no_memory_limit", "js", {("take memory over the limit", RLIMITS)}),
        ("no_entropy", "python", set()),
        ("no_entropy", "js", {(ENTROPY, None)} if HAS_LANDLOCK else set()),
        ("not_elsewhere", "python", ELSEWHERE),
        ("not_elsewhere", "js", ELSEWHERE),
        ("nothing", "python", set()),
    ],
)
async def test_a_single_mistake_is_found_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, breakage: str, runtime: str, found: set[tuple[str, str | None]]
) -> None:
    break_zygotes(monkeypatch, breakage)
    assert failed(await results_of(runtime, ACTIVE)) == found


async def test_children_that_cannot_be_sealed_are_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    break_zygotes(monkeypatch, "not_sealed")
    findings = await results_of("python", ACTIVE)
    with_limits = [finding for finding in findings if finding.attempt == "take memory over the limit"]
    assert [(finding.held, finding.detail) for finding in with_limits] == [
        (False, "its child could not be sealed: limits, where rlimits should have answered ENOMEM")
    ]


def plan(runtime: str) -> PoolPlan:
    return PoolPlan(ZygotePlan(runtime, ACTIVE, 1000, 600), 64 << 20, 10, 1)


@pytest.mark.parametrize(
    ("breakage", "said"),
    [
        (SECCOMP, "open a folder: EMFILE, where seccomp should have answered EPERM; "),
        ("not_answered", "the python zygote did not come through its self-test"),
    ],
)
async def test_a_pool_does_not_start_with_it_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, breakage: str, said: str
) -> None:
    break_zygotes(monkeypatch, breakage)
    health: list[bool] = []
    pool = Pool(plan("python"), health.append)
    with pytest.raises(ZygoteError, match=said):
        await pool.start()
    assert (pool.zygote_pid, pool.waiting, health) == (None, 0, [])
    await pool.close()


def command(breakage: str, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("LANG_")}
    return subprocess.run(
        [sys.executable, str(HERE / "broken_server.py"), str(ROOT), breakage, *arguments],
        env=inherited | {"LANG_LISTEN_ADDR": "127.0.0.1:0"} | settings,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_server_refuses_to_start_and_names_what_got_through_and_the_layer(runtime: str) -> None:
    ended = command("allow_any_mmap", "serve", LANG_RUNTIMES=runtime)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert f"the self-test of the {runtime} sandbox failed: " in ended.stderr
    assert "map executable memory: got through, where seccomp should have answered EPERM" in ended.stderr
    assert "map shared memory: got through" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_doctor_shows_it_as_a_table() -> None:
    ended = command("allow_any_mmap", "doctor")
    assert ended.returncode == 3
    lines = ended.stdout.splitlines()
    row = next(number for number, line in enumerate(lines) if line.startswith("  map executable memory"))
    assert lines[row].split() == ["map", "executable", "memory", "FAILED", "FAILED"]
    assert lines[row + 1] == "    python: got through, where seccomp should have answered EPERM"
    assert lines[row + 2] == "    js: got through, where seccomp should have answered EPERM"
    assert "the self-test failed, see below" in ended.stdout


def test_doctor_has_the_same_as_json() -> None:
    ended = command("allow_any_mmap", "doctor", "--json")
    assert ended.returncode == 3
    told = json.loads(ended.stdout)
    assert not told["ok"]
    for runtime in told["runtimes"]:
        assert not runtime["ok"]
        assert {finding["attempt"] for finding in runtime["selftest"] if finding["held"] is False} == {
            "map executable memory",
            "map shared memory",
        }


def test_run_does_not_test_itself(tmp_path: Path) -> None:
    """One task would pay for it more than it takes."""
    program = tmp_path / "answer.py"
    program.write_text("return 42")
    ended = command("not_answered", "run", str(program))
    assert (ended.returncode, ended.stdout) == (0, "42\n")

"""The rows of the self-test, and what their answers mean."""

from __future__ import annotations

import errno
import signal

import pytest

from langserver.sandbox import landlock, selftest
from langserver.sandbox.attempts import ENDED, REFUSED_BY_HOOK, SAME
from langserver.sandbox.jail import step_of_exit_code
from langserver.sandbox.layers import AUDIT, LANDLOCK, LAYERS, NAMESPACES, POLICY, PRIVILEGES, RLIMITS, SECCOMP
from langserver.sandbox.selftest import ATTEMPTS, checks, complaint, judge, trials

ALL = frozenset(LAYERS)
NO_LANDLOCK = ALL - {LANDLOCK}  # the same on every host


def held_everywhere(runtime: str, layers: frozenset[str]) -> dict[int, int]:
    tried = trials(layers)
    answers = {number: next(iter(trial.wall.answers)) for number, trial in enumerate(tried)}
    return answers | dict.fromkeys(range(len(tried), len(tried) + len(checks(runtime))), 0)


def place(name: str, layer: str, layers: frozenset[str]) -> int:
    (number,) = (
        number for number, trial in enumerate(trials(layers)) if (trial.attempt.name, trial.wall.layer) == (name, layer)
    )
    return number


def test_each_wall_is_tried_without_those_that_answer_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: 7)
    tried = {trial.wall.layer: trial.left_out for trial in trials(ALL) if trial.attempt.name == "open a folder"}
    assert tried == {SECCOMP: frozenset(), RLIMITS: {SECCOMP}, LANDLOCK: {SECCOMP, RLIMITS}}


def test_a_wall_that_is_off_is_not_tried_and_not_left_out() -> None:
    tried = [trial for trial in trials(frozenset({RLIMITS, PRIVILEGES})) if trial.attempt.name == "start a process"]
    assert [(trial.wall.layer, trial.left_out) for trial in tried] == [(RLIMITS, frozenset())]


def test_a_limit_that_does_not_bind_root_covers_nothing_beside_root() -> None:
    assert not [trial for trial in trials(frozenset({RLIMITS})) if trial.attempt.name == "start a process"]


@pytest.mark.parametrize(("abi", "covered"), [(1, False), (5, False), (6, True), (7, True)])
def test_landlock_covers_signals_from_its_sixth_abi_on(
    monkeypatch: pytest.MonkeyPatch, abi: int, covered: bool
) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: abi)
    names = {trial.attempt.name for trial in trials(frozenset({LANDLOCK}))}
    assert ("signal the zygote" in names) is covered
    assert "open a folder" in names


def test_every_attempt_has_an_own_name_and_is_tried_with_all_layers() -> None:
    assert len({attempt.name for attempt in ATTEMPTS}) == len(ATTEMPTS)
    assert {trial.attempt.name for trial in trials(NO_LANDLOCK)} == {attempt.name for attempt in ATTEMPTS}


def test_what_a_zygote_lives_in_is_never_left_out_and_hides_what_lies_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: 7)

    def tried(layers: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
        return [(one.wall.layer, one.left_out) for one in trials(layers) if one.attempt.name == "execute a program"]

    assert tried(ALL) == [(SECCOMP, frozenset()), (NAMESPACES, {SECCOMP})]
    assert tried(ALL - {NAMESPACES}) == [(SECCOMP, frozenset()), (LANDLOCK, {SECCOMP})]


@pytest.mark.parametrize("layer", [AUDIT, NAMESPACES, PRIVILEGES, RLIMITS, SECCOMP])
def test_every_layer_that_the_kernel_or_the_hook_gives_is_tried(layer: str) -> None:
    assert layer in {trial.wall.layer for trial in trials(NO_LANDLOCK)}


@pytest.mark.parametrize("runtime", ["python", "js"])
def test_right_answers_are_no_complaint(runtime: str) -> None:
    findings = judge(runtime, NO_LANDLOCK, held_everywhere(runtime, NO_LANDLOCK))
    assert complaint(findings) is None
    assert all(finding.held for finding in findings)


@pytest.mark.parametrize("number", range(len(trials(NO_LANDLOCK)) + 2))
def test_one_missing_answer_is_a_complaint(number: int) -> None:
    answers = held_everywhere("js", NO_LANDLOCK)
    del answers[number]
    assert [finding.held for finding in judge("js", NO_LANDLOCK, answers)].count(False) == 1


@pytest.mark.parametrize("number", range(len(trials(NO_LANDLOCK))))
def test_one_that_got_through_is_named_with_its_layer(number: int) -> None:
    findings = judge("python", NO_LANDLOCK, held_everywhere("python", NO_LANDLOCK) | {number: 0})
    trial = trials(NO_LANDLOCK)[number]
    said = complaint(findings)
    assert said is not None
    assert said.startswith(f"{trial.attempt.name}: got through, where {trial.wall.layer} should have answered ")
    assert ";" not in said


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (errno.EACCES, "EACCES"),
        (-signal.SIGSEGV, "killed by SIGSEGV"),
        (REFUSED_BY_HOOK, "refused"),
        (ENDED + 63, "no answer, exit status 63"),
        (4095, "error 4095"),
        (-4095, "answer -4095"),
    ],
)
def test_another_answer_than_the_walls_is_no_success(answer: int, said: str) -> None:
    number = place("open a folder", SECCOMP, NO_LANDLOCK)
    findings = judge("python", NO_LANDLOCK, held_everywhere("python", NO_LANDLOCK) | {number: answer})
    assert complaint(findings) == f"open a folder: {said}, where seccomp should have answered EPERM"


def test_a_child_that_was_not_sealed_names_its_step() -> None:
    code = next(code for code in range(256) if step_of_exit_code(code) == "limits")
    said = complaint(judge("python", frozenset({RLIMITS}), dict.fromkeys(range(99), ENDED + code)))
    assert said is not None
    assert "its child could not be sealed: limits" in said


def test_without_layers_nothing_is_covered_and_nothing_wrong() -> None:
    layers = frozenset({POLICY})
    findings = judge("python", layers, {0: 0})
    uncovered = [finding.attempt for finding in findings if finding.held is None]
    assert uncovered == [attempt.name for attempt in ATTEMPTS]
    assert complaint(findings) is None


def test_two_that_failed_are_both_told() -> None:
    said = complaint(judge("js", NO_LANDLOCK, held_everywhere("js", NO_LANDLOCK) | {0: 0, 1: 0}))
    assert said is not None
    assert said.count("got through") == 2


def test_siblings_with_the_same_randomness() -> None:
    answers = held_everywhere("python", NO_LANDLOCK)
    said = complaint(judge("python", NO_LANDLOCK, answers | {max(answers): SAME}))
    assert said == f"{selftest.SIBLINGS}: no, the same"

"""What a sealed child must not be able to do, tried for real: attempts as rows, and what their answers mean.

An attempt is tried once for each wall that must stop it: the wall in front answers first, so the walls before it are
left out of the jail of that trial. The child tries, the zygote passes numbers on, the server judges.
"""

from __future__ import annotations

import errno
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from langserver.sandbox import attempts, landlock
from langserver.sandbox.attempts import ENDED, REFUSED_BY_HOOK, SAME, killed_by
from langserver.sandbox.jail import step_of_exit_code
from langserver.sandbox.layers import AUDIT, LANDLOCK, NAMESPACES, PRIVILEGES, RLIMITS, SECCOMP


@dataclass(frozen=True, slots=True)
class Wall:
    """A layer that must stop an attempt, and the answers that show it did.

    It covers the attempt only together with the layers `beside` it, and from this ABI of landlock on. The layers
    `behind` which it stands answer before it and can't be left out of a child.
    """

    layer: str
    answers: frozenset[int]
    beside: frozenset[str] = frozenset()
    abi: int = 0
    behind: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One row. `run` is given the zygote's pid and returns the answer; `walls` in the order in which they answer."""

    name: str
    walls: tuple[Wall, ...]
    run: Callable[[int], int]


@dataclass(frozen=True, slots=True)
class Trial:
    """An attempt against one wall, in a jail without the layers `left_out`, which would answer before it."""

    attempt: Attempt
    wall: Wall
    left_out: frozenset[str]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a trial or a check showed.

    `layer` None: none alone answers for it. `held` None: no active layer covers the attempt, and it was not tried.
    """

    attempt: str
    layer: str | None
    held: bool | None
    detail: str


def _wall(layer: str, *answers: int, beside: tuple[str, ...] = (), abi: int = 0, behind: tuple[str, ...] = ()) -> Wall:
    return Wall(layer, frozenset(answers), frozenset(beside), abi, frozenset(behind))


_DENIED: Final = _wall(SECCOMP, errno.EPERM)
_NO_DESCRIPTOR: Final = _wall(RLIMITS, errno.EMFILE)  # RLIMIT_NOFILE 0
_NOWHERE: Final = _wall(NAMESPACES, errno.ENOENT)
_NOT_BENEATH: Final = _wall(LANDLOCK, errno.EACCES)

ATTEMPTS: Final = (
    Attempt("open a folder", (_DENIED, _NO_DESCRIPTOR, _NOT_BENEATH), attempts.open_folder),
    Attempt("open from Python", (_wall(AUDIT, REFUSED_BY_HOOK),), attempts.open_by_interpreter),
    Attempt("use the network", (_DENIED, _NO_DESCRIPTOR, _wall(LANDLOCK, errno.EACCES, abi=4)), attempts.use_network),
    # RLIMIT_NPROC does not bind root (setrlimit(2)).
    Attempt("start a process", (_DENIED, _wall(RLIMITS, errno.EAGAIN, beside=(PRIVILEGES,))), attempts.start_process),
    Attempt(
        "execute a program",
        # In an empty root there is no program that landlock could refuse.
        (_DENIED, _NOWHERE, _wall(LANDLOCK, errno.EACCES, behind=(NAMESPACES,))),
        attempts.execute,
    ),
    Attempt("see the host's files", (_DENIED, _NOWHERE), attempts.see_files),
    Attempt(
        "reach the host's network",
        (_DENIED, _NO_DESCRIPTOR, _wall(NAMESPACES, errno.ENETUNREACH)),
        attempts.reach_loopback,
    ),
    Attempt(
        "trace the zygote",
        (
            _wall(SECCOMP, killed_by(signal.SIGSYS)),
            _wall(LANDLOCK, errno.EPERM),
            _wall(PRIVILEGES, errno.EPERM),  # which is not dumpable
        ),
        attempts.trace_zygote,
    ),
    Attempt("signal the zygote", (_DENIED, _wall(LANDLOCK, errno.EPERM, abi=6)), attempts.signal_zygote),
    Attempt("map executable memory", (_DENIED,), attempts.map_executable),
    Attempt("make memory executable", (_DENIED,), attempts.make_executable),
    Attempt("map shared memory", (_DENIED,), attempts.map_shared),
    Attempt("take memory over the limit", (_wall(RLIMITS, errno.ENOMEM),), attempts.take_memory),
    Attempt("lower a limit", (_DENIED,), attempts.lower_limit),
    Attempt("raise a limit", (_DENIED, _wall(RLIMITS, errno.EPERM, beside=(PRIVILEGES,))), attempts.raise_limit),
    Attempt("use a capability", (_DENIED, _wall(PRIVILEGES, errno.EPERM)), attempts.gain_privilege),
    Attempt("write elsewhere than to its report", (_DENIED,), attempts.write_elsewhere),
    Attempt("read elsewhere than from its input", (_DENIED,), attempts.read_elsewhere),
    Attempt("hold more descriptors", (_DENIED, _wall(PRIVILEGES, errno.EBADF)), attempts.hold_more),
)

# Not walls, but what a wall must let through: the answers are 0 when it did.
ENTROPY: Final = "read the entropy device while waking"  # js: V8 seeds from it, silently from the clock if it can't
SIBLINGS: Final = "draw other random numbers than a sibling"


def trials(layers: frozenset[str]) -> tuple[Trial, ...]:
    """What must be tried under these layers; the place of a trial is its number. Raises LayerUnavailable."""
    abi = landlock.abi() if LANDLOCK in layers else 0
    found = []
    for attempt in ATTEMPTS:
        left_out: frozenset[str] = frozenset()
        for wall in attempt.walls:
            if wall.layer in layers and wall.beside <= layers and wall.abi <= abi and not wall.behind & layers:
                found.append(Trial(attempt, wall, left_out))
            left_out |= ({wall.layer} & layers) - {NAMESPACES}  # a zygote is inside, and so is all that it forks
    return tuple(found)


def checks(runtime: str) -> tuple[str, ...]:
    """What is looked at after the trials, numbered on from them."""
    return (ENTROPY, SIBLINGS) if runtime == "js" else (SIBLINGS,)


def judge(runtime: str, layers: frozenset[str], answers: Mapping[int, int]) -> tuple[Finding, ...]:
    """What the answers mean, by the numbers of their trials. One that is missing is no success of the wall."""
    tried = trials(layers)
    findings = [_judge(trial, answers.get(number, ENDED)) for number, trial in enumerate(tried)]
    covered = {trial.attempt.name for trial in tried}
    findings += [
        Finding(attempt.name, None, None, "not covered: no active layer stops it")
        for attempt in ATTEMPTS
        if attempt.name not in covered
    ]
    for number, name in enumerate(checks(runtime), len(tried)):
        answer = answers.get(number, ENDED)
        findings.append(Finding(name, None, answer == 0, "yes" if answer == 0 else f"no, {_say(answer)}"))
    return tuple(findings)


def complaint(findings: tuple[Finding, ...]) -> str | None:
    """What is wrong, in one line for an operator; None when all walls held."""
    wrong = [f"{found.attempt}: {found.detail}" for found in findings if found.held is False]
    return "; ".join(wrong) or None


def _judge(trial: Trial, answer: int) -> Finding:
    held = answer in trial.wall.answers
    if held:
        detail = _say(answer)
    else:
        wanted = " or ".join(sorted(map(_say, trial.wall.answers)))
        detail = f"{_say(answer)}, where {trial.wall.layer} should have answered {wanted}"
    return Finding(trial.attempt.name, trial.wall.layer, held, detail)


def _say(answer: int) -> str:
    if answer == 0:
        return "got through"
    if answer == REFUSED_BY_HOOK:
        return "refused"
    if answer == SAME:
        return "the same"
    if answer < 0:
        return f"killed by {signal.Signals(-answer).name}" if -answer in signal.valid_signals() else f"answer {answer}"
    if answer >= ENDED:
        step = step_of_exit_code(answer - ENDED)
        return f"its child could not be sealed: {step}" if step else f"no answer, exit status {answer - ENDED}"
    return errno.errorcode.get(answer, f"error {answer}")

"""THE jail: the ordered steps that take authority away from a zygote once, and from each child for good."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from langserver.sandbox import audit, cgroup, confine, libc, privileges, rlimits
from langserver.sandbox.landlock import Ruleset
from langserver.sandbox.layers import AUDIT, CGROUP, LANDLOCK, NAMESPACES, PRIVILEGES, RLIMITS, SECCOMP
from langserver.sandbox.namespaces import Inside
from langserver.sandbox.proc import Proc
from langserver.sandbox.rlimits import ChildLimits
from langserver.sandbox.seccomp import Filter

__all__ = ["ChildLimits", "Jail", "finish_zygote", "harden_launcher", "harden_zygote", "step_of_exit_code"]

_FIRST_EXIT_CODE: Final = 64


@dataclass(frozen=True, slots=True)
class _Sealing:
    """What the steps of one child work on."""

    jail: Jail
    report_fd: int
    input_fd: int
    parent_pid: int
    limits: ChildLimits
    wake: Callable[[], None]
    tell: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Step:
    """One step: taken when one of its layers is wanted, or always when it has none."""

    name: str
    layers: frozenset[str]
    run: Callable[[_Sealing], None]


class Jail:
    """Everything a seal needs, made in the zygote: a child only makes calls."""

    def __init__(self, runtime: str, layers: frozenset[str], proc: Proc, jit: bool = False) -> None:
        """`runtime` is "python" or "js", `proc` what shows a child itself; with `jit` its engine compiles.

        Raises LayerUnavailable for a layer that this host can't give.
        """
        self.runtime = runtime
        self.layers = layers
        self.proc = proc
        self.jit = jit
        self.ruleset = Ruleset(runtime) if LANDLOCK in layers else None
        self.filter = Filter(runtime) if SECCOMP in layers else None

    @property
    def descriptors(self) -> tuple[int, ...]:
        """What it holds open in the zygote; a child gets them after its two pipes, in this order."""
        ruleset = () if self.ruleset is None else (self.ruleset.fd,)
        return ruleset if self.proc.root is None else (*ruleset, self.proc.root)

    @property
    def last_fd(self) -> int:
        """The highest number that a child holds once its descriptors are moved."""
        return confine.INPUT_FD + len(self.descriptors)

    def close(self) -> None:
        """Gives back what it made."""
        if self.ruleset is not None:
            os.close(self.ruleset.fd)

    def seal(  # noqa: PLR0917
        self,
        report_fd: int,
        input_fd: int,
        parent_pid: int,
        limits: ChildLimits,
        wake: Callable[[], None],
        tell: Callable[[str], None],
    ) -> None:
        """Seals this process, a child just forked: report on 3, input on 4, nothing that can be given back.

        `parent_pid` was read before the fork. `wake` is called between landlock and seccomp, `tell` later
        with each event that the audit hook refuses. A step that fails ends the
        process at once with the step's own exit code; nothing is written.
        """
        sealing = _Sealing(self, report_fd, input_fd, parent_pid, limits, wake, tell)
        for place, step in enumerate(STEPS):
            if step.layers and not step.layers & self.layers:
                continue
            try:
                step.run(sealing)
            except BaseException:  # noqa: BLE001  fail closed: there is nobody to tell, and nothing may go on
                os._exit(_FIRST_EXIT_CODE + place)


def _enter_group(sealing: _Sealing) -> None:
    if sealing.limits.door is not None:
        cgroup.join(sealing.limits.door)


def _move_descriptors(sealing: _Sealing) -> None:
    confine.move_descriptors((sealing.report_fd, sealing.input_fd, *sealing.jail.descriptors))


def _childs_proc(jail: Jail) -> Proc:
    return Proc(None if jail.proc.root is None else jail.last_fd)


def _close_descriptors(sealing: _Sealing) -> None:
    confine.silence_standard_descriptors()
    confine.close_descriptors_from(sealing.jail.last_fd + 1, _childs_proc(sealing.jail))


def _close_proc(sealing: _Sealing) -> None:
    root = _childs_proc(sealing.jail).root
    assert root is not None
    os.close(root)


def _restrict_files(sealing: _Sealing) -> None:
    assert sealing.jail.ruleset is not None
    sealing.jail.ruleset.restrict(confine.RULESET_FD)


def _set_early_limits(sealing: _Sealing) -> None:
    rlimits.set_early(sealing.limits)
    if not sealing.jail.jit:
        rlimits.set_memory(sealing.jail.runtime, sealing.limits)


def _set_late_limits(sealing: _Sealing) -> None:
    # An engine that compiles makes half a gigabyte of writable memory while it wakes, and keeps a part of it.
    if sealing.jail.jit:
        rlimits.set_memory(sealing.jail.runtime, sealing.limits)
    rlimits.set_late()


def _filter_calls(sealing: _Sealing) -> None:
    assert sealing.jail.filter is not None
    sealing.jail.filter.apply()


def _install_hook(sealing: _Sealing) -> None:
    audit.install(audit.make_hook(sealing.jail.runtime, sealing.tell))


_ALWAYS: Final[frozenset[str]] = frozenset()
_PRIVILEGES: Final = frozenset({PRIVILEGES})

# The order is the design. Exit codes count from 64 in it.
STEPS: Final = (
    # Before it holds anything of its own, which would be counted to the zygote; and by a descriptor that must not stay.
    Step("control group", frozenset({CGROUP}), _enter_group),
    # Report to 3, input to 4, ruleset to 5: also without any layer, since that is where the child looks for them.
    Step("pipes", _ALWAYS, _move_descriptors),
    # Everything else the zygote holds: its control socket, siblings' pidfds, its poller.
    Step("descriptors", _PRIVILEGES, _close_descriptors),
    # Also without the step before: it shows the other processes of the namespace.
    Step("proc", frozenset({NAMESPACES}), _close_proc),
    Step("session", _PRIVILEGES, lambda _: confine.leave_session()),
    # Dispositions were reset once in the zygote.
    Step("signal mask", _PRIVILEGES, lambda _: confine.clear_signal_mask()),
    # Identity and bounding set went in the zygote, before it preloaded anything.
    Step("capabilities", _PRIVILEGES, lambda _: confine.drop_capabilities()),
    # After identity: a change of user sets it anew.
    Step("dumpable", _PRIVILEGES, lambda _: confine.forbid_dumps()),
    # After identity, which clears it. Always: an orphan would run on with nobody to end it.
    Step("parent death", _ALWAYS, lambda sealing: confine.die_with_parent(sealing.parent_pid)),
    # Landlock and seccomp refuse to work without it.
    Step("no new privileges", frozenset({PRIVILEGES, LANDLOCK, SECCOMP}), lambda _: confine.forbid_new_privileges()),
    Step("limits", frozenset({RLIMITS}), _set_early_limits),
    # Before any other thread exists: it binds the calling thread and those that come from it.
    Step("landlock", frozenset({LANDLOCK}), _restrict_files),
    # JavaScript: isolate and prelude. Needs one thread and /dev/urandom.
    Step("runtime", _ALWAYS, lambda sealing: sealing.wake()),
    # What the runtime still needed: no thread, process or descriptor from here on.
    Step("late limits", frozenset({RLIMITS}), _set_late_limits),
    # The last kernel layer: it forbids every call that the steps above made.
    Step("seccomp", frozenset({SECCOMP}), _filter_calls),
    Step("audit", frozenset({AUDIT}), _install_hook),
)


def step_of_exit_code(code: int) -> str | None:
    """The name of the step that ended a child, None if it was none. To be believed only before its `sealed` frame."""
    place = code - _FIRST_EXIT_CODE
    return STEPS[place].name if 0 <= place < len(STEPS) else None


def harden_zygote(
    layers: frozenset[str], control_fd: int, parent_pid: int, oom_fd: int | None, inside: Inside | None
) -> None:
    """The zygote's first act, before it imports anything for tasks. Raises LayerUnavailable, SandboxError, OSError.

    With the layer `namespaces` it is `inside`, and its parent, which is not, has the number 0.
    """
    if PRIVILEGES in layers:
        kept = {0, 1, 2, control_fd, *(() if oom_fd is None else (oom_fd,)), *(inside.descriptors if inside else ())}
        _close_all_but(frozenset(kept))
        confine.clear_signal_mask()
        privileges.drop_identity(for_later=privileges.CAP_SYS_ADMIN if inside else 0)
        confine.forbid_dumps()
        confine.forbid_new_privileges()
    confine.die_with_parent(parent_pid)
    if inside:
        inside.check_launcher()
    if RLIMITS in layers:
        rlimits.set_zygote(inside.proc if inside else Proc())


def harden_launcher(layers: frozenset[str], server_pid: int) -> None:
    """What forked a zygote into namespaces, and only waits for its end. Raises LayerUnavailable, SandboxError, OSError.

    Of the same user as the zygote: the signal that its end is to the zygote would be refused otherwise.
    """
    libc.close_descriptors_from(3)
    if PRIVILEGES in layers:
        privileges.drop_identity()
        privileges.give_up_capabilities()
        confine.forbid_dumps()
        confine.forbid_new_privileges()
    confine.die_with_parent(server_pid)


def finish_zygote(layers: frozenset[str], inside: Inside | None) -> None:
    """What comes after the preload and before the first fork. Raises SandboxError, OSError."""
    if inside:
        inside.change_root()
    if inside or PRIVILEGES in layers:  # with capabilities a root of files could be had again
        privileges.give_up_capabilities()
    privileges.reset_signals()


def _close_all_but(kept: frozenset[int]) -> None:
    lowest = 0
    for fd in sorted(kept):
        if fd > lowest:
            libc.close_descriptors_between(lowest, fd - 1)
        lowest = fd + 1
    libc.close_descriptors_from(lowest)

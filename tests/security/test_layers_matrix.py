"""Each attempt against each layer alone: stopped where the layer claims it, through where it does not.

That an attempt gets through without the layer is as much of the test as that it is stopped with it: it shows that the
layer did it, and that the attempt is a real one.
"""

from __future__ import annotations

import errno
import signal

import pytest

from tests.sandbox.attempts import ATTEMPTS, FOREIGN, KILLED
from tests.security.layers import HAS_LANDLOCK, HAS_NAMESPACES, IS_ROOT, KERNEL_LAYERS, LANDLOCK_ABI, outcomes

NATIVE = "refused"  # of a Python child the hook refuses ctypes itself

GONE = {"namespaces": "ENOENT"}  # there is no such file

# attempt: {layer alone: what it answers}. A layer that is not there lets the attempt through.
STOPPED: dict[str, dict[str, str]] = {
    "read_file": {"audit": "refused", "rlimits": "EMFILE", "landlock": "EACCES", "seccomp": "EPERM", **GONE},
    "reuse_descriptor": {"audit": "refused", "rlimits": "EMFILE", "landlock": "EACCES", "seccomp": "EPERM", **GONE},
    "read_entropy_device": {"audit": "refused", "rlimits": "EMFILE", "landlock": "EACCES", "seccomp": "EPERM"},
    "list_folder": {"audit": "refused", "rlimits": "EMFILE", "landlock": "EACCES", "seccomp": "EPERM", **GONE},
    "stat_file": {"seccomp": "EPERM", **GONE},
    "make_socket": {"audit": "refused", "rlimits": "EMFILE", "seccomp": "EPERM"},
    "connect": {
        "audit": "refused",
        "rlimits": "EMFILE",
        "seccomp": "EPERM",
        "namespaces": "ENETUNREACH",
        **({"landlock": "EACCES"} if LANDLOCK_ABI >= 4 else {}),
    },
    "fork": {"audit": "refused", "seccomp": "EPERM", **({} if IS_ROOT else {"rlimits": "EAGAIN"})},
    "signal_zygote": {"audit": "refused", "seccomp": "EPERM", **({"landlock": "EPERM"} if LANDLOCK_ABI >= 6 else {})},
    "read_zygotes_clock": {"seccomp": "EPERM"},
    "change_limit": {"audit": "refused", "seccomp": "ValueError"},  # CPython's text for any EPERM of setrlimit
    "change_limit_of_itself_by_prlimit": {"audit": "refused", "seccomp": "EPERM"},
    "grow_pipe": {"audit": "refused", "seccomp": "EPERM"},
    "map_executable": {"audit": NATIVE, "seccomp": "EPERM"},
    "map_read_only": {"audit": NATIVE, "seccomp": "EPERM"},
    "map_shared": {"audit": NATIVE, "seccomp": "EPERM"},
    "map_growing_down": {"audit": NATIVE, "seccomp": "EPERM"},
    "protect_executable": {"audit": NATIVE, "seccomp": "EPERM"},
    "remap_leaving_a_copy": {"audit": NATIVE, "seccomp": "EPERM"},
    "advise_no_fork": {"audit": NATIVE, "seccomp": "EPERM"},
    "make_memory_file": {"audit": NATIVE, "rlimits": "EMFILE", "seccomp": "EPERM"},
    "make_shared_segment": {"audit": NATIVE, "seccomp": "EPERM"},
    "watch_zygote": {"audit": NATIVE, "rlimits": "EMFILE", "seccomp": "EPERM"},
    "signal_own_thread": {"audit": NATIVE, "seccomp": "EPERM"},
    "ask_process": {"audit": NATIVE, "seccomp": "EPERM"},
    "ask_device": {"audit": NATIVE, "seccomp": "EPERM"},
    "look_at_limit": {"audit": NATIVE, "seccomp": "EPERM"},
    "catch_signal": {"audit": NATIVE, "seccomp": "EPERM"},
    "hand_lock_on": {"audit": NATIVE, "seccomp": "EPERM"},
    "map_by_high_half_of_rights": {"audit": NATIVE, "seccomp": "EPERM"},
    "map_by_high_half_of_flags": {"audit": NATIVE, "seccomp": "EPERM"},
    "write_by_high_half": {"audit": NATIVE, "seccomp": "EPERM"},
    "take_memory": {"rlimits": "MemoryError"},
    "ordinary": {},
    "wait_while_stopped": {},
    "look_at_descriptor": {"audit": "refused", "seccomp": "EPERM"},
}
if IS_ROOT:  # an ordinary user can't do these without any layer
    STOPPED["read_root_file"] = {
        "audit": "refused",
        "privileges": "EACCES",
        "rlimits": "EMFILE",
        "landlock": "EACCES",
        "seccomp": "EPERM",
        **GONE,
    }
    STOPPED["become_root"] = {"privileges": "EPERM", "seccomp": "EPERM"}

ALONE = ("audit", "privileges", "rlimits", *(("landlock",) if HAS_LANDLOCK else ()), "seccomp")
if HAS_NAMESPACES:
    ALONE += ("namespaces",)


@pytest.mark.parametrize("attempt", STOPPED)
@pytest.mark.parametrize("layer", ["none", *ALONE])
def test_each_layer_alone(attempt: str, layer: str) -> None:
    assert outcomes(layer)[attempt] == STOPPED[attempt].get(layer, "done")


@pytest.mark.parametrize("attempt", STOPPED)
def test_the_kernel_layers_together_stop_all_but_the_ordinary(attempt: str) -> None:
    honest = attempt in {"ordinary", "wait_while_stopped"}
    assert (outcomes(KERNEL_LAYERS)[attempt] == "done") is honest


@pytest.mark.parametrize("attempt", KILLED)
def test_calls_without_an_honest_use_kill(attempt: str) -> None:
    assert outcomes("seccomp")[attempt] == f"signal {signal.SIGSYS:d}"
    assert outcomes(KERNEL_LAYERS)[attempt] == f"signal {signal.SIGSYS:d}"
    assert outcomes("none")[attempt] in errno.errorcode.values(), "without the layer the kernel answers an error"


@pytest.mark.parametrize("attempt", FOREIGN)
def test_calls_by_another_door_kill(attempt: str) -> None:
    """No rule is looked at: the numbers mean other calls there."""
    without = outcomes("none")[attempt]
    if without == f"signal {signal.SIGSEGV:d}":
        pytest.skip("this kernel is built without that door")
    assert without in {"done", "ENOSYS"}, "the kernel is there, and answers"
    assert outcomes("seccomp")[attempt] == f"signal {signal.SIGSYS:d}"
    assert outcomes(KERNEL_LAYERS)[attempt] == f"signal {signal.SIGSYS:d}"


@pytest.mark.parametrize(("attempt", "without"), [("send", "done"), ("receive", "EAGAIN")])
def test_a_socket_that_is_open_is_of_no_use(attempt: str, without: str) -> None:
    assert outcomes("none")[attempt] == without
    assert outcomes("seccomp")[attempt] == "EPERM"
    assert outcomes("privileges")[attempt] == "EBADF", "it is shut"


def test_exec() -> None:
    assert outcomes("none")["execute"] == "exit 0"
    assert outcomes("privileges")["execute"] == "exit 0"
    assert outcomes("audit")["execute"] == "refused"
    assert outcomes("seccomp")["execute"] == "EPERM"
    assert outcomes("rlimits")["execute"] == "signal 11", (
        "the new program gets no stack, and no descriptor for a library"
    )
    if HAS_LANDLOCK:
        assert outcomes("landlock")["execute"] == "EACCES"
    if HAS_NAMESPACES:
        assert outcomes("namespaces")["execute"] == "ENOENT"


def test_threads_and_processes_end_with_the_limits_of_an_ordinary_user() -> None:
    """RLIMIT_NPROC does not bind root: the layer needs `privileges` beside it where the server is started as root."""
    limited = outcomes("privileges,rlimits")
    assert limited["fork"] == "EAGAIN"
    assert limited["start_thread"] == "RuntimeError"
    assert outcomes("seccomp")["start_thread"] == "RuntimeError"
    assert outcomes("none")["start_thread"] == "done"


def test_clone3_is_not_there_so_that_glibc_falls_back() -> None:
    assert outcomes("seccomp")["new_style_clone"] == "ENOSYS"
    assert outcomes("none")["new_style_clone"] == "EINVAL"


def test_locked_memory() -> None:
    assert outcomes("privileges,rlimits")["lock_memory"] == "EPERM"
    assert outcomes("seccomp")["lock_memory"] == "EPERM"
    assert outcomes("none")["lock_memory"] == "done"


def test_what_a_child_holds() -> None:
    assert outcomes("privileges")["own_descriptors"] == "done"
    assert outcomes("privileges")["own_session"] == "done"
    assert outcomes("none")["own_session"] == "AssertionError"


def test_every_attempt_has_a_row() -> None:
    own = {
        "execute",
        "send",
        "receive",
        "start_thread",
        "new_style_clone",
        "lock_memory",
        "own_descriptors",
        "own_session",
    }
    root = set() if IS_ROOT else {"read_root_file", "become_root"}
    assert set(STOPPED) | own | root == set(ATTEMPTS)

"""Layer `cgroup`: where the own group is, when it is good for groups of children, and how a child goes into one.

What bounds memory needs the memory controller: tests/security/test_memory_cgroup.py.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from langserver.sandbox import cgroup
from langserver.sandbox.errors import LayerUnavailable, ReadBackError
from langserver.sandbox.jail import ChildLimits, Jail, step_of_exit_code
from langserver.sandbox.proc import Proc

HYBRID = "9:name=systemd:/\n4:memory:/a\n0::/a/b\n"
MOUNT = "35 25 0:30 {root} {point} rw,relatime shared:9 - {kind} cgroup2 rw,nsdelegate"


def mounted(root: str = "/", point: str = "/sys/fs/cgroup", kind: str = "cgroup2") -> str:
    return "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + MOUNT.format(root=root, point=point, kind=kind) + "\n"


@pytest.mark.parametrize(
    ("groups", "mounts", "folder"),
    [
        ("0::/a/b\n", mounted(), "/sys/fs/cgroup/a/b"),
        ("0::/\n", mounted(), "/sys/fs/cgroup"),
        (HYBRID, mounted(point="/sys/fs/cgroup/unified"), "/sys/fs/cgroup/unified/a/b"),
        ("0::/docker/x/y\n", mounted(root="/docker/x"), "/sys/fs/cgroup/y"),
        ("0::/docker/x\n", mounted(root="/docker/x"), "/sys/fs/cgroup"),
        ("0::/docker/x\n", mounted(root="/docker/other") + mounted(root="/docker"), "/sys/fs/cgroup/x"),
    ],
)
def test_where_the_own_group_is(groups: str, mounts: str, folder: str) -> None:
    assert cgroup.own_folder(groups, mounts) == folder


@pytest.mark.parametrize(
    ("groups", "mounts", "reason"),
    [
        ("4:memory:/a\n", mounted(), "no cgroup v2 is mounted"),
        ("", mounted(), "no cgroup v2 is mounted"),
        ("0::/a\n", mounted(kind="cgroup"), "the group of this process, /a, is mounted nowhere"),
        ("0::/../b\n", mounted(root="/a"), "the group of this process, /../b, is mounted nowhere"),
        ("0::/docker/xx\n", mounted(root="/docker/x"), "the group of this process, /docker/xx, is mounted nowhere"),
    ],
)
def test_where_it_is_not(groups: str, mounts: str, reason: str) -> None:
    with pytest.raises(LayerUnavailable) as error:
        cgroup.own_folder(groups, mounts)
    assert error.value.reason == reason


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a good group looks like."""
    files = {
        "cgroup.type": "domain",
        "cgroup.controllers": "cpu memory pids",
        "cgroup.procs": str(os.getpid()),
        "cgroup.subtree_control": "",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text + "\n")
    monkeypatch.setattr(cgroup, "_delegated", lambda _: True)
    return tmp_path


def reason(folder: Path) -> str:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(LayerUnavailable) as error:
        cgroup.check(str(folder))
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    return error.value.reason


def test_a_good_group(folder: Path) -> None:
    cgroup.check(str(folder))


def test_the_root_of_the_tree(folder: Path) -> None:
    (folder / "cgroup.type").unlink()
    assert reason(folder) == "this process is in the root of the tree: start it in a delegated group of its own"


def test_the_root_of_a_tree_whose_controllers_are_with_cgroup_v1(folder: Path) -> None:
    """A group of its own would not help, and is not advised."""
    (folder / "cgroup.type").unlink()
    (folder / "cgroup.controllers").write_text("hugetlb\n")
    assert reason(folder) == "cgroup v2 has no memory controller on this host, where cgroup v1 may hold it"


def test_a_group_of_threads(folder: Path) -> None:
    (folder / "cgroup.type").write_text("threaded\n")
    assert reason(folder) == f"{folder} is threaded, which bounds no memory"


def test_without_the_memory_controller(folder: Path) -> None:
    (folder / "cgroup.controllers").write_text("cpu memoryless pids\n")
    assert reason(folder) == f"{folder} was not given the memory controller"


def test_with_somebody_else_in_it(folder: Path) -> None:
    (folder / "cgroup.procs").write_text(f"1\n{os.getpid()}\n0\n")
    assert reason(folder) == f"{folder} has other processes: 2"


def test_not_given_to_us(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "_delegated", lambda _: False)
    assert reason(folder) == f"{folder} is not delegated to this process"


@pytest.mark.parametrize("name", ["", "cgroup.procs", "cgroup.subtree_control"])
def test_where_we_may_not_write(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    access = os.access  # root may write everywhere
    monkeypatch.setattr(os, "access", lambda path, mode: path != str(folder / name) and access(path, mode))
    assert reason(folder) == f"{folder} is not delegated to this process"


@pytest.mark.parametrize(
    ("events", "ran_out"),
    [
        ("low 0\nhigh 0\nmax 12\noom 0\noom_kill 0\noom_group_kill 0\n", False),
        ("low 0\nhigh 0\nmax 12\noom 1\noom_kill 2\noom_group_kill 1\n", True),
        ("max 0\noom 0\noom_kill 1\n", False),  # the container, or the host, had no memory left
        ("max 12\noom 1\noom_kill 0\n", False),
    ],
)
def test_whether_the_kernel_killed(events: str, ran_out: bool, tmp_path: Path) -> None:
    (tmp_path / "memory.events").write_text(events)
    assert cgroup.Group(str(tmp_path)).ran_out() is ran_out


def own_part() -> Path | None:
    """A group of cgroup v2 in which groups can be made here."""
    try:
        found = cgroup.own_folder(Path("/proc/self/cgroup").read_text(), Path("/proc/self/mountinfo").read_text())
    except LayerUnavailable:
        return None
    return Path(found) if os.access(found, os.W_OK) and os.access(f"{found}/cgroup.procs", os.W_OK) else None


OWN_PART = own_part()
needs_groups = pytest.mark.skipif(OWN_PART is None, reason="no cgroup v2 here in which this user can make groups")


@pytest.fixture
def group() -> Iterator[Path]:
    """An empty one, without controllers."""
    assert OWN_PART is not None
    made = OWN_PART / f"langserver-test-{os.getpid()}"
    made.mkdir()
    yield made
    if made.exists():
        made.rmdir()


def sealed_child(door: int, layers: frozenset[str] = frozenset({"cgroup", "privileges"})) -> tuple[int, int, int]:
    """Forks a child that goes in as its first step and then waits: its pid, the end of its report, of its input."""
    jail = Jail("python", layers, Proc())
    report_read, report_write = os.pipe()
    input_read, input_write = os.pipe()
    parent, pid = os.getpid(), os.fork()
    if pid == 0:
        try:
            os.close(input_write)
            limits = ChildLimits(None, None, door)
            jail.seal(report_write, input_read, parent, limits, lambda: None, lambda event: None)
            os.write(3, b"sealed")
            os.read(4, 1)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(report_write)
    os.close(input_read)
    return pid, report_read, input_write


@needs_groups
def test_a_child_goes_in_and_keeps_no_way_to_any_group(group: Path) -> None:
    made = cgroup.Group(str(group))
    door = made.open_door()
    pid, report, input_write = sealed_child(door)
    os.close(door)
    assert os.read(report, 100) == b"sealed"
    assert (group / "cgroup.procs").read_text() == f"{pid}\n"
    if os.geteuid() == 0:
        held = {os.readlink(f"/proc/{pid}/fd/{number}") for number in os.listdir(f"/proc/{pid}/fd")}
        assert not [path for path in held if "cgroup" in path]
    assert not made.remove()  # it is in it
    os.close(input_write)
    os.waitpid(pid, 0)
    os.close(report)
    assert made.remove()
    assert made.remove()  # twice is no fault
    assert not group.exists()


@needs_groups
def test_where_another_is_already_it_does_not_go_on(group: Path) -> None:
    """A door to a wrong group is one to somebody else's bound."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        (group / "cgroup.procs").write_text(str(other.pid))
        door = cgroup.Group(str(group)).open_door()
        pid, report, input_write = sealed_child(door)
        assert os.read(report, 100) == b""
        _, status = os.waitpid(pid, 0)
        assert step_of_exit_code(os.waitstatus_to_exitcode(status)) == "control group"
        for descriptor in (door, report, input_write):
            os.close(descriptor)
        other.kill()


def test_a_door_that_leads_nowhere_ends_the_child() -> None:
    door = os.open(os.devnull, os.O_RDWR)  # takes the write, and shows nobody
    pid, report, input_write = sealed_child(door)
    assert os.read(report, 100) == b""
    _, status = os.waitpid(pid, 0)
    assert step_of_exit_code(os.waitstatus_to_exitcode(status)) == "control group"
    for descriptor in (door, report, input_write):
        os.close(descriptor)
    with pytest.raises(ReadBackError):
        cgroup.join(os.open(os.devnull, os.O_RDWR))


@needs_groups
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_who_opened_the_door_counts_and_not_who_goes_in(group: Path) -> None:
    """A kernel without the fix of CVE-2021-4197 refuses here, and no child of a server started as root is sealed."""
    door = cgroup.Group(str(group)).open_door()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setresgid(65532, 65532, 65532)
            os.setresuid(65532, 65532, 65532)
            cgroup.join(door)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(door)
    _, status = os.waitpid(pid, 0)
    assert status == 0


@needs_groups
def test_what_a_dead_server_left_behind_goes_and_nothing_else(group: Path) -> None:
    """Where it has no memory controller, making it a tree fails in the end, and that leaves no trace either."""
    for name in ("langserver-child-1", "langserver-child-2", "another"):
        (group / name).mkdir()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as busy:
        (group / "langserver-child-2" / "cgroup.procs").write_text(str(busy.pid))
        script = f"from langserver.sandbox.cgroup import Tree; Tree({str(group)!r})"
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, preexec_fn=lambda: enter(group)
        )
        left = sorted(path.name for path in group.iterdir() if path.is_dir())
        busy.send_signal(signal.SIGKILL)
    if "memory" in (group / "cgroup.controllers").read_text():
        assert done.returncode == 0, done.stderr
        assert left == ["another", "langserver-child-2", "langserver-server"]
    else:
        assert "ReadBackError" in done.stderr or "OSError" in done.stderr
        assert left == ["another", "langserver-child-2"]
    for name in left:
        (group / name).rmdir()


def enter(group: Path) -> None:
    (group / "cgroup.procs").write_text("0")

"""How much memory there is: bounds of control groups of both versions, as hosts and containers show them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from langserver.core.capacity import Room
from langserver.server import cgroups
from langserver.server.fitting import callers_bytes, fit
from langserver.server.memory import parse_bound, parse_hierarchical, parse_total, usable_memory
from langserver.settings import Settings
from langserver.zygote.launch import Facts
from tests.integration.server.fake_groups import V1_NONE, Tree
from tests.integration.server.harness import refusal_to_start, running_server

MIB, GIB = 1 << 20, 1 << 30


@pytest.fixture
def tree(tmp_path, monkeypatch):
    return Tree(tmp_path, monkeypatch)


def found(tmp_path) -> tuple[int, str]:
    room = usable_memory()
    return room.size, room.where.replace(str(tmp_path), "")


def test_version_2_the_tightest_of_all_above(tree, tmp_path):
    tree.mounted("/", "/cg", "cgroup2", "rw,nsdelegate")
    tree.is_in("0::/a/b/c\n")
    for path, bound in (("a", "1073741824"), ("a/b", "2147483648"), ("a/b/c", "max")):
        tree.says(f"cg/{path}/memory.max", f"{bound}\n")
    assert found(tmp_path) == (GIB, "/cg/a/memory.max")


def test_version_2_is_slowed_down_from_memory_high_on(tree, tmp_path):
    tree.mounted("/", "/cg", "cgroup2", "rw")
    tree.is_in("0::/a\n")
    tree.says("cg/a/memory.max", "2147483648\n")
    tree.says("cg/a/memory.high", "1073741824\n")
    assert found(tmp_path) == (GIB, "/cg/a/memory.high")


def test_version_2_in_a_container_with_a_namespace_of_its_own(tree, tmp_path):
    tree.mounted("/", "/cg", "cgroup2", "ro")
    tree.is_in("0::/\n")
    tree.says("cg/memory.max", "536870912\n")
    assert found(tmp_path) == (512 * MIB, "/cg/memory.max")


@pytest.mark.parametrize("root", ["/docker/0123", "/../../docker/0123", "/elsewhere"])
def test_in_a_container_whose_path_is_the_hosts(tree, tmp_path, root):
    tree.mounted(root, "/cg", "cgroup2", "ro")
    tree.is_in("0::/docker/0123\n")
    tree.says("cg/memory.max", "536870912\n")
    assert found(tmp_path) == (512 * MIB, "/cg/memory.max")


def test_in_a_group_that_its_namespace_cannot_name(tree, tmp_path):
    tree.mounted("/", "/cg", "cgroup2", "ro")
    tree.is_in("0::/../sibling\n")
    tree.says("cg/memory.max", "536870912\n")
    tree.says("sibling/memory.max", "1\n")
    assert found(tmp_path) == (512 * MIB, "/cg/memory.max")


def test_version_1_with_bounds_above_that_are_seen(tree, tmp_path):
    tree.mounted("/", "/cg/cpu,cpuacct", "cgroup", "rw,cpu,cpuacct")
    tree.mounted("/", "/cg/memory", "cgroup", "rw,memory")
    tree.is_in("5:cpu,cpuacct:/x\n4:memory:/a/b\n1:name=systemd:/s\n")
    tree.says("cg/memory/memory.limit_in_bytes", V1_NONE)
    tree.says("cg/memory/a/memory.limit_in_bytes", "1073741824\n")
    tree.says("cg/memory/a/b/memory.limit_in_bytes", V1_NONE)
    tree.says("cg/memory/a/b/memory.stat", "cache 0\nhierarchical_memory_limit 1073741824\n")
    assert found(tmp_path)[0] == GIB


def test_version_1_with_a_bound_above_that_is_not_seen(tree, tmp_path):
    tree.mounted("/pod/one", "/cg/memory", "cgroup", "ro,memory")
    tree.is_in("4:memory:/pod/one\n")
    tree.says("cg/memory/memory.limit_in_bytes", "2147483648\n")
    tree.says("cg/memory/memory.stat", "cache 0\nhierarchical_memory_limit 1073741824\ntotal_cache 0\n")
    assert found(tmp_path) == (GIB, "a group above /cg/memory")


def test_both_versions_on_one_host(tree, tmp_path):
    tree.mounted("/", "/cg/memory", "cgroup", "rw,memory")
    tree.mounted("/", "/cg/unified", "cgroup2", "rw")
    tree.is_in("4:memory:/a\n0::/system.slice\n")
    tree.says("cg/memory/a/memory.limit_in_bytes", "1073741824\n")
    tree.says("cg/unified/system.slice/cgroup.procs", "")
    assert found(tmp_path) == (GIB, "/cg/memory/a/memory.limit_in_bytes")


def test_a_mount_with_a_space_in_its_name(tree, tmp_path):
    tree.mounted("/", "/c g", "cgroup2", "rw")
    tree.is_in("0::/a\n")
    tree.says("c g/a/memory.max", "1073741824\n")
    assert found(tmp_path) == (GIB, "/c g/a/memory.max")


@pytest.mark.parametrize("bound", ["max\n", V1_NONE, "", "much\n", "-1\n"])
def test_without_a_bound_it_is_the_machine(tree, tmp_path, bound):
    tree.mounted("/", "/cg", "cgroup2", "rw")
    tree.is_in("0::/a\n")
    tree.says("cg/a/memory.max", bound)
    assert found(tmp_path) == (8 * GIB, "this machine's memory")


def test_without_anything_to_read(tmp_path, monkeypatch):
    monkeypatch.setattr(cgroups, "PROC", tmp_path)
    assert usable_memory().size > 1 << 60


def test_numbers_of_the_kernel():
    assert [parse_bound(text) for text in ("0\n", "4096\n", "max\n", "", "٤\n")] == [0, 4096, None, None, None]
    assert parse_hierarchical("a 1\nhierarchical_memory_limit 4096\nhierarchical_memsw_limit 1\n") == 4096
    assert parse_hierarchical("") is None
    assert parse_total("MemTotal:    16 kB\nMemFree: 1 kB\n") == 16 << 10
    assert parse_total("") is None


FACTS = {"python": Facts("3.11", 24 * MIB, 0), "js": Facts("14", 26 * MIB, 0)}


def fitted(monkeypatch, mib, facts=None, **environment):
    for name in [name for name in os.environ if name.startswith("LANG_")]:
        monkeypatch.delenv(name)
    for name, value in ({"LANG_MAX_CONCURRENCY": "8"} | environment).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("langserver.server.fitting.usable_memory", lambda: Room(mib * MIB, "a file"))
    return fit(Settings(), facts or FACTS)


def test_what_is_not_set_follows_what_fits(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))
    settings, found = fitted(monkeypatch, 1024)
    # 64 + 32 of the server, 2 x 50 of zygotes, 4 x 12 of waiting children, 4 x 160 of tasks: 884 of 921.
    assert (settings.max_concurrency, settings.warm_children, settings.max_queue) == (4, 4, 32)
    assert found.total == 884 * MIB
    assert callers_bytes(settings) == (36 * 17 + 16 * 21 + 4 * 2 + 2 * 64) * MIB
    assert callers_bytes(settings.model_copy(update={"compile_cache_mb": 0})) == (36 * 17 + 16 * 21 + 2 * 64) * MIB


def test_what_is_set_is_kept_but_for_the_number_of_tasks(monkeypatch):
    settings, _ = fitted(monkeypatch, 1024, LANG_WARM_CHILDREN="9", LANG_MAX_QUEUE="500")
    assert (settings.max_concurrency, settings.warm_children, settings.max_queue) == (3, 9, 500)


def test_where_nothing_fits_nothing_is_changed(monkeypatch):
    settings, found = fitted(monkeypatch, 200)
    assert (found.tasks, settings.max_concurrency) == (0, 8)


def test_what_a_task_may_copy_of_a_large_zygote_counts(monkeypatch):
    _, found = fitted(monkeypatch, 4096, {"python": Facts("3.11", 64 * MIB, 0)}, LANG_MEMORY_MB="100")
    assert found.needs.task == 164 * MIB
    assert (found.needs.zygotes, found.needs.waiting) == (128 * MIB, 4 * MIB)


def test_a_server_says_what_it_lowered():
    """More than any machine has: that needs no control group."""
    settings = {"LANG_MAX_CONCURRENCY": "2", "LANG_MEMORY_MB": str(usable_memory().size // MIB // 2)}
    with running_server(**settings, LANG_WARM_CHILDREN="0") as server, server.connect() as client:
        assert client.capabilities().max_concurrency == 1
        assert client.execute("return 1").output_json == "1"
        server.signal()
        _, _, errors = server.wait()
    assert "LANG_MAX_CONCURRENCY is lowered from 2 to 1, for more do not fit into the memory: 1 x " in errors
    assert "callers with large requests" not in errors


def test_a_server_with_no_room_for_one_task_does_not_start():
    said = refusal_to_start(LANG_MEMORY_MB=str(usable_memory().size // MIB))
    assert "not even one task fits into the memory: 1 x " in said
    assert "lower LANG_MEMORY_MB" in said


@pytest.fixture
def bounded_group():
    """A real control group of half a GiB, of whichever version has the memory controller here."""
    for group in cgroups.own_groups("memory"):
        folder = group.folder / f"langserver-test-{os.getpid()}"
        name = "memory.max" if group.unified else "memory.limit_in_bytes"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            if (folder / name).exists():
                (folder / name).write_text(str(512 * MIB))
                yield folder
                return
        finally:
            folder.rmdir()
    pytest.skip("no control group with a bound on memory can be made here")


def test_a_server_in_a_real_control_group(bounded_group: Path):
    wrapper = ("sh", "-c", 'echo $$ >"$0/cgroup.procs"; exec "$@"', str(bounded_group))
    with running_server(wrapper, LANG_MAX_CONCURRENCY="9", LANG_RUNTIMES="python") as server:
        with server.connect() as client:
            assert client.capabilities().max_concurrency == 1
        server.signal()
        _, _, errors = server.wait()
    assert f"90 % of the 512 MiB that {bounded_group}/memory." in errors

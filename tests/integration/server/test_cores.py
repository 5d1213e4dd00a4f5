"""How many cores: affinity and quotas of both cgroup versions."""

from __future__ import annotations

import pytest

from langserver.server.cgroups import groups_above
from langserver.server.cores import cores_within, parse_cfs, parse_cpu_max, usable_cores
from tests.integration.server.fake_groups import Tree


@pytest.mark.parametrize(
    ("text", "quota"),
    [
        ("max 100000\n", None),
        ("max\n", None),
        ("150000 100000\n", 1.5),
        ("50000 100000\n", 0.5),
        ("200000\n", 2.0),
        ("0 100000\n", None),
        ("many 100000\n", None),
        ("100000 0\n", None),
        ("", None),
    ],
)
def test_cpu_max(text, quota):
    assert parse_cpu_max(text) == quota


@pytest.mark.parametrize(
    ("quota", "period", "expected"), [("-1\n", "100000\n", None), ("250000\n", "100000\n", 2.5), ("x", "100000", None)]
)
def test_cfs(quota, period, expected):
    assert parse_cfs(quota, period) == expected


@pytest.mark.parametrize(
    ("affinity", "quotas", "expected"),
    [(8, [], 8), (8, [1.5], 2), (8, [4.0, 0.1], 1), (2, [16.0], 2), (0, [], 1)],
)
def test_the_tightest_counts(affinity, quotas, expected):
    assert cores_within(affinity, quotas) == expected


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))
    return Tree(tmp_path, monkeypatch)


def test_groups_of_both_versions():
    groups = "12:cpu,cpuacct:/docker/ab:c\n3:memory:/m\n1:name=systemd:/s\n0::/user.slice\n"
    mounts = (
        "30 23 0:1 / /cg/cpu rw - cgroup cgroup rw,cpuacct,cpu\n"
        "31 23 0:2 / /cg/memory rw - cgroup cgroup rw,memory\n"
        "32 23 0:3 / /cg/unified rw - cgroup2 cgroup2 rw\n"
    )
    assert [(group.unified, str(group.folder)) for group in groups_above("cpu", groups, mounts)] == [
        (False, "/cg/cpu/docker/ab:c"),
        (False, "/cg/cpu/docker"),
        (False, "/cg/cpu"),
        (True, "/cg/unified/user.slice"),
        (True, "/cg/unified"),
    ]


def test_the_quota_of_an_ancestor_holds(tree):
    tree.mounted("/", "/cg", "cgroup2", "rw")
    tree.is_in("0::/a/b\n")
    tree.says("cg/a/cpu.max", "100000 100000\n")
    tree.says("cg/a/b/cpu.max", "max 100000\n")
    assert usable_cores() == 1


def test_version_1_in_a_container_whose_path_is_the_hosts(tree):
    tree.mounted("/docker/0123", "/cg/cpu", "cgroup", "rw,cpu")
    tree.is_in("4:cpu:/docker/0123\n")
    tree.says("cg/cpu/cpu.cfs_quota_us", "300000\n")
    tree.says("cg/cpu/cpu.cfs_period_us", "100000\n")
    assert usable_cores() == 3


def test_a_host_without_control_groups(tree):
    assert usable_cores() == 8

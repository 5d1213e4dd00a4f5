"""How many cores: affinity and quotas of both cgroup versions."""

from __future__ import annotations

import pytest

from langserver.server import cores
from langserver.server.cores import cores_within, own_groups, parse_cfs, parse_cpu_max, usable_cores


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


def test_groups_of_both_versions():
    text = "12:cpu,cpuacct:/docker/ab:c\n3:memory:/m\n1:name=systemd:/s\n0::/user.slice\n"
    assert [(unified, str(path)) for unified, path in own_groups(text)] == [
        (False, "/docker/ab:c"),
        (True, "/user.slice"),
    ]


def test_the_quota_of_an_ancestor_holds(monkeypatch, tmp_path):
    (tmp_path / "own").write_text("0::/a/b\n")
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "cpu.max").write_text("100000 100000\n")
    (tmp_path / "a" / "b" / "cpu.max").write_text("max 100000\n")
    monkeypatch.setattr(cores, "_ROOT", tmp_path)
    monkeypatch.setattr(cores, "_OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))
    assert usable_cores() == 1


def test_version_1_in_a_container_whose_path_is_the_hosts(monkeypatch, tmp_path):
    (tmp_path / "own").write_text("4:cpu:/docker/0123\n")
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu" / "cpu.cfs_quota_us").write_text("300000\n")
    (tmp_path / "cpu" / "cpu.cfs_period_us").write_text("100000\n")
    monkeypatch.setattr(cores, "_ROOT", tmp_path)
    monkeypatch.setattr(cores, "_OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))
    assert usable_cores() == 3


def test_a_host_without_control_groups(monkeypatch, tmp_path):
    monkeypatch.setattr(cores, "_OWN_GROUPS", tmp_path / "nothing")
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1, 2})
    assert usable_cores() == 3

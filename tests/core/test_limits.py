"""What is asked for, what the server allows, and what comes of both."""

from __future__ import annotations

import pytest

from langserver.errors import RequestError
from langserver.limits import Asked, Ceilings, grant

MIB = 1 << 20


def test_nothing_asked_means_the_defaults():
    granted = grant(Asked(), Ceilings())
    assert granted.bounds.timeout_seconds == 30
    assert granted.bounds.memory_bytes == 128 * MIB
    assert granted.bounds.output_bytes == 2 * MIB
    assert granted.log_bytes == 256 << 10


def test_the_default_seals_nothing_tighter():
    granted = grant(Asked(), Ceilings())
    assert (granted.lower_memory_bytes, granted.lower_cpu_seconds) == (0, 0)


def test_above_the_ceiling_is_clamped():
    granted = grant(Asked(1e6, 10_000, 10_000, 1 << 30, 1 << 30), Ceilings())
    assert granted.bounds.timeout_seconds == 300
    assert granted.bounds.memory_bytes == 128 * MIB
    assert granted.bounds.output_bytes == 2 * MIB
    assert granted.log_bytes == 256 << 10
    assert (granted.lower_memory_bytes, granted.lower_cpu_seconds) == (0, 0)


def test_less_is_lowered_from_outside():
    granted = grant(Asked(memory_mb=32, cpu_seconds=2, output_bytes=10, log_bytes=20), Ceilings())
    assert granted.bounds.memory_bytes == granted.lower_memory_bytes == 32 * MIB
    assert granted.bounds.cpu_seconds == granted.lower_cpu_seconds == 2
    assert (granted.bounds.output_bytes, granted.log_bytes) == (10, 20)


@pytest.mark.parametrize("name", ["timeout_seconds", "memory_mb", "cpu_seconds", "output_bytes", "log_bytes"])
def test_a_negative_limit_is_refused_by_name(name):
    with pytest.raises(RequestError, match=f"^{name} is -1: a limit is 0"):
        grant(Asked(**{name: -1}), Ceilings())


def test_a_default_above_the_ceiling_is_clamped_too():
    assert grant(Asked(), Ceilings(default_timeout_seconds=30, max_timeout_seconds=5)).bounds.timeout_seconds == 5


def test_a_server_wide_cpu_ceiling_holds():
    granted = grant(Asked(cpu_seconds=50), Ceilings(cpu_seconds=3))
    assert granted.bounds.cpu_seconds == 3
    assert Ceilings(cpu_seconds=3).sealed_cpu_seconds == 3

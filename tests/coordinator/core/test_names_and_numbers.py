"""Queues and streams, delays, lengths of leases."""

from __future__ import annotations

import pytest

from coordinator.core.bounds import MOST_LEASE_SECONDS
from coordinator.core.lease import ttl_in_force
from coordinator.core.queues import dead_stream_of, queue_of, shard_of, stream_of
from coordinator.core.retry import Backoff, RetryRule


@pytest.mark.parametrize(
    ("queue", "node_type", "expected"),
    [
        ("", "python", "python"),
        ("", "node", "js"),
        ("", "javascript", "js"),
        ("", "http", "http"),
        ("special", "python", "special"),
        ("python:eu-west", "python", "python:eu-west"),
        ("node:eu-west", "node", "js:eu-west"),
    ],
)
def test_queue(queue, node_type, expected):
    assert queue_of(queue, node_type) == expected


def test_streams():
    assert stream_of("tasks", "python:eu-west", 0) == "tasks:python:eu-west:0"
    assert dead_stream_of("tasks:python:0") == "tasks:python:0:dead"


def test_a_task_keeps_its_shard_and_all_shards_are_used():
    shards = [shard_of("run", str(number), 4) for number in range(200)]

    assert set(shards) == {0, 1, 2, 3}
    assert shards == [shard_of("run", str(number), 4) for number in range(200)]


def test_retries_wait_twice_as_long_each_time_and_up_to_half_less():
    rule = RetryRule(2.0)

    assert [rule.delay_seconds(attempt, 1.0) for attempt in (1, 2, 3)] == [2.0, 4.0, 8.0]
    assert [rule.delay_seconds(attempt, 0.0) for attempt in (1, 2, 3)] == [1.0, 2.0, 4.0]
    assert rule.delay_seconds(900, 1.0) == 300.0
    assert RetryRule(600.0).delay_seconds(1, 1.0) == 600.0


def test_reconnecting_waits_from_a_tenth_of_a_second_to_five():
    backoff, delays = Backoff(), []
    for _ in range(8):
        backoff = backoff.failed()
        delays.append(backoff.delay_seconds(1.0))

    assert delays == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
    assert backoff.delay_seconds(0.0) == 2.5


@pytest.mark.parametrize(("asked", "expected"), [(0, 90), (-5, 90), (30, 30), (1 << 62, MOST_LEASE_SECONDS)])
def test_length_of_a_lease(asked, expected):
    assert ttl_in_force(asked, 90) == expected

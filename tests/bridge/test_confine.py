"""The process cannot be looked into by others of its user."""

from __future__ import annotations

import subprocess
import sys

import pytest

from worker_bridge.commands import queues, run

PROGRAM = """
import ctypes
from worker_bridge.confine import forbid_dumps
print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
forbid_dumps()
print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
"""


def test_it_is_not_dumpable() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["1", "0"]


@pytest.mark.parametrize("command", [lambda: run.run(), lambda: queues.queues(as_json=False)])
def test_every_command_sees_to_that_before_it_reads_its_settings(
    command: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Seen(Exception): ...

    def forbid() -> None:
        raise Seen

    monkeypatch.setenv("WORKER_CONCURRENCY", "not read yet")
    monkeypatch.setattr(run, "forbid_dumps", forbid)
    monkeypatch.setattr(queues, "forbid_dumps", forbid)
    with pytest.raises(Seen):
        command()  # type: ignore[operator]

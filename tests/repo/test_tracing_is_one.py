"""The programs import nothing of each other: what they repeat about traces stays one text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("langserver/server", "coordinator", "worker_bridge")


@pytest.mark.parametrize("name", ["__init__", "outgoing", "start", "tracer", "wanted"])
def test_a_file_says_the_same_in_each_program(name: str) -> None:
    texts = {
        re.sub(r"\w+\.(?:server\.)?(tracing|core)\b", r"\1", (ROOT / folder / "tracing" / f"{name}.py").read_text())
        for folder in FOLDERS
    }
    assert len(texts) == 1


def test_a_traceparent_is_read_alike() -> None:
    cores = ("langserver/core", "coordinator/core", "worker_bridge/core")
    assert len({(ROOT / core / "traceparent.py").read_text() for core in cores}) == 1

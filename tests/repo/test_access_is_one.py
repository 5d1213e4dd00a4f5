"""The programs import nothing of each other: what they repeat of keys, figures and log lines stays one text."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("langserver/server", "coordinator", "worker_bridge")
SHARED = {
    "access": ["advice", "caller", "handshakes", "keys", "refusals", "tls", "tokens", "watched"],
    "telemetry": ["endpoint", "lines"],
}


@pytest.mark.parametrize(("part", "name"), [(part, name) for part, names in SHARED.items() for name in names])
def test_a_file_says_the_same_in_each_program(part: str, name: str) -> None:
    folders = [f"{program}/{part}" for program in PROGRAMS]
    texts = [
        file.read_text().replace(folder.replace("/", "."), part)
        for folder in folders
        if (file := ROOT / folder / f"{name}.py").exists()
    ]
    assert len(texts) > 1
    assert len(set(texts)) == 1

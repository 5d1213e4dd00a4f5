"""The programs import nothing of each other: what they repeat about tokens and certificates stays one text."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("langserver/server/access", "coordinator/access", "worker_bridge/access")


@pytest.mark.parametrize("name", ["advice", "caller", "handshakes", "keys", "refusals", "tls", "tokens", "watched"])
def test_a_file_says_the_same_in_each_program(name: str) -> None:
    texts = [
        file.read_text().replace(folder.replace("/", "."), "access")
        for folder in FOLDERS
        if (file := ROOT / folder / f"{name}.py").exists()
    ]
    assert len(texts) > 1
    assert len(set(texts)) == 1

"""The README's table of the worker bridge's settings says what it reads, and its defaults."""

from __future__ import annotations

import re
from pathlib import Path

from worker_bridge.settings import Settings

README = Path(__file__).resolve().parents[2] / "README.md"


def table() -> dict[str, str]:
    """Variable to the text of its default."""
    section = README.read_text().partition("## Settings of the worker bridge")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `([A-Z_]+)` \| ([^|]+?) \|", section, re.MULTILINE))


def test_the_table_names_every_setting_and_no_other() -> None:
    assert set(table()) == {field.upper() for field in Settings.model_fields}


def test_values_in_the_table_are_the_defaults() -> None:
    compared = 0
    for name, text in table().items():
        default = Settings.model_fields[name.lower()].default
        if text.isdecimal():
            assert default == int(text), name
            compared += 1
        elif value := re.fullmatch(r"`([^`]*)`", text):
            assert default == value[1], name
            compared += 1
    assert compared > 8

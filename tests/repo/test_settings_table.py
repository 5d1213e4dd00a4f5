"""The README's settings table says what the server reads, and its defaults."""

from __future__ import annotations

import re
from pathlib import Path

from langserver.settings import Settings

README = Path(__file__).resolve().parents[2] / "README.md"
UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20}


def table() -> dict[str, str]:
    """Variable to the text of its default."""
    section = README.read_text().partition("## Settings")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`LANG_[^|]+) \| ([^|]+) \|", section, re.MULTILINE)
    return {name: default.strip() for names, default in rows for name in re.findall(r"LANG_\w+", names)}


def test_the_table_names_every_setting_and_no_other() -> None:
    assert set(table()) == {f"LANG_{field.upper()}" for field in Settings.model_fields}


def test_numbers_in_the_table_are_the_defaults() -> None:
    compared = 0
    for name, text in table().items():
        number = re.fullmatch(r"(\d+)(?: (KiB|MiB))?", text)
        if number:
            default = Settings.model_fields[name.removeprefix("LANG_").lower()].get_default(
                call_default_factory=True, validated_data={}
            )
            assert default == int(number[1]) * UNITS[number[2] or ""], name
            compared += 1
    assert compared > 8

"""The README's settings tables say what the server and the coordinator read, and their defaults."""

from __future__ import annotations

import re
from pathlib import Path

from coordinator.settings import Settings as CoordinatorSettings
from langserver.settings import Settings
from worker_bridge.settings import Settings as BridgeSettings

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


def coordinator_table() -> dict[str, str]:
    """Variable to the text of its default."""
    section = README.read_text().partition("## A coordinator")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `([A-Z_]+)` \| ([^|]+) \|", section, re.MULTILINE))


def test_the_coordinators_table_names_every_setting_and_no_other() -> None:
    assert set(coordinator_table()) == set(CoordinatorSettings.variables().values())


def test_the_coordinators_table_has_the_defaults(monkeypatch) -> None:
    for variable in CoordinatorSettings.variables().values():
        monkeypatch.delenv(variable, raising=False)
    for name, variable in CoordinatorSettings.variables().items():
        text = coordinator_table()[variable].strip("`")
        default = getattr(CoordinatorSettings(), name)
        shown = default.get_secret_value() if name == "database_url" else default
        assert text == ("off" if shown is False else str(shown)), variable


def test_the_bridges_table_names_every_setting_and_no_other() -> None:
    section = README.read_text().partition("## Settings of the worker bridge")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `([A-Z_]+)` \| ([^|]+) \|", section, re.MULTILINE))
    assert set(rows) == {field.upper() for field in BridgeSettings.model_fields}
    for name, text in rows.items():
        if text.strip().isdecimal():
            assert BridgeSettings.model_fields[name.lower()].default == int(text), name

"""The time zones of `zoneinfo`, held in memory: a sealed child cannot open their files."""

from __future__ import annotations

import importlib.resources
import io
import zoneinfo
from importlib.resources.abc import Traversable
from typing import Any
from zoneinfo import _common

_DATA: dict[str, bytes] = {}


def hold() -> None:
    """Reads every zone of the package tzdata, once; from then on `zoneinfo` takes them from here, and no other."""
    if not _DATA:
        _read(importlib.resources.files("tzdata.zoneinfo"), "")
        zoneinfo.reset_tzpath(())
        _common.load_tzdata = _load  # looked up at each use, by C and Python alike


def data_of(name: str) -> bytes | None:
    """The TZif data (RFC 8536) of the zone `name`, None where there is none."""
    return _DATA.get(name)


def _read(folder: Traversable, before: str) -> None:
    for entry in folder.iterdir():
        if entry.is_dir():
            _read(entry, f"{before}{entry.name}/")
        else:
            data = entry.read_bytes()
            if data.startswith(b"TZif"):
                _DATA[before + entry.name] = data


def _load(key: str) -> Any:
    data = _DATA.get(key)
    if data is None:
        raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")
    return io.BytesIO(data)

"""The data of every time zone, in memory: a sealed child opens no file, and its zone is known at hand-over only."""

from __future__ import annotations

import io
import zoneinfo
from typing import Any, Final, NoReturn
from zoneinfo import _common

from langserver.core.zones import zone_file, zone_names
from langserver.python_runtime.inplace import replace
from langserver.python_runtime.userclasses import rely_on

# Many names are links to one zone: their bytes are held once.
_DATA: Final[dict[str, bytes]] = {}


def load() -> None:
    """Reads every zone file, and makes `zoneinfo` take its data from here alone. In the zygote, once."""
    if not _DATA:
        held: dict[bytes, bytes] = {}
        for name in sorted(zone_names()):
            data = zone_file(name)
            _DATA[name] = held.setdefault(data, data)
    zoneinfo.reset_tzpath(to=())
    # What the library asks when no folder has a zone: the package tzdata, by files.
    _common.load_tzdata = _open  # type: ignore[assignment]  # bytes in memory are read as a file is


def shut() -> None:
    """Closes the ways to make a zone of other data: a program's must not reach the library's parser in C, and the cache
    of a class below `ZoneInfo` hands C what it writes to.
    """
    rely_on(zoneinfo.ZoneInfo, "_weak_cache")
    replace(zoneinfo.ZoneInfo, "from_file", classmethod(_from_file))


def data_of(name: str) -> bytes:
    """The TZif file of the zone `name`. Raises KeyError."""
    return _DATA[name]


def available_timezones() -> set[str]:
    """`zoneinfo.available_timezones`."""
    return set(_DATA)


def _open(key: str) -> io.BytesIO:
    data = _DATA.get(key)
    if data is None:
        raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")
    return io.BytesIO(data)


def _from_file(cls: Any, fobj: Any, /, key: str | None = None) -> NoReturn:
    raise NotImplementedError("ZoneInfo.from_file is not available here: use ZoneInfo with the name of a zone")


NAMES: Final[dict[str, Any]] = {
    "TZPATH": (),
    "ZoneInfo": zoneinfo.ZoneInfo,
    "ZoneInfoNotFoundError": zoneinfo.ZoneInfoNotFoundError,
    "InvalidTZPathWarning": zoneinfo.InvalidTZPathWarning,
    "available_timezones": available_timezones,
}

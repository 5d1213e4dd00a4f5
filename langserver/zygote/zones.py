"""Time zones by IANA name: which there are, and the POSIX rule of each, read before any child needs it."""

from __future__ import annotations

import functools
import importlib.resources
import zoneinfo
from pathlib import Path

UTC = "UTC"


@functools.cache
def zone_names() -> frozenset[str]:
    """Every zone this host or the package tzdata knows."""
    return frozenset(zoneinfo.available_timezones())


@functools.lru_cache(maxsize=1024)
def posix_rule(name: str) -> str:
    """The TZ rule (POSIX.1, as in `CET-1CEST,M3.5.0,M10.5.0/3`) that holds now in the zone `name`.

    It stands in the last line of a TZif file (RFC 8536, section 3.3). Raises KeyError for an unknown zone.
    """
    if name not in zone_names():
        raise KeyError(name)
    data = _zone_file(name)
    footer = data.rstrip(b"\n").rpartition(b"\n")[2].decode("ascii", "replace")
    return footer or "UTC0"


def _zone_file(name: str) -> bytes:
    for folder in zoneinfo.TZPATH:
        file = Path(folder, name)
        if file.is_file():
            return file.read_bytes()
    return importlib.resources.files("tzdata.zoneinfo").joinpath(*name.split("/")).read_bytes()

"""Time zones by IANA name: which there are, and the file of each. Read before any child needs one."""

from __future__ import annotations

import functools
import importlib.resources
import zoneinfo
from pathlib import Path
from typing import Final

UTC: Final = "UTC"
# As it is at the start: a zygote takes its own away once it has read every file (python_runtime.zonedata).
FOLDERS: Final = tuple(Path(folder) for folder in zoneinfo.TZPATH)
# Names that some systems have besides: what they stand for is the host's own choice, which is nobody's business.
_OF_THE_HOST: Final = frozenset({"localtime", "posixrules"})


@functools.cache
def zone_names() -> frozenset[str]:
    """Every zone this host or the package tzdata knows."""
    return frozenset(zoneinfo.available_timezones()) - _OF_THE_HOST


def zone_file(name: str) -> bytes:
    """The TZif file (RFC 8536) of one of `zone_names()`. Raises OSError."""
    for folder in FOLDERS:
        try:
            with open(f"{folder}/{name}", "rb") as file:
                return file.read()
        except FileNotFoundError:
            continue
    return importlib.resources.files("tzdata.zoneinfo").joinpath(*name.split("/")).read_bytes()


def posix_rule(data: bytes) -> str:
    """The TZ rule (POSIX.1, as in `CET-1CEST,M3.5.0,M10.5.0/3`) in the last line of a TZif file (RFC 8536, 3.3).

    It holds after the last change that the file lists; empty when the file has none.
    """
    return data.rstrip(b"\n").rpartition(b"\n")[2].decode("ascii", "replace") if data.endswith(b"\n") else ""

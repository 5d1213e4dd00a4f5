"""python-dateutil: what exercises it, and its zones from memory."""

from __future__ import annotations

import datetime
import importlib
import io
from typing import Any

from langserver.python_runtime import zonedata


def warm_up() -> None:
    """Runs what it does at first use, and gives its `tz.gettz` the zones that `zoneinfo` has."""
    for name in ("easter", "parser", "relativedelta", "rrule", "tz", "utils"):
        importlib.import_module(f"dateutil.{name}")
    dateutil: Any = importlib.import_module("dateutil")
    _keep_zones(dateutil.tz)
    day = dateutil.parser.parse("31 Jan 2024 10:00 EST", tzinfos={"EST": dateutil.tz.gettz("America/New_York")})
    str(day + dateutil.relativedelta.relativedelta(months=+1, weekday=dateutil.relativedelta.FR(-1)))
    dateutil.parser.isoparse("2024-01-31T10:00:00Z").astimezone(dateutil.tz.gettz("Europe/Berlin")).isoformat()
    list(dateutil.rrule.rrulestr("DTSTART:20240101T090000\nRRULE:FREQ=MONTHLY;COUNT=3;BYDAY=-1FR"))
    datetime.datetime.now(dateutil.tz.tzlocal()).isoformat()
    dateutil.easter.easter(2024)


def _keep_zones(tz: Any) -> None:
    look_up = tz.gettz.nocache  # of which `gettz` is the cached form

    def nocache(name: Any = None) -> Any:
        try:
            data = zonedata.data_of(name.removeprefix(":"))
        except (AttributeError, KeyError):  # no name at all, or another kind of one
            return look_up(name)
        return tz.tzfile(io.BytesIO(data), name)

    tz.gettz.nocache = nocache

"""Local time in the task's zone, at any instant: what `time` and `datetime` have C's library compute.

In a sealed child C's library can read no zone file. A rule in TZ (POSIX.1) is all that it takes, and that says nothing
of other years. So C is given what holds now, which serves `datetime.now()`; everything about another instant is
computed here from the zone's data.
"""

from __future__ import annotations

import calendar
import math
import operator
import os
import re
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from typing import Any, Final
from zoneinfo import ZoneInfo

from langserver.core.zones import UTC, posix_rule
from langserver.python_runtime import zonedata
from langserver.python_runtime.inplace import replace

# The library's own, before anything is replaced.
C_LOCALTIME: Final = time.localtime
C_MKTIME: Final = time.mktime
C_CTIME: Final = time.ctime
C_STRFTIME: Final = time.strftime
C_FROM_TIMESTAMP: Final[Any] = datetime.__dict__["fromtimestamp"]
C_DATE_FROM_TIMESTAMP: Final[Any] = date.__dict__["fromtimestamp"]
C_TIMESTAMP: Final[Any] = datetime.timestamp
C_AS_TIMEZONE: Final[Any] = datetime.astimezone

EPOCH_DAY: Final = date(1970, 1, 1).toordinal()
# The instants that a datetime can have in every zone; later ones repeat after 400 years, as the calendar does.
FIRST: Final = calendar.timegm((1, 1, 3, 0, 0, 0))
LAST: Final = calendar.timegm((9999, 12, 29, 0, 0, 0))
CYCLE: Final = 146_097 * 86_400
# How C's library looks for the other kind of time (summer or not) when it is asked for one that does not hold.
STRIDE: Final = 601_200
STRIDES: Final = 446
SECONDS_IN_FORMAT: Final = re.compile("%[%s]")
TIME_NAMES: Final = ("altzone", "daylight", "timezone", "tzname")


class Local:
    """The zone of this process; None before there is a task."""

    zone: ZoneInfo | None = None
    name: str = ""


def enter(name: str) -> bool:
    """Makes the zone `name` that of this process; False when it is already. Raises KeyError for an unknown one."""
    if Local.name == name == UTC:  # where nothing ever changes
        return False
    Local.name = name
    data = zonedata.data_of(name)
    Local.zone = ZoneInfo(name)
    now = time.time()
    _tell_c(posix_rule(data) or "UTC0")
    offset, summer, label = kind_at(math.floor(now))
    said = C_LOCALTIME(now)
    if (said.tm_gmtoff, said.tm_isdst, said.tm_zone) != (offset, summer, label):
        # The file lists changes of years to come, after which its rule holds. Until the next, what holds now does.
        _tell_c(_fixed_rule(offset, label))
    return True


def _tell_c(rule: str) -> None:
    os.environ["TZ"] = rule
    time.tzset()


def _fixed_rule(offset: int, label: str) -> str:
    minutes, seconds = divmod(abs(offset), 60)
    return f"<{label}>{'-' if offset > 0 else ''}{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def kind_at(seconds: int) -> tuple[int, int, str]:
    """What holds at `seconds` since 1970: the offset in seconds, whether it is summer time, the abbreviation."""
    if seconds > LAST:
        seconds -= -((LAST - seconds) // CYCLE) * CYCLE
    moment = C_FROM_TIMESTAMP.__get__(None, datetime)(max(seconds, FIRST), Local.zone)
    return offset_of(moment), int(bool(moment.dst())), moment.tzname()


def offset_of(moment: datetime) -> int:
    """Seconds east of UTC."""
    offset = moment.utcoffset()
    assert offset is not None
    return offset.days * 86_400 + offset.seconds


def whole_seconds(value: Any) -> int:
    """A number of seconds as C's functions take it: rounded down."""
    return float.__floor__(value) if issubclass(type(value), float) else operator.index(value)


# time


def localtime(seconds: Any = None, /) -> time.struct_time:
    """`time.localtime`."""
    if Local.zone is None:
        return C_LOCALTIME(seconds)
    if seconds is None:
        seconds = time.time()
    time.gmtime(seconds)  # raises what is to be raised
    instant = whole_seconds(seconds)
    offset, summer, label = kind_at(instant)
    return time.struct_time((*time.gmtime(instant + offset)[:8], summer, label, offset))


def mktime(clock: Any, /) -> float:
    """`time.mktime`: the instant at which local clocks show this; `tm_isdst` decides where they do so twice."""
    plain = C_MKTIME(clock)  # raises what is to be raised
    if Local.zone is None:
        return plain
    year, month, day, hour, minute, second, _, _, summer = map(operator.index, tuple.__iter__(clock))
    years, month = divmod(month - 1, 12)
    try:
        days = date(year + years, month + 1, 1).toordinal() - EPOCH_DAY + day - 1
    except (ValueError, OverflowError):  # years that a datetime does not have
        return plain
    return float(instant_of(((days * 24 + hour) * 60 + minute) * 60 + second, summer))


def instant_of(shown: int, summer: int) -> int:
    """When local clocks show `shown` (seconds since 1970, as if in UTC), by the steps that glibc's `mktime` takes.

    Clocks show some times twice and skip others. Which instant it is then depends on where the search begins: here
    always where glibc's begins in a new process, there where the last one ended.
    """
    instant, before, earlier, was_summer = shown, shown, shown, 0
    while True:
        offset, is_summer, _ = kind_at(instant)
        guess = shown - offset
        if guess == instant:
            break
        # Turning in circles: the clocks skip it.
        wanted = was_summer <= is_summer if summer < 0 else bool(summer) != bool(is_summer)
        if instant == before and instant != earlier and wanted:
            return instant
        before, earlier, instant, was_summer = earlier, instant, guess, is_summer
    if summer < 0 or bool(summer) == bool(is_summer):
        return instant
    for stride in range(1, STRIDES + 1):
        for direction in (-1, 1):
            offset, found, _ = kind_at(instant + direction * stride * STRIDE)
            if bool(found) == bool(summer):
                return shown - offset
    return instant + (-3_600 if summer else 3_600)


def ctime(seconds: Any = None, /) -> str:
    """`time.ctime`."""
    return C_CTIME(seconds) if Local.zone is None else time.asctime(localtime(seconds))


def strftime(format: Any, clock: Any = None, /) -> str:  # noqa: A002 -- the library's name
    """`time.strftime`."""
    if Local.zone is None:
        return C_STRFTIME(format) if clock is None else C_STRFTIME(format, clock)
    shown = localtime() if clock is None else clock
    if isinstance(format, str) and "%s" in format:  # the instant, of which C knows one rule only
        format = SECONDS_IN_FORMAT.sub(  # noqa: A001
            lambda found: str(int(mktime(shown))) if found[0] == "%s" else found[0], format
        )
    return C_STRFTIME(format, shown)


# datetime


def plain_of(moment: datetime) -> datetime:
    """The same as an exact datetime, when a program's class derives from it."""
    return moment if type(moment) is datetime else datetime.combine(datetime.date(moment), datetime.timetz(moment))


def from_timestamp(cls: Any, /, timestamp: Any, tz: Any = None) -> Any:
    """`datetime.fromtimestamp`."""
    if tz is not None or Local.zone is None:
        return C_FROM_TIMESTAMP.__get__(None, cls)(timestamp, tz)
    try:
        made = C_FROM_TIMESTAMP.__get__(None, datetime)(timestamp, Local.zone).replace(tzinfo=None)
    except OverflowError:
        return C_FROM_TIMESTAMP.__get__(None, cls)(timestamp)
    if cls is datetime:
        return made
    parts = (made.year, made.month, made.day, made.hour, made.minute, made.second, made.microsecond)
    of_program = cls(*parts, None)
    return datetime.replace(of_program, fold=1) if made.fold else of_program


def date_from_timestamp(cls: Any, timestamp: Any, /) -> Any:
    """`date.fromtimestamp`."""
    if Local.zone is None:
        return C_DATE_FROM_TIMESTAMP.__get__(None, cls)(timestamp)
    return cls(*localtime(timestamp)[:3])


def timestamp(self: datetime, /) -> float:
    """`datetime.timestamp`."""
    if self.tzinfo is None and Local.zone is not None:
        self = plain_of(self).replace(tzinfo=Local.zone)
    seconds: float = C_TIMESTAMP(self)
    return seconds


def as_timezone(self: datetime, /, tz: Any = None) -> Any:
    """`datetime.astimezone`."""
    if Local.zone is None or (tz is not None and self.tzinfo is not None):
        return C_AS_TIMEZONE(self, tz)
    if self.tzinfo is None or self.utcoffset() is None:
        local = plain_of(self).replace(tzinfo=Local.zone)
        self = self.replace(tzinfo=timezone(timedelta(seconds=offset_of(local))))
    if tz is None:
        # Fixed, as the library has it: the name and the offset of this instant.
        offset, _, label = kind_at(math.floor(C_TIMESTAMP(plain_of(self))))
        tz = timezone(timedelta(seconds=offset), label)
    return C_AS_TIMEZONE(self, tz)


_IN_TIME: Final[dict[str, Callable[..., Any]]] = {
    "ctime": ctime,
    "localtime": localtime,
    "mktime": mktime,
    "strftime": strftime,
}
_IN_CLASSES: Final[tuple[tuple[type, str, Any, bool], ...]] = (
    (date, "fromtimestamp", date_from_timestamp, True),
    (datetime, "astimezone", as_timezone, False),
    (datetime, "fromtimestamp", from_timestamp, True),
    (datetime, "timestamp", timestamp, False),
)


def install() -> None:
    """Puts these in place of C's, for every module and class of this process. In the zygote, once."""
    for name, function in _IN_TIME.items():
        setattr(time, name, function)
    for cls, name, function, of_class in _IN_CLASSES:
        function.__name__ = name
        function.__qualname__ = f"{cls.__name__}.{name}"
        function.__module__ = cls.__module__
        replace(cls, name, classmethod(function) if of_class else function)

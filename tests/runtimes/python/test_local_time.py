"""The task's zone at any instant: as CPython has it where C's library reads the zone's file."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
from typing import Any
from zoneinfo import _common

import pytest
import tzdata

from langserver.core.zones import FOLDERS, zone_file

ZONES = """
    Europe/Berlin Europe/Moscow America/Sao_Paulo Asia/Pyongyang Africa/Casablanca Pacific/Apia Europe/Dublin
    America/New_York Asia/Kathmandu UTC Australia/Lord_Howe Africa/Monrovia America/Caracas Antarctica/Troll
""".split()

# What one instant looks like, to every function and method that knows of local time.
LOOK = """
import datetime, time
def look(t):
    clock = time.localtime(t)
    day = datetime.datetime.fromtimestamp(t + 0.25)
    utc = datetime.timezone.utc
    row = [list(clock), clock.tm_zone, clock.tm_gmtoff, day.isoformat(), day.fold, day.timestamp()]
    row += [day.replace(fold=1 - day.fold).timestamp(), day.astimezone().isoformat(), repr(day.astimezone().tzinfo)]
    row += [day.astimezone(utc).isoformat(), day.replace(tzinfo=utc).astimezone().isoformat()]
    row += [datetime.date.fromtimestamp(t).isoformat(), time.ctime(t), time.strftime("%c %Z %z %%s", clock)]
    row += [type(day) is datetime.datetime, time.mktime(clock), time.strftime("%s", clock)]
    anew()
    row.append(day.strftime("%s|%H"))
    anew()
    beyond = (clock[0], clock[1] + 14, -40, 30, -100, 61, 0, 0, clock[8])
    return [*row, time.mktime((*clock[:8], -1)), time.mktime(beyond)]
def anew(): pass
"""
PLAIN = f"""{LOOK}
import json, os, sys
asked = json.load(sys.stdin)
def enter(zone):
    os.environ["TZ"] = zone
    time.tzset()
def anew():
    # Where clocks show a time twice, C's `mktime` begins its search where the last one ended: here, always at UTC.
    enter("UTC0")
    time.mktime((1970, 1, 1, 0, 0, 0, 0, 0, 0))
    enter(zone)
found = []
for zone, instants in asked.items():
    rows = []
    for t in instants:
        anew()
        rows.append(look(t))
    found.append(rows)
json.dump(found, sys.stdout)
"""


def instants_of(zone: str) -> list[int]:
    """Around changes of the zone, and anywhere between 1875 and 2112."""
    chance = random.Random(zone)
    changes = list(_common.load_data(io.BytesIO(zone_file(zone)))[1])  # type: ignore[attr-defined]
    near = [change + off for change in changes for off in (-3600, -1, 0, 1, 1800, 3600, 7200)]
    near = [each for each in near if -3_000_000_000 < each < 4_500_000_000]
    return chance.sample(near, min(len(near), 100)) + [
        chance.randrange(-3_000_000_000, 4_500_000_000) for _ in range(50)
    ]


@pytest.fixture(scope="module")
def expected() -> dict[str, tuple[list[int], list[Any]]]:
    asked = {zone: instants_of(zone) for zone in ZONES}
    package = os.path.join(os.path.dirname(tzdata.__file__), "zoneinfo")
    folder = next((str(folder) for folder in FOLDERS if folder.is_dir()), package)
    env = {**os.environ, "TZDIR": folder}
    done = subprocess.run(
        [sys.executable, "-c", PLAIN], input=json.dumps(asked), capture_output=True, text=True, check=True, env=env
    )
    return {zone: (asked[zone], rows) for zone, rows in zip(ZONES, json.loads(done.stdout), strict=True)}


@pytest.mark.parametrize("policy", ["policy", "none"])
@pytest.mark.parametrize("zone", ZONES)
def test_every_instant_as_in_cpython(zone, policy, run, plain, expected):
    instants, rows = expected[zone]
    source = LOOK + "def main(inputs): return [look(t) for t in inputs['instants']]"
    found = (run if policy == "policy" else plain)(source, {"instants": instants}, zone=zone).value
    for instant, got, wanted in zip(instants, found, rows, strict=True):
        assert got == wanted, instant


KNOWN = """
import datetime, time
def main():
    moscow = [datetime.datetime(year, 7, 1).astimezone().strftime("%z") for year in (2010, 2013, 2015)]
    skipped = datetime.datetime.fromtimestamp(datetime.datetime(2012, 3, 25, 2, 30).timestamp())
    return [moscow, str(skipped), time.localtime(1325239200).tm_mday]
"""


def test_what_history_says(run):
    assert run(KNOWN, zone="Europe/Moscow").value == [["+0400", "+0400", "+0300"], "2012-03-25 02:30:00", 30]
    assert run(KNOWN, zone="Europe/Berlin").value[1] == "2012-03-25 03:30:00"
    # A day that Samoa did not have.
    assert run("import time\nresult = time.localtime(1325239200)[:4]", zone="Pacific/Apia").value == [2011, 12, 31, 0]


def test_now_is_the_same_to_everything(run, plain):
    source = """
import time, datetime
def main():
    t = time.time()
    clocks = [time.localtime()[:5], time.localtime(t)[:5], datetime.datetime.now().timetuple()[:5]]
    clocks += [datetime.datetime.now().astimezone().timetuple()[:5], datetime.datetime.today().timetuple()[:5]]
    clocks += [datetime.datetime.fromtimestamp(t).timetuple()[:5]]
    days = {datetime.date.today(), datetime.datetime.now().date(), datetime.date.fromtimestamp(t)}
    zone = [time.tzname, time.timezone, time.altzone, time.daylight]
    names = [time.strftime("%Z"), time.localtime().tm_zone, datetime.datetime.now().astimezone().tzname()]
    at_once = time.ctime() == time.ctime(time.time())
    return [len({tuple(each) for each in clocks}), len(days), zone, len(set(names)), at_once]
"""
    for start in (run, plain):
        # Casablanca's file lists changes of decades to come, and its rule holds after them only.
        for zone in ("Africa/Casablanca", "Asia/Kolkata", "America/St_Johns"):
            assert start(source, zone=zone).value[:2] == [1, 1]
        assert start(source, zone="America/New_York").value[2] == [["EST", "EDT"], 18000, 14400, 1]
        assert start(source, zone="Asia/Kolkata").value[2] == [["IST", "IST"], -19800, -19800, 0]
        assert start(source, zone="Asia/Kolkata").value[3:] == [1, True]


def test_classes_of_the_program_derive_from_datetime(run):
    source = """
import datetime
class Stamp(datetime.datetime):
    def __new__(cls, *args, **kwargs):
        made.append(len(args))
        return super().__new__(cls, *args, **kwargs)
class Day(datetime.date): pass
made = []
def main():
    stamp = Stamp.fromtimestamp(1e9)
    return [type(stamp).__name__, stamp.isoformat(), stamp.timestamp(), type(stamp.astimezone()).__name__,
            type(Day.fromtimestamp(0)).__name__, type(Day.today()).__name__, type(Stamp.today()).__name__, made[0]]
"""
    stamps = ["Stamp", "2001-09-09T03:46:40", 1e9, "Stamp", "Day", "Day", "Stamp", 8]
    assert run(source, zone="Europe/Berlin").value == stamps


WRONG = """
import time, datetime
def said(act):
    try:
        return repr(act())
    except Exception as error:
        return f"{type(error).__name__}: {error}"
def main():
    acts = [lambda: time.localtime("1"), lambda: time.localtime(float("nan")), lambda: time.localtime(1e30),
            lambda: time.ctime([]), lambda: time.mktime((1, 2)), lambda: time.mktime([2000, 1, 1, 0, 0, 0, 0, 0, 0]),
            lambda: time.mktime(("x",) * 9), lambda: time.strftime(1), lambda: time.strftime("%Y", (1, 2)),
            lambda: datetime.datetime.fromtimestamp("1"), lambda: datetime.datetime.fromtimestamp(1e30),
            lambda: datetime.datetime.fromtimestamp(0, 1), lambda: datetime.date.fromtimestamp("1"),
            lambda: datetime.datetime.now().astimezone(1), lambda: time.localtime(True).tm_sec,
            lambda: time.localtime(253402300800).tm_year, lambda: time.localtime(-62135596801).tm_year,
            lambda: time.strftime("%s", (1970, 1, 1, 0, 0, 0, 0, 1, 0))]
    return [said(act) for act in acts]
"""


def test_mistakes_are_told_as_in_cpython(run):
    done = subprocess.run(
        [sys.executable, "-c", f"{WRONG}\nimport json; print(json.dumps(main()))"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TZ": "UTC"},
    )
    assert run(WRONG, zone="UTC").value == json.loads(done.stdout)


ZONEINFO = """
import datetime, zoneinfo
from zoneinfo import ZoneInfo
class Named(ZoneInfo): pass
def tried(act):
    try:
        return repr(act())
    except Exception as error:
        return type(error).__name__
def main():
    zones = zoneinfo.available_timezones()
    offsets = [len({ZoneInfo(name).key for name in zones}) == len(zones)]
    berlin = ZoneInfo("Europe/Berlin")
    day = datetime.datetime(2021, 3, 28, 12, tzinfo=berlin)
    return [offsets, day.isoformat(), day.tzname(), str(berlin), repr(berlin), berlin is ZoneInfo("Europe/Berlin"),
            berlin is ZoneInfo.no_cache("Europe/Berlin"), (day - datetime.timedelta(days=1)).isoformat(),
            day.astimezone(ZoneInfo("Asia/Kathmandu")).isoformat(), type(Named("Asia/Tokyo")).__name__,
            isinstance(berlin, datetime.tzinfo), ZoneInfo.clear_cache(), zoneinfo.TZPATH,
            [tried(lambda: ZoneInfo(key)) for key in ("Nope", "localtime", "../etc/passwd", "/etc/localtime", "", 1)]]
"""


def test_every_zone_by_name(run, plain):
    expected = [
        [True],
        "2021-03-28T12:00:00+02:00",
        "CEST",
        "Europe/Berlin",
        "zoneinfo.ZoneInfo(key='Europe/Berlin')",
        True,
        False,
        "2021-03-27T12:00:00+01:00",
        "2021-03-28T15:45:00+05:45",
        "Named",
        True,
        None,
        [],
    ]
    for start in (run, plain):
        found = start(ZONEINFO).value
        assert found[:-1] == expected
        assert found[-1][:4] == ["ZoneInfoNotFoundError", "ZoneInfoNotFoundError", "ValueError", "ValueError"]
        assert not any("ZoneInfo(" in each for each in found[-1])


def test_no_zone_is_made_of_bytes(run):
    source = """
import io, zoneinfo
def main():
    data = io.BytesIO(b"TZif")
    for make in (zoneinfo.ZoneInfo.from_file, zoneinfo.ZoneInfo("UTC").from_file):
        try:
            make(data)
            return "made"
        except NotImplementedError as error:
            said = str(error)
    return [said, data.tell()]
"""
    said, read = run(source).value
    assert "ZoneInfo with the name of a zone" in said
    assert read == 0

"""The zone and the seed of a task, and that nothing of ours has settled either before the task came."""

from __future__ import annotations

import datetime
import zoneinfo

import pytest

# V8 settles its zone at the first use of Date or Intl in the process: what it gives is compared with another reader of
# the same rules, for instants past and to come, summer and winter, and before there was standard time.
ZONES = ["UTC", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Kiritimati", "Europe/Dublin"]
INSTANTS = [-2_000_000_000, -780_000_000, 0, 315_532_800, 789_000_000, 1_000_000_000, 1_720_000_000, 1_735_000_000]
PARTS = """[...inputs.instants.map((s) => {
  const d = new Date(s * 1000);
  return [d.getFullYear(), d.getMonth() + 1, d.getDate(), d.getHours(), d.getMinutes(), d.getSeconds()];
}), Intl.DateTimeFormat().resolvedOptions().timeZone]"""
# Each makes the parser read the source first, whose own use of the engine must settle nothing.
WAYS = {
    "script": "{}",
    "body": "return {};",
    "module": "export default {};",
    "asked of the parser": "const x = await (async () => 1)(); return {};",
}


@pytest.mark.parametrize(
    ("zone", "way"), [*((zone, "script") for zone in ZONES), *((ZONES[1], way) for way in WAYS if way != "script")]
)
def test_local_time(js, zone, way):
    value = js.run(WAYS[way].replace("{}", PARTS), {"instants": INSTANTS}, zone=zone).value
    there = zoneinfo.ZoneInfo(zone)
    expected = [datetime.datetime.fromtimestamp(at, datetime.UTC).astimezone(there) for at in INSTANTS]
    assert value[:-1] == [[d.year, d.month, d.day, d.hour, d.minute, d.second] for d in expected]
    assert value[-1] in {zone, "Asia/Calcutta"}


def test_every_reader_of_the_zone_agrees(js):
    source = """const d = new Date(1720000000000);
[new Date(2024, 6, 3, 5, 46, 40).getTime(), Date.parse('2024-07-03T05:46:40'), d.getTimezoneOffset(), String(d),
 d.toLocaleString('en-GB'), new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Tokyo', timeStyle: 'short' }).format(d),
 Temporal.Now.timeZoneId(), d.toISOString()]"""
    assert js.run(source, zone="America/New_York").value == [
        1720000000000,
        1720000000000,
        240,
        "Wed Jul 03 2024 05:46:40 GMT-0400 (Eastern Daylight Time)",
        "03/07/2024, 05:46:40",
        "18:46",
        "America/New_York",
        "2024-07-03T09:46:40.000Z",
    ]


def test_a_program_can_change_no_zone_but_its_own(js):
    assert js.run("Intl.DateTimeFormat().resolvedOptions().timeZone", zone="Asia/Tokyo").value == "Asia/Tokyo"
    assert js.run("Intl.DateTimeFormat().resolvedOptions().timeZone").value == "UTC"


def test_a_seed_holds_however_the_source_is_started(js):
    drawn = {js.run(way.replace("{}", "[Math.random(), Math.random()]"), seed=7).report.output for way in WAYS.values()}
    assert len(drawn) == 1
    assert js.run("[Math.random(), Math.random()]").report.output not in drawn


def test_a_seed_is_for_math_random_only(js):
    source = "[Math.random(), crypto.randomUUID()]"
    (first, one), (second, two) = (js.run(source, seed=7).value for _ in range(2))
    assert first == second
    assert one != two

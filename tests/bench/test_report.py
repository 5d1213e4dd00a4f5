"""What `make bench` says of its rows: ratios, what must hold, growth."""

from __future__ import annotations

from typing import Any

from bench.measure import Ratio, Row, Series, Unit, at_least, at_most
from bench.report import document, table

MILLISECOND = 1_000_000


def ms(name: str, *milliseconds: float) -> Row:
    return Row(name, tuple(number * MILLISECOND for number in milliseconds))


def found(rows: list[Row], *ratios: Ratio, again: tuple[Row, ...] = (), series: tuple[Series, ...] = ()) -> Any:
    return document(rows, again, ratios, series, quick=False)


def test_ratio_divides_by_the_sum_and_is_absent_when_a_row_is() -> None:
    rows = [ms("task", 12, 12), ms("call", 2, 2), ms("fork", 1, 1), Row("gone", missing="no such thing here")]
    ratios = [Ratio("over", "task", ("call", "fork"), "x"), Ratio("lost", "gone", ("call",), "y")]
    said = found(rows, *ratios, again=(ms("call", 3, 3),))
    assert said["ratios"] == {"over": 4.0, "lost": None}
    assert said["drift"] == {"call": 0.5}
    assert said["missing"] == {"gone": "no such thing here"}
    shown = table(said, ratios)
    assert "gone  not available: no such thing here" in shown
    assert "drift of call: +50%" in shown


def test_a_ratio_may_be_of_the_slowest_and_over_itself() -> None:
    ratio = Ratio("tail", "x", ("x",), "", part="p99")
    assert found([ms("x", 1, 2, 2, 2, 10)], ratio)["ratios"]["tail"] == 5


def test_a_ratio_over_nothing_is_the_figure_itself() -> None:
    row = Row("held", (3 << 20,), unit=Unit.SIZE)
    assert found([row], Ratio("MiB", "held", (), ""))["ratios"]["MiB"] == 3


def test_what_must_hold_is_one_table_with_met_unmet_and_unmeasured() -> None:
    rows = [ms("slow", 30), ms("fast", 10)]
    ratios = [
        Ratio("kept", "slow", ("fast",), "", at_most(3.5, aim=2)),
        Ratio("broken", "fast", ("slow",), "", at_least(0.5)),
        Ratio("unknown", "absent", ("slow",), "", at_least(0.5)),
        Ratio("beside", "fast", ("slow",), "no target"),
    ]
    said = found(rows, *ratios)
    assert said["must_hold"]["kept"] == {"value": 3.0, "at_most": 3.5, "aim": 2, "met": True}
    assert {name: judged["met"] for name, judged in said["must_hold"].items()} == {
        "kept": True,
        "broken": False,
        "unknown": None,
    }
    lines = table(said, ratios).splitlines()
    begin = next(place for place, line in enumerate(lines) if line.startswith("what must hold"))
    assert [line.split() for line in lines[begin + 1 : begin + 4]] == [
        ["kept", "3.00", "<=", "3.5", "2", "yes"],
        ["broken", "0.333", ">=", "0.5", "NO"],
        ["unknown", "-", ">=", "0.5", "-"],
    ]
    assert sum("beside" in line for line in lines) == 1


def test_growth_leaves_out_sizes_that_were_not_measured() -> None:
    series = Series("code", "line", ((10, "ten"), (100, "hundred"), (1000, "thousand")))
    said = found([ms("ten", 1), ms("thousand", 100)], series=(series,))
    assert said["growth"]["code"]["sizes"] == (10, 1000)
    assert said["growth"]["code"]["exponent"] == 1
    assert "100.0000 µs a line" in table(said, [])
    assert found([ms("ten", 1)], series=(series,))["growth"] == {}

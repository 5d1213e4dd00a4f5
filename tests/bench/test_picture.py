"""The picture of where the time goes."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from bench.calls import Taken
from bench.handover import split
from bench.parts import CALL, CHILD, COMPILE, PARTS, QUEUE, REAP, REPORT, RUN, bars, call_parts
from bench.picture import stacked_bars, ticks
from langserver.pb import lang_pb2

SVG = "{http://www.w3.org/2000/svg}"


def drawn(picture: str) -> dict[str, tuple[float, float]]:
    """Left end and width of each part that is drawn, by its tooltip's words before the colon."""
    return {
        title.text.partition(":")[0]: (float(rect.attrib["x"]), float(rect.attrib["width"]))
        for rect in ET.fromstring(picture).iter(f"{SVG}rect")
        if (title := rect.find(f"{SVG}title")) is not None and title.text
    }


def test_parts_stand_one_after_the_other_on_one_scale() -> None:
    parts = drawn(stacked_bars("x", {"": {"one": {CALL: 1.0, RUN: 3.0}, "two": {REAP: 2.0}}}))
    (call, call_wide), (run, run_wide), (reap, reap_wide) = (
        parts[name] for name in (f"one, {CALL}", f"one, {RUN}", f"two, {REAP}")
    )
    assert call == reap
    assert run == pytest.approx(call + call_wide, abs=0.2)
    assert run_wide == pytest.approx(3 * call_wide, rel=0.01)
    assert reap_wide == pytest.approx(2 * call_wide, rel=0.01)


def test_a_panel_has_a_scale_of_its_own() -> None:
    parts = drawn(stacked_bars("x", {"short": {"one": {RUN: 1.0}}, "long": {"two": {RUN: 100.0}}}))
    assert parts[f"one, {RUN}"] == parts[f"two, {RUN}"]


@pytest.mark.parametrize(
    ("longest", "shown"),
    [(1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (7.9, [0, 1, 2, 3, 4, 5, 6, 7]), (305, [0, 50, 100, 150, 200, 250, 300])],
)
def test_ticks_are_round(longest: float, shown: list[float]) -> None:
    assert ticks(longest) == pytest.approx(shown)


def test_words_are_escaped_and_only_used_parts_are_in_the_legend() -> None:
    picture = stacked_bars("a < b & c", {"": {"<x>": {RUN: 1.0}}})
    texts = [text.text for text in ET.fromstring(picture).iter(f"{SVG}text")]
    assert "a < b & c" in texts
    assert "<x>" in texts
    assert [part for part in PARTS if part in texts] == [RUN]


def test_nothing_to_draw_is_no_fault() -> None:
    assert drawn(stacked_bars("x", {})) == drawn(stacked_bars("x", {"": {}, "y": {"one": {}}})) == {}


def test_every_part_has_a_colour_of_its_own() -> None:
    picture = ET.fromstring(stacked_bars("x", {"": {"one": dict.fromkeys(PARTS, 1.0)}}))
    coloured = {rect.attrib["fill"] for rect in picture.iter(f"{SVG}rect") if rect.find(f"{SVG}title") is not None}
    assert len(coloured) == len(PARTS)


def test_bars_are_found_among_other_rows() -> None:
    medians = {"js, warm: run": 1.0, "sealing js: step pipes": 2.0, "echo": 3.0, "js, warm: reap": 4.0}
    assert bars(medians) == {"js, warm": {"run": 1.0, "reap": 4.0}}


@pytest.mark.parametrize(("started", "report"), [(30, 50), (70, 10), (100, 0)])
def test_the_parts_of_a_hand_over_sum_up_to_it(started: int, report: int) -> None:
    parts = split(0, started, reported_at=100, compile_ns=5, run_ns=20)
    assert parts[REPORT] == report
    assert sum(parts.values()) == 100


def test_the_parts_of_a_call_sum_up_to_it() -> None:
    usage = lang_pb2.Usage(queue_seconds=0.002, wall_seconds=0.005, compile_seconds=0.001, run_seconds=0.0005)
    rows = call_parts("bar", [Taken(10_000_000, 0, usage)])
    parts = {row.name.removeprefix("bar: "): row.samples[0] for row in rows}
    assert parts == {CALL: 3_000_000, QUEUE: 2_000_000, CHILD: 3_500_000, COMPILE: 1_000_000, RUN: 500_000}

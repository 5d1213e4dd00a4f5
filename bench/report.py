"""What a run found, for people and for programs."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from bench.measure import Ratio, Row, Series, Summary, growth, summarize
from bench.noise import Moment, others_cores

DISTRIBUTIONS = ("langserver", "grpcio", "protobuf", "RestrictedPython", "mini-racer")


def document(
    rows: Sequence[Row],
    again: Sequence[Row],
    ratios: Sequence[Ratio],
    series: Sequence[Series],
    quick: bool,
) -> dict[str, Any]:
    """The run as JSON: rows, ratios, what must hold, growth, and each baseline's drift between start and end (0.1 is
    10 %).
    """
    summaries = {row.name: summarize(row) for row in rows if row.samples}
    values = {ratio.name: _value(ratio, summaries) for ratio in ratios}
    return {
        "quick": quick,
        "rows": {name: asdict(summary) for name, summary in summaries.items()},
        "missing": {row.name: row.missing for row in rows if row.missing},
        "ratios": values,
        "must_hold": {ratio.name: _judged(ratio, values[ratio.name]) for ratio in ratios if ratio.target},
        "growth": _growths(series, summaries),
        "drift": {
            row.name: summarize(row).median / summaries[row.name].median - 1
            for row in again
            if row.samples and row.name in summaries
        },
    }


def machine(start: Moment, end: Moment) -> dict[str, Any]:
    """Where and when, and how busy it was."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "usable_cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in DISTRIBUTIONS},
        "seconds": end.at_seconds - start.at_seconds,
        "load_at_start": start.load,
        "load_at_end": end.load,
        "others_cores": others_cores(start, end),
    }


def table(found: Mapping[str, Any], ratios: Sequence[Ratio]) -> str:
    """The same for a terminal."""
    shown = [ratio for ratio in ratios if ratio.name in found["ratios"]]
    width = max(map(len, [*found["rows"], *found["missing"], *(ratio.name for ratio in shown)]), default=0)
    lines = [f"{'':{width}}      n       p50       p99       noise"]
    lines += [
        f"{name:{width}}  {row['count']:5}  {_number(row['median'])}"
        f"  {_number(row['p99']) if row['unit'] == 'ms' else '':8}  {row['unit']:3}  {row['noise']:5.0%}"
        for name, row in found["rows"].items()
    ]
    lines += [f"{name:{width}}  not available: {reason}" for name, reason in found["missing"].items()]
    for text in (_growth_table(found), _ratio_table(found, shown, width), _must_table(found, width), _noise(found)):
        lines += ["", text] if text else []
    if found["quick"]:
        lines.append("A quick run: these figures show that the rows work, no more.")
    return "\n".join(lines)


def _value(ratio: Ratio, summaries: Mapping[str, Summary]) -> float | None:
    if any(name not in summaries for name in (ratio.of, *ratio.to)):
        return None
    of: float = getattr(summaries[ratio.of], ratio.part)
    return of / sum(summaries[name].median for name in ratio.to) if ratio.to else of


def _judged(ratio: Ratio, value: float | None) -> dict[str, Any]:
    target = ratio.target
    assert target is not None
    return {
        "value": value,
        "at_most" if target.at_most else "at_least": target.bound,
        "aim": target.aim,
        "met": None if value is None else target.met(value),
    }


def _growths(series: Sequence[Series], summaries: Mapping[str, Summary]) -> dict[str, Any]:
    found = {}
    for one in series:
        points = [(size, summaries[row].median) for size, row in one.points if row in summaries]
        if len(points) > 1:
            found[one.name] = {"per": one.per, **asdict(growth(points))}
    return found


def _number(value: float) -> str:
    return f"{value:8.3f}" if value < 1000 else f"{value:8.1f}"


def _growth_table(found: Mapping[str, Any]) -> str:
    if not found["growth"]:
        return ""
    width = max(map(len, found["growth"]))
    lines = ["how a call grows: ms at each size; for one more; exponent of the last step (1 is linear)"]
    for name, one in found["growth"].items():
        points = "  ".join(f"{size:,}: {median:.2f}" for size, median in zip(one["sizes"], one["medians"], strict=True))
        lines.append(f"{name:{width}}  {one['each'] * 1000:9.4f} µs a {one['per']}  {one['exponent']:5.2f}   {points}")
    return "\n".join(lines)


def _ratio_table(found: Mapping[str, Any], shown: Sequence[Ratio], width: int) -> str:
    return "\n".join(
        f"{ratio.name:{width}}  {_short(found['ratios'][ratio.name])}  ({ratio.why})"
        for ratio in shown
        if ratio.target is None
    )


def _must_table(found: Mapping[str, Any], width: int) -> str:
    if not found["must_hold"]:
        return ""
    lines = [f"{'what must hold':{width}}   value     must     aim  met"]
    for name, judged in found["must_hold"].items():
        bound = f"<= {judged['at_most']}" if "at_most" in judged else f">= {judged['at_least']}"
        aim = "" if judged["aim"] is None else judged["aim"]
        met = {None: "-", True: "yes", False: "NO"}[judged["met"]]
        lines.append(f"{name:{width}}  {_short(judged['value'])}  {bound:>7}  {aim:>6}  {met}")
    return "\n".join(lines)


def _noise(found: Mapping[str, Any]) -> str:
    lines = [f"drift of {name}: {drift:+.0%}" for name, drift in found["drift"].items()]
    if here := found.get("machine"):
        lines.append(
            f"{here['usable_cores']} cores, of which others kept {here['others_cores']:.1f} busy; load"
            f" {here['load_at_start']:.1f} at the start, {here['load_at_end']:.1f} at the end; {here['seconds']:.0f} s"
        )
    return "\n".join(lines)


def _short(value: float | None) -> str:
    if value is None:
        return f"{'-':>6}"
    return f"{value:6.0f}" if value >= 100 else f"{value:#6.3g}"

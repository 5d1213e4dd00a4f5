"""What a run found, for people and for programs."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from bench.measure import Ratio, Row, Summary, summarize

DISTRIBUTIONS = ("langserver", "grpcio", "protobuf", "RestrictedPython", "mini-racer")


def document(rows: Sequence[Row], again: Sequence[Row], ratios: Sequence[Ratio], quick: bool) -> dict[str, Any]:
    """The run as JSON: machine, rows, ratios, and each baseline's drift between start and end (0.1 is 10 %)."""
    summaries = {row.name: summarize(row.samples_ns) for row in rows if row.samples_ns}
    return {
        "machine": _machine(),
        "quick": quick,
        "rows": {name: asdict(summary) for name, summary in summaries.items()},
        "missing": {row.name: row.missing for row in rows if row.missing},
        "ratios": {ratio.name: _value(ratio, summaries) for ratio in ratios},
        "drift": {
            row.name: summarize(row.samples_ns).median_ms / summaries[row.name].median_ms - 1
            for row in again
            if row.samples_ns and row.name in summaries
        },
    }


def table(found: Mapping[str, Any], ratios: Sequence[Ratio]) -> str:
    """The same for a terminal."""
    names = [*found["rows"], *found["missing"], *(ratio.name for ratio in ratios)]
    width = max(map(len, names), default=0)
    lines = [f"{'':{width}}      n   p50 ms   p99 ms  noise"]
    lines += [
        f"{name:{width}}  {row['count']:5}  {row['median_ms']:7.3f}  {row['p99_ms']:7.3f}  {row['noise']:5.0%}"
        for name, row in found["rows"].items()
    ]
    lines += [f"{name:{width}}  not available: {reason}" for name, reason in found["missing"].items()]
    lines.append("")
    for ratio in ratios:
        value = found["ratios"][ratio.name]
        lines.append(f"{ratio.name:{width}}  {'-' if value is None else f'{value:.1f}':>5}  ({ratio.why})")
    lines.append("")
    lines += [f"drift of {name}: {drift:+.0%}" for name, drift in found["drift"].items()]
    if found["quick"]:
        lines.append("A quick run: these figures show that the rows work, no more.")
    return "\n".join(lines)


def _value(ratio: Ratio, summaries: Mapping[str, Summary]) -> float | None:
    if any(name not in summaries for name in (ratio.of, *ratio.to)):
        return None
    return summaries[ratio.of].median_ms / sum(summaries[name].median_ms for name in ratio.to)


def _machine() -> dict[str, Any]:
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "usable_cores": len(os.sched_getaffinity(0)),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "versions": {name: version(name) for name in DISTRIBUTIONS},
    }

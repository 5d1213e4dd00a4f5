"""What sealing a child costs, by layer and by step, as the child itself sees it: fork and page faults come besides."""

from __future__ import annotations

from bench.context import Context
from bench.measure import Ratio, Row
from bench.rows.baselines import BARE_FORK
from langserver.sandbox.jail import STEPS
from langserver.sandbox.layers import LAYERS, format_layers
from langserver.sandbox.probe import probe

RUNTIMES = ("python", "js")
SEAL = "sealing {}"
LAYER = "sealing {}: layer {}"
STEP = "sealing {}: step {}"
NO_LAYER = "(none)"  # pipes, death with the parent, and the runtime's waking up

RATIOS = tuple(
    Ratio(f"sealing {runtime} over a bare fork", SEAL.format(runtime), (BARE_FORK,), "all steps together")
    for runtime in RUNTIMES
)


def rows(context: Context) -> list[Row]:
    """Both runtimes, under every layer this host has; the steps of one child, and their sums by layer."""
    return [row for runtime in RUNTIMES for row in _of(runtime, context)]


def _of(runtime: str, context: Context) -> list[Row]:
    active = frozenset(layer.name for layer in probe() if layer.available)
    times = context.driver_table("seal_steps", runtime, str(context.count(200)), format_layers(active))
    taken = [step for step in STEPS if not step.layers or step.layers & active]
    by_layer: dict[str, list[str]] = {}
    for step in taken:
        # A step of several layers is counted once: for the first of them.
        layer = next((name for name in LAYERS if name in step.layers), NO_LAYER)
        by_layer.setdefault(layer, []).append(step.name)
    return [
        Row(SEAL.format(runtime), _sum(times, [step.name for step in taken])),
        *(Row(LAYER.format(runtime, layer), _sum(times, names)) for layer, names in by_layer.items()),
        *(Row(STEP.format(runtime, step.name), times[step.name]) for step in taken),
    ]


def _sum(times: dict[str, tuple[int, ...]], names: list[str]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*(times[name] for name in names), strict=True)))

"""`make bench`: measures every row, prints a table and writes bench/results/latest.json."""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import bench.rows
from bench.measure import ROOT, Context, NotAvailable, Ratio, Row
from bench.report import document, table

LATEST = ROOT / "bench" / "results" / "latest.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs all rows. Status 1 says that one could not be measured, never that a figure is bad."""
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few samples a row, to see that the rows work")
    parser.add_argument("--json", type=Path, default=LATEST, metavar="FILE", help="where the figures go (%(default)s)")
    options = parser.parse_args(arguments)

    modules = row_modules()
    baselines = [module for module in modules if getattr(module, "BASELINE", False)]
    others = [module for module in modules if module not in baselines]
    ratios: list[Ratio] = [ratio for module in modules for ratio in getattr(module, "RATIOS", ())]

    context = Context(quick=options.quick)
    with context.cleanup:
        rows = _measure([*baselines, *others], context)
        again = _measure(baselines, context)
    found = document(rows, again, ratios, options.quick)
    print(table(found, ratios))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(found, indent=2) + "\n")
    return 1 if found["missing"] else 0


def row_modules() -> list[ModuleType]:
    """Every module of bench.rows, by name."""
    names = sorted(found.name for found in pkgutil.iter_modules(bench.rows.__path__))
    return [importlib.import_module(f"bench.rows.{name}") for name in names]


def _measure(modules: Sequence[ModuleType], context: Context) -> list[Row]:
    rows: list[Row] = []
    for module in modules:
        print(f"measuring {module.__name__.rpartition('.')[2]}", file=sys.stderr)
        try:
            rows += module.rows(context)
        except NotAvailable as reason:
            rows.append(Row(module.__name__.rpartition(".")[2], missing=str(reason)))
    return rows


if __name__ == "__main__":
    sys.exit(main())

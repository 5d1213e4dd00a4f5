"""`make bench`: measures every row, prints a table and writes figures and a picture into bench/results."""

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
from bench.context import ROOT, Context
from bench.measure import NotAvailable, NotHere, Ratio, Row, Series
from bench.noise import Moment
from bench.parts import bars as bars_of
from bench.picture import stacked_bars
from bench.report import document, machine, table

RESULTS = ROOT / "bench" / "results"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the rows. Status 1 says that one could not be measured, never that a figure is bad."""
    modules = {_name(module): module for module in row_modules()}
    options = _parser(tuple(modules)).parse_args(arguments)
    baselines = [module for module in modules.values() if getattr(module, "BASELINE", False)]
    chosen = [
        module
        for name, module in modules.items()
        if module not in baselines and (name in options.rows if options.rows else not getattr(module, "LONG", False))
    ]
    measured = [*baselines, *chosen]

    context = Context(quick=options.quick)
    start = Moment.now()
    with context.cleanup:
        rows = _measure(measured, context)
        again = _measure(baselines, context)
    ratios: list[Ratio] = [ratio for module in measured for ratio in getattr(module, "RATIOS", ())]
    series: list[Series] = [one for module in measured for one in getattr(module, "SERIES", ())]
    found = document(rows, again, ratios, series, options.quick) | {"machine": machine(start, Moment.now())}
    print(table(found, ratios))
    _write(options.results, "some" if options.rows else "latest", found)
    return 1 if any(row.fault for row in rows if row.missing) else 0


def row_modules() -> list[ModuleType]:
    """Every module of bench.rows, by name."""
    names = sorted(found.name for found in pkgutil.iter_modules(bench.rows.__path__))
    return [importlib.import_module(f"bench.rows.{name}") for name in names]


def _parser(names: tuple[str, ...]) -> argparse.ArgumentParser:
    def chosen(text: str) -> list[str]:
        wanted = text.split(",")
        if unknown := ", ".join(sorted(set(wanted) - set(names))):
            raise argparse.ArgumentTypeError(f"there is no {unknown}; there are {', '.join(names)}")
        return wanted

    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few samples a row, to see that the rows work")
    parser.add_argument(
        "--rows", type=chosen, metavar="NAME,...", help=f"only these and the baselines: {', '.join(names)}"
    )
    parser.add_argument(
        "--results", type=Path, default=RESULTS, metavar="FOLDER", help="where figures go (%(default)s)"
    )
    return parser


def _name(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def _measure(modules: Sequence[ModuleType], context: Context) -> list[Row]:
    rows: list[Row] = []
    for module in modules:
        print(f"measuring {_name(module)}", file=sys.stderr)
        try:
            rows += module.rows(context)
        except NotAvailable as reason:
            rows.append(Row(_name(module), missing=str(reason), fault=not isinstance(reason, NotHere)))
    return rows


def _write(folder: Path, name: str, found: dict[str, object]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(found, indent=2) + "\n")
    medians = {row: figures["median"] for row, figures in found["rows"].items()}  # type: ignore[attr-defined]
    if stacks := bars_of(medians):
        # At saturation a call waits in the queue for many times what it takes: a scale of its own.
        full = {bar: parts for bar, parts in stacks.items() if bar.endswith("callers")}
        rest = {bar: parts for bar, parts in stacks.items() if bar not in full}
        panels = {"one at a time, and at half load": rest, "at saturation": full}
        title = "Where the time of a trivial task goes: medians of its parts"
        picture = stacked_bars(title, {heading: bars for heading, bars in panels.items() if bars})
        (folder / f"{name}.svg").write_text(picture)


if __name__ == "__main__":
    sys.exit(main())

"""Rows, their summaries, and what rows are given to make their measurements."""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DRIVERS = ROOT / "bench" / "drivers"


class NotAvailable(Exception):
    """A row could not be measured; the text says why."""


@dataclass(frozen=True, slots=True)
class Row:
    """One thing measured: the nanoseconds of each sample, or none and the reason in `missing`."""

    name: str
    samples_ns: tuple[int, ...] = ()
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Ratio:
    """The median of row `of` divided by the summed medians of the rows `to`. `why` says what a reader learns of it."""

    name: str
    of: str
    to: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Summary:
    """Times in milliseconds. `noise` is the middle half's width divided by the median."""

    count: int
    median_ms: float
    p99_ms: float
    noise: float


@dataclass(slots=True)
class Context:
    """What rows share. `quick` asks for a few samples only: enough to see that a row works, not to believe it."""

    quick: bool = False
    cleanup: ExitStack = field(default_factory=ExitStack)
    _server: str = ""

    def count(self, full: int) -> int:
        """How many samples to take where an unhurried run takes `full`."""
        return min(full, 5) if self.quick else full

    def driver(self, name: str, *arguments: str, flags: tuple[str, ...] = ("-I",)) -> tuple[int, ...]:
        """Runs bench/drivers/NAME.py in a fresh interpreter; returns the nanoseconds it printed as one JSON array.

        Raises NotAvailable when it fails; what it says on stderr is shown.
        """
        return tuple(json.loads(_printed(name, arguments, flags)))

    def driver_table(self, name: str, *arguments: str) -> dict[str, tuple[int, ...]]:
        """The same of a driver that measures several things at once and prints a JSON object of arrays."""
        return {what: tuple(samples) for what, samples in json.loads(_printed(name, arguments, ("-I",))).items()}

    def listening(self, *command: str) -> str:
        """Starts a server that lives until the run ends; returns the last word of the first line it prints.

        Raises NotAvailable when it prints none.
        """
        server = self.cleanup.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        self.cleanup.callback(server.terminate)
        assert server.stdout is not None
        words = server.stdout.readline().split()
        if not words:
            raise NotAvailable(f"`{' '.join(command[1:])}` ended before it listened")
        return words[-1]

    def language_server(self) -> str:
        """The address of a language server with default settings, the same for all rows of this run."""
        self._server = self._server or self.listening(
            sys.executable, "-m", "langserver", "serve", "--listen", "127.0.0.1:0"
        )
        return self._server


def _printed(driver: str, arguments: tuple[str, ...], flags: tuple[str, ...]) -> bytes:
    command = [sys.executable, *flags, str(DRIVERS / f"{driver}.py"), *arguments]
    finished = subprocess.run(command, stdout=subprocess.PIPE, check=False, timeout=120)
    if finished.returncode:
        raise NotAvailable(f"its driver ended with status {finished.returncode}")
    return finished.stdout


def repeat(count: int, action: Callable[[], object]) -> tuple[int, ...]:
    """Nanoseconds of `count` calls of `action`, one after the other, after one that is not counted."""
    action()
    samples = []
    for _ in range(count):
        started = time.perf_counter_ns()
        action()
        samples.append(time.perf_counter_ns() - started)
    return tuple(samples)


def summarize(samples_ns: tuple[int, ...]) -> Summary:
    """The figures of a row with at least two samples."""
    ordered = sorted(samples_ns)
    median = statistics.median(ordered)
    low, _, high = statistics.quantiles(ordered, n=4)
    p99 = ordered[math.ceil(0.99 * len(ordered)) - 1]
    return Summary(len(ordered), median / 1e6, p99 / 1e6, (high - low) / median)

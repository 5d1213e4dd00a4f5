"""What rows are given to make their measurements: programs in processes of their own, and servers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.measure import NotAvailable

ROOT = Path(__file__).resolve().parent.parent
DRIVERS = ROOT / "bench" / "drivers"
_DRIVER_SECONDS = 240


@dataclass(frozen=True, slots=True)
class Server:
    """A server that listens."""

    address: str
    pid: int


@dataclass(slots=True)
class Context:
    """What rows share. `quick` asks for a few samples only: enough to see that a row works, not to believe it."""

    quick: bool = False
    cleanup: ExitStack = field(default_factory=ExitStack)
    _server: Server | None = None

    def count(self, full: int) -> int:
        """How many samples to take where an unhurried run takes `full`."""
        return min(full, 5) if self.quick else full

    def seconds(self, full: float) -> float:
        """How long to measure where an unhurried run takes `full`."""
        return min(full, 0.5) if self.quick else full

    def driver(self, name: str, *arguments: str, flags: tuple[str, ...] = ("-I",)) -> tuple[int, ...]:
        """Runs bench/drivers/NAME.py in a fresh interpreter; returns the nanoseconds it printed as one JSON array.

        Raises NotAvailable when it fails; what it says on stderr is shown.
        """
        return tuple(json.loads(_said(_started(name, arguments, flags))))

    def driver_table(self, name: str, *arguments: str) -> dict[str, tuple[int, ...]]:
        """The same of a driver that measures several things at once and prints a JSON object of arrays."""
        said = _said(_started(name, arguments, ("-I",)))
        return {what: tuple(samples) for what, samples in json.loads(said).items()}

    def driver_on_each_core(
        self, name: str, *arguments: str, flags: tuple[str, ...] = ("-I",)
    ) -> list[tuple[int, ...]]:
        """The same driver once for each usable core, bound to it, all at the same time; one array for each."""
        cores = sorted(os.sched_getaffinity(0))
        running: list[subprocess.Popen[bytes]] = []
        try:
            try:
                for core in cores:
                    os.sched_setaffinity(0, {core})  # what is started next inherits it
                    running.append(_started(name, arguments, flags))
            finally:
                os.sched_setaffinity(0, cores)
            return [tuple(json.loads(_said(process))) for process in running]
        finally:
            for process in running:
                process.kill()
                process.wait()

    def listening(self, *command: str) -> str:
        """Starts a server that lives until the run ends; returns the last word of the first line it prints.

        Raises NotAvailable when it prints none.
        """
        return self.cleanup.enter_context(listening(command, {})).address

    def language_server(self) -> Server:
        """A language server with default settings, the same for all rows of this run."""
        self._server = self._server or self.cleanup.enter_context(language_server({}))
        return self._server


@contextmanager
def language_server(settings: Mapping[str, str]) -> Iterator[Server]:
    """A language server with settings of its own, for as long as it is needed. Raises NotAvailable."""
    command = (sys.executable, "-m", "langserver", "serve", "--listen", "127.0.0.1:0")
    with listening(command, settings) as server:
        yield server


@contextmanager
def listening(command: tuple[str, ...], settings: Mapping[str, str]) -> Iterator[Server]:
    """A program that serves while it is needed; its address is the last word of the first line that it prints.

    Raises NotAvailable when it prints none.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LANG_")}
    environment |= {"LANG_LOG_LEVEL": "warning", **settings}  # a line an execution would be all that one sees
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        try:
            assert server.stdout is not None
            words = server.stdout.readline().split()
            if not words:
                raise NotAvailable(f"`{' '.join(command[1:])}` ended before it listened")
            yield Server(words[-1], server.pid)
        finally:
            server.terminate()


def _started(driver: str, arguments: tuple[str, ...], flags: tuple[str, ...]) -> subprocess.Popen[bytes]:
    command = [sys.executable, *flags, str(DRIVERS / f"{driver}.py"), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def _said(process: subprocess.Popen[bytes]) -> bytes:
    try:
        said, _ = process.communicate(timeout=_DRIVER_SECONDS)
    except subprocess.TimeoutExpired:
        raise NotAvailable(f"its driver took longer than {_DRIVER_SECONDS} s") from None
    finally:
        process.kill()  # also when the run was interrupted
        process.wait()
    if process.returncode:
        raise NotAvailable(f"its driver ended with status {process.returncode}")
    return said

"""Files that an operator replaces while the process runs."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

log = logging.getLogger(__name__)

Loaded = TypeVar("Loaded")


class Watched(Generic[Loaded]):
    """`value` is what `load` made of `files`, and makes of them again when one has changed.

    `load` raises ValueError or OSError where they cannot be used. `what` says in the log which they are.
    """

    def __init__(self, what: str, files: Sequence[Path], load: Callable[[], Loaded]) -> None:
        """Raises what `load` raises."""
        self._what = what
        self._files = files
        self._load = load
        self._seen = _states(files)
        self.value = load()

    def look(self, *, at_once: bool = False) -> None:
        """Loads what has changed; `at_once`, what has not too. What cannot be used leaves the value as it is."""
        states = _states(self._files)
        if states == self._seen and not at_once:
            return
        try:
            value = self._load()
        except (OSError, ValueError) as error:
            log.error("%s: what was read before goes on to be used: %s", self._what, error)
            self._seen = states
            return
        if _states(self._files) == states:  # else one was replaced meanwhile, and the next look sees them together
            self._seen, self.value = states, value
            log.info("%s: read again", self._what)


def warn_if_open(what: str, file: Path) -> None:
    """For a file with a secret."""
    if os.stat(file).st_mode & 0o007:
        log.warning("%s: every user of this machine can read or write %s: chmod it to 600 or 640", what, file)


def _states(files: Sequence[Path]) -> list[tuple[int, ...] | None]:
    return [_state(file) for file in files]


def _state(file: Path) -> tuple[int, ...] | None:
    try:
        now = os.stat(file)
    except OSError:
        return None
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns

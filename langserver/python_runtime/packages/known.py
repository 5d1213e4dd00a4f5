"""The packages that this server knows more of than their names: by package, one file each."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from langserver.python_runtime.packages import for_dateutil, for_numpy, for_pandas

WarmUp = Callable[[], None]

_WARM_UPS: Final[dict[str, WarmUp]] = {
    "numpy": for_numpy.warm_up,
    "dateutil": for_dateutil.warm_up,
    "pandas": for_pandas.warm_up,
}


def warm_ups() -> list[tuple[str, WarmUp]]:
    """What exercises each known package that is loaded: named by the operator, or needed by one that is."""
    return [(package, warm_up) for package, warm_up in _WARM_UPS.items() if package in sys.modules]


def reseed(seed: int | None) -> None:
    """Seeds the generators of known packages: with the task's seed (64 bits), or from the kernel."""
    if "numpy" in sys.modules:
        for_numpy.reseed(seed)

"""The clocks of `time` by their number: of this process only. With other numbers C reads those of other processes."""

from __future__ import annotations

import time
import types
from collections.abc import Callable
from typing import Any, Final

# By number: the function that reads the same clock, in seconds and in nanoseconds.
_CLOCKS: Final[dict[int, tuple[Callable[[], float], Callable[[], int]]]] = {
    time.CLOCK_REALTIME: (time.time, time.time_ns),
    time.CLOCK_MONOTONIC: (time.monotonic, time.monotonic_ns),
    time.CLOCK_PROCESS_CPUTIME_ID: (time.process_time, time.process_time_ns),
    time.CLOCK_THREAD_CPUTIME_ID: (time.thread_time, time.thread_time_ns),
}
# Asked in the zygote: the system call behind it has no other use to a child.
_ABOUT: Final = {
    name: time.get_clock_info(name) for name in ("monotonic", "perf_counter", "process_time", "thread_time", "time")
}
_RESOLUTION: Final = {number: time.clock_getres(number) for number in _CLOCKS}


def _known(number: Any) -> Any:
    if type(number) is not int or number not in _CLOCKS:
        raise OSError(22, "Invalid argument: only the clocks time.CLOCK_... of this module are available")
    return number


def clock_gettime(clk_id: int, /) -> float:
    """`time.clock_gettime`. Raises OSError for a clock that is not listed here."""
    return _CLOCKS[_known(clk_id)][0]()


def clock_gettime_ns(clk_id: int, /) -> int:
    """`time.clock_gettime_ns`."""
    return _CLOCKS[_known(clk_id)][1]()


def clock_getres(clk_id: int, /) -> float:
    """`time.clock_getres`."""
    return _RESOLUTION[_known(clk_id)]


def get_clock_info(name: str, /) -> types.SimpleNamespace:
    """`time.get_clock_info`. Raises ValueError for an unknown name."""
    if type(name) is not str or name not in _ABOUT:
        raise ValueError("unknown clock")
    return types.SimpleNamespace(**vars(_ABOUT[name]))


NAMES: Final[dict[str, Any]] = {
    each.__name__: each for each in (clock_getres, clock_gettime, clock_gettime_ns, get_clock_info)
}

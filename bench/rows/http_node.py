"""The http node: requests a second to a server on the same machine, against its client library alone."""

from __future__ import annotations

import sys

from bench.context import DRIVERS, Context
from bench.measure import NotAvailable, Ratio, Row, Unit, at_least

BARE, TASKS = "requests by h11 alone, ten at once", "http tasks, ten at once"
RATIOS = (
    Ratio(
        "http tasks over requests by h11 alone",
        TASKS,
        (BARE,),
        "what judging, bounding and normalising cost",
        at_least(0.5),
    ),
)

_AT_ONCE = 10
_REQUESTS = 1_000
_ROUNDS = 21


def rows(context: Context) -> list[Row]:
    """Raises NotAvailable when the server counted more connections than there were tasks at once."""
    requests, rounds = (100, 1) if context.quick else (_REQUESTS, _ROUNDS)
    server = context.listening(sys.executable, str(DRIVERS / "http_server.py"))
    took = context.driver_table("http_requests", server, str(requests), str(rounds))
    (connections,) = took["connections"]
    if connections > _AT_ONCE:
        raise NotAvailable(f"{connections} connections for {requests * rounds} requests, {_AT_ONCE} at once")
    return [_rate(BARE, requests, took["bare"]), _rate(TASKS, requests, took["tasks"])]


def _rate(name: str, requests: int, took: tuple[int, ...]) -> Row:
    return Row(name, tuple(requests * 1e9 / ns for ns in took), unit=Unit.RATE)

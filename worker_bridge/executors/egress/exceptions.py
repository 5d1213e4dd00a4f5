"""The policy of an installation: what an operator wrote into HTTP_ALLOW_NETWORKS and HTTP_ALLOW_HOSTS."""

from __future__ import annotations

from collections.abc import Iterable

from worker_bridge.errors import StartError
from worker_bridge.executors.egress.addresses import Network
from worker_bridge.executors.egress.policy import Policy
from worker_bridge.executors.egress.refusal import Refused
from worker_bridge.executors.egress.url import parse_authority


def policy_with(networks: Iterable[Network], hosts: Iterable[str]) -> Policy:
    """`hosts` are `HOST` or `HOST:PORT`, read as the authority of a URL is. Raises StartError."""
    return Policy(tuple(networks), frozenset(_host_and_port(text) for text in hosts))


def _host_and_port(text: str) -> tuple[str, int | None]:
    try:
        host, port, _ = parse_authority(text)
    except Refused as refused:
        raise StartError(f"HTTP_ALLOW_HOSTS holds {text[:200]!r}: expected HOST or HOST:PORT; {refused}") from None
    return host, port

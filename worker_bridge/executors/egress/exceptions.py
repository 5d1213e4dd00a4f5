"""What an operator writes into HTTP_ALLOW_NETWORKS and HTTP_ALLOW_HOSTS."""

from __future__ import annotations

import ipaddress

from worker_bridge.executors.egress.addresses import Network
from worker_bridge.executors.egress.refusal import Refused
from worker_bridge.executors.egress.url import parse_authority


def parse_network(text: str) -> Network:
    """`ADDRESS/BITS`, or one address. Raises ValueError."""
    return ipaddress.ip_network(text)


def parse_host_and_port(text: str) -> tuple[str, int | None]:
    """`HOST` or `HOST:PORT`, read as the authority of a URL is. Raises ValueError."""
    try:
        host, port, _ = parse_authority(text)
    except Refused as refused:
        raise ValueError(str(refused)) from None
    return host, port

"""Addresses as operators write them."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Final

_HOST: Final = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]")
_HIGHEST_PORT: Final = 65535
MEANT: Final = "HOST:PORT or [IPv6]:PORT"


@dataclass(frozen=True, slots=True)
class Address:
    """`HOST:PORT`, an IPv6 host in brackets, or, with `path` set, a unix socket."""

    host: str = ""
    port: int = 0
    path: str = ""

    def __str__(self) -> str:
        return f"unix:{self.path}" if self.path else f"{self.host}:{self.port}"

    @property
    def bare_host(self) -> str:
        """Without brackets, as sockets and Redis's client take it."""
        return self.host.strip("[]")


def parse_tcp_address(text: str) -> Address:
    """Reads `HOST:PORT` or `[IPv6]:PORT`. Raises ValueError."""
    host, _, port = text.rpartition(":")
    if not _HOST.fullmatch(host) or not port.isascii() or not port.isdecimal() or int(port) > _HIGHEST_PORT:
        raise ValueError(f"expected {MEANT}")
    return Address(host, int(port))


def parse_address(text: str) -> Address:
    """Reads `unix:PATH` too. Raises ValueError."""
    scheme, _, path = text.partition(":")
    if scheme == "unix" and path:
        return Address(path=path)
    try:
        return parse_tcp_address(text)
    except ValueError:
        raise ValueError("expected HOST:PORT, [IPv6]:PORT or unix:PATH") from None


def is_local(address: Address) -> bool:
    """Whether only processes of this machine can connect. A host name other than localhost may mean anything."""
    if address.path or address.host.lower() == "localhost":
        return True
    try:
        ip = ipaddress.ip_address(address.bare_host)
    except ValueError:
        return False
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return (mapped or ip).is_loopback

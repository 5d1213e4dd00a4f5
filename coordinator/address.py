"""Where the coordinator listens, and whether that is safe."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Final

from coordinator.errors import StartError

_HOST: Final = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]")
_HIGHEST_PORT: Final = 65535
MEANT: Final = "HOST:PORT or [IPv6]:PORT"


@dataclass(frozen=True, slots=True)
class Address:
    """`HOST:PORT`, an IPv6 host in brackets."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def parse_address(text: str) -> Address:
    """Raises ValueError."""
    host, _, port = text.rpartition(":")
    if not _HOST.fullmatch(host) or not port.isascii() or not port.isdecimal() or int(port) > _HIGHEST_PORT:
        raise ValueError(f"expected {MEANT}")
    return Address(host, int(port))


def is_local(address: Address) -> bool:
    """Whether only processes of this machine can connect. A host name other than localhost may mean anything."""
    if address.host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(address.host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_exposure(address: Address, allow_insecure: bool) -> None:
    """Refuses to let a network submit and end tasks: nobody is asked who he is. Raises StartError."""
    if not allow_insecure and not is_local(address):
        raise StartError(
            f"refusing to listen on {address}, beyond this machine: everybody who can reach it could run code. This "
            "version has no TLS and no token yet. COORDINATOR_ALLOW_INSECURE=1 listens all the same"
        )

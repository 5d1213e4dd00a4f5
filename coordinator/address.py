"""Where the coordinator listens, and whether that is safe."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from coordinator.errors import StartError
from operating.access.loopback import is_loopback

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


@dataclass(frozen=True, slots=True)
class Protection:
    """What stands between the network and the coordinator."""

    tls: bool
    client_certificates: bool
    token: bool


def parse_address(text: str) -> Address:
    """Raises ValueError."""
    host, _, port = text.rpartition(":")
    if not _HOST.fullmatch(host) or not port.isascii() or not port.isdecimal() or int(port) > _HIGHEST_PORT:
        raise ValueError(f"expected {MEANT}")
    return Address(host, int(port))


def is_local(address: Address) -> bool:
    """Whether only processes of this machine can connect. A host name other than localhost may mean anything."""
    return is_loopback(address.host)


def check_exposure(address: Address, protection: Protection, allow_insecure: bool) -> None:
    """Refuses to let a network submit and end tasks in the clear, or everybody. Raises StartError."""
    if allow_insecure or is_local(address):
        return
    if not protection.tls and protection.token:
        raise StartError(
            f"refusing to listen on {address}: the token would cross the network in the clear. "
            f"Set COORDINATOR_TLS_CERT and COORDINATOR_TLS_KEY; {_ANYWAY}"
        )
    if not protection.tls:
        raise StartError(
            f"refusing to listen on {address}, beyond this machine, without TLS and a token. Set COORDINATOR_TLS_CERT, "
            f"COORDINATOR_TLS_KEY and COORDINATOR_AUTH_TOKENS_FILE (or COORDINATOR_AUTH_TOKEN, "
            f"COORDINATOR_TLS_CLIENT_CA); {_ANYWAY}"
        )
    if not protection.token and not protection.client_certificates:
        raise StartError(
            f"refusing to listen on {address}: everybody who can reach it could run code. Set "
            f"COORDINATOR_AUTH_TOKENS_FILE, COORDINATOR_AUTH_TOKEN or COORDINATOR_TLS_CLIENT_CA; {_ANYWAY}"
        )


_ANYWAY: Final = "COORDINATOR_ALLOW_INSECURE=1 listens all the same"

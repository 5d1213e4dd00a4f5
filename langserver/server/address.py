"""Where the server listens, and whether that is safe."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import stat
from dataclasses import dataclass

from langserver.errors import StartError

_HOST = re.compile(r"[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]")
_HIGHEST_PORT = 65535


@dataclass(frozen=True, slots=True)
class Address:
    """`HOST:PORT`, an IPv6 host in brackets, or, with `path` set, a unix socket."""

    host: str = ""
    port: int = 0
    path: str = ""

    def __str__(self) -> str:
        return f"unix:{self.path}" if self.path else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Protection:
    """What stands between the network and the server."""

    tls: bool
    client_certificates: bool
    token: bool


def parse_address(text: str) -> Address:
    """Reads `HOST:PORT`, `[IPv6]:PORT` or `unix:PATH`. Raises ValueError."""
    scheme, _, path = text.partition(":")
    if scheme == "unix" and path:
        return Address(path=path)
    host, _, port = text.rpartition(":")
    if not _HOST.fullmatch(host) or not port.isascii() or not port.isdecimal() or int(port) > _HIGHEST_PORT:
        raise ValueError("expected HOST:PORT, [IPv6]:PORT or unix:PATH")
    return Address(host, int(port))


def is_local(address: Address) -> bool:
    """Whether only processes of this machine can connect. A host name other than localhost may mean anything."""
    if address.path or address.host.lower() == "localhost":
        return True
    try:
        ip = ipaddress.ip_address(address.host.strip("[]"))
    except ValueError:
        return False
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return (mapped or ip).is_loopback


def check_exposure(address: Address, protection: Protection, allow_insecure: bool) -> None:
    """Refuses to offer code execution to a network in the clear or to everybody. Raises StartError."""
    if allow_insecure or is_local(address):
        return
    if not protection.tls and protection.token:
        raise StartError(
            f"refusing to listen on {address}: the token would cross the network in the clear. "
            f"Set LANG_TLS_CERT and LANG_TLS_KEY; {_ANYWAY}"
        )
    if not protection.tls:
        raise StartError(
            f"refusing to listen on {address}, beyond this machine, without TLS and a token. Set LANG_TLS_CERT, "
            f"LANG_TLS_KEY and LANG_AUTH_TOKENS_FILE (or LANG_AUTH_TOKEN, LANG_TLS_CLIENT_CA); {_ANYWAY}"
        )
    if not protection.token and not protection.client_certificates:
        raise StartError(
            f"refusing to listen on {address}: everybody who can reach it could run code. Set LANG_AUTH_TOKENS_FILE, "
            f"LANG_AUTH_TOKEN or LANG_TLS_CLIENT_CA; {_ANYWAY}"
        )


def clear_stale_socket(address: Address) -> None:
    """Removes the socket file that a killed server left. Raises StartError when it is in use, or no socket at all.

    gRPC would remove any file at that path without asking, a living server's socket too.
    """
    if not address.path:
        return
    try:
        mode = os.lstat(address.path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise StartError(f"can't listen on {address}: there is something that is no socket")
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(address.path)
        except ConnectionRefusedError:
            os.unlink(address.path)
        except OSError as error:
            raise StartError(f"can't listen on {address}: {error.strerror or error}") from None
        else:
            raise StartError(f"can't listen on {address}: another server does")


_ANYWAY = "LANG_ALLOW_INSECURE=1 listens all the same"

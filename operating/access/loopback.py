"""Whether an address ever leaves this machine."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Of a host, an IPv6 one in brackets or not. A host name other than localhost may mean anything."""
    bare = host.strip("[]").lower()
    if bare == "localhost":
        return True
    try:
        return ipaddress.ip_address(bare).is_loopback
    except ValueError:
        return False

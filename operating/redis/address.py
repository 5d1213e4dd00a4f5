"""Where Redis is, as an operator writes it."""

from __future__ import annotations

from operating.access.address import MEANT, parse_tcp_address


def split_redis_addr(text: str) -> tuple[str, int]:
    """Host, without the brackets of IPv6, and port.

    Raises ValueError, whose text repeats nothing of a URL: that may hold a password.
    """
    if "/" in text or "@" in text:
        raise ValueError(
            f"REDIS_ADDR is a URL, or has a user or a password in it: expected {MEANT}. The user goes into REDIS_USER, "
            "the password into the file that REDIS_PASSWORD_FILE names (or into REDIS_PASSWORD), and REDIS_TLS_CA asks "
            "for TLS; there is database 0 only"
        )
    try:
        at = parse_tcp_address(text)
    except ValueError:
        raise ValueError(f"REDIS_ADDR is {text[:200]!r}: expected {MEANT}") from None
    return at.bare_host, at.port

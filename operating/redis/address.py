"""Where Redis is, as an operator writes it."""

from __future__ import annotations

import re
from typing import Final

_HOST: Final = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]")
_HIGHEST_PORT: Final = 65535
MEANT: Final = "HOST:PORT or [IPv6]:PORT"


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
    host, _, port = text.rpartition(":")
    if not _HOST.fullmatch(host) or not port.isascii() or not port.isdecimal() or int(port) > _HIGHEST_PORT:
        raise ValueError(f"REDIS_ADDR is {text[:200]!r}: expected {MEANT}")
    return host.strip("[]"), int(port)

"""The one parse of a URL: its result is what is judged, connected to, named in TLS and sent as Host."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from worker_bridge.executors.egress.refusal import Reason, Refused

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Origin = tuple[str, str, int]

MAX_URL_CHARACTERS: Final = 8_192
PORTS: Final = {"http": 80, "https": 443}

# What browsers drop, turn round or take for an end, and others do not.
_TREACHEROUS = re.compile(r"[\x00-\x20\x7f-\xa0\\\ud800-\udfff]")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?", re.DOTALL)
_AUTHORITY = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::([1-9][0-9]{0,4}))?")
_NAME = re.compile(r"(?!.{254})[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*")
# The last label of what some resolvers take for an IPv4 address: 2130706433, 0x7f.1, 127.0.0.1, 0177.0.0.1.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_KEPT_IN_PATH: Final = "/%:@!$&'()*+,;=~-._"
_KEPT_IN_QUERY: Final = _KEPT_IN_PATH + "?[]"
_HIGHEST_PORT: Final = 65_535
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Target:
    """`host` is a lower-case name, or the address in its usual form without brackets; `path` has the query with it."""

    scheme: str
    host: str
    port: int
    path: str = field(repr=False)
    address: Address | None = None

    @property
    def origin(self) -> Origin:
        """Scheme, host and port."""
        return self.scheme, self.host, self.port

    @property
    def authority(self) -> str:
        """As the Host header says it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """Scheme, authority and path; what a relative reference is joined to."""
        return f"{self.scheme}://{self.authority}{self.path}"


def parse_url(text: str) -> Target:
    """Reads an absolute http or https URL; a fragment is dropped. Raises Refused."""
    if len(text) > MAX_URL_CHARACTERS:
        raise Refused(Reason.URL, f"the URL has {len(text)} characters, more than {MAX_URL_CHARACTERS}")
    if treacherous := _TREACHEROUS.search(text):
        raise Refused(Reason.URL, f"the URL holds {treacherous.group()!a} at character {treacherous.start()}")
    parts = _URL.fullmatch(text)
    if parts is None:
        raise Refused(Reason.URL, f"{text[:_SHOWN]!a} is no absolute URL: expected https://HOST/PATH")
    scheme, authority, path, query = parts[1].lower(), parts[2], parts[3] or "/", parts[4] or ""
    if scheme not in PORTS:
        raise Refused(Reason.SCHEME, f"the URL's scheme is {scheme[:_SHOWN]!r}: only http and https are allowed")
    host, port, address = parse_authority(authority)
    return Target(
        scheme, host, port or PORTS[scheme], quote(path, _KEPT_IN_PATH) + quote(query, _KEPT_IN_QUERY), address
    )


@lru_cache(maxsize=1_024)
def parse_authority(authority: str) -> tuple[str, int | None, Address | None]:
    """Host as of `Target`, the port if one is given, and the address if it is one. Raises Refused."""
    if "@" in authority:
        raise Refused(Reason.USERINFO, "the URL holds a user or a password: use the header Authorization")
    parts = _AUTHORITY.fullmatch(authority)
    if parts is None:
        raise Refused(Reason.URL, f"{authority[:_SHOWN]!a} is no HOST or HOST:PORT")
    port = int(parts[2]) if parts[2] else None
    if port is not None and port > _HIGHEST_PORT:
        raise Refused(Reason.PORT, f"there is no port {port}")
    host, address = _host(parts[1])
    return host, port, address


def _host(text: str) -> tuple[str, Address | None]:
    shown = ascii(text[:_SHOWN])
    if not text.isascii():
        raise Refused(Reason.SPELLING, f"the host {shown} is not ASCII: write an international name as xn--...")
    host = text.lower()
    if host.startswith("["):
        return _version_6(host[1:-1])
    if _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]):
        try:
            version_4 = ipaddress.IPv4Address(host)
        except ValueError:
            raise Refused(
                Reason.SPELLING, f"the host {shown} is a number but no IPv4 address as in 192.0.2.1"
            ) from None
        return str(version_4), version_4
    if not _NAME.fullmatch(host):
        raise Refused(Reason.SPELLING, f"the host {shown} is no name: letters, digits and hyphens between single dots")
    return host, None


def _version_6(text: str) -> tuple[str, Address]:
    if "%" in text:
        raise Refused(Reason.ZONE, "an address with a zone means another host on each machine")
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        raise Refused(Reason.SPELLING, f"[{ascii(text[:_SHOWN])[1:-1]}] is no IPv6 address") from None
    return address.compressed, address

"""Header fields of a request: what an author may set, and what stays when a request goes elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from worker_bridge.executors.http.failure import Failure, Kind

MAX_HEADERS: Final = 100
MAX_HEADER_BYTES: Final = 32 << 10

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}")
_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?|")
# How a message is framed, and who is spoken to, is decided here: a second opinion is how requests are smuggled.
_OURS: Final = frozenset(
    "host content-length transfer-encoding connection keep-alive te trailer upgrade expect accept-encoding "
    "http2-settings".split()
)
_PROXIES: Final = "proxy-"
# Of an author's own headers these go along to another origin: any other may be a credential.
_HARMLESS: Final = frozenset({"accept", "accept-language", "user-agent"})

Headers = Mapping[str, str]


def parse_headers(written: Headers) -> dict[str, str]:
    """As an author may set them; names come out in lower case. Raises Failure."""
    if len(written) > MAX_HEADERS:
        raise _bad(f"{len(written)} headers, more than {MAX_HEADERS}")
    headers: dict[str, str] = {}
    for given, text in written.items():
        name = given.lower()
        shown = ascii(given[:100])
        if not _TOKEN.fullmatch(given):
            raise _bad(f"{shown} is no name of a header")
        if name in _OURS or name.startswith(_PROXIES):
            raise _bad(f"the header {shown} is not an author's to set")
        if name in headers:
            raise _bad(f"the header {shown} is there twice")
        if not is_header_value(text):
            raise _bad(f"the header {shown} must be printable ASCII without spaces around it")
        headers[name] = text
    size = sum(len(name) + len(text) + 4 for name, text in headers.items())
    if size > MAX_HEADER_BYTES:
        raise _bad(f"headers have {size} bytes, more than {MAX_HEADER_BYTES}")
    return headers


def is_header_value(text: str) -> bool:
    """Printable ASCII, without spaces around it."""
    return _VALUE.fullmatch(text) is not None


def for_another_origin(headers: Headers) -> dict[str, str]:
    """What another origin may have of them."""
    return {name: text for name, text in headers.items() if name in _HARMLESS}


def without_body(headers: Headers) -> dict[str, str]:
    """What still makes sense when there is no body."""
    return {name: text for name, text in headers.items() if not name.startswith("content-")}


def _bad(text: str) -> Failure:
    return Failure(Kind.BAD_REQUEST, text, terminal=True)

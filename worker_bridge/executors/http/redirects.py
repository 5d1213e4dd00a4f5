"""Where a redirect leads, and what of the request goes along."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final
from urllib.parse import urljoin

from worker_bridge.executors.egress.refusal import Reason, Refused
from worker_bridge.executors.egress.url import Target, parse_url
from worker_bridge.executors.http.connection import Head
from worker_bridge.executors.http.failure import Failure, Kind, excerpt
from worker_bridge.executors.http.headers import for_another_origin, without_body
from worker_bridge.executors.http.request import Request

MAX_REDIRECTS: Final = 5

_STATUSES: Final = frozenset({301, 302, 303, 307, 308})
_MAX_LOCATION_BYTES: Final = 8_192
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def leads_elsewhere(head: Head) -> bool:
    """Whether an answer asks for another request instead."""
    return head.status in _STATUSES and bool(head.values(b"location"))


def redirected(request: Request, head: Head) -> Request:
    """The request that such an answer asks for. Raises Failure, and Refused of its URL."""
    status, locations = head.status, head.values(b"location")
    if len(locations) > 1:
        raise Failure(Kind.BAD_RESPONSE, f"{len(locations)} Location headers")
    target = _target(request.target, locations[0])
    if request.target.scheme == "https" and target.scheme != "https":
        raise Refused(Reason.DOWNGRADE, f"{request.target.host} redirects from https to {target.scheme}")
    turned = request.method == "POST" if status in (301, 302) else status == 303 and request.method != "HEAD"
    if turned:
        request = replace(request, method="GET", body=None, headers=without_body(request.headers))
    if target.origin != request.target.origin:
        request = replace(request, body=None, headers=for_another_origin(request.headers))
    elif turned:
        kept = {name: text for name, text in request.headers.items() if name != "idempotency-key"}
        request = replace(request, headers=kept)
    return replace(request, target=target)


def _target(here: Target, location: bytes) -> Target:
    """Only a path is joined: of what names a host there is one reader."""
    if len(location) > _MAX_LOCATION_BYTES:
        raise Failure(Kind.BAD_RESPONSE, f"a Location of {len(location)} bytes")
    try:
        text = location.decode()
    except UnicodeDecodeError:
        raise Failure(Kind.BAD_RESPONSE, f"a Location that is not UTF-8: {excerpt(location, 200)}") from None
    if any(not character.isprintable() or character in " \\" for character in text):
        raise Refused(Reason.URL, f"a redirect to {excerpt(location, 200)}")
    if _ABSOLUTE.match(text):
        return parse_url(text)
    if text.startswith("//"):
        return parse_url(f"{here.scheme}:{text}")
    return parse_url(urljoin(here.url, text))

"""The input of an http task: read strictly, before anything is done."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote_plus

from worker_bridge.core.json_text import Member, members
from worker_bridge.executors.egress.url import Target, parse_url
from worker_bridge.executors.http.failure import Failure, Kind
from worker_bridge.executors.http.headers import Headers, is_header_value, parse_headers

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
WRITING: Final = frozenset({"POST", "PUT", "PATCH"})

_KNOWN: Final = ("method", "url", "headers", "query", "body", "timeout_seconds", "expect_status")
_STATUSES: Final = range(200, 600)
_MAX_STATUSES: Final = 100
_ABSENT: Final = Member(None, "")


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent to one origin. A body of None is none; names of headers are in lower case."""

    method: str
    target: Target
    headers: Headers
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What a task asks for. No `expect`: every status below 400. No `timeout_seconds`: as long as a task may take."""

    request: Request
    timeout_seconds: float | None = None
    expect: frozenset[int] | None = None

    def follows(self, status: int) -> bool:
        """Whether a redirect with this status is followed, and not what the author waits for."""
        return self.expect is None or status not in self.expect

    def expects(self, status: int) -> bool:
        """Whether an answer with this status is a success."""
        return status < 400 if self.expect is None else status in self.expect


def parse_request(text: str, task_id: str) -> Asked:
    """Reads {"method", "url", "headers"?, "query"?, "body"?, "timeout_seconds"?, "expect_status"?}.

    Raises Failure (BAD_REQUEST), and Refused of a URL.
    """
    try:
        given = members(text)
    except ValueError as error:
        raise _bad(f"the task's input: {error}") from None
    for name in given:
        if name not in _KNOWN:
            raise _bad(f"there is no {name[:100]!a}, only {', '.join(_KNOWN)}")
    url = given.get("url", _ABSENT).value
    if not isinstance(url, str):
        raise _bad("url must be a string")
    method, body = _method(given.get("method", _ABSENT).value), _body(given.get("body", _ABSENT))
    headers = parse_headers(given.get("headers", _ABSENT).value)
    if body is not None:
        headers.setdefault("content-type", "application/json")
    if method in WRITING:
        headers.setdefault("idempotency-key", idempotency_key(task_id))
    target = parse_url(_with_query(url, given.get("query", _ABSENT).value))
    return Asked(
        Request(method, target, headers, body),
        _timeout(given.get("timeout_seconds", _ABSENT).value),
        _statuses(given.get("expect_status", _ABSENT).value),
    )


def idempotency_key(task_id: str) -> str:
    """The task's id, or where a header cannot hold that, its hash: the same on every attempt and redelivery."""
    return task_id if is_header_value(task_id) else f"sha256-{hashlib.sha256(task_id.encode()).hexdigest()}"


def _method(value: Any) -> str:
    if not isinstance(value, str) or value.upper() not in METHODS:
        raise _bad(f"method must be one of {', '.join(METHODS)}")
    return value.upper()


def _body(member: Member) -> bytes | None:
    """A string is sent as it is, everything else as the JSON text that was written."""
    if member.value is None:
        return None
    text = member.value if isinstance(member.value, str) else member.text
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise _bad("body holds half of a surrogate pair") from None


def _with_query(url: str, value: Any) -> str:
    if value is None:
        return url
    if not isinstance(value, Mapping):
        raise _bad("query must be an object")
    pairs = [(name, one) for name, many in value.items() for one in (many if isinstance(many, list) else [many])]
    try:
        added = "&".join(f"{quote_plus(name)}={quote_plus(_plain(name, one))}" for name, one in pairs)
    except UnicodeEncodeError:
        raise _bad("query holds half of a surrogate pair") from None
    if not added:
        return url
    before = url.partition("#")[0]
    return before + ("&" if "?" in before else "?") + added


def _plain(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise _bad(f"query: {name[:100]!a} must be a string, a number, true, false, or a list of those")


def _timeout(value: Any) -> float | None:
    if value is None:
        return None
    if type(value) not in (int, float) or not 0 < value < float("inf"):
        raise _bad("timeout_seconds must be a number of seconds over 0")
    return float(value)


def _statuses(value: Any) -> frozenset[int] | None:
    if value is None:
        return None
    listed = value if isinstance(value, list) else [value]
    if not 1 <= len(listed) <= _MAX_STATUSES or not all(type(one) is int and one in _STATUSES for one in listed):
        raise _bad("expect_status must be a status from 200 to 599, or a list of them")
    return frozenset(listed)


def _bad(text: str) -> Failure:
    return Failure(Kind.BAD_REQUEST, text, terminal=True)

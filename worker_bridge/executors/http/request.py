"""The input of an http task: read strictly, before anything is done."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar
from urllib.parse import quote_plus

from worker_bridge.core.json_text import Members, value
from worker_bridge.executors.egress.url import Target, parse_url
from worker_bridge.executors.http.failure import Failure, Kind, excerpt
from worker_bridge.executors.http.headers import Headers, is_header_value, parse_headers

Plain = str | bool | int | float

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_ONCE: Final = frozenset({"POST", "PATCH"})
WRITING: Final = frozenset({"POST", "PUT", "PATCH"})

_MEMBERS: Final = Members("method", "url", "headers", "query", "body", "timeout_seconds", "expect_status", others=False)
_QUERY: Final = dict[str, Plain | list[Plain]]
_EXPECT: Any = int | list[int]
_STATUSES: Final = range(200, 600)
_MAX_STATUSES: Final = 100
_SHOWN_BYTES: Final = 300

Kindred = TypeVar("Kindred")


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent to one origin. A body of None is none; names of headers are in lower case."""

    method: str
    target: Target
    headers: Headers = field(repr=False)
    body: bytes | None = field(default=None, repr=False)

    @property
    def may_be_done_twice(self) -> bool:
        """Whether to send it again does no harm where it was done already.

        By its method (RFC 9110, section 9.2.2), or since the server can tell by the key that it is the same one.
        """
        return self.method not in _ONCE or bool(self.headers.get("idempotency-key"))


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
        given = _MEMBERS.of(text)
    except ValueError as error:
        raise _bad(f"the task's input: {_said(error)}") from None
    method = _method(_read(given, "method", str))
    url = _read(given, "url", str)
    if url is None:
        raise _bad("url is missing")
    body = _body(given.get("body"))
    headers = parse_headers(_read(given, "headers", dict[str, str]) or {})
    if body is not None:
        headers.setdefault("content-type", "application/json")
    if method in WRITING:
        headers.setdefault("idempotency-key", idempotency_key(task_id))
    target = parse_url(_with_query(url, _read(given, "query", _QUERY) or {}))
    return Asked(
        Request(method, target, headers, body),
        _timeout(_read(given, "timeout_seconds", float)),
        _statuses(_read(given, "expect_status", _EXPECT)),
    )


def _read(given: Mapping[str, str], name: str, kind: type[Kindred]) -> Kindred | None:
    if name not in given:
        return None
    try:
        return value(given[name], kind)
    except ValueError as error:
        raise _bad(f"{name}: {_said(error)}") from None


def idempotency_key(task_id: str) -> str:
    """The task's id, or where a header cannot hold that, its hash: the same on every attempt and redelivery."""
    return task_id if is_header_value(task_id) else f"sha256-{hashlib.sha256(task_id.encode()).hexdigest()}"


def _method(written: str | None) -> str:
    method = (written or "").upper()
    if method not in METHODS:
        raise _bad(f"method must be one of {', '.join(METHODS)}")
    return method


def _body(text: str | None) -> bytes | None:
    """A string is sent as it is, everything else as the JSON text that was written."""
    if text is None or not text.startswith('"'):
        return None if text is None else text.encode()
    try:
        return value(text, str).encode()
    except ValueError as error:
        raise _bad(f"body: {error}") from None


def _with_query(url: str, query: Mapping[str, Plain | list[Plain]]) -> str:
    pairs = [(name, one) for name, many in query.items() for one in (many if isinstance(many, list) else [many])]
    added = "&".join(f"{quote_plus(name)}={quote_plus(_plain(one))}" for name, one in pairs)
    if not added:
        return url
    before = url.partition("#")[0]
    return before + ("&" if "?" in before else "?") + added


def _plain(written: Plain) -> str:
    if isinstance(written, bool):
        return "true" if written else "false"
    return str(written)


def _timeout(seconds: float | None) -> float | None:
    if seconds is not None and not 0 < seconds < float("inf"):
        raise _bad("timeout_seconds must be over 0")
    return seconds


def _statuses(written: int | list[int] | None) -> frozenset[int] | None:
    if written is None:
        return None
    listed = written if isinstance(written, list) else [written]
    if not 1 <= len(listed) <= _MAX_STATUSES or not all(status in _STATUSES for status in listed):
        raise _bad(f"expect_status must be a status from 200 to 599, or a list of up to {_MAX_STATUSES} of them")
    return frozenset(listed)


def _said(error: ValueError) -> str:
    """It may quote the author."""
    return excerpt(str(error).encode(errors="replace"), _SHOWN_BYTES)


def _bad(text: str) -> Failure:
    return Failure(Kind.BAD_REQUEST, text, terminal=True)

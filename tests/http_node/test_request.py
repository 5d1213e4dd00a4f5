"""What an author may write, and what is refused before anything is sent."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker_bridge.executors.egress.refusal import Refused
from worker_bridge.executors.http.failure import Failure, Kind
from worker_bridge.executors.http.request import Asked, parse_request

URL = "https://api.example.com/x"


def parsed(method: str = "GET", task_id: str = "task-1", **given_: object) -> Asked:
    return parse_request(json.dumps({"method": method, "url": URL, **given_}), task_id)


def refused(text: str) -> str:
    with pytest.raises(Failure) as caught:
        parse_request(text, "task-1")
    assert caught.value.kind is Kind.BAD_REQUEST
    assert caught.value.terminal
    assert caught.value.text.isprintable()
    assert len(caught.value.text) < 500
    return caught.value.text


def test_only_what_is_needed() -> None:
    request = parsed().request
    assert (request.method, request.target.host, request.body) == ("GET", "api.example.com", None)
    assert request.headers == {}


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_a_writing_method_has_the_task_as_its_key(method: str) -> None:
    assert parsed(method).request.headers == {"idempotency-key": "task-1"}
    assert parsed(method, headers={"IDEMPOTENCY-key": "mine"}).request.headers == {"idempotency-key": "mine"}
    for other in ("GET", "HEAD", "DELETE", "OPTIONS"):
        assert "idempotency-key" not in parsed(other).request.headers


def test_an_id_that_no_header_can_hold_is_hashed() -> None:
    keys = {parsed("POST", task_id=name).request.headers["idempotency-key"] for name in ("ä", "a ", "a\u2028", " a")}
    assert len(keys) == 4
    assert all(key.startswith("sha256-") and len(key) == 71 for key in keys)


def test_a_body_is_sent_as_it_was_written() -> None:
    body = '{"n": 12345678901234567890.10, "ü": [1,  2]}'
    request = parse_request(f'{{"method": "POST", "url": "{URL}", "body": {body}}}', "t").request
    assert request.body == body.encode()
    assert request.headers["content-type"] == "application/json"
    assert parsed("POST", body="a=b", headers={"Content-Type": "text/x"}).request.body == b"a=b"
    assert parsed("POST", body=[]).request.body == b"[]"
    assert parsed("POST", body=None).request.body is None


def test_a_query_is_appended_and_encoded() -> None:
    query = {"a": "x y&z=ü#", "n": 1, "t": True, "l": ["p", 2.5], "e": ""}
    assert parsed(query=query).request.target.path == "/x?a=x+y%26z%3D%C3%BC%23&n=1&t=true&l=p&l=2.5&e="
    request = parse_request(
        json.dumps({"method": "get", "url": URL + "?k=1#part", "query": {"q": "\r\n"}}), "t"
    ).request
    assert request.target.path == "/x?k=1&q=%0D%0A"


def test_statuses_and_seconds() -> None:
    assert parsed(expect_status=404).expect == {404}
    assert parsed(expect_status=[200, 201]).expects(201)
    assert not parsed(expect_status=[200]).expects(201)
    assert parsed(timeout_seconds=0.5).timeout_seconds == 0.5


@pytest.mark.parametrize(
    "given_",
    [
        {"method": "TRACE"},
        {"method": "CONNECT"},
        {"method": "GET / HTTP/1.1\r\nX: y"},
        {"method": 1},
        {"method": None},
        {"url": None},
        {"url": ["https://a.example.com"]},
        {"verb": "GET"},
        {"x\r\n\x1b[31m\u202e" + "y" * 5_000: 1},
        {"headers": []},
        {"headers": {"X": 1}},
        {"headers": {"X": ["a"]}},
        {"headers": {"X": "a", "x": "b"}},
        {"headers": {f"X-{number}": "a" for number in range(101)}},
        {"headers": {"X": "a" * 40_000}},
        {"query": "a=b"},
        {"query": {"a": {"b": 1}}},
        {"query": {"a": None}},
        {"query": {"\ud800": "a"}},
        {"body": "\ud800"},
        {"timeout_seconds": 0},
        {"timeout_seconds": -1},
        {"timeout_seconds": "5"},
        {"timeout_seconds": True},
        {"expect_status": "200"},
        {"expect_status": 99},
        {"expect_status": 100},
        {"expect_status": []},
        {"expect_status": [True]},
    ],
)
def test_what_is_not_understood_is_refused(given_: dict[str, object]) -> None:
    refused(json.dumps({"method": "GET", "url": URL, **given_}))


@pytest.mark.parametrize(
    "text", ["", "[]", "null", '"x"', "{", '{"url": 1, "url": 2}', "[" * 100_000, '{"timeout_seconds": NaN}']
)
def test_what_is_no_object_is_refused(text: str) -> None:
    refused(text)


@pytest.mark.parametrize(
    "name",
    [
        *"Host host Content-Length content-length Transfer-Encoding Connection Keep-Alive TE Trailer Upgrade".split(),
        *"Expect Accept-Encoding Proxy-Authorization Proxy-Connection proxy-x HTTP2-Settings".split(),
        *(
            "",
            " X",
            "X ",
            "X:",
            "X\r\nY",
            "X\0",
            "Ü",
            "Content-Length ",
            "content\u2010length",
            ":authority",
            "X" * 300,
        ),
    ],
)
def test_headers_that_frame_or_smuggle_are_refused(name: str) -> None:
    refused(json.dumps({"method": "POST", "url": URL, "headers": {name: "1"}}))


@pytest.mark.parametrize(
    "value", ["a\r\nB: c", "a\nb", "a\rb", "a\0b", " a", "a ", "\ta", "ü", "a\x7f", "a\x0b", "a\u2028"]
)
def test_values_that_break_a_line_are_refused(value: str) -> None:
    refused(json.dumps({"method": "POST", "url": URL, "headers": {"X": value}}))


@given(
    st.dictionaries(
        st.sampled_from(["method", "url", "headers", "query", "body", "timeout_seconds", "expect_status"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(URL) | st.just("POST"),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
            max_leaves=8,
        ),
    )
)
def test_anything_is_a_request_or_is_refused(values: dict[str, object]) -> None:
    try:
        asked = parse_request(json.dumps(values), "task-1")
    except (Failure, Refused):
        return
    for name, value in asked.request.headers.items():
        assert f"{name}{value}".isprintable()
        assert f"{name}{value}".isascii()
    assert asked.request.target.path.isascii()
    assert not set(asked.request.target.path) & set(" \t\r\n\0\\#")

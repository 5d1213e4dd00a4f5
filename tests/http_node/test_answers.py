"""Bodies: how they are decoded, and what a task's output is."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from datetime import UTC, datetime

import pytest

from worker_bridge.executors.http.answer import output_of
from worker_bridge.executors.http.decoding import decoder
from worker_bridge.executors.http.failure import EXCERPT_BYTES, Failure, Kind, excerpt
from worker_bridge.executors.http.retry_after import asked_to_wait

# mtime: what stands in a test's name must be the same in every process that collects it.
TEXT = b"hello " * 40_000
RAW = zlib.compressobj(wbits=-15)
RAW_DEFLATE = RAW.compress(TEXT) + RAW.flush()


def decoded(data: bytes, *codings: bytes, step: int = 1_000) -> bytes:
    found, pieces = decoder(list(codings)), []
    for at in range(0, len(data), step):
        for piece in found.pieces(data[at : at + step]):
            assert len(piece) <= 64 << 10
            pieces.append(piece)
    found.end()
    return b"".join(pieces)


@pytest.mark.parametrize("step", [1, 7, 1_000_000])
@pytest.mark.parametrize(
    ("data", "coding"),
    [
        (TEXT, b"identity"),
        (gzip.compress(TEXT, mtime=0), b"gzip"),
        (gzip.compress(TEXT, mtime=0), b" X-GZIP "),
        (gzip.compress(TEXT[:100], mtime=0) + gzip.compress(TEXT[100:], mtime=0), b"gzip"),
        (zlib.compress(TEXT), b"deflate"),
        (RAW_DEFLATE, b"deflate"),
    ],
)
def test_one_layer_is_undone(data: bytes, coding: bytes, step: int) -> None:
    assert decoded(data, coding, step=step) == TEXT


def test_no_body_needs_no_coding() -> None:
    assert decoded(b"", b"gzip") == b""
    assert decoded(b"abc") == b"abc"


@pytest.mark.parametrize(
    "codings",
    [[b"gzip, gzip"], [b"gzip", b"gzip"], [b"gzip,deflate"], [b"br"], [b"zstd"], [b"identity, gzip"], [b"\xff\n"]],
)
def test_two_layers_and_other_codings_are_refused(codings: list[bytes]) -> None:
    with pytest.raises(Failure) as caught:
        decoder(codings)
    assert caught.value.kind is Kind.BAD_RESPONSE
    assert caught.value.text.isprintable()


@pytest.mark.parametrize(
    "data",
    [
        b"no gzip at all",
        gzip.compress(TEXT, mtime=0)[:-1],
        gzip.compress(TEXT, mtime=0)[:20],
        gzip.compress(TEXT, mtime=0)[:-8] + bytes(8),
        gzip.compress(TEXT, mtime=0) + b"and more",
    ],
)
def test_broken_coding_is_an_error(data: bytes) -> None:
    with pytest.raises(Failure):
        decoded(data, b"gzip")


def test_deflate_with_something_behind_it_is_an_error() -> None:
    with pytest.raises(Failure):
        decoded(zlib.compress(TEXT) + b"x", b"deflate")


@pytest.mark.parametrize(
    ("body", "kind", "output"),
    [
        (b"", "application/json", "{}"),
        (b"", "", "{}"),
        (b'{"a": 12345678901234567890.10}', "application/json", '{"a": 12345678901234567890.10}'),
        (b"[1,2]", "text/plain", "[1,2]"),
        (b"null", "application/problem+json", "null"),
        (b"hello", "text/plain", '{"body": "hello"}'),
        ("grüß".encode(), "text/plain; charset=utf-8", '{"body": "grüß"}'),
        ("grüß".encode("latin-1"), 'text/plain; charset="ISO-8859-1"', '{"body": "grüß"}'),
        (b"\xef\xbb\xbf{}", "application/json", "{}"),
        (b"{broken", "application/json", '{"body": "{broken"}'),
        (b"[NaN]", "application/json", '{"body": "[NaN]"}'),
        (b"<a/>", "image/svg+xml", '{"body": "<a/>"}'),
    ],
)
def test_what_a_body_becomes(body: bytes, kind: str, output: str) -> None:
    assert output_of(body, kind.encode()).decode() == output


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"\x89PNG\r\n", "image/png"),
        (b"12", "application/octet-stream"),
        (b"a\0b", "text/plain"),
        (b"\xff\xfe\xfd", "text/plain"),
        (b"\xff", ""),
        (b"abc", "text/plain; charset=unicode_escape"),
        (b"abc", "text/plain; charset=zlib"),
        (b"abc", "text/plain; charset=punycode"),
    ],
)
def test_what_is_no_text_is_base64_with_its_type(body: bytes, kind: str) -> None:
    assert json.loads(output_of(body, kind.encode())) == {
        "body_base64": base64.b64encode(body).decode(),
        "content_type": kind,
    }


@pytest.mark.parametrize(
    "text", ["[" * 201 + "]" * 201, "[" * 100_000, '{"a":' * 300 + "1" + "}" * 300, '"\\ud800"', "1 2"]
)
def test_json_that_nobody_takes_is_text(text: str) -> None:
    assert json.loads(output_of(text.encode(), b"application/json")) == {"body": text}


def test_an_excerpt_is_one_line_of_a_kibibyte_that_shows_what_is_there() -> None:
    assert excerpt(b"plain\r\n\x1b[31m\0\\") == "plain\\r\\n\\x1b[31m\\x00\\\\"
    assert excerpt("a\u202eb\u200b\ufeff\u2066é".encode()) == "a\\u202eb\\u200b\\ufeff\\u2066é"
    # A mark of control amid letters, what is no character yet, letters that show as nothing.
    assert excerpt("\u180e\u038d\u115f\u3164한글".encode()) == "\\u180e\\u038d\\u115f\\u3164한글"
    for hostile in (
        b"\n" * 10_000,
        "ü".encode() * 10_000,
        b"\xff" * 10_000,
        "\U0001f600".encode() * 9_000,
        b"a" * 1_020,
    ):
        shown = excerpt(hostile)
        assert len(shown.encode()) <= EXCERPT_BYTES
        assert shown.isprintable()
        assert len(shown.encode()) > EXCERPT_BYTES - 20


NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("status", "values", "seconds"),
    [
        (429, [b"3"], 3),
        (503, [b" 3 "], 3),
        (503, [b"0"], 0.1),
        (503, [b"Thu, 01 Jan 2026 00:00:07 GMT"], 7),
        (503, [b"Thu, 01 Jan 2020 00:00:07 GMT"], 0.1),
        (503, [], None),
        (503, [b"1", b"2"], None),
        (503, [b"-1"], None),
        (503, [b"1.5e3"], None),
        (503, [b"soon"], None),
        (503, [b"\xff"], None),
        (503, [b"9" * 40], None),
        (500, [b"3"], None),
        (404, [b"3"], None),
    ],
)
def test_when_to_ask_again(status: int, values: list[bytes], seconds: float | None) -> None:
    assert asked_to_wait(status, values, NOW) == seconds

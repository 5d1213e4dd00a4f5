"""JSON as a request must hold it: the standard's grammar, and nested at most `MAX_DEPTH` deep."""

from __future__ import annotations

import json
import sys
from itertools import accumulate
from typing import Final

MAX_DEPTH = 200

_CHUNK = 1 << 20  # a task pays for what this takes: little at a time
_NO_STRUCTURE = bytes(set(range(256)) - set(b'[]{}"'))
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # +1 and -1 as signed bytes


class BadInput(Exception):
    """A request's input is not what it must be; the text says what, for the caller."""


def _refuse_constant(name: str) -> object:
    raise BadInput(f"input_json is not JSON: {name} is no JSON value")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant)


def within_depth(text: bytes, limit: int = MAX_DEPTH) -> bool:
    """Whether arrays and objects of a JSON text nest at most `limit` deep, told from its bytes alone.

    Nothing is built and nothing recurses. For a text that is no JSON the answer means nothing: check the grammar too.
    """
    if text.count(b"[") + text.count(b"{") <= limit:
        return True
    depth = inside_string = start = 0
    while start < len(text):
        end = min(start + _CHUNK, len(text))
        while end < len(text) and text[end - 1] == 0x5C:  # never between a backslash and what it escapes
            end += 1
        quotes_and_brackets = (
            text[start:end]
            .replace(b"\\\\", b"")
            .replace(b'\\"', b"")
            .translate(None, _NO_STRUCTURE)
            .replace(b'""', b"")
        )
        pieces = quotes_and_brackets.split(b'"')  # in turn outside and inside of strings
        steps = memoryview(b"".join(pieces[inside_string::2]).translate(_STEPS)).cast("b")
        if max(accumulate(steps, initial=depth)) > limit:
            return False
        depth += sum(steps)
        inside_string ^= len(pieces) - 1 & 1
        start = end
    return True


def parse_strict(text: bytes) -> object:
    """The value of a request's `input_json`; an empty text is `{}`. Only a child may call this: it builds hostile data.

    Raises BadInput for what is not strict JSON (NaN and Infinity are not) or nests over MAX_DEPTH.
    """
    if not text:
        return {}
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)  # integers keep all their digits; the CPU limit bounds what reading them costs
    try:
        value: object = _DECODER.decode(text.decode("utf-8"))
    except RecursionError:
        raise BadInput(f"input_json is nested over {MAX_DEPTH} levels") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"input_json is not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        fault = _on_any_python(error)
        raise BadInput(f"input_json is not JSON: {fault.msg} at line {fault.lineno} column {fault.colno}") from None
    finally:
        sys.set_int_max_str_digits(digits)
    if not within_depth(text):
        raise BadInput(f"input_json is nested over {MAX_DEPTH} levels")
    return value


# What CPython before 3.13 misses behind a trailing comma, and what it found there.
_TRAILING: Final = {
    ("Expecting value", "]"): "array",
    ("Expecting property name enclosed in double quotes", "}"): "object",
}


def _on_any_python(error: json.JSONDecodeError) -> json.JSONDecodeError:
    """The same error on every CPython: from 3.13 on a trailing comma is called one, and pointed at."""
    if error.doc.startswith("\ufeff"):  # as `json.loads` has it
        return json.JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", error.doc, 0)
    closed = _TRAILING.get((error.msg, error.doc[error.pos : error.pos + 1]))
    before = error.doc[: error.pos].rstrip(" \t\n\r") if closed else ""
    if not before.endswith(","):
        return error
    return json.JSONDecodeError(f"Illegal trailing comma before end of {closed}", error.doc, len(before) - 1)

"""JSON as a request must hold it: the standard's grammar, and nested at most `MAX_DEPTH` deep."""

from __future__ import annotations

import json
import re
import sys

MAX_DEPTH = 200

_NOT_BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*+"|[^\[\]{}"]++', re.DOTALL)


class BadInput(Exception):
    """A request's input is not what it must be; the text says what, for the caller."""


def within_depth(text: bytes, limit: int = MAX_DEPTH) -> bool:
    """Whether arrays and objects of a JSON text nest at most `limit` deep, told from its bytes alone.

    Nothing is built and nothing recurses. For a text that is no JSON the answer means nothing: check the grammar too.
    """
    if text.count(b"[") + text.count(b"{") <= limit:
        return True
    brackets = _NOT_BRACKETS.sub(b"", text).replace(b"{", b"[").replace(b"}", b"]")
    for _ in range(limit):
        if not brackets:
            return True
        # Taking the innermost pairs away lowers the depth by exactly one.
        brackets = brackets.replace(b"[]", b"")
    return not brackets


def parse_strict(text: bytes) -> object:
    """The value of a request's `input_json`; an empty text is `{}`. Only a child may call this: it builds hostile data.

    Raises BadInput for what is not strict JSON (NaN and Infinity are not) or nests over MAX_DEPTH.
    """
    if not text:
        return {}
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)  # integers keep all their digits; the CPU limit bounds what reading them costs
    try:
        value: object = json.loads(text.decode("utf-8"), parse_constant=_refuse_constant)
    except RecursionError:
        raise BadInput(f"input_json is nested over {MAX_DEPTH} levels") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"input_json is not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"input_json is not JSON: {error.msg} at line {error.lineno} column {error.colno}") from None
    finally:
        sys.set_int_max_str_digits(digits)
    if not within_depth(text):
        raise BadInput(f"input_json is nested over {MAX_DEPTH} levels")
    return value


def _refuse_constant(name: str) -> object:
    raise BadInput(f"input_json is not JSON: {name} is no JSON value")

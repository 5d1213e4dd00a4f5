"""From a response's body to a task's output."""

from __future__ import annotations

import base64
import json
import re
from typing import Final

from worker_bridge.core.json_text import is_value

# Never text, whatever the bytes look like; else the same download would be one thing today and another tomorrow.
_BINARY = re.compile(r"(?!.*\+(json|xml)$)((image|audio|video|font)/.*|application/(octet-stream|pdf|zip|gzip))")
_CHARSET = re.compile(r';\s*charset="?([A-Za-z0-9_.:-]{1,40})"?', re.IGNORECASE)
# By name, for others of Python's codecs unpack, execute escapes, or are slow.
_CHARSETS: Final = frozenset(
    "utf-8 utf8 us-ascii ascii iso-8859-1 latin1 iso-8859-2 iso-8859-15 windows-1250 windows-1251 windows-1252 utf-16 "
    "koi8-r shift_jis euc-jp gb18030 gbk big5 euc-kr".split()
)
_SHOWN_TYPE: Final = 200


def output_of(body: bytes, content_type: bytes) -> bytes:
    """JSON text: JSON as it is, {} for nothing, {"body": text}, or {"body_base64", "content_type"}."""
    said = content_type.decode("latin-1")
    kind = said.partition(";")[0].strip().lower()
    if not body:
        return b"{}"
    if _BINARY.fullmatch(kind):
        return _binary(body, said)
    text = _text(body, said)
    if text is None:
        return _binary(body, said)
    return text.encode() if is_value(text) else json.dumps({"body": text}, ensure_ascii=False).encode()


def _text(body: bytes, said: str) -> str | None:
    """None: it is no text, or not in the character set that it names."""
    named = _CHARSET.search(said)
    charset = named[1].lower() if named else "utf-8"
    if charset not in _CHARSETS:
        return None
    try:
        text = body.decode(charset)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text.removeprefix("\ufeff")


def _binary(body: bytes, said: str) -> bytes:
    shown = "".join(character for character in said[:_SHOWN_TYPE] if " " <= character <= "~")
    return json.dumps({"body_base64": base64.b64encode(body).decode(), "content_type": shown}).encode()

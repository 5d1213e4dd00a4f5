"""Tables of the library that programs look into, as copies that nobody can change; and what must be told of no file."""

from __future__ import annotations

import configparser
import html.entities
import mimetypes
from types import MappingProxyType
from typing import Any, Final, NoReturn

from langserver.python_runtime.refusals import RefusedCall

mimetypes.knownfiles.clear()
mimetypes.init()  # from the tables that it brings along, instead of the host's at first use


def _no_files(*args: Any, **options: Any) -> NoReturn:
    raise RefusedCall("there are no files to read here", "pass the text in as input and use read_string()")


# Inherited by every parser, and its only way to a file.
configparser.RawConfigParser.read = _no_files  # type: ignore[method-assign]

ENTITIES: Final[dict[str, Any]] = {
    name: MappingProxyType(dict(getattr(html.entities, name)))
    for name in ("codepoint2name", "entitydefs", "html5", "name2codepoint")
}
MIMETYPES: Final[dict[str, Any]] = {
    name: MappingProxyType(dict(getattr(mimetypes, name)))
    for name in ("common_types", "encodings_map", "suffix_map", "types_map")
}

"""`pattern.groupindex == x` hands the dictionary behind the proxy to `x`; patterns of the library are shared."""

from __future__ import annotations

import re
import types
from typing import Any

from langserver.python_runtime import inplace


def harden() -> None:
    """In the zygote, once."""
    held: Any = re.Pattern.__dict__["groupindex"]

    def groupindex(self: Any) -> types.MappingProxyType[str, int]:
        """A mapping of the names of groups to their numbers, of a copy."""
        return types.MappingProxyType(dict(held.__get__(self)))

    inplace.replace(re.Pattern, "groupindex", property(groupindex))

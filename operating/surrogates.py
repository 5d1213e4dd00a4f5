"""Half of a surrogate pair in a JSON text: some readers take it, strict ones refuse it (RFC 8259, section 8.2)."""

from __future__ import annotations

import re
from typing import Final

# All escapes up to the first one of half a pair. Possessive, so that a long text costs no memory.
_UP_TO_HALF: Final = re.compile(
    rb"""[^\\]*+(?:\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u(?![dD][89a-fA-F])|[^u])[^\\]*+)*+
         (\\u[dD][89a-fA-F][0-9a-fA-F]{2})""",
    re.VERBOSE,
)


def half_pair(text: bytes) -> str | None:
    r"""What to tell of a refused text where it holds an escape like \ud800 alone: which one, and at which byte."""
    found = _UP_TO_HALF.match(text)
    if found is None:
        return None
    return f"{found[1].decode()} at byte {found.start(1)} is half of a surrogate pair, which is no Unicode text"

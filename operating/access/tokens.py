"""Bearer tokens and the names of their owners: how they are written in a file, and whose one is."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

TOKEN_BYTES: Final = 16  # at least
_LONGEST: Final = 1024
_MOST: Final = 1_000  # each is compared with at each call
_TOKEN: Final = re.compile(rb"[\x21-\x7e]+")  # what a header can carry (RFC 9110, section 5.5), without spaces
_NAME: Final = re.compile(rb"[A-Za-z0-9._@-]{1,64}")
_SCHEME: Final = b"bearer "


class Tokens:
    """The tokens that are valid, by their owners' names."""

    def __init__(self, tokens: Mapping[str, bytes]) -> None:
        # Digests are all of one length, so that not even a token's length can be measured.
        self._digests = [(owner, sha256(token).digest()) for owner, token in tokens.items()]

    def owner_of(self, authorization: bytes) -> str | None:
        """Whose token a header `Bearer TOKEN` holds; None: nobody's. Takes as long for every answer."""
        scheme, token = authorization[: len(_SCHEME)], authorization[len(_SCHEME) :]
        if scheme.lower() != _SCHEME:
            return None
        digest = sha256(token).digest()
        found = None
        for owner, known in self._digests:
            if hmac.compare_digest(digest, known):
                found = owner
        return found

    def still_in(self, content: bytes) -> Tokens:
        """Those whose own line is in the file yet, which cannot be used as a whole; and the one that is in no file."""
        lines = (line.strip().partition(b":") for line in content.split(b"\n"))
        there = {(name, sha256(token).digest()) for name, _, token in lines}
        kept = Tokens({})
        kept._digests = [
            (owner, digest) for owner, digest in self._digests if not owner or (owner.encode(), digest) in there
        ]
        return kept


def is_token(token: bytes) -> bool:
    """Whether it is long enough and can be sent."""
    return TOKEN_BYTES <= len(token) <= _LONGEST and _TOKEN.fullmatch(token) is not None


def parse_tokens(content: bytes) -> dict[str, bytes]:
    """Tokens by name from lines `NAME:TOKEN`; empty ones and those that begin with # are left out. There may be none.

    Raises ValueError with the number of the line; a token is in no message.
    """
    tokens: dict[str, bytes] = {}
    for number, raw in enumerate(content.split(b"\n"), start=1):
        line = raw.strip()
        if not line or line.startswith(b"#"):
            continue
        name, colon, token = line.partition(b":")
        if not colon or not _NAME.fullmatch(name):
            raise ValueError(f"line {number}: expected NAME:TOKEN, the name from A-Z a-z 0-9 . _ @ -, at most 64")
        if not is_token(token):
            raise ValueError(
                f"line {number}: the token is not {TOKEN_BYTES} to {_LONGEST} printable ASCII characters without spaces"
            )
        if name.decode() in tokens:
            raise ValueError(f"line {number}: a line before has the same name")
        if token in tokens.values():
            raise ValueError(f"line {number}: a line before has the same token")
        tokens[name.decode()] = token
    if len(tokens) > _MOST:
        raise ValueError(f"it holds {len(tokens)} tokens, more than {_MOST}")
    return tokens

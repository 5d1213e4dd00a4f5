"""Who calls, by whose authority he is let in."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any, Final

import grpc

# Set where the token is checked, in the library's task of the call, and inherited by its handler.
token_owner: ContextVar[str] = ContextVar("token_owner", default="")

_TOKEN: Final = "token:"  # noqa: S105 - a word before a name
# What gRPC says in the place of each name that is of a kind it does not show (src/core/tsi/ssl_transport_security.cc):
# the same for all who have such names.
_UNSHOWN: Final = b"other types of SAN"


def principal_of(context: grpc.aio.ServicerContext[Any, Any]) -> str:
    """The name of the caller's token and the names in his certificate.

    Empty without either: all who have the one token without a name, or need none, are one principal.
    """
    names = [name for name in context.peer_identities() or () if name != _UNSHOWN]
    if not names:
        names = [*context.auth_context().get("x509_common_name", ())]
    return principal(token_owner.get(), names)


def principal(owner: str, names: Iterable[bytes]) -> str:
    """Of a token's owner, "" for none, and of a certificate's names. No two callers who differ in these share one."""
    known = [_written(name) for name in names]
    return "\0".join([f"{_TOKEN}{owner}", *known] if owner else known)


def shown(principal: str) -> str:
    """For a line that people read."""
    return principal.replace("\0", " ")


def _written(name: bytes) -> str:
    """A certificate's name without what parts names from each other, and never as a token's owner is written: what a
    CA signs, somebody asked for.
    """
    text = name.replace(b"\\", rb"\x5c").replace(b"\0", rb"\x00").replace(b" ", rb"\x20")
    written = text.decode("utf-8", "backslashreplace")
    return written.replace(":", r"\x3a", 1) if written.startswith(_TOKEN) else written

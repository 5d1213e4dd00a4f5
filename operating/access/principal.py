"""Who calls, by whose authority he is let in."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import grpc

# Set where the token is checked, in the library's task of the call, and inherited by its handler.
token_owner: ContextVar[str] = ContextVar("token_owner", default="")


def principal_of(context: grpc.aio.ServicerContext[Any, Any]) -> str:
    """The name of the caller's token and the names in his certificate.

    Empty without either: all who have the one token without a name, or need none, are one principal.
    """
    names = [name.decode("utf-8", "backslashreplace") for name in context.peer_identities() or ()]
    owner = token_owner.get()
    return "\0".join([f"token:{owner}", *names] if owner else names)


def shown(principal: str) -> str:
    """For a line that people read."""
    return principal.replace("\0", " ")

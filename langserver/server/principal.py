"""Who calls."""

from __future__ import annotations

from typing import Any

import grpc


def principal_of(context: grpc.aio.ServicerContext[Any, Any]) -> str:
    """The names in the caller's certificate, by whose authority he is let in.

    Empty without one: all who have the server's one token, or need none, are one principal.
    """
    names = context.peer_identities() or ()
    return "\0".join(name.decode("utf-8", "backslashreplace") for name in names)

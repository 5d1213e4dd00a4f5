"""Who calls, and on whose behalf."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

import grpc

from langserver.core.fairness import Whose

_TENANT_CHARS = 64

# Set where the token is checked, in the library's task of the call, and inherited by its handler.
token_owner: ContextVar[str] = ContextVar("token_owner", default="")


def principal_of(context: grpc.aio.ServicerContext[Any, Any]) -> str:
    """The name of the caller's token and the names in his certificate, by whose authority he is let in.

    Empty without either: all who have the one token without a name, or need none, are one principal.
    """
    names = [name.decode("utf-8", "backslashreplace") for name in context.peer_identities() or ()]
    owner = token_owner.get()
    return "\0".join([f"token:{owner}", *names] if owner else names)


def whose(principal: str, metadata: Mapping[str, str]) -> Whose:
    """A task's principal, and the tenant that its request names: kept as it is or, where it is long, as a digest."""
    tenant = metadata.get("tenant", "")
    if len(tenant) > _TENANT_CHARS:
        tenant = hashlib.sha256(tenant.encode()).hexdigest()
    return Whose(principal, tenant)

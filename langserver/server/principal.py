"""On whose behalf a task is executed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from langserver.core.fairness import Whose

_TENANT_CHARS = 64


def whose(principal: str, metadata: Mapping[str, str]) -> Whose:
    """A task's principal, and the tenant that its request names: kept as it is or, where it is long, as a digest."""
    tenant = metadata.get("tenant", "")
    if len(tenant) > _TENANT_CHARS:
        tenant = hashlib.sha256(tenant.encode()).hexdigest()
    return Whose(principal, tenant)

"""How many descriptors the server may need, and the limit that must allow it."""

from __future__ import annotations

import resource

from langserver.errors import StartError
from langserver.settings import Settings

_A_CHILD = 7  # two pipes and the door of a control group, of which some go to the zygote; a pidfd; what the watch reads
_FIXED = 64  # sockets, zygotes, event loops, gRPC
_CONNECTIONS = 64
_SCRAPERS = 18  # sixteen, who waits, and the port


def descriptors_needed(settings: Settings) -> int:
    """The most that are open at once: running and waiting children of every runtime, and callers."""
    children = settings.max_concurrency + settings.warm_children * len(settings.runtimes)
    scrapers = _SCRAPERS if settings.metrics_addr else 0
    return _FIXED + _CONNECTIONS + scrapers + _A_CHILD * children


def raise_descriptor_limit(settings: Settings) -> None:
    """Raises the soft limit as far as it may be; zygotes inherit it. Raises StartError when even that is too low."""
    needed = descriptors_needed(settings)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise StartError(
            f"the limit of open files is {hard}, and up to {needed} may be needed: raise it (ulimit -n), or lower "
            "LANG_MAX_CONCURRENCY or LANG_WARM_CHILDREN"
        )
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

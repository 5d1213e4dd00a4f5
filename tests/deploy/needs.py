"""What memory a language server may need, as docs/deploy.md and the threat model add it up, in MiB."""

from __future__ import annotations

from collections.abc import Mapping

from langserver.settings import Settings

_MIB = 1 << 20
_MARGIN = 32  # a child may have so much beyond its limit before the watch ends it
_IDLE_SERVER = 55
_ZYGOTE = 60  # one a runtime, and one more while it is replaced
_WARM = {"python": 2, "js": 4}
_FRAMES = 4  # of a request that is on its way
_PROBE = 50  # `langserver health` is a process of the container too


def needed(environment: Mapping[str, str]) -> float:
    """With these settings, at worst."""
    settings = Settings(**{name.removeprefix("LANG_").lower(): value for name, value in environment.items()})
    tasks = settings.max_concurrency * (settings.memory_mb + _MARGIN)
    warm = settings.warm_children * sum(_WARM.values())
    zygotes = 2 * _ZYGOTE * len(settings.runtimes)
    request = (settings.code_bytes + settings.input_bytes) / _MIB
    answer = 4 * settings.max_concurrency * (settings.output_bytes + settings.log_bytes) / _MIB
    server = (
        _IDLE_SERVER
        + (settings.max_concurrency + settings.max_queue) * request
        + 16 * (request + _FRAMES)
        + settings.compile_cache_mb
        + 2 * settings.max_concurrency
        + 2 * max(64, answer)
    )
    return tasks + warm + zygotes + server + _PROBE

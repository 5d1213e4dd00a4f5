"""Settings that fit into the memory there is: how many tasks at once, how many waiting children, how long a queue."""

from __future__ import annotations

from collections.abc import Mapping

from langserver.core.capacity import Capacity, Needs, Wanted, capacity
from langserver.core.verdict import MIB, SLACK_BYTES
from langserver.server.endpoint import outbox_bytes
from langserver.server.memory import usable_memory
from langserver.settings import QUEUED_A_TASK, Settings
from langserver.wire.channel import FORM_BYTES
from langserver.zygote.launch import Facts

_SERVER_BYTES = 64 * MIB  # with nothing to do; measured: 55
_WAITING_BYTES = {"python": 4 * MIB, "js": 8 * MIB}  # of its own, with what the kernel holds for it; measured: 2.2, 4.2
_ON_THE_WAY = 16  # requests (langserver.server.methods)


def fit(settings: Settings, facts: Mapping[str, Facts]) -> tuple[Settings, Capacity]:
    """The settings with what fits, and how that came about; unchanged where nothing does. `facts`: of each runtime."""
    given = settings.model_fields_set
    wanted = Wanted(settings.max_concurrency, settings.warm_children, "warm_children" not in given)
    found = capacity(usable_memory(), needs(settings, facts), wanted)
    if not found.tasks:
        return settings, found
    queue = settings.max_queue if "max_queue" in given else QUEUED_A_TASK * found.tasks
    changes = {"max_concurrency": found.tasks, "warm_children": found.waiting, "max_queue": queue}
    return settings.model_copy(update=changes), found


def needs(settings: Settings, facts: Mapping[str, Facts]) -> Needs:
    """What each part takes, but for `callers_bytes`."""
    zygotes = [one.idle_held_bytes for one in facts.values()]
    return Needs(
        server=_SERVER_BYTES + settings.compile_cache_mb * MIB,
        zygotes=2 * sum(zygotes),  # one that is replaced is still there while its last tasks run
        waiting=sum(_WAITING_BYTES[name] for name in facts),
        # What a task writes to of its zygote's memory is copied, and counted by no limit but that of a control group.
        # It is less than the slack, but where an operator's packages make a zygote larger.
        task=settings.ceilings.sealed_memory_bytes + max([SLACK_BYTES, *zygotes]),
    )


def advice(found: Capacity) -> str:
    """What to do where fewer tasks fit than were wanted."""
    return (
        "give it more memory, or lower LANG_MEMORY_MB"
        if found.tasks
        else "give it more memory, or lower LANG_MEMORY_MB, LANG_WARM_CHILDREN or LANG_COMPILE_CACHE_MB, or name one "
        "runtime in LANG_RUNTIMES"
    )


def callers_bytes(settings: Settings) -> int:
    """What callers with large requests, who do not read their answers, make the server hold at most besides."""
    request = settings.code_bytes + settings.input_bytes
    waiting = (settings.max_concurrency + settings.max_queue) * request
    compiled = settings.max_concurrency * FORM_BYTES if settings.compile_cache_mb else 0
    return waiting + _ON_THE_WAY * (request + 4 * MIB) + compiled + 2 * outbox_bytes(settings)

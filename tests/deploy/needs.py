"""What memory a language server's container needs: the server's own sums, and a health check beside it. In MiB."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from langserver.core.capacity import Needs
from langserver.server.fitting import callers_bytes, needs
from langserver.settings import Settings
from langserver.zygote.launch import Facts

_MIB = 1 << 20
ZYGOTE_MIB = 32  # what the documents count one with; a server counts it as it finds it
PROBE = 50  # `langserver health` is a process of the container too


@dataclass(frozen=True, slots=True)
class Sum:
    """At worst, by the parts of docs/deploy.md's table."""

    tasks: float
    waiting: float
    zygotes: float
    server: float
    callers: float

    @property
    def own(self) -> float:
        """What a server makes fit by itself."""
        return self.tasks + self.waiting + self.zygotes + self.server

    @property
    def total(self) -> float:
        """All that its container has to hold."""
        return self.own + self.callers + PROBE


def settings_of(environment: Mapping[str, str]) -> Settings:
    """Of these variables and no others."""
    return Settings(**{name.removeprefix("LANG_").lower(): value for name, value in environment.items()})


def needed(settings: Settings) -> Sum:
    """With these settings as they are: nothing is made to fit."""
    each: Needs = needs(settings, {name: Facts("", ZYGOTE_MIB * _MIB, 0) for name in settings.runtimes})
    return Sum(
        tasks=settings.max_concurrency * each.task / _MIB,
        waiting=settings.warm_children * each.waiting / _MIB,
        zygotes=each.zygotes / _MIB,
        server=each.server / _MIB,
        callers=callers_bytes(settings) / _MIB,
    )

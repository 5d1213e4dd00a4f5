"""How long to wait before a zygote is started in place of one that died."""

from __future__ import annotations

from dataclasses import dataclass

SETTLED_SECONDS = 5.0  # a zygote that lives so long, or gave a child for a task, has started well
SHORTEST_SECONDS = 0.05
LONGEST_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Restarts:
    """Not at all after a zygote that had started well, else twice as long each time: `delay_seconds` is the next wait.

    Without it a host that kills each of them would have its cores busy with starts.
    """

    delay_seconds: float = 0.0

    def lost(self, tasks: int, since: float, now: float) -> Restarts:
        """After the death of a zygote that came into use at `since` and gave children for `tasks` tasks."""
        return Restarts() if tasks or now - since >= SETTLED_SECONDS else self

    def tried(self) -> Restarts:
        """After the wait, whether the start succeeds or not."""
        return Restarts(min(max(SHORTEST_SECONDS, self.delay_seconds * 2), LONGEST_SECONDS))

"""Figures of how things stand: looked up when they are asked for, so that nobody pays for them meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from langserver.core.forms import FormCache
from langserver.server.gate import Gate
from langserver.server.health import Health
from langserver.server.pool import Pool
from langserver.server.telemetry.memory import GroupMemory


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A collector of prometheus_client."""

    gate: Gate
    pools: Mapping[str, Pool]
    health: Health
    forms: FormCache | None
    memory: GroupMemory
    task_memory_bytes: int

    def collect(self) -> Iterator[Metric]:
        """See prometheus_client."""
        yield _gauge("slots_in_use", "Tasks that run", self.gate.running)
        yield _gauge("slots", "Tasks that may run at once (LANG_MAX_CONCURRENCY)", self.gate.slots)
        yield _gauge("queue_callers", "Tasks that wait for a slot", self.gate.waiting)
        yield _gauge("queue_places", "Tasks that may wait (LANG_MAX_QUEUE)", self.gate.places)
        yield from self._pools()
        yield from self._forms()
        yield _gauge("memory_bytes", "What the server's control group holds, children included", self.memory.held_bytes)
        yield _gauge("memory_limit_bytes", "What it may hold; +Inf without a limit", self.memory.limit_bytes)
        yield _gauge("task_memory_limit_bytes", "What a task may hold (LANG_MEMORY_MB)", self.task_memory_bytes)

    def _pools(self) -> Iterator[Metric]:
        serving = GaugeMetricFamily("langserver_serving", "1 while tasks of a runtime are taken", labels=["runtime"])
        children = GaugeMetricFamily(
            "langserver_children", "Children that run a task, wait for one, are being made", labels=["runtime", "state"]
        )
        takes = CounterMetricFamily(
            "langserver_pool_takes",
            "Tasks that found a warm child, or had to wait for one",
            labels=["runtime", "result"],
        )
        for name, pool in self.pools.items():
            serving.add_metric([name], self.health.serves(name))
            for state, count in (("running", pool.running), ("warm", pool.waiting), ("making", pool.making)):
                children.add_metric([name, state], count)
            takes.add_metric([name, "hit"], pool.hits)
            takes.add_metric([name, "miss"], pool.misses)
        yield from (serving, children, takes)

    def _forms(self) -> Iterator[Metric]:
        forms = self.forms
        lookups = CounterMetricFamily(
            "langserver_compile_cache_lookups", "Python programs that were compiled already, or not", labels=["result"]
        )
        lookups.add_metric(["hit"], forms.hits if forms else 0)
        lookups.add_metric(["miss"], forms.misses if forms else 0)
        yield lookups
        yield _gauge("compile_cache_bytes", "Compiled programs that are kept", forms.held_bytes if forms else 0)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"langserver_{name}", text, value=value)

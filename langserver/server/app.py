"""The life of a server: start, serve, drain, gone."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import grpc

from langserver import __version__
from langserver.core.forms import FormCache
from langserver.core.jit import profile
from langserver.core.verdict import MIB, EndReason
from langserver.errors import StartError
from langserver.sandbox import confine
from langserver.sandbox.probe import LayerStatus, probe
from langserver.server.capabilities import capabilities, layers_in_force, with_packages
from langserver.server.cores import usable_cores
from langserver.server.descriptors import raise_descriptor_limit
from langserver.server.endpoint import add_services, bind, keys_of, make_server, outbox_bytes
from langserver.server.fitting import advice, callers_bytes, fit
from langserver.server.front import Front
from langserver.server.gate import Gate
from langserver.server.health import Health
from langserver.server.logs import set_up_logging
from langserver.server.methods import services
from langserver.server.orphans import bury_orphans
from langserver.server.outbox import Outbox
from langserver.server.pool import Pool, PoolPlan
from langserver.server.service import LanguageService
from langserver.server.spans import Spans
from langserver.server.tasks import Tasks
from langserver.server.telemetry.telemetry import Telemetry
from langserver.server.zygotes import SelfTestFailed, ZygotePlan
from langserver.settings import Settings
from langserver.zygote import niceness
from langserver.zygote.failures import ZygoteError
from operating.access.address import Address, parse_address
from operating.access.handshakes import Handshakes
from operating.access.keys import Keys
from operating.tracing.start import start_tracing

if TYPE_CHECKING:
    from langserver.server.telemetry.metrics import Metrics
    from operating.telemetry.endpoint import Endpoint
    from operating.tracing.tracer import Tracing

log = logging.getLogger(__name__)

_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_LAST_ANSWERS_SECONDS = 1.0
_LAST_TASKS_SECONDS = 20.0  # a killed child is gone in milliseconds


def serve(settings: Settings, listen: str | None, reflection: bool, handshakes: Handshakes | None = None) -> int:
    """Serves until SIGTERM or SIGINT; returns the exit status. `listen` goes before LANG_LISTEN_ADDR; of `handshakes`
    that fail the log tells.

    Call it in the main thread: zygotes live as long as the thread that started them. Raises StartError.
    """
    # Nobody of the same user may read our memory (keys, other callers' tasks) through /proc or ptrace.
    confine.forbid_dumps()
    set_up_logging(settings.log_format, settings.log_level)
    for name in settings.unknown_variables():
        log.warning("%s is set, but there is no such setting", name)
    raise_descriptor_limit(settings)
    tracing = _tracing()
    try:
        with suppress(asyncio.CancelledError):  # stopped while it started
            asyncio.run(
                _serve(settings, listen or settings.listen_addr, reflection or settings.reflection, handshakes, tracing)
            )
    finally:
        if tracing is not None:
            tracing.close()
    return 0


def _tracing() -> Tracing | None:
    try:
        return start_tracing("langserver", __version__)
    except ValueError as error:
        raise StartError(str(error)) from None


async def _serve(
    settings: Settings, listen: str, reflection: bool, handshakes: Handshakes | None, tracing: Tracing | None
) -> None:
    starting = asyncio.current_task()
    assert starting is not None
    _on_stop(starting.cancel)
    try:
        address = parse_address(listen)
    except ValueError as error:
        raise StartError(f"can't listen on {listen!r}: {error}") from None
    found = with_packages(probe(), settings)
    layers = layers_in_force(found, settings.required_layers)
    _tell_of_protection(found, settings)
    keys = keys_of(settings)
    metrics = _metrics(settings, {layer.name: layer.name in layers and not layer.void for layer in found})
    telemetry = Telemetry(metrics)
    if handshakes is not None:
        _listen_to(handshakes, telemetry)
    bury_orphans()
    health = Health(settings.runtimes)
    pools = {
        name: Pool(_plan(settings, name, layers), health.listener(name), telemetry.of_pool(name))
        for name in settings.runtimes
    }
    endpoint: Endpoint | None = None
    try:
        await _start(pools, telemetry)
        settings = _fitted(settings, pools)
        for pool in pools.values():
            pool.keep_warm(settings.warm_children)
        gate = Gate(settings.max_concurrency, settings.max_queue)
        tasks = Tasks(gate, pools, telemetry.ended)
        forms = FormCache(settings.compile_cache_mb * MIB) if settings.compile_cache_mb else None
        spans = Spans(tracing) if tracing is not None else None
        service = LanguageService(
            tasks, settings.ceilings, lambda: capabilities(settings, found, layers, pools), forms, spans
        )
        offered = services(service, health, Outbox(outbox_bytes(settings)), telemetry.refused)

        def build(at: Address) -> tuple[grpc.aio.Server, Address]:
            server = make_server(settings, keys, telemetry.refused)
            add_services(server, offered, reflection)
            return server, bind(server, at, settings, keys)

        if metrics is not None:
            metrics.shows_certificate(lambda: keys.certificate_ends_at)
            metrics.show(gate, pools, health, forms, settings.ceilings.sealed_memory_bytes)
            endpoint = _serve_metrics(settings, metrics)
        front = Front(build, address, linger_seconds=settings.max_timeout_seconds)
        await _take_calls(front, keys, lambda hurry: _drain(gate, tasks, health, settings.drain_seconds, hurry))
    finally:
        await asyncio.gather(*(pool.close() for pool in pools.values()))
        if endpoint is not None:
            await endpoint.close()
        telemetry.close()


async def _take_calls(front: Front, keys: Keys, drain: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    """Until it is asked to stop, and then until the drain is over."""
    keeping: list[asyncio.Task[NoReturn]] = []
    try:
        await front.start()
        keeping = [asyncio.create_task(front.keep())]
        if keys.are_in_files:
            keeping.append(asyncio.create_task(keys.keep()))
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, partial(keys.look, at_once=True))
        stop, hurry = _stop_events()
        _announce(front.address)
        await _first(stop.wait(), keeping)
        await drain(hurry)
    finally:
        for task in keeping:
            task.cancel()
        await front.stop(_LAST_ANSWERS_SECONDS)
        if front.address.path:
            with suppress(FileNotFoundError):
                os.unlink(front.address.path)


def _tell_of_protection(found: Iterable[LayerStatus], settings: Settings) -> None:
    for layer in found:
        if not layer.available:
            log.info("runs without the layer %s: %s", layer.name, layer.detail)
        elif layer.void:
            log.warning("the layer %s is %s", layer.name, layer.void)
    if why := niceness.refused():
        log.warning(
            "a caller's flood has the cores as everybody else has, since its tasks cannot make way: %s. Allow the call "
            "in the container's seccomp profile (deploy/seccomp.json does)",
            why,
        )
    for name in filter(settings.jit, settings.runtimes):
        log.warning("%s runs in the profile %s", name, profile(name, jit=True))


async def _first(asked: Coroutine[Any, Any, object], keeping: Iterable[asyncio.Task[NoReturn]]) -> None:
    """Returns when it is asked to; raises what one of `keeping` ends with before."""
    asking = asyncio.ensure_future(asked)
    ended, _ = await asyncio.wait({asking, *keeping}, return_when=asyncio.FIRST_COMPLETED)
    if not asking.done():
        asking.cancel()
        await ended.pop()


def _plan(settings: Settings, runtime: str, layers: frozenset[str]) -> PoolPlan:
    return PoolPlan(
        ZygotePlan(
            runtime=runtime,
            layers=layers,
            max_tasks=settings.zygote_max_tasks,
            max_age_seconds=settings.zygote_max_age,
            packages=settings.packages(runtime),
            jit=settings.jit(runtime),
        ),
        memory_bytes=settings.ceilings.sealed_memory_bytes,
        cpu_seconds=settings.ceilings.sealed_cpu_seconds,
        warm=0,  # before it is known how many fit
        cores=usable_cores(),
    )


def _metrics(settings: Settings, layers: Mapping[str, bool]) -> Metrics | None:
    if not settings.metrics_addr:
        return None
    from langserver.server.telemetry.metrics import Metrics  # some megabytes, for those who ask for them

    return Metrics(settings.runtimes, layers)


def _serve_metrics(settings: Settings, metrics: Metrics) -> Endpoint:
    """Raises StartError."""
    from operating.telemetry.endpoint import Endpoint

    address = parse_address(settings.metrics_addr or "")
    endpoint = Endpoint(metrics.registry)
    try:
        port = endpoint.listen(address.host, address.port)
    except OSError as error:
        raise StartError(f"LANG_METRICS_ADDR: can't listen on {address}: {error.strerror or error}") from None
    log.info("metrics on http://%s:%d/metrics", address.host, port)
    return endpoint


def _listen_to(handshakes: Handshakes, telemetry: Telemetry) -> None:
    loop = asyncio.get_running_loop()
    loop.add_reader(handshakes.descriptor, lambda: telemetry.handshakes_failed(handshakes.read(loop.time())))


async def _start(pools: Mapping[str, Pool], telemetry: Telemetry) -> None:
    started = await asyncio.gather(*(pool.start() for pool in pools.values()), return_exceptions=True)
    for runtime, error in zip(pools, started, strict=True):
        if isinstance(error, SelfTestFailed):
            telemetry.self_test_failed(runtime)
        if isinstance(error, ZygoteError):
            raise StartError(str(error)) from None
        if error is not None:
            raise error


def _fitted(settings: Settings, pools: Mapping[str, Pool]) -> Settings:
    """The settings with what fits into the memory. Raises StartError when not even one task does."""
    fitted, found = fit(settings, {name: pool.facts for name, pool in pools.items()})
    if not found.tasks:
        raise StartError(f"not even one task fits into the memory: {found.account()}: {advice(found)}")
    if found.is_lowered:
        log.warning(
            "LANG_MAX_CONCURRENCY is lowered from %d to %d, for more do not fit into the memory: %s: %s",
            found.wanted.tasks,
            found.tasks,
            found.account(),
            advice(found),
        )
    else:
        log.info("%d tasks may run at once: %s", found.tasks, found.account())
    more = callers_bytes(fitted)
    if found.total + more > found.room.size:
        log.warning(
            "callers with large requests could make the server hold %d MiB besides, for which there is no room: lower "
            "LANG_MAX_QUEUE or LANG_INPUT_BYTES, or give it more memory",
            more // MIB,
        )
    return fitted


async def _drain(gate: Gate, tasks: Tasks, health: Health, seconds: float, hurry: asyncio.Event) -> None:
    """Takes nothing new, lets what runs end for a while, then ends it. Health goes on answering.

    Waits for no caller, and for nothing without an end.
    """
    log.info("draining: %d tasks run, %d wait", gate.running, gate.waiting)
    gate.drain()
    health.drain()
    empty, hurried = (asyncio.ensure_future(wait) for wait in (gate.wait_until_empty(), hurry.wait()))
    await asyncio.wait({empty, hurried}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    hurried.cancel()
    tasks.end_all(EndReason.DRAINED)
    await asyncio.wait({empty}, timeout=_LAST_TASKS_SECONDS)
    if not empty.done():
        empty.cancel()
        log.error("%d tasks did not end", gate.running)


def _stop_events() -> tuple[asyncio.Event, asyncio.Event]:
    """Set by the first signal to stop, and by the second."""
    stop, hurry = asyncio.Event(), asyncio.Event()

    def asked() -> None:
        (hurry if stop.is_set() else stop).set()

    _on_stop(asked)
    return stop, hurry


def _on_stop(act: Callable[[], object]) -> None:
    loop = asyncio.get_running_loop()
    for number in _STOP_SIGNALS:
        loop.add_signal_handler(number, act)


def _announce(address: Address) -> None:
    sys.stdout.write(f"langserver listening on {address}\n")
    sys.stdout.flush()

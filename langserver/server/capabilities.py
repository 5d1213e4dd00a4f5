"""What this server is and can: which layers protect its tasks, and the answer to GetCapabilities."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping

import langserver
from langserver.errors import StartError
from langserver.pb import lang_pb2
from langserver.sandbox.probe import LayerStatus
from langserver.server.convert import max_limits
from langserver.server.pool import Pool
from langserver.settings import Settings


def layers_in_force(found: Iterable[LayerStatus], required: frozenset[str]) -> frozenset[str]:
    """Every layer the host can give. Raises StartError when that lacks a required one."""
    available = set()
    for layer in found:
        if layer.available:
            available.add(layer.name)
        elif layer.name in required:
            raise StartError(
                f"the layer {layer.name} is required (LANG_REQUIRED_LAYERS), but can't be had here: {layer.detail}"
            )
    return frozenset(available)


def capabilities(
    settings: Settings, found: Iterable[LayerStatus], layers: frozenset[str], pools: Mapping[str, Pool]
) -> lang_pb2.Capabilities:
    """The message, as things are now."""
    return lang_pb2.Capabilities(
        version=langserver.__version__,
        runtimes=[
            lang_pb2.RuntimeInfo(name=name, version=pool.facts.version, modules=_modules(name, settings))
            for name, pool in pools.items()
        ],
        layers=[
            lang_pb2.LayerInfo(name=layer.name, active=layer.name in layers, detail=layer.detail) for layer in found
        ],
        max_limits=max_limits(settings.ceilings),
        max_concurrency=settings.max_concurrency,
    )


def _modules(runtime: str, settings: Settings) -> list[str]:
    # By name: each runtime keeps its list in the same place, and no other module of it is loaded here.
    modules: tuple[str, ...] = importlib.import_module(f"langserver.{runtime}_runtime.catalog").MODULES
    return sorted((*modules, *settings.added_modules(runtime)))

"""What this server is and can: which layers protect its tasks, and the answer to GetCapabilities."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import replace

import langserver
from langserver.core.jit import profile
from langserver.errors import StartError
from langserver.pb import lang_pb2
from langserver.python_runtime.packages.names import void
from langserver.sandbox.layers import POLICY
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
                f"the layer {layer.name} is required (LANG_REQUIRED_LAYERS), but can't be had here: {layer.detail}. "
                "`langserver doctor` shows what this place has: change it, or what is required"
            )
    return frozenset(available)


def with_packages(found: Iterable[LayerStatus], settings: Settings) -> tuple[LayerStatus, ...]:
    """What was found, with the policy void where the operator's packages are loaded.

    Whoever names packages has said so: it may be required all the same, and goes on refusing what it can.
    """
    packages = settings.python_modules if "python" in settings.runtimes else ()
    return tuple(replace(layer, void=void(packages)) if packages and layer.name == POLICY else layer for layer in found)


def capabilities(
    settings: Settings, found: Iterable[LayerStatus], layers: frozenset[str], pools: Mapping[str, Pool]
) -> lang_pb2.Capabilities:
    """The message, as things are now."""
    return lang_pb2.Capabilities(
        version=langserver.__version__,
        runtimes=[
            lang_pb2.RuntimeInfo(
                name=name,
                version=pool.facts.version,
                modules=_modules(name, settings),
                profile=profile(name, settings.jit(name)),
            )
            for name, pool in pools.items()
        ],
        layers=[
            lang_pb2.LayerInfo(
                name=layer.name, active=layer.name in layers and not layer.void, detail=layer.void or layer.detail
            )
            for layer in found
        ],
        max_limits=max_limits(settings.ceilings),
        max_concurrency=settings.max_concurrency,
    )


def _modules(runtime: str, settings: Settings) -> list[str]:
    # By name: each runtime keeps its list in the same place, and no other module of it is loaded here.
    modules: tuple[str, ...] = importlib.import_module(f"langserver.{runtime}_runtime.catalog").MODULES
    return sorted((*modules, *settings.packages(runtime)))

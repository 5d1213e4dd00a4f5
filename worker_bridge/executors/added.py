"""Executors of an operator's own, named in WORKER_EXECUTORS."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from worker_bridge.errors import StartError
from worker_bridge.executors.port import Executor

_METHODS = ("start", "usable", "execute", "close")


def with_added(built_in: Mapping[str, Executor], added: Mapping[str, str]) -> dict[str, Executor]:
    """`built_in` and, by node type, what each `MODULE:CLASS` of `added` makes. Raises StartError."""
    for node_type in added:
        if node_type in built_in:
            raise StartError(f"WORKER_EXECUTORS: {node_type} is there already")
    return {**built_in, **{node_type: _made(node_type, place) for node_type, place in added.items()}}


def _made(node_type: str, place: str) -> Executor:
    module, _, name = place.partition(":")
    try:
        made: Executor = getattr(importlib.import_module(module), name)()
    except Exception as error:
        raise StartError(f"WORKER_EXECUTORS: {node_type}={place}: {type(error).__name__}: {error}") from error
    if missing := [method for method in _METHODS if not callable(getattr(made, method, None))]:
        raise StartError(f"WORKER_EXECUTORS: {node_type}={place} has no {', '.join(missing)}")
    return made

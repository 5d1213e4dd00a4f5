"""Which layers a command runs a task with."""

from __future__ import annotations

from langserver.commands.exits import UsageError
from langserver.errors import StartError
from langserver.sandbox.layers import POLICY, REQUIRED, parse_layers
from langserver.sandbox.probe import probe


def default_layers() -> frozenset[str]:
    """Every layer this host has. Raises StartError when a required one is missing."""
    found = probe()
    missing = [f"{layer.name} ({layer.detail})" for layer in found if layer.name in REQUIRED and not layer.available]
    if missing:
        raise StartError(f"this host lacks what a task must run under: {', '.join(missing)}; see `langserver doctor`")
    return frozenset(layer.name for layer in found if layer.available)


def chosen_layers(text: str, runtime: str) -> frozenset[str]:
    """Exactly the layers that `text` lists, for a reviewer. Raises UsageError for one that cannot be had."""
    try:
        layers = parse_layers(text)
    except ValueError as error:
        raise UsageError(f"--layers: {error}") from None
    for layer in probe():
        if layer.name in layers and not layer.available:
            raise UsageError(f"--layers: {layer.name} is not available here: {layer.detail}")
    if runtime == "js" and POLICY not in layers:
        raise UsageError(
            "--layers: js cannot run without policy: it is what gives JavaScript its `main` and its console"
        )
    return layers

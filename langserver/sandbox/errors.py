"""What the sandbox raises when a wall cannot be built. None of these is ever shown to a task."""

from __future__ import annotations


class SandboxError(Exception):
    """A step of the jail did not do what it must."""


class ReadBackError(SandboxError):
    """The kernel accepted a call, and reading back shows another state than the one asked for."""


class LayerUnavailable(SandboxError):
    """This host cannot give a layer.

    `layer` is its name, `reason` one line for an operator.
    """

    def __init__(self, layer: str, reason: str) -> None:
        super().__init__(f"layer {layer} is not available: {reason}")
        self.layer = layer
        self.reason = reason

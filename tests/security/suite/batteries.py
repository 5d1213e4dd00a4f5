"""Starts a battery for each set of layers when the first of its attacks is asked for, and keeps what it found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from langserver.sandbox.layers import PRIVILEGES, format_layers
from tests.security.suite.attack import Attack
from tests.security.suite.judge import Finding
from tests.security.suite.layer_sets import ALONE, NONE, LayerSet
from tests.security.suite.machine import HERE, lacks
from tests.security.suite.world import ENVIRONMENT

_ROOT: Final = Path(__file__).parents[3]
_SECONDS: Final = 900.0  # against a hang; a battery takes ten

Pair = tuple[LayerSet, Attack]


class Batteries:
    """The findings of the pairs that are wanted, a battery for all of a set."""

    def __init__(self, wanted: Iterable[Pair]) -> None:
        self._wanted = set(wanted)
        # Whether the machine lets them through at all, and its user.
        for layer_set, attack in tuple(self._wanted):
            self._wanted |= {(reference, attack) for reference in _references(layer_set, attack)}
        self._found: dict[tuple[str, str], Finding] = {}
        self._broken: dict[tuple[str, str], str] = {}

    def finding(self, layer_set: LayerSet, attack: Attack) -> Finding:
        """What came of a wanted attack. Raises AssertionError with what the battery said when it failed."""
        zygote = _zygote(attack)
        if (layer_set.name, attack.id) not in self._found and (layer_set.name, zygote) not in self._broken:
            self._run(layer_set, zygote)
        broken = self._broken.get((layer_set.name, zygote))
        assert broken is None, f"nothing is known of {layer_set.name}: {broken}"
        return self._found[layer_set.name, attack.id]

    def host_stops(self, layer_set: LayerSet, attack: Attack) -> bool:
        """Whether the machine itself stops an attack that needs something of it."""
        if not attack.host or lacks(attack.host):
            return bool(attack.host)
        references = _references(layer_set, attack)
        return not references or not all(self.finding(one, attack).won for one in references)

    def _run(self, layer_set: LayerSet, zygote: str) -> None:
        attacks = [one for of, one in self._wanted if of == layer_set and _zygote(one) == zygote]
        command = [sys.executable, "-m", "tests.security.suite.battery", zygote]
        command += [format_layers(layer_set.on(HERE)), str(layer_set.abi), str(int(layer_set.jit))]
        asked = {one.id: layer_set.claims(one, HERE) for one in sorted(attacks, key=lambda one: one.id)}
        done = subprocess.run(
            command,
            cwd=_ROOT,
            env={**os.environ, **ENVIRONMENT},
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
        if done.returncode != 0:
            self._broken[layer_set.name, zygote] = done.stderr[-2000:]
            return
        for name, fields in json.loads(done.stdout).items():
            self._found[layer_set.name, name] = Finding(**fields)


def _zygote(attack: Attack) -> str:
    return "js" if attack.runtime == "javascript" else "python"


def _references(layer_set: LayerSet, attack: Attack) -> list[LayerSet]:
    """Sets that show what the machine itself stops: without a layer, and as the user that a child has."""
    if not attack.host:
        return []
    user = [ALONE[PRIVILEGES]] if PRIVILEGES in layer_set.layers else []
    return [one for one in (NONE, *user) if one.takes(attack) and not one.claims(attack, HERE)]

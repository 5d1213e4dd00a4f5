"""`langserver doctor` in the container says which layers hold there, and a server insists on them."""

from __future__ import annotations

import json

from langserver.sandbox.layers import NAMESPACES, REQUIRED
from langserver.sandbox.probe import probe
from langserver.sandbox.selftest import ATTEMPTS
from tests.container.engine import UID, Engine


def test_every_layer_but_namespaces_holds(engine: Engine, image: str) -> None:
    done = engine.run(image, "langserver", "doctor", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["ok"]
    layers = {layer["name"]: layer for layer in found["layers"]}
    here = {layer.name: layer for layer in probe()}
    assert layers["privileges"]["detail"] == f"uid {UID}"
    # What the kernel has, a container has too.
    assert {name for name, layer in layers.items() if layer["active"]} == {
        name for name, layer in here.items() if layer.available
    } - {NAMESPACES}
    assert layers["landlock"]["detail"] == here["landlock"].detail
    assert layers[NAMESPACES]["detail"].startswith("Operation not permitted (a container's seccomp profile ")
    for runtime in found["runtimes"]:
        assert runtime["ok"], runtime
        assert {finding["attempt"] for finding in runtime["selftest"]} >= {attempt.name for attempt in ATTEMPTS}
        assert all(finding["held"] for finding in runtime["selftest"])


def test_a_server_that_requires_what_cannot_be_had_does_not_start(engine: Engine, image: str) -> None:
    required = f"--env=LANG_REQUIRED_LAYERS={','.join([*REQUIRED, NAMESPACES])}"
    done = engine.run(image, options=[required])
    assert (done.returncode, done.stdout) == (3, "")
    assert "the layer namespaces is required (LANG_REQUIRED_LAYERS), but can't be had here: " in done.stderr

"""`--layers`: a reviewer takes walls away, and only then."""

from __future__ import annotations

import pytest

from langserver.cli import main
from langserver.commands import walls
from langserver.sandbox.layers import SECCOMP
from langserver.sandbox.probe import LayerStatus, probe

ASK_PYTHON = "import os\n\ndef main():\n    return os.getppid() > 0\n"


@pytest.mark.parametrize(
    "layers", ["policy", "rlimits", "landlock", "seccomp", "audit", "privileges", "namespaces", "none"]
)
def test_each_layer_alone_runs_an_ordinary_task(cli, task, layers):
    available = {layer.name for layer in probe() if layer.available}
    ended = cli(
        "run",
        task("a.py", "def main(inputs):\n    return inputs['n'] + 1\n"),
        "--input",
        '{"n": 1}',
        "--layers",
        layers,
    )

    if layers in available or layers == "none":
        assert (ended.status, ended.out) == (0, "2\n")
        assert "warning: only these layers protect this machine: " + layers in ended.err
    else:
        assert ended.status == 2


def test_javascript_with_policy_alone(cli, task):
    ended = cli("run", task("a.js", "function main() { return 1 }"), "--layers", "policy")

    assert (ended.status, ended.out) == (0, "1\n")


def test_without_policy_it_is_plain_python(cli, task):
    code = task("ask.py", ASK_PYTHON)

    assert "POLICY_VIOLATION" in cli("run", code).err
    assert cli("run", code, "--layers", "none").out == "true\n"


def test_without_rlimits_no_memory_limit_is_claimed(cli, task):
    code = task("greedy.py", "def main():\n    return len([0] * 25_000_000)\n")

    assert "MEMORY_LIMIT" in cli("run", code).err
    assert cli("run", code, "--layers", "policy,seccomp").out == "25000000\n"


def test_the_wall_clock_holds_without_any_layer(cli, task):
    ended = cli("run", task("loop.py", "while True:\n    pass\n"), "--layers", "none", "--timeout", "0.5", "--json")

    assert (ended.status, ended.json["error"]["kind"]) == (1, "ERROR_KIND_TIMEOUT")


def test_a_host_that_lacks_a_required_layer_runs_nothing(monkeypatch, capsys, tmp_path):
    def lacking() -> tuple[LayerStatus, ...]:
        return tuple(
            LayerStatus(layer.name, False, "this kernel has none") if layer.name == SECCOMP else layer
            for layer in probe()
        )

    monkeypatch.setattr(walls, "probe", lacking)
    file = tmp_path / "a.py"
    file.write_text("result = 1")

    assert main(["run", str(file)]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "seccomp (this kernel has none)" in err
    assert main(["run", str(file), "--layers", "seccomp"]) == 2

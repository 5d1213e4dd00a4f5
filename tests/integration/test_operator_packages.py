"""An operator sets LANG_PYTHON_MODULES: every command honours it, and everybody is told what it costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from langserver.cli import main
from langserver.sandbox.layers import POLICY
from tests.integration.server.harness import running_server

PACKAGES = "numpy, dateutil"
ENVIRONMENT = {"LANG_PYTHON_MODULES": PACKAGES}
VOID = "void in python: numpy, dateutil (LANG_PYTHON_MODULES) reach past it; the layers of the kernel hold"
SOURCE = "import numpy as np\nfrom dateutil.parser import parse\nresult = [np.arange(2), parse('1 May 2024')]\n"
RESULT = [[0, 1], "2024-05-01T00:00:00"]


def test_a_server_serves_them_and_says_so():
    with running_server(LANG_RUNTIMES="python,js", LANG_ZYGOTE_MAX_TASKS="2", **ENVIRONMENT) as server:
        with server.connect() as client:
            for _ in range(5):  # zygotes that replace others have them too
                response = client.execute(SOURCE, runtime="python")
                assert json.loads(response.output_json) == RESULT
            assert "'pandas' is not available" in client.execute("import pandas", runtime="python").error.message
            assert json.loads(client.execute("result = 1", runtime="js").output_json) == 1
            told = client.capabilities()
        server.signal()
        status, _, errors = server.wait()
    assert status == 0
    assert f"WARNING langserver.server.app: the layer policy is {VOID}" in errors
    modules = {runtime.name: list(runtime.modules) for runtime in told.runtimes}
    assert {"json", "numpy", "dateutil"} <= set(modules["python"])
    assert "numpy" not in modules["js"]
    layers = {layer.name: layer for layer in told.layers}
    assert (layers[POLICY].active, layers[POLICY].detail) == (False, VOID)
    assert layers["seccomp"].active


def test_a_server_without_python_has_nothing_to_say():
    with running_server(LANG_RUNTIMES="js", **ENVIRONMENT) as server:
        with server.connect() as client:
            layers = {layer.name: layer.active for layer in client.capabilities().layers}
        server.signal()
        _, _, errors = server.wait()
    assert layers[POLICY]
    assert "LANG_PYTHON_MODULES" not in errors


def langserver(*arguments: str, packages: str = PACKAGES) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LANG_PYTHON_MODULES": packages}
    command = [sys.executable, "-m", "langserver", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


def test_the_doctor_says_so():
    told = json.loads(langserver("doctor", "--json").stdout)
    (policy,) = (layer for layer in told["layers"] if layer["name"] == POLICY)
    assert told["ok"]
    assert policy == {"name": POLICY, "active": False, "required": False, "detail": VOID, "void": True}


def test_one_task_and_one_check_have_them(tmp_path: Path):
    file = tmp_path / "task.py"
    file.write_text(SOURCE)
    ran = langserver("run", str(file))
    assert (ran.returncode, json.loads(ran.stdout)) == (0, RESULT)
    checked = langserver("check", str(file))
    assert (checked.returncode, checked.stdout) == (0, "task.py: ok, imports numpy, dateutil.parser\n")
    assert langserver("check", str(file), packages="").returncode == 1


def test_what_cannot_be_had_ends_every_command(tmp_path: Path):
    file = tmp_path / "task.py"
    file.write_text("result = 1")
    for command in (["run", str(file)], ["check", str(file)], ["serve", "--listen", "127.0.0.1:0"]):
        missing = langserver(*command, packages="nopandas,numpy")
        assert missing.returncode == 3, command
        assert "LANG_PYTHON_MODULES: nopandas cannot be imported: ModuleNotFoundError" in missing.stderr
        assert missing.stdout == ""
    doctor = langserver("doctor", packages="nopandas")
    assert doctor.returncode == 3
    assert "LANG_PYTHON_MODULES: nopandas cannot be imported" in doctor.stdout
    assert "  policy      VOID     void in python: nopandas (LANG_PYTHON_MODULES)" in doctor.stdout


@pytest.mark.parametrize("command", ["run", "check", "serve"])
def test_what_is_no_list_of_modules(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "task.py"
    file.write_text("result = 1")
    monkeypatch.setenv("LANG_PYTHON_MODULES", "numpy;pandas")
    assert main([command] if command == "serve" else [command, str(file)]) == 3
    assert "LANG_PYTHON_MODULES is 'numpy;pandas': expected names of modules" in capsys.readouterr().err

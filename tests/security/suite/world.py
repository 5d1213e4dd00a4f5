"""What attacks aim at: files, a server's secrets, a neighbour. In a row's input `@NAME@` stands for one of them."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from langserver.sandbox.privileges import UNPRIVILEGED

# What the server's environment holds beside the usual.
ENVIRONMENT: Final = {
    "SANDBOX_CANARY": "canary-5f2c",
    "TZ": "Asia/Tokyo",  # which a task must not learn
}
_ROOT: Final = Path(__file__).parents[3]
_FILE_CANARY: Final = "canary of a file, 93b0"
_SERVER_SECRET: Final = ctypes.create_string_buffer(b"HEAPCANARY-0123456789abcdef")


def users_of_children() -> int:
    """The user that children have: ours, or the one that root becomes."""
    return os.getuid() or UNPRIVILEGED


class World:
    """Everything that a placeholder can stand for. All of it belongs to the children's user."""

    def __init__(self, folder: Path, neighbour: Mapping[str, int | str]) -> None:
        self._folder = folder
        file, module = folder / "file", folder / "planted.py"
        file.write_text(_FILE_CANARY)
        module.write_text("CANARY = 7\n")
        _give(file)
        _give(module)
        self._fixed: dict[str, int | str] = {
            **neighbour,
            "FILE": str(file),
            "MODULES": str(folder),
            "HOST_NAME": os.uname().nodename,
            "USER": users_of_children(),
            "SERVER_PID": os.getpid(),
            "SERVER_ADDRESS": ctypes.addressof(_SERVER_SECRET),
        }

    def fill(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The input of one attack: `@FOLDER@` is a fresh one."""
        return {key: self._value(value) for key, value in given.items()}

    def _value(self, value: Any) -> Any:
        if not (isinstance(value, str) and value.startswith("@") and value.endswith("@")):
            return value
        name = value.strip("@")
        if name == "FOLDER":
            folder = Path(tempfile.mkdtemp(dir=self._folder))
            _give(folder)
            return str(folder)
        return self._fixed[name]


def _give(path: Path) -> None:
    if os.getuid() != users_of_children():  # a container's seccomp profile may give nobody this call
        os.chown(path, users_of_children(), -1)


@contextmanager
def world() -> Iterator[World]:
    """A world that is gone when the block ends."""
    with tempfile.TemporaryDirectory(prefix="attacks-") as name:
        folder = Path(name)
        _give(folder)
        command = [sys.executable, "-m", "tests.security.suite.neighbour", name, str(users_of_children())]
        process = subprocess.Popen(
            command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        assert process.stdin is not None
        assert process.stdout is not None
        with process:
            yield World(folder, json.loads(process.stdout.readline()))
            process.stdin.close()

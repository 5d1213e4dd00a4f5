"""Error texts show lines of the task's source and of no file, whatever the task is called; the name is never opened."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from langserver.pb import lang_pb2
from langserver.sandbox.layers import POLICY
from langserver.zygote.request import TaskRequest
from tests.integration.holds.conftest import start_server, stop_server
from tests.integration.holds.direct import one_zygote

SECRET = "first_line_of_the_host = 1"
IN_OPEN = 0x20  # linux/inotify.h; it tells of every process on this machine

# Each makes text with a source line in it; the first line is where it happens, as in the file.
PYTHON = {
    "uncaught": "1 / 0",
    "traceback": "try: 1 / 0\nexcept ZeroDivisionError:\n    import traceback\n    traceback.print_exc()",
    "format_exception": "try: 1 / 0\nexcept ZeroDivisionError as error:\n"
    "    import traceback\n    print(''.join(traceback.format_exception(error)))",
    "logging.exception": "try: 1 / 0\nexcept ZeroDivisionError:\n    import logging\n    logging.exception('failed')",
    "stack of a log record": "import logging; logging.warning('m', stack_info=True)",
    "place of a log record": "import logging; logging.basicConfig(format='%(pathname)s:%(lineno)d', force=True)\n"
    "logging.warning('m')",
    "warning": "import warnings; warnings.warn('w')",
    "warning of the interpreter": "x = 1 is 1; (lambda: 0).nothing if 0 else (None).real if 0 else [].nothing",
    "deprecation": "import datetime; datetime.datetime.utcnow(); '\\d'",
    "destructor": "def fail(): raise ValueError(1)\nclass A:\n    def __del__(self): fail()\ndel A\n",
    "forgotten await": "async def f(): pass\nf()\n",
    "task nobody awaited": "import asyncio\nasync def f(): 1 / 0\nasync def main():\n"
    "    asyncio.create_task(f())\n    await asyncio.sleep(0)",
    "syntax": "def main(:",
    "refused": "x = f.__code__",
    "import": "import os",
    "doubled": "raise ValueError(1) from KeyError(2)",
    "name of a class": "class A: pass\nA.__module__ = 'os'\nraise TypeError(A())",
    "json": "import json; json.loads('{')",
}
JAVASCRIPT = {
    "uncaught": "null.x",
    "logged": "console.error(new Error('logged'))",
    "trace": "console.trace('here')",
    "syntax": "function main( {",
    "another name": "null.x\n//# sourceURL={path}",
    "a map": "null.x\n//# sourceMappingURL={path}",
    "own formatter": "Error.prepareStackTrace = (e, s) => s.map(String).join(); throw new Error('x')",
    "refused": "require('{path}')",
}
TASKS = [("python", name, source) for name, source in PYTHON.items()]
TASKS += [("js", name, source) for name, source in JAVASCRIPT.items()]


class Watched:
    """A file, and how often anybody opened it."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        libc = ctypes.CDLL(None, use_errno=True)
        self._fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert self._fd >= 0
        assert libc.inotify_add_watch(self._fd, os.fsencode(path), IN_OPEN) >= 0, os.strerror(ctypes.get_errno())

    def opened(self) -> int:
        """Since the last time."""
        try:
            return len(os.read(self._fd, 1 << 16)) // 16  # struct inotify_event; there is no name in those of a file
        except BlockingIOError:
            return 0

    def close(self) -> None:
        os.close(self._fd)


@pytest.fixture
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    path = tmp_path_factory.mktemp("host") / "secret.py"
    path.write_text(f"{SECRET}\n" * 3)
    for folder in (path.parent, *path.parents[1:3]):  # for the user that a root's children become
        folder.chmod(0o755)
    file = Watched(path)
    yield file
    file.close()


def test_a_plain_traceback_opens_it(watched: Watched) -> None:
    code = "import sys, traceback\ntry: exec(compile('1 / 0', sys.argv[1], 'exec'))\nexcept: traceback.print_exc()"
    done = subprocess.run([sys.executable, "-c", code, watched.path], capture_output=True, text=True, check=True)
    assert SECRET in done.stderr
    assert watched.opened() > 0


@pytest.mark.parametrize("mode", ["run", "validate"])
@pytest.mark.parametrize("runtime", ["python", "js"])
async def test_no_text_of_a_child_opens_it(runtime: str, mode: str, watched: Watched) -> None:
    """By the policy alone: nothing else would refuse."""
    async with one_zygote(runtime, frozenset({POLICY})) as supply:
        for name, source in [row[1:] for row in TASKS if row[0] == runtime]:
            request = TaskRequest(runtime, source.replace("{path}", watched.path), filename=watched.path)
            outcome = await supply.run(request, mode)
            assert outcome.verdict.report is not None, (name, outcome.verdict)
            assert SECRET not in repr(outcome) + repr(supply.logs), name
            assert watched.opened() == 0, name


def test_nor_does_the_server(watched: Watched) -> None:
    server = start_server()
    try:
        for runtime, name, source in TASKS:
            code = lang_pb2.InlineCode(code=source.replace("{path}", watched.path), filename=watched.path)
            ran = server.stub.Execute(lang_pb2.ExecuteRequest(runtime=runtime, inline_code=code))
            checked = server.stub.Validate(lang_pb2.ValidateRequest(runtime=runtime, inline_code=code))
            assert SECRET not in str(ran) + str(checked), name
            assert name != "uncaught" or watched.path in ran.error.traceback
        assert watched.opened() == 0
    finally:
        stop_server(server)


@pytest.mark.parametrize("command", ["run", "check"])
def test_nor_do_the_commands(command: str, watched: Watched, tmp_path: Path) -> None:
    """They open the file with the code, and no other that it names."""
    for runtime, name, source in TASKS:
        if (runtime, name) not in {("python", "uncaught"), ("js", "another name")}:
            continue
        file = tmp_path / "task"
        file.write_text(source.replace("{path}", watched.path))
        done = subprocess.run(
            [sys.executable, "-m", "langserver", command, str(file), "--runtime", runtime],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert SECRET not in done.stdout + done.stderr, name
    assert watched.opened() == 0

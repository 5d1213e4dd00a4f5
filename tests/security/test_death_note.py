"""V8 and the C library write about their death: addresses, paths, a stack. No reader of ours ever gets it."""

from __future__ import annotations

import re
import subprocess
import sys

from langserver.pb import lang_pb2
from tests.integration.server.harness import running_server
from tests.security.layers import ROOT

BOMB = "const keep = []; for (;;) keep.push(new Array(1e5).fill(1.5));"
NOTE = re.compile("libmini_racer|Fatal|0x[0-9a-f]{6}|Mark-Compact|# ")

UNSEALED = f"""
import re, resource
from langserver.js_runtime import JsRuntime
runtime = JsRuntime(policy=True)
runtime.preload()
runtime.wake()
with open("/proc/self/status") as status:
    size = int(re.search(r"VmData:\\s+(\\d+)", status.read())[1]) << 10
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_DATA, (size + (32 << 20),) * 2)
runtime._running().evaluate({BOMB!r}.encode(), None)
"""


def test_it_writes_one() -> None:
    command = [sys.executable, "-c", UNSEALED]
    died = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT, check=False)
    assert died.returncode < 0
    assert NOTE.search(died.stderr)


def test_it_is_in_no_log_of_a_server_and_in_no_answer() -> None:
    with running_server(LANG_RUNTIMES="js") as server:
        with server.connect() as client:
            response = client.execute(BOMB, runtime="js", limits=lang_pb2.Limits(memory_mb=32))
        server.signal()
        status, out, errors = server.wait()
    assert response.error.kind == lang_pb2.ERROR_KIND_MEMORY_LIMIT
    assert status == 0
    assert not NOTE.search(str(response) + out + errors)
    assert all(re.match(r"\d{4}-\d\d-\d\d .* langserver\.", line) for line in errors.splitlines()), errors


def test_nor_does_the_command_show_it() -> None:
    command = [sys.executable, "-m", "langserver", "run", "-", "--runtime", "js", "--memory-mb", "32"]
    done = subprocess.run(command, input=BOMB, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "MEMORY_LIMIT" in done.stderr
    assert not NOTE.search(done.stdout + done.stderr)

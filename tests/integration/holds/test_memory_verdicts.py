"""MEMORY_LIMIT, and what is none: by the kernel's peak over the idle child, whatever the program says of itself."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from langserver.pb import lang_pb2
from tests.integration.holds.conftest import ServerProcess, until

LIMIT_MB = 32
MIB = 1 << 20

# Each of them says that all is well.
SURVIVED = {
    "python, a caught error": (
        "python",
        """def main():
    keep = []
    try:
        while True: keep.append(bytearray(1 << 20))
    except BaseException: pass
    return len(keep)""",
    ),
    "python, caught again and again": (
        "python",
        """def main():
    keep = []
    for _ in range(200):
        try: keep.append(b"x" * (1 << 20))
        except MemoryError: pass
    keep = None
    return 'well'""",
    ),
    "js, buffers": (
        "js",
        """function main() {
  const keep = [];
  try { for (;;) keep.push(new Uint8Array(1 << 20).fill(1)) } catch {}
  return keep.length;
}""",
    ),
    "js, resizable buffers": (
        "js",
        """function main() {
  const keep = [];
  try {
    for (;;) {
      const buffer = new ArrayBuffer(0, { maxByteLength: 1 << 20 });
      buffer.resize(1 << 20);
      new Uint8Array(buffer).fill(1);
      keep.push(buffer);
    }
  } catch {}
  return 'well';
}""",
    ),
}
# No peak comes near the limit: one request is refused, or V8 gives up by itself.
ENDED = {
    "python, one request": ("python", "def main(): return len(bytearray(1 << 30))"),
    "python, its own word": ("python", "def main(): raise MemoryError"),
    "js, one request": ("js", "function main() { return new Uint8Array(1e9).length }"),
    "js, a rope made flat": (
        "js",
        "function main() { const s = 'x'.repeat(5e8); return s.charCodeAt(7) + s.indexOf('y') }",
    ),
}
FINE = {
    "python, one request, caught": (
        "python",
        "def main():\n    try: bytearray(1 << 30)\n    except MemoryError: return 'went on'",
    ),
    "js, one request, caught": (
        "js",
        "function main() { try { new Uint8Array(1e9) } catch { return 'went on' } }",
    ),
    "python, half of it": ("python", f"def main(): return len(b'x' * ({LIMIT_MB // 2} << 20)) and 'went on'"),
    "js, half of it": (
        "js",
        f"function main() {{ return new Uint8Array({LIMIT_MB // 2} << 20).fill(1).length && 'went on' }}",
    ),
}


def run(server: ServerProcess, runtime: str, code: str) -> lang_pb2.ExecuteResponse:
    return server.execute(code, runtime, limits=lang_pb2.Limits(memory_mb=LIMIT_MB))


@pytest.mark.parametrize("name", SURVIVED | ENDED)
def test_it_is_the_memory_limit(name: str, server: ServerProcess) -> None:
    runtime, code = (SURVIVED | ENDED)[name]
    response = run(server, runtime, code)
    assert not response.success
    assert lang_pb2.ErrorKind.Name(response.error.kind) == "ERROR_KIND_MEMORY_LIMIT", response.error
    assert f"{LIMIT_MB} MiB" in response.error.message
    near = response.usage.peak_memory_bytes >= (LIMIT_MB - 4) * MIB
    assert near is (name in SURVIVED)


@pytest.mark.parametrize("name", FINE)
def test_it_is_not(name: str, server: ServerProcess) -> None:
    response = run(server, *FINE[name])
    assert response.output_json == '"went on"', response.error


@pytest.mark.parametrize(("runtime", "code"), [("python", "result = 1"), ("js", "1")])
def test_what_an_idle_child_holds_is_nobodys(runtime: str, code: str, server: ServerProcess) -> None:
    assert run(server, runtime, code).usage.peak_memory_bytes < 8 * MIB


ENDLESS = {"python": "print('on')\nwhile True: pass", "js": "console.log('on'); for (;;) {}"}


@pytest.mark.parametrize("runtime", ENDLESS)
def test_a_child_that_the_machine_killed_is_told_as_that(runtime: str, server: ServerProcess) -> None:
    """As when the container is out of memory: nobody here sent that signal, and only that task ends."""
    (zygote,) = server.zygotes(runtime)

    def busy() -> list[psutil.Process]:
        return [child for child in zygote.children() if child.cpu_times().user > 0.1]

    with ThreadPoolExecutor(1) as callers:
        call = callers.submit(server.execute, ENDLESS[runtime], runtime)
        until(lambda: bool(busy()), "a child is at work")
        (child,) = busy()
        os.kill(child.pid, signal.SIGKILL)
        error = call.result().error
    assert lang_pb2.ErrorKind.Name(error.kind) == "ERROR_KIND_CRASHED", error
    assert "out of memory?" in error.message
    assert run(server, *FINE["python, half of it"]).success

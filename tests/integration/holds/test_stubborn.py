"""Programs that ignore everything are ended at their timeout all the same."""

from __future__ import annotations

import pytest

from langserver.pb import lang_pb2
from tests.integration.holds.conftest import ServerProcess

STUBBORN = {
    "regex backtracking": ("python", "import re\ndef main(): return bool(re.match(r'(a+)+$', 'a' * 64 + 'b'))"),
    "a huge integer power": ("python", "def main(): return str(7 ** (7 ** 12))[:1]"),
    "an endless except loop": (
        "python",
        "while True:\n    try:\n        while True: pass\n    except BaseException:\n        pass",
    ),
    "a hostile __str__": (
        "python",
        "class E(Exception):\n    def __str__(self):\n        while True: pass\ndef main():\n    raise E()",
    ),
    "sleep": ("python", "import time\ndef main():\n    time.sleep(1000)"),
    "microtasks": ("js", "const f = () => { Promise.resolve().then(f) }; function main() { f(); return 1 }"),
    "a hostile toJSON": ("js", "function main() { return {toJSON() { for (;;) {} }} }"),
    "a hostile thenable": ("js", "function main() { return {then(ok) { ok(this) }} }"),
    "js regex backtracking": ("js", "function main() { return /^(a+)+$/.test('a'.repeat(64) + 'b') }"),
    "an endless timer": ("js", "async function main() { await new Promise(() => setInterval(() => 0, 1)) }"),
    "an endless body": ("js", "for (;;) { try { for (;;) {} } catch {} }"),
}


@pytest.mark.parametrize("name", STUBBORN)
def test_it_ends_at_its_timeout(name: str, server: ServerProcess) -> None:
    runtime, code = STUBBORN[name]
    response = server.execute(code, runtime, timeout=1)
    assert lang_pb2.ErrorKind.Name(response.error.kind) == "ERROR_KIND_TIMEOUT", response.error
    assert "1 s" in response.error.message


def test_logs_before_the_kill_are_part_of_the_response(server: ServerProcess) -> None:
    for runtime, code in (
        ("python", "print('before')\nwhile True: pass"),
        ("js", "console.log('before'); for (;;) {}"),
    ):
        response = server.execute(code, runtime, timeout=1)
        assert [line.text for line in response.logs] == ["before"]
        assert response.error.kind == lang_pb2.ERROR_KIND_TIMEOUT


@pytest.mark.parametrize("runtime", ["python", "js"])
def test_cpu_seconds_end_a_busy_task_before_its_timeout(runtime: str, server: ServerProcess) -> None:
    code = {"python": "while True: pass", "js": "for (;;) {}"}[runtime]
    response = server.execute(code, runtime, timeout=30, limits=lang_pb2.Limits(cpu_seconds=1))
    assert lang_pb2.ErrorKind.Name(response.error.kind) == "ERROR_KIND_CPU_LIMIT", response.error
    assert "1 s of CPU" in response.error.message

"""Tasks of ordinary people and of others, through gRPC, in a read-only container without a network."""

from __future__ import annotations

import json

import pytest

from langserver.pb import lang_pb2
from tests.container.server import ContainerServer
from tests.integration.server.harness import SERVING

Kind = lang_pb2.ErrorKind

INVOICE = """
import datetime, decimal, json, re, statistics

def main(lines, rate):
    total = sum(decimal.Decimal(line["price"]) * line["count"] for line in lines)
    print("lines:", len(lines))
    return {
        "total": total * (1 + decimal.Decimal(rate)),
        "mean": statistics.mean(line["count"] for line in lines),
        "words": re.findall(r"\\w+", "Ünïcode söll pass"),
        "due": datetime.datetime(2026, 3, 1, 12).astimezone(),
    }
"""
REPORT = """
module.exports = async function ({ orders }) {
  await new Promise((done) => setTimeout(done, 5));
  console.log('orders:', orders.length);
  const by = Object.groupBy(orders, ({ city }) => city);
  return Object.entries(by).map(([city, all]) => ({ city, sum: all.reduce((sum, { price }) => sum + price, 0) }));
}
"""


def test_an_ordinary_python_task(server: ContainerServer) -> None:
    given = {"lines": [{"price": "19.99", "count": 2}, {"price": "0.5", "count": 4}], "rate": "0.19"}
    with server.connect() as client:
        answer = client.execute(INVOICE, input_json=json.dumps(given), timezone="Europe/Berlin")
    assert answer.success, answer.error
    assert json.loads(answer.output_json) == {
        "total": "49.9562",
        "mean": 3,
        "words": ["Ünïcode", "söll", "pass"],
        "due": "2026-03-01T12:00:00+01:00",
    }
    assert [line.text for line in answer.logs] == ["lines: 2"]


def test_an_ordinary_javascript_task(server: ContainerServer) -> None:
    orders = [{"city": "Köln", "price": 3}, {"city": "Ulm", "price": 4}, {"city": "Köln", "price": 5}]
    with server.connect() as client:
        answer = client.execute(REPORT, runtime="js", input_json=json.dumps({"orders": orders}))
    assert answer.success, answer.error
    assert json.loads(answer.output_json) == [{"city": "Köln", "sum": 8}, {"city": "Ulm", "sum": 4}]
    assert [line.text for line in answer.logs] == ["orders: 3"]


def test_an_error_names_the_line(server: ContainerServer) -> None:
    with server.connect() as client:
        answer = client.execute("def main():\n    return 1 / 0\n")
    assert (answer.error.kind, answer.error.type, answer.error.line) == (
        Kind.ERROR_KIND_USER_ERROR,
        "ZeroDivisionError",
        2,
    )


def test_many_tasks_in_a_row(server: ContainerServer) -> None:
    with server.connect() as client:
        for number in range(30):
            python, js = (client.execute(f"return {number}", runtime=runtime) for runtime in ("python", "js"))
            assert (python.output_json, js.output_json) == (str(number), str(number))


def test_it_is_healthy_and_says_so_to_a_probe_inside(server: ContainerServer) -> None:
    with server.connect() as client:
        assert {client.health(service) for service in ("", "python", "js")} == {SERVING}
        assert {layer.name: layer.active for layer in client.capabilities().layers}["seccomp"]
    done = server.do("langserver", "health")
    assert (done.returncode, done.stderr) == (0, "")


# runtime, code, what becomes of it. A task ends there, and the next one does not notice.
HOSTILE = [
    ("python", "import os\nreturn os.listdir('/')", "POLICY_VIOLATION"),
    ("python", "return open('/etc/passwd').read()", "POLICY_VIOLATION"),
    ("python", "import socket", "POLICY_VIOLATION"),
    ("python", "return ().__class__.__base__.__subclasses__()", "POLICY_VIOLATION"),
    ("python", "return [n for n in range(10)].__class__.__mro__", "POLICY_VIOLATION"),
    ("python", "while True: pass", "TIMEOUT"),
    ("python", "return 'x' * (1 << 30)", "MEMORY_LIMIT"),
    ("python", "kept = []\nwhile True: kept.append('x' * 100_000)", "MEMORY_LIMIT"),
    ("python", "return 'x' * (3 << 20)", "OUTPUT_LIMIT"),
    ("python", "return {1, float('nan')}", "INVALID_RESULT"),
    ("js", "return require('fs').readFileSync('/etc/passwd')", "POLICY_VIOLATION"),
    ("js", "return fetch('http://127.0.0.1/')", "POLICY_VIOLATION"),
    ("js", "for (;;) {}", "TIMEOUT"),
    ("js", "const kept = []; for (;;) kept.push(new Array(100000).fill(kept.length))", "MEMORY_LIMIT"),
    ("js", "return new ArrayBuffer(2 ** 30)", "MEMORY_LIMIT"),
    ("js", "return 'x'.repeat(3 << 20)", "OUTPUT_LIMIT"),
    ("js", "return main.constructor('return process')()", "USER_ERROR"),
]


@pytest.mark.parametrize(("runtime", "code", "kind"), HOSTILE)
def test_a_hostile_task(server: ContainerServer, runtime: str, code: str, kind: str) -> None:
    with server.connect() as client:
        answer = client.execute(code, runtime=runtime, timeout_seconds=1 if kind == "TIMEOUT" else 20, timeout=60)
        assert (answer.success, Kind.Name(answer.error.kind)) == (False, f"ERROR_KIND_{kind}"), answer.error
        assert client.execute("return 1", runtime=runtime).output_json == "1"

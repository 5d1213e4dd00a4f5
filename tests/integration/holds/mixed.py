"""Tasks of every kind of outcome that is quick to reach, for load."""

from __future__ import annotations

from dataclasses import dataclass

from langserver.pb import lang_pb2

OK = "OK"


@dataclass(frozen=True)
class Mixed:
    runtime: str
    code: str
    expected: str
    output: str = ""
    memory_mb: int = 0
    timeout: int = 20


TASKS = [
    Mixed("python", "def main(n): return n['i'] + 1", OK, output="{next}"),
    Mixed("js", "function main(n) { return n.i + 1 }", OK, output="{next}"),
    Mixed("python", "def main(n):\n    print('x' * 100)\n    return {'i': n['i']}", OK, output='{{"i":{i}}}'),
    Mixed("python", "def main(n): return {}['missing']", "USER_ERROR"),
    Mixed("js", "async function main(n) { throw new TypeError('no ' + n.i) }", "USER_ERROR"),
    Mixed("python", "def main(:", "SYNTAX_ERROR"),
    Mixed("js", "function main( {", "SYNTAX_ERROR"),
    Mixed("python", "import subprocess", "POLICY_VIOLATION"),
    Mixed("python", "def main(): return {1.5, float('nan')}", "INVALID_RESULT"),
    Mixed("python", "def main(): return 'x' * 3_000_000", "OUTPUT_LIMIT"),
    Mixed("python", "def main():\n    a = []\n    while True: a.append('x' * 100_000)", "MEMORY_LIMIT", memory_mb=24),
    Mixed("python", "while True: pass", "TIMEOUT", timeout=1),
    Mixed("js", "for (;;) {}", "TIMEOUT", timeout=1),
]


def request(task: Mixed, number: int) -> lang_pb2.ExecuteRequest:
    return lang_pb2.ExecuteRequest(
        task_id=f"task-{number}",
        runtime=task.runtime,
        inline_code=lang_pb2.InlineCode(code=task.code),
        input_json=f'{{"i": {number}}}',
        timeout_seconds=task.timeout,
        limits=lang_pb2.Limits(memory_mb=task.memory_mb),
    )


def judge(task: Mixed, number: int, response: lang_pb2.ExecuteResponse) -> str:
    """Empty when the answer is the right one."""
    if response.task_id != f"task-{number}":
        return f"the answer is {response.task_id}'s"
    got = OK if response.success else lang_pb2.ErrorKind.Name(response.error.kind).removeprefix("ERROR_KIND_")
    if got != task.expected:
        return f"expected {task.expected}, got {got} {response.error.message}"
    if task.output and response.output_json.replace(" ", "") != task.output.format(i=number, next=number + 1):
        return f"got {response.output_json}"
    return ""

"""Honest callers beside the hostile ones: each answer must be its own, every time."""

from __future__ import annotations

import secrets
import threading
from types import TracebackType
from typing import Self

import grpc

from langserver.pb import lang_pb2
from tests.integration.holds.conftest import GUARD_SECONDS, ServerProcess

PROGRAMS = {
    "python": "def main(inputs):\n    print(inputs)\n    return [inputs, 'python']",
    "js": "function main(inputs) { console.log(inputs); return [inputs, 'js'] }",
}


def task(runtime: str, **fields: object) -> tuple[lang_pb2.ExecuteRequest, str]:
    """A request, and the value that comes back."""
    value = secrets.token_hex(8)
    request = lang_pb2.ExecuteRequest(
        task_id=value,
        runtime=runtime,
        inline_code=lang_pb2.InlineCode(code=PROGRAMS[runtime]),
        input_json=f'"{value}"',
        timeout_seconds=60,
        **fields,  # type: ignore[arg-type]
    )
    return request, value


def fault(response: lang_pb2.ExecuteResponse, runtime: str, value: str) -> str:
    """What is wrong with an answer; empty when nothing is."""
    logs = [line.text for line in response.logs]
    right = response.success and response.output_json.replace(" ", "") == f'["{value}","{runtime}"]'
    own = response.task_id == value and logs == [value] and not response.security_events
    return "" if right and own and not response.logs_truncated else str(response)


class Honest:
    """While the block runs, one caller a runtime calls again and again. `answered` counts; `wrong` must stay empty."""

    def __init__(self, server: ServerProcess, may_be_lost: bool = False) -> None:
        self._server = server
        self._may_be_lost = may_be_lost
        self._over = threading.Event()
        self._callers = [threading.Thread(target=self._call, args=(runtime,)) for runtime in PROGRAMS]
        self.answered = 0
        self.wrong: list[str] = []

    def __enter__(self) -> Self:
        for caller in self._callers:
            caller.start()
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._over.set()
        for caller in self._callers:
            caller.join()

    def _call(self, runtime: str) -> None:
        while not self._over.is_set():
            request, value = task(runtime)
            try:
                wrong = fault(self._server.stub.Execute(request, timeout=GUARD_SECONDS), runtime, value)
            except grpc.RpcError as error:
                lost = error.code() is grpc.StatusCode.UNAVAILABLE and error.details().startswith("zygote lost")  # type: ignore[attr-defined]
                wrong = "" if lost and self._may_be_lost and runtime == "python" else str(error)
            else:
                self.answered += 1
            if wrong:
                self.wrong.append(wrong)

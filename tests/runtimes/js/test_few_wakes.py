"""Each function of the prelude's that the host gets wakes V8's thread: a child that a task waits for gets few."""

from __future__ import annotations

from langserver.js_runtime.engine import Handle
from langserver.js_runtime.isolate import PARSER, PRELUDE, Isolate
from langserver.js_runtime.libraries import Libraries
from langserver.js_runtime.resting import RestingEngine
from langserver.js_runtime.v8_interface import Code


class Asked(RestingEngine):
    """Notes which elements it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: list[int] = []

    def item(self, array: Handle, number: int) -> Handle:
        self.numbers.append(number)
        return super().item(array, number)


def test_what_few_tasks_want_is_got_when_it_is_wanted_and_once() -> None:
    engine = Asked()
    isolate = Isolate(engine, {PRELUDE: Code(b""), PARSER: Code(b"")}, Libraries(()))
    isolate.set_task(0, 0, "task.js", None)
    isolate.parse_input(b"{}")
    assert len(engine.numbers) == 7
    isolate.is_body("")
    isolate.is_body("")
    assert len(engine.numbers) == 8
    isolate.get_all()
    assert sorted(engine.numbers) == list(range(16))

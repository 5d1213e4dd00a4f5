"""What the interpreter says of a program beside its result: log lines without a path of ours."""

from __future__ import annotations

import pytest

from langserver.core.outcome import ErrorKind

LATER = "async def w(): return 1\n"


def _said(ran):
    assert not [text for _, text in ran.logs if "/" in text], ran.logs
    return [text for stream, text in ran.logs if stream == "stderr"]


def test_forgotten_await_is_a_line(run):
    ran = run(f"{LATER}def main():\n    w()\n    return 2")
    assert ran.value == 2
    assert _said(ran) == ["RuntimeWarning: coroutine 'w' was never awaited (line 3)"]
    assert not ran.events


@pytest.mark.parametrize("value", ["w()", "[w()]", "{'a': w()}"])
def test_coroutine_in_a_result(run, value):
    ran = run(f"{LATER}async def main():\n    return {value}")
    assert (ran.kind, ran.failure.hint) == (ErrorKind.INVALID_RESULT, "await it")
    assert "is a coroutine" in ran.failure.message
    assert _said(ran)[0].startswith("RuntimeWarning: coroutine 'w' was never awaited")


def test_filters_of_the_program_hold_for_the_interpreter(run):
    source = f"import warnings\nwarnings.simplefilter('ignore')\n{LATER}w()\nresult = 1"
    assert _said(run(source)) == []


def test_exception_in_a_destructor(run):
    ran = run("class A:\n    def __del__(self): raise ValueError('x')\nA()\nresult = 1")
    assert ran.value == 1
    assert _said(ran)[0] == "Exception ignored: ValueError: x"
    assert '"node.py", line 2, in __del__' in _said(ran)[2].replace("File ", "")


BACKGROUND = """
import asyncio
async def bg():
    raise ValueError("x")
async def main():
    asyncio.create_task(bg())
    await asyncio.sleep(0.001)
    return 1
"""


def test_exception_of_a_task_nobody_awaited(run):
    ran = run(BACKGROUND)
    assert ran.value == 1
    said = _said(ran)
    assert said[0] == "Task exception was never retrieved: ValueError: x"
    assert [line.strip() for line in said[1:]] == [
        "Traceback (most recent call last):",
        'File "node.py", line 4, in bg',
        'raise ValueError("x")',
    ]


def test_exception_while_a_task_is_cancelled_at_the_end(run):
    source = """
import asyncio
async def bg():
    try:
        await asyncio.sleep(60)
    finally:
        raise KeyError("late")
async def main():
    asyncio.create_task(bg())
    await asyncio.sleep(0)
"""
    assert _said(run(source))[0] == "Task exception was never retrieved: KeyError: 'late'"


def test_exception_in_a_callback(run):
    source = """
import asyncio
async def bg(): pass
async def main():
    asyncio.create_task(bg()).add_done_callback(lambda task: [][0])
    await asyncio.sleep(0.001)
"""
    assert _said(run(source))[0] == "Exception in callback: IndexError: list index out of range"


def test_awaited_and_cancelled_tasks_say_nothing(run):
    gathered = "import asyncio\nasync def main(): asyncio.gather(asyncio.sleep(60), asyncio.sleep(60))"
    assert _said(run(gathered)) == []
    source = BACKGROUND.replace("    await asyncio.sleep(0.001)", "    asyncio.create_task(asyncio.sleep(60))").replace(
        "raise ValueError", "return str"
    )
    assert _said(run(source)) == []


@pytest.mark.parametrize("source", ["x = 1 is 1", "p = '\\d'", "assert (1, 'always')", "x = [] ()"])
def test_warnings_of_the_compiler_are_silent(run, plain, source):
    for start in (run, plain):
        ran = start(f"if 0:\n    {source}\nresult = 1")
        assert (ran.value, ran.logs, ran.events) == (1, [], [])
        assert start(source, mode="validate").report.failures == ()

"""asyncio in a task: what programs use of it does what it does in CPython, where there are sockets and threads."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from langserver.core.outcome import ErrorKind

PROGRAMS = {
    "calls of the loop": """
async def main():
    loop = asyncio.get_running_loop()
    out = []
    handle = loop.call_later(0.01, out.append, "later")
    never = loop.call_later(0.001, out.append, "never")
    never.cancel()
    at = loop.call_at(handle.when() - 0.005, out.append, "at")
    loop.call_soon(out.append, "soon")
    loop.call_soon_threadsafe(out.append, "safe")
    future = loop.create_future()
    loop.call_at(handle.when() + 0.005, future.set_result, "done")
    task = loop.create_task(asyncio.sleep(0, "slept"), name="t")
    return [await future, await task, task.get_name(), out, never.cancelled(), handle.cancelled(),
            handle.when() > at.when(), isinstance(handle, asyncio.TimerHandle), isinstance(at, asyncio.Handle),
            loop.is_running(), loop.is_closed(), loop.get_debug(), loop is asyncio.get_event_loop()]
""",
    "an error in a call": """
async def main():
    loop = asyncio.get_running_loop()
    loop.call_soon(lambda: 1 / 0)
    await asyncio.sleep(0.001)
    return "goes on"
""",
    "futures and tasks": """
async def work(n):
    await asyncio.sleep(0.001 * n)
    return n
async def main():
    future = asyncio.Future()
    seen = []
    future.add_done_callback(lambda done: seen.append(done.result()))
    future.set_result(4)
    await asyncio.sleep(0)
    task = asyncio.create_task(work(1), name="mine")
    other = asyncio.ensure_future(work(2))
    kinds = [isinstance(task, asyncio.Task), isinstance(task, asyncio.Future), isinstance(future, asyncio.Task),
             isinstance(future, asyncio.Future), asyncio.isfuture(other), asyncio.iscoroutinefunction(work),
             isinstance(asyncio.get_running_loop(), asyncio.AbstractEventLoop)]
    names = sorted(each.get_name() for each in asyncio.all_tasks() if each.get_name() == "mine")
    made = asyncio.Task(work(0))
    def typed(task: asyncio.Task[int], loop: asyncio.AbstractEventLoop | None = None) -> asyncio.Future[str]: ...
    return [seen, await task, await other, await made, kinds, names, asyncio.current_task() in asyncio.all_tasks(),
            asyncio.current_task().get_name().startswith("Task-"), task.done(), task.cancelled(), task.exception()]
""",
    "gather and its kin": """
async def work(n, fail=False):
    await asyncio.sleep(0.02 * n)
    if fail: raise ValueError(n)
    return n
async def main():
    out = [await asyncio.gather(work(3), work(1), work(2, True), return_exceptions=True)]
    out[0][2] = repr(out[0][2])
    done, pending = await asyncio.wait([asyncio.create_task(work(n)) for n in (1, 9)],
        return_when=asyncio.FIRST_COMPLETED)
    out.append([len(done), len(pending)])
    for each in pending: each.cancel()
    out.append([await each for each in asyncio.as_completed([work(3), work(1), work(2)])])
    try:
        await asyncio.wait_for(work(50), 0.001)
    except asyncio.TimeoutError:
        out.append("timeout")
    try:
        async with asyncio.timeout(0.001) as limit:
            await work(50)
    except TimeoutError:
        out.append(limit.expired())
    loop = asyncio.get_running_loop()
    async with asyncio.timeout_at(loop.time() + 5) as limit:
        limit.reschedule(loop.time() + 9)
        out.append([limit.expired(), limit.when() > loop.time()])
    shielded = asyncio.create_task(work(1))
    waiter = asyncio.create_task(asyncio.wait_for(asyncio.shield(shielded), 1))
    await asyncio.sleep(0)
    waiter.cancel()
    try:
        await waiter
    except asyncio.CancelledError:
        out.append([waiter.cancelled(), await shielded])
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(work(1, True))
            group.create_task(work(20))
    except* ValueError as caught:
        out.append([type(caught).__name__, len(caught.exceptions)])
    return out
""",
    "queues and locks": """
async def main():
    out = []
    for kind in (asyncio.Queue, asyncio.LifoQueue, asyncio.PriorityQueue):
        queue = kind(maxsize=2)
        async def produce():
            for n in (2, 1, 3): await queue.put(n)
        task = asyncio.create_task(produce())
        got = [await queue.get() for _ in range(3)]
        for _ in got: queue.task_done()
        await queue.join()
        out.append([sorted(got), queue.empty(), task.done()])
    try:
        asyncio.Queue().get_nowait()
    except asyncio.QueueEmpty:
        out.append("empty")
    semaphore, lock, event, condition = asyncio.Semaphore(2), asyncio.Lock(), asyncio.Event(), asyncio.Condition()
    running, most = 0, 0
    async def limited():
        nonlocal running, most
        async with semaphore:
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.001)
            running -= 1
    await asyncio.gather(*[limited() for _ in range(6)])
    out.append(most)
    async def waits():
        await event.wait()
        async with condition:
            await condition.wait_for(lambda: out[-1] == "now")
        return lock.locked()
    task = asyncio.create_task(waits())
    await asyncio.sleep(0)
    event.set()
    await asyncio.sleep(0)
    async with lock, condition:
        out.append("now")
        condition.notify_all()
    out.append(await task)
    barrier = asyncio.Barrier(3)
    async def meets(): return await barrier.wait()
    out.append(sorted(await asyncio.gather(*[meets() for _ in range(3)])))
    try:
        asyncio.BoundedSemaphore(1).release()
    except ValueError:
        out.append("bounded")
    return out
""",
    "context managers, generators, threads": """
import contextlib
@contextlib.asynccontextmanager
async def managed(log):
    log.append("in")
    yield 5
    log.append("out")
async def numbers():
    try:
        for n in range(9):
            yield n
            await asyncio.sleep(0)
    finally:
        closed.append(1)
closed = []
async def main():
    log = []
    async with managed(log) as n, contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(managed(log))
        async for each in numbers():
            if each == 2: break
    return [n, log, each, [x async for x in numbers() if x % 4 == 0], await asyncio.to_thread(sum, [1, 2]),
            await anext(numbers())]
""",
}
OUTSIDE = {
    "a runner": """
async def work(n):
    await asyncio.sleep(0)
    return [n, id(asyncio.get_running_loop()) > 0]
def main():
    kept = []
    async def keep(): kept.append(asyncio.create_task(asyncio.sleep(9)))
    with asyncio.Runner() as runner:
        out = [runner.run(work(1)), runner.run(work(2))]
        runner.run(keep())
    try:
        runner.run(1)
    except (ValueError, RuntimeError) as error:
        out.append("refused")
    return out + [kept[0].cancelled()]
""",
    "a loop of one's own": """
async def work(n):
    await asyncio.sleep(0.001)
    return n
def main():
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    task = loop.create_task(work(1))
    future = loop.create_future()
    loop.call_soon(future.set_result, 2)
    out = [loop.run_until_complete(work(3)), loop.run_until_complete(task), loop.run_until_complete(future)]
    loop.call_later(0.001, loop.stop)
    loop.run_forever()
    out.append(loop.is_running())
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
    return out
""",
    "run again and again, and inside": """
async def inner():
    coroutine = asyncio.sleep(0)
    try:
        asyncio.run(coroutine)
    except RuntimeError as error:
        coroutine.close()
        return str(error)
def main():
    try:
        asyncio.run(5)
    except (ValueError, TypeError):
        wrong = True
    return [asyncio.run(asyncio.sleep(0, 1)), asyncio.run(asyncio.sleep(0, 2)), asyncio.run(inner()), wrong]
""",
}


@pytest.fixture(scope="module")
def expected():
    """What plain CPython gives: one process for all."""
    script = "import asyncio, json\nout = {}\n"
    for name, source in (PROGRAMS | OUTSIDE).items():
        ends = "asyncio.run(main())" if name in PROGRAMS else "main()"
        script += f"space = {{'asyncio': asyncio}}\nexec({source!r}, space)\nmain = space['main']\n"
        script += f"out[{name!r}] = {ends}\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{script}print(json.dumps(out))"], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", PROGRAMS | OUTSIDE)
def test_as_in_cpython(name, run, expected):
    assert run(f"import asyncio\n{(PROGRAMS | OUTSIDE)[name]}").value == expected[name]


def test_an_error_in_a_call_is_a_line_of_the_log(run):
    ran = run(f"import asyncio\n{PROGRAMS['an error in a call']}")
    assert any("Exception in callback: ZeroDivisionError" in text for _, text in ran.logs)


def test_threads_of_a_loop_are_refused(run):
    ran = run(
        "import asyncio\nasync def main(): return await asyncio.get_running_loop().run_in_executor(None, len, '')"
    )
    assert (ran.kind, ran.failure.hint) == (
        ErrorKind.POLICY_VIOLATION,
        "call the function, or await asyncio.to_thread(function)",
    )


REACHES_FOR_THE_LOOP = """
import asyncio
held = []
class Loop:
    def __getattr__(self, name):
        held.append(name)
        return lambda *args, **kwargs: held.extend(args)
class Context:
    def run(self, *args):
        held.extend(args)
class Keeps:
    _made = None
    _context = None
def tried(act):
    try:
        act()
        return "done"
    except TypeError:
        return "refused"
async def main():
    async def work(): pass
    def made(make):
        coroutine = work()
        try:
            make(coroutine)
        finally:
            coroutine.close()
    out = [tried(lambda: asyncio.Future(loop=Loop())), tried(lambda: made(lambda c: asyncio.Task(c, loop=Loop()))),
           tried(lambda: made(lambda c: asyncio.ensure_future(c, loop=Loop()))),
           tried(lambda: made(lambda c: asyncio.create_task(c, context=Context()))),
           tried(lambda: asyncio.get_running_loop().call_soon(print, context=Context())),
           tried(lambda: asyncio.Runner.run(Keeps(), None)), tried(lambda: asyncio.Runner.close(Keeps())),
           tried(Derived)]
    async with asyncio.TaskGroup() as group:
        out.append(tried(lambda: made(lambda c: group.create_task(c, context=Context()))))
    return [out, held]
class Derived(asyncio.Runner):
    def __setattr__(self, name, value):
        held.append(value)
"""


def test_no_object_of_the_program_takes_the_place_of_the_loops(run):
    assert run(REACHES_FOR_THE_LOOP).value == [["refused"] * 9, []]


def test_waiting_for_nothing_ends(run):
    failure = run("import asyncio\nasync def main(): await asyncio.Event().wait()").failure
    assert "nothing can ever happen" in failure.message

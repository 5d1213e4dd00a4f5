"""What workers parked: shown as it is, and worth no more than the name of a task."""

from __future__ import annotations

import grpc
import pytest

from coordinator import dead_letters
from coordinator.pb import coordinator_pb2 as pb


async def park(caller, queue="python", **fields: str) -> str:
    """The letter's name."""
    stream = f"{caller.stream(queue)}:dead"
    return f"{stream}/{await caller.redis.xadd(stream, fields)}"


async def failed(caller, *task_ids: str) -> None:
    await caller.submit(*task_ids, max_attempts=1)
    for task_id in task_ids:
        await caller.report(task_id, "failed", fence=(await caller.acquire(task_id)).fence, error="delivered too often")


async def test_letters_of_all_queues_are_listed(caller):
    await caller.submit("t", queue="python:eu-west")
    poison = await park(caller, reason="not JSON", origin=f"{caller.stream()} 1-0", payload="{")
    away = await park(caller, "python:eu-west", reason="forged", task_id="t", run_id="r", attempt="1")

    answer = await caller.tasks.ListDeadLetters(pb.ListDeadLettersRequest())

    letters = {f"{letter.stream}/{letter.entry_id}": letter for letter in answer.letters}
    assert letters[poison].reason == "not JSON"
    assert letters[poison].origin.endswith(" 1-0")
    assert (letters[away].run_id, letters[away].task_id, letters[away].attempt) == ("r", "t", 1)
    one = await caller.tasks.ListDeadLetters(pb.ListDeadLettersRequest(queue="python:eu-west"))
    assert [f"{letter.stream}/{letter.entry_id}" for letter in one.letters] == [away]


async def test_a_failed_task_gets_one_more_attempt_from_the_table_and_the_letter_goes(caller):
    await failed(caller, "t")
    await park(
        caller, reason="why", task_id="t", run_id="r", input='{"code": "steal()"}', node_type="http", attempt="9"
    )

    answer = await caller.tasks.RequeueDeadLetters(pb.RequeueDeadLettersRequest())

    assert [one.requeued for one in answer.letters] == [True]
    task = await caller.in_state("QUEUED")
    assert (task.attempt, task.max_attempts) == (2, 2)
    newest = (await caller.entries())[-1][1]
    assert (newest["input"], newest["node_type"], newest["attempt"]) == ('{"code": "return 1"}', "python", "2")
    assert not (await caller.tasks.ListDeadLetters(pb.ListDeadLettersRequest())).letters


async def test_a_letter_that_was_parked_twice_is_one(caller):
    await failed(caller, "t")
    for _ in range(2):
        await park(caller, reason="why", task_id="t", run_id="r", origin=f"{caller.stream()} 1-0")

    answer = await caller.tasks.RequeueDeadLetters(pb.RequeueDeadLettersRequest())

    assert [one.requeued for one in answer.letters] == [True, True]
    assert (await caller.in_state("QUEUED")).attempt == 2
    assert not (await caller.tasks.ListDeadLetters(pb.ListDeadLettersRequest())).letters


async def test_letters_of_other_tasks_are_left_and_say_why(caller):
    await caller.submit("running")
    await caller.acquire("running")
    await park(caller, reason="forged", task_id="running", run_id="r")
    await park(caller, reason="forged", task_id="none", run_id="r")
    await park(caller, reason="poison", payload="{")

    answer = await caller.tasks.RequeueDeadLetters(pb.RequeueDeadLettersRequest())

    assert [(one.requeued, one.reason) for one in answer.letters] == [
        (False, "the task is RUNNING"),
        (False, "there is no such task"),
        (False, "there is no such task"),
    ]
    assert len((await caller.tasks.ListDeadLetters(pb.ListDeadLettersRequest())).letters) == 3


async def test_bytes_that_are_no_text_are_shown_and_stop_nothing(caller):
    await caller.redis.xadd(f"{caller.stream()}:dead", {b"reason": b"\xff\x00", b"payload": b"\xfe{", b"\xff": b""})
    await park(caller, reason="good")

    answer = await caller.tasks.ListDeadLetters(pb.ListDeadLettersRequest(queue="python"))

    assert [letter.reason for letter in answer.letters] == ["\ufffd\x00", "good"]


async def test_many_letters_are_listed_up_to_a_bound(caller, monkeypatch):
    monkeypatch.setattr(dead_letters, "_MOST", 20)
    ids = [await park(caller, reason=str(number)) for number in range(23)]

    answer = await caller.tasks.ListDeadLetters(pb.ListDeadLettersRequest(queue="python"))

    assert [f"{letter.stream}/{letter.entry_id}" for letter in answer.letters] == ids[:20]
    assert answer.truncated
    await caller.redis.xdel(f"{caller.stream()}:dead", *(name.rpartition("/")[2] for name in ids[:10]))
    answer = await caller.tasks.ListDeadLetters(pb.ListDeadLettersRequest(queue="python"))
    assert [letter.reason for letter in answer.letters] == [str(number) for number in range(10, 23)]
    assert not answer.truncated


async def test_only_the_named_letters_are_requeued(caller):
    await failed(caller, "a", "b")
    await park(caller, reason="why", task_id="a", run_id="r")
    second = await park(caller, reason="why", task_id="b", run_id="r")

    await caller.tasks.RequeueDeadLetters(pb.RequeueDeadLettersRequest(letters=[second]))

    assert (await caller.task("a")).state == pb.TASK_STATE_FAILED
    assert (await caller.in_state("QUEUED", "b")).attempt == 2


async def test_a_letter_that_is_dropped_is_gone_and_its_task_is_what_it_was(caller):
    await failed(caller, "t")
    await caller.submit("running")
    await caller.acquire("running")
    gone = [await park(caller, reason="why", task_id=task, run_id="r") for task in ("t", "running")]
    kept = await park(caller, "js", reason="why", task_id="t", run_id="r")

    answer = await caller.tasks.DropDeadLetters(pb.DropDeadLettersRequest(letters=gone))

    assert [f"{letter.stream}/{letter.entry_id}" for letter in answer.letters] == gone
    assert (await caller.task("t")).state == pb.TASK_STATE_FAILED
    assert (await caller.task("running")).state == pb.TASK_STATE_RUNNING
    left = (await caller.tasks.ListDeadLetters(pb.ListDeadLettersRequest())).letters
    assert [f"{letter.stream}/{letter.entry_id}" for letter in left] == [kept]


async def test_what_is_no_dead_letter_is_not_dropped(caller):
    await caller.submit("t")
    await caller.in_state("QUEUED")
    ((entry_id, _),) = await caller.entries()
    elsewhere = await caller.redis.xadd("other:dead", {"reason": "why"})
    names = [f"{caller.stream()}/{entry_id}", f"other:dead/{elsewhere}", f"{caller.stream()}:dead/{entry_id}", "", "/"]

    answer = await caller.tasks.DropDeadLetters(pb.DropDeadLettersRequest(letters=names))

    assert not answer.letters
    assert len(await caller.entries()) == await caller.redis.xlen("other:dead") == 1
    everything = await caller.tasks.DropDeadLetters(pb.DropDeadLettersRequest(older_than_seconds=0))
    assert not everything.letters
    assert len(await caller.entries()) == await caller.redis.xlen("other:dead") == 1
    await caller.redis.delete("other:dead")


async def test_letters_are_dropped_by_age_as_many_as_are_looked_at(caller, monkeypatch):
    monkeypatch.setattr(dead_letters, "_MOST", 20)
    stream = f"{caller.stream()}:dead"
    for number in range(1, 24):
        await caller.redis.xadd(stream, {"reason": "old"}, id=f"{number}-0")
    new = await park(caller, reason="new")
    request = pb.DropDeadLettersRequest(queue="python", older_than_seconds=3600)

    counts = [len((await caller.tasks.DropDeadLetters(request)).letters) for _ in range(3)]

    assert counts == [20, 3, 0]
    left = (await caller.tasks.ListDeadLetters(pb.ListDeadLettersRequest())).letters
    assert [f"{letter.stream}/{letter.entry_id}" for letter in left] == [new]


@pytest.mark.parametrize(
    "asked", [{}, {"queue": "python"}, {"letters": ["a/1-0"], "older_than_seconds": 1}, {"older_than_seconds": -1}]
)
async def test_nothing_is_dropped_by_leaving_something_out(caller, asked):
    await park(caller, reason="why")

    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await caller.tasks.DropDeadLetters(pb.DropDeadLettersRequest(**asked))

    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert len((await caller.tasks.ListDeadLetters(pb.ListDeadLettersRequest())).letters) == 1

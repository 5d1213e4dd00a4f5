"""The contract over gRPC: with a worker of today, and with one that knows the first fields only."""

from __future__ import annotations

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from coordinator.pb import coordinator_pb2 as pb
from tests.coordinator.service.conftest import digest_of, eventually

# What the contract was before anything was added to it.
FIRST_FIELDS = {
    "AcquireTaskLeaseRequest": ["string task_id", "string run_id", "string owner", "int64 ttl_seconds"],
    "AcquireTaskLeaseResponse": ["bool acquired"],
    "ReportTaskResultRequest": [
        "string task_id",
        "string run_id",
        "string node_id",
        "int32 attempt",
        "string status",
        "bytes output",
        "string error",
    ],
    "ReportTaskResultResponse": ["bool acknowledged"],
}


class PlainWorker:
    """A client made of the first fields alone."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        file = descriptor_pb2.FileDescriptorProto(name="plain.proto", package="plain", syntax="proto3")
        for name, fields in FIRST_FIELDS.items():
            message = file.message_type.add(name=name)
            for number, field in enumerate(fields, 1):
                kind, _, field_name = field.partition(" ")
                value = getattr(descriptor_pb2.FieldDescriptorProto, f"TYPE_{kind.upper()}")
                message.field.add(name=field_name, number=number, type=value, label=1)
        pool = descriptor_pool.DescriptorPool()
        pool.Add(file)
        self._kinds = {
            name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"plain.{name}")) for name in FIRST_FIELDS
        }
        self._channel = channel

    async def call(self, method: str, kind: str, **fields: object):
        request = self._kinds[f"{kind}Request"](**fields)
        answers = self._kinds[f"{kind}Response"].FromString
        stub = self._channel.unary_unary(
            f"/workflow.v1.WorkflowService/{method}", type(request).SerializeToString, answers
        )
        return await stub(request)

    async def acquire(self, owner: str = "plain-1") -> bool:
        fields = {"task_id": "t", "run_id": "r", "owner": owner, "ttl_seconds": 0}
        return (await self.call("AcquireTaskLease", "AcquireTaskLease", **fields)).acquired

    async def renew(self, owner: str = "plain-1") -> bool:
        fields = {"task_id": "t", "run_id": "r", "owner": owner, "ttl_seconds": 90}
        return (await self.call("RenewTaskLease", "AcquireTaskLease", **fields)).acquired

    async def report(self, attempt: int, **fields: object) -> bool:
        said = {"task_id": "t", "run_id": "r", "node_id": "t", "attempt": attempt, **fields}
        return (await self.call("ReportTaskResult", "ReportTaskResult", **said)).acknowledged


async def test_a_worker_that_knows_the_first_fields_only(caller):
    await caller.submit("t", max_attempts=2)
    await eventually(caller.entries, "an entry is in the stream")
    plain = PlainWorker(caller.channel)

    assert await plain.acquire()
    assert not await plain.acquire()  # a redelivery to the worker that runs it
    assert not await plain.acquire("plain-2")
    assert await plain.renew()
    assert not await plain.renew("plain-2")
    assert await plain.report(1, status="failed", error="it broke")
    retried = await caller.task()
    assert (retried.state, retried.attempt, retried.error) == (pb.TASK_STATE_PENDING, 2, "it broke")

    await caller.table.later(10)
    await caller.in_state("QUEUED")
    assert await plain.acquire("plain-2")
    assert await plain.report(1, status="completed", output=b"1")  # late: acknowledged, and nothing more
    assert (await caller.task()).state == pb.TASK_STATE_RUNNING
    assert await plain.report(2, status="completed", output=b'{"ok": true}')
    done = await caller.task()
    assert (done.state, done.output, done.error) == (pb.TASK_STATE_COMPLETED, b'{"ok": true}', "")
    assert not await plain.acquire("plain-3")
    assert await plain.report(2, status="failed", error="again")
    assert (await caller.task()).output == b'{"ok": true}'


async def test_a_worker_that_knows_all_fields(caller):
    await caller.submit("t", workflow_id="w", traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    ((_, entry),) = await eventually(caller.entries, "an entry is in the stream")
    assert entry["traceparent"].startswith("00-0af")

    lease = await caller.acquire(attempt=1, task_digest=digest_of(entry))
    assert (lease.acquired, lease.fence, lease.attempt, lease.reason) == (True, 1, 1, 0)
    held = await caller.acquire(owner="w2", attempt=1, task_digest=digest_of(entry))
    assert (held.acquired, held.reason) == (False, pb.LEASE_REASON_HELD)
    renewed = await caller.workflow.RenewTaskLease(
        pb.AcquireTaskLeaseRequest(task_id="t", run_id="r", owner="w1", fence=lease.fence, attempt=1)
    )
    assert renewed.acquired
    answer = await caller.report(fence=lease.fence, logs_json=b'[{"text":"hi"}]')
    assert (answer.acknowledged, answer.accepted) == (True, True)
    again = await caller.report(fence=lease.fence)
    assert (again.acknowledged, again.accepted) == (True, False)
    assert (await caller.task()).logs_json == b'[{"text":"hi"}]'


async def test_a_report_for_a_task_that_is_not_there_is_acknowledged_and_not_accepted(caller):
    answer = await caller.report("none")

    assert (answer.acknowledged, answer.accepted) == (True, False)


async def test_an_output_that_is_no_json_ends_the_task(caller):
    await caller.submit("t", max_attempts=5)
    lease = await caller.acquire()

    answer = await caller.report(fence=lease.fence, output=b"{")

    assert answer.accepted
    task = await caller.task()
    assert (task.state, task.error.partition(":")[0]) == (pb.TASK_STATE_FAILED, "INVALID_RESULT")


async def test_a_lease_without_a_length_has_the_default_and_a_long_one_is_capped(start):
    caller = await start(lease_ttl_seconds=77)
    await caller.submit("a", "b")
    for task_id, asked in (("a", 0), ("b", 1 << 62)):
        await caller.workflow.AcquireTaskLease(
            pb.AcquireTaskLeaseRequest(task_id=task_id, run_id="r", owner="w", ttl_seconds=asked)
        )

    assert (await caller.table.row("a"))["lease_ttl"] == 77_000
    assert (await caller.table.row("b"))["lease_ttl"] == 3_600_000


ACQUIRE = {"task_id": "t", "run_id": "r", "owner": "w"}
REPORT = {"task_id": "t", "run_id": "r", "attempt": 1, "status": "completed"}


@pytest.mark.parametrize(
    ("method", "kind", "fields", "said"),
    [
        ("AcquireTaskLease", pb.AcquireTaskLeaseRequest, ACQUIRE | {"task_id": ""}, "task_id is required"),
        ("AcquireTaskLease", pb.AcquireTaskLeaseRequest, ACQUIRE | {"run_id": ""}, "run_id is required"),
        ("AcquireTaskLease", pb.AcquireTaskLeaseRequest, ACQUIRE | {"owner": ""}, "owner is required"),
        ("AcquireTaskLease", pb.AcquireTaskLeaseRequest, ACQUIRE | {"owner": "a" * 257}, "owner has 257 bytes"),
        ("AcquireTaskLease", pb.AcquireTaskLeaseRequest, ACQUIRE | {"task_digest": b"x"}, "task_digest has 1 bytes"),
        ("AcquireTaskLease", pb.AcquireTaskLeaseRequest, ACQUIRE | {"attempt": -1}, "attempt is -1"),
        ("RenewTaskLease", pb.AcquireTaskLeaseRequest, ACQUIRE | {"owner": ""}, "owner is required"),
        ("RenewTaskLease", pb.AcquireTaskLeaseRequest, ACQUIRE | {"fence": -1}, "fence is -1"),
        ("ReportTaskResult", pb.ReportTaskResultRequest, REPORT | {"task_id": ""}, "task_id is required"),
        ("ReportTaskResult", pb.ReportTaskResultRequest, REPORT | {"run_id": "a\0"}, "run_id holds characters"),
        ("ReportTaskResult", pb.ReportTaskResultRequest, REPORT | {"status": "done"}, "status is 'done'"),
        ("ReportTaskResult", pb.ReportTaskResultRequest, REPORT | {"attempt": 0}, "attempt is required"),
    ],
)
async def test_what_is_missing_or_too_large_is_an_invalid_argument(caller, method, kind, fields, said):
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await getattr(caller.workflow, method)(kind(**fields))

    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert said in refused.value.details()


async def test_submitting_is_all_or_none_and_the_error_names_the_task(caller):
    good, bad = pb.NewTask(node_type="js", run_id="r", task_id="t"), pb.NewTask(node_type="js", input=b"{")

    with pytest.raises(grpc.aio.AioRpcError, match="task 2: input is no JSON text"):
        await caller.tasks.SubmitTasks(pb.SubmitTasksRequest(tasks=[good, bad]))

    assert await caller.tasks.CountTasks(pb.CountTasksRequest()) == pb.TaskCounts()


async def test_ids_are_made_up_and_tasks_without_a_run_share_one(caller):
    new = [pb.NewTask(node_type="js"), pb.NewTask(node_type="js"), pb.NewTask(node_type="js", run_id="own")]
    answer = await caller.tasks.SubmitTasks(pb.SubmitTasksRequest(tasks=new))

    runs = [task.run_id for task in answer.tasks]
    assert runs[0] == runs[1] != runs[2] == "own"
    assert len({task.task_id for task in answer.tasks}) == 3
    again = await caller.tasks.SubmitTasks(
        pb.SubmitTasksRequest(tasks=[pb.NewTask(node_type="http", run_id=runs[0], task_id=answer.tasks[0].task_id)])
    )
    assert not again.tasks[0].created


async def test_where_it_is_asked_for_an_entry_s_digest_must_be_there(start):
    caller = await start(require_digest=True)
    await caller.submit("t")
    ((_, entry),) = await eventually(caller.entries, "an entry is in the stream")

    with pytest.raises(grpc.aio.AioRpcError, match="COORDINATOR_REQUIRE_DIGEST"):
        await caller.acquire()

    assert (await caller.acquire(task_digest=digest_of(entry))).acquired


async def test_cancelled_tasks_are_counted_by_the_state_they_were_in(caller):
    await caller.submit("a", "b", "c", "d")
    for task_id in ("a", "b", "c", "d"):
        await caller.in_state("QUEUED", task_id)
    await caller.acquire("a")
    await caller.report("b", fence=(await caller.acquire("b")).fence)

    answer = await caller.tasks.CancelTasks(pb.CancelTasksRequest(run_id="r", task_ids=["a", "b", "c"]))

    assert answer == pb.TaskCounts(running=1, queued=1)
    assert (await caller.task("a")).state == (await caller.task("c")).state == pb.TASK_STATE_FAILED
    assert (await caller.task("d")).state == pb.TASK_STATE_QUEUED


async def test_large_tasks_come_back_whole(caller):
    """Several pages, and inputs and outputs that are checked beside the loop."""
    text = b'{"code": "' + b"x" * 3_000_000 + b'"}'
    names = [f"t{number}" for number in range(5)]
    for name in names:
        await caller.submit(name, input=text)
        lease = await caller.acquire(name)
        assert (await caller.report(name, fence=lease.fence, output=text)).accepted

    found = [task async for task in caller.tasks.ListTasks(pb.ListTasksRequest(run_id="r"))]

    assert [task.task_id for task in found] == names
    assert {task.output for task in found} == {text}


async def test_the_largest_input_is_taken_and_dispatched(caller):
    text = b'"' + b"x" * (16 * 1024 * 1024 - 2) + b'"'
    await caller.submit("t", input=text)

    ((_, entry),) = await eventually(caller.entries, "an entry is in the stream")

    assert entry["input"].encode() == text
    assert (await caller.acquire(attempt=1, task_digest=digest_of(entry))).acquired
    with pytest.raises(grpc.aio.AioRpcError, match="input has 16777217 bytes: at most 16777216 are allowed"):
        await caller.submit("t2", input=text + b" ")

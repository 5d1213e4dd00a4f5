"""Callers compiled against yesterday's proto: every name and number below stays; new ones may come."""

from __future__ import annotations

import pytest
from google.protobuf.descriptor import FieldDescriptor

from coordinator.core.states import LeaseReason, TaskState
from coordinator.pb import coordinator_pb2
from langserver.core.outcome import ErrorKind
from langserver.pb import lang_pb2

CONTRACT = """
ExecuteRequest    string task_id=1; string runtime=2; string input_json=3; int32 timeout_seconds=4
ExecuteRequest    repeated MetadataEntry metadata=5; Limits limits=6; string timezone=7; int64 seed=8
ExecuteRequest    InlineCode inline_code=10
InlineCode        string code=1; string filename=2
Limits            int32 memory_mb=1; int32 cpu_seconds=2; int32 output_bytes=3; int32 log_bytes=4
ExecuteResponse   string task_id=1; bool success=2; string output_json=3; ExecuteError error=4
ExecuteResponse   repeated LogLine logs=5; bool logs_truncated=6; Usage usage=7
ExecuteResponse   repeated SecurityEvent security_events=8
ExecuteError      ErrorKind kind=1; string message=2; string type=3; string traceback=4
ExecuteError      int32 line=5; int32 column=6; string hint=7
LogLine           string stream=1; string text=2; double at_seconds=3
Usage             double queue_seconds=1; double wall_seconds=2; double cpu_seconds=3
Usage             int64 peak_memory_bytes=4; double compile_seconds=5; double run_seconds=6
SecurityEvent     string layer=1; string action=2; string detail=3
ExecuteEvent      LogLine log=1; ExecuteResponse response=2
ValidateRequest   string runtime=1; InlineCode inline_code=2
ValidateResponse  bool ok=1; repeated ExecuteError problems=2; repeated string imports=3
Capabilities      string version=1; repeated RuntimeInfo runtimes=2; repeated LayerInfo layers=3
Capabilities      Limits max_limits=4; int32 max_concurrency=5
RuntimeInfo       string name=1; string version=2; repeated string modules=3
LayerInfo         string name=1; bool active=2; string detail=3
"""

WORKFLOW_CONTRACT = """
AcquireTaskLeaseRequest  string task_id=1; string run_id=2; string owner=3; int64 ttl_seconds=4
AcquireTaskLeaseRequest  int32 attempt=5; bytes task_digest=6; int64 fence=7
AcquireTaskLeaseResponse bool acquired=1; LeaseReason reason=2; int64 fence=3; int32 attempt=4
ReportTaskResultRequest  string task_id=1; string run_id=2; string node_id=3; int32 attempt=4; string status=5
ReportTaskResultRequest  bytes output=6; string error=7; string owner=8; bool terminal=9; bytes logs_json=10
ReportTaskResultRequest  int64 fence=11; bytes error_json=12
ReportTaskResultResponse bool acknowledged=1; bool accepted=2
SubmitTasksRequest       repeated NewTask tasks=1
NewTask                  string task_id=1; string run_id=2; string node_id=3; string node_type=4
NewTask                  string workflow_id=5; string workflow_version=6; bytes input=7; int32 max_attempts=8
NewTask                  string queue=9; string traceparent=10
SubmitTasksResponse      repeated SubmittedTask tasks=1
SubmittedTask            string run_id=1; string task_id=2; bool created=3
ListTasksRequest         string run_id=1; repeated string task_ids=2
Task                     string task_id=1; string run_id=2; string node_id=3; string node_type=4
Task                     string workflow_id=5; string workflow_version=6; string queue=7; TaskState state=8
Task                     int32 attempt=9; int32 max_attempts=10; bytes output=11; string error=12
Task                     bytes error_json=13; bytes logs_json=14; string owner=15
Task                     double created_at=16; double updated_at=17
CountTasksRequest        string run_id=1
TaskCounts               int64 pending=1; int64 queued=2; int64 running=3; int64 completed=4; int64 failed=5
CancelTasksRequest       string run_id=1; repeated string task_ids=2
ListDeadLettersRequest   string queue=1
ListDeadLettersResponse  repeated DeadLetter letters=1; bool truncated=2
DeadLetter               string stream=1; string entry_id=2; string reason=3; string origin=4
DeadLetter               string run_id=5; string task_id=6; int32 attempt=7
RequeueDeadLettersRequest string queue=1; repeated string letters=2
RequeueDeadLettersResponse repeated RequeuedLetter letters=1
DropDeadLettersRequest   string queue=1; repeated string letters=2; int64 older_than_seconds=3
DropDeadLettersResponse  repeated DeadLetter letters=1
RequeuedLetter           DeadLetter letter=1; bool requeued=2; string reason=3
"""

METHODS = {
    "Execute": ("ExecuteRequest", "ExecuteResponse", False),
    "ExecuteStream": ("ExecuteRequest", "ExecuteEvent", True),
    "Validate": ("ValidateRequest", "ValidateResponse", False),
    "GetCapabilities": ("GetCapabilitiesRequest", "Capabilities", False),
}

WORKFLOW_METHODS = {
    "AcquireTaskLease": ("AcquireTaskLeaseRequest", "AcquireTaskLeaseResponse", False),
    "RenewTaskLease": ("AcquireTaskLeaseRequest", "AcquireTaskLeaseResponse", False),
    "ReportTaskResult": ("ReportTaskResultRequest", "ReportTaskResultResponse", False),
}
COORDINATOR_METHODS = {
    "SubmitTasks": ("SubmitTasksRequest", "SubmitTasksResponse", False),
    "ListTasks": ("ListTasksRequest", "Task", True),
    "CountTasks": ("CountTasksRequest", "TaskCounts", False),
    "CancelTasks": ("CancelTasksRequest", "TaskCounts", False),
    "ListDeadLetters": ("ListDeadLettersRequest", "ListDeadLettersResponse", False),
    "RequeueDeadLetters": ("RequeueDeadLettersRequest", "RequeueDeadLettersResponse", False),
    "DropDeadLetters": ("DropDeadLettersRequest", "DropDeadLettersResponse", False),
}

SCALARS = {
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_DOUBLE: "double",
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_INT64: "int64",
}


def promised_fields(contract: str) -> list[tuple[str, str]]:
    lines = (line.split(None, 1) for line in contract.strip().splitlines())
    return [(message, field) for message, fields in lines for field in fields.split("; ")]


def spelled(field: FieldDescriptor) -> str:
    if field.message_type is not None:
        kind = field.message_type.name
    elif field.enum_type is not None:
        kind = field.enum_type.name
    else:
        kind = SCALARS[field.type]
    return f"{'repeated ' if field.is_repeated else ''}{kind} {field.name}={field.number}"


@pytest.mark.parametrize(("message", "field"), promised_fields(CONTRACT))
def test_field_is_there_under_its_name_number_and_type(message: str, field: str) -> None:
    descriptor = lang_pb2.DESCRIPTOR.message_types_by_name[message]
    assert field in [spelled(found) for found in descriptor.fields]


@pytest.mark.parametrize(("message", "field"), promised_fields(WORKFLOW_CONTRACT))
def test_field_of_the_coordinator_is_there_too(message: str, field: str) -> None:
    descriptor = coordinator_pb2.DESCRIPTOR.message_types_by_name[message]
    assert field in [spelled(found) for found in descriptor.fields]


@pytest.mark.parametrize(
    ("file", "name", "methods"),
    [
        (lang_pb2, "lang.v1.LanguageServer", METHODS),
        (coordinator_pb2, "workflow.v1.WorkflowService", WORKFLOW_METHODS),
        (coordinator_pb2, "workflow.v1.Coordinator", COORDINATOR_METHODS),
    ],
)
def test_methods(file, name, methods) -> None:
    service = file.DESCRIPTOR.services_by_name[name.rpartition(".")[2]]
    assert service.full_name == name
    found = {
        method.name: (method.input_type.name, method.output_type.name, method.server_streaming)
        for method in service.methods
    }
    assert methods.items() <= found.items()


def test_a_seed_of_zero_is_told_from_no_seed() -> None:
    assert lang_pb2.ExecuteRequest(seed=0).HasField("seed")
    assert not lang_pb2.ExecuteRequest().HasField("seed")


def test_error_kinds_are_numbered_as_in_the_core() -> None:
    assert {f"ERROR_KIND_{kind.name}": kind.value for kind in ErrorKind} == dict(lang_pb2.ErrorKind.items())


def test_reasons_and_states_are_numbered_as_in_the_core() -> None:
    reasons = {f"LEASE_REASON_{reason.name}": reason.value for reason in LeaseReason}
    assert reasons == dict(coordinator_pb2.LeaseReason.items())
    states = {f"TASK_STATE_{state.name}": state.value for state in TaskState}
    assert {**states, "TASK_STATE_UNSPECIFIED": 0} == dict(coordinator_pb2.TaskState.items())

from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class LeaseReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LEASE_REASON_UNSPECIFIED: _ClassVar[LeaseReason]
    LEASE_REASON_HELD: _ClassVar[LeaseReason]
    LEASE_REASON_DONE: _ClassVar[LeaseReason]
    LEASE_REASON_SUPERSEDED: _ClassVar[LeaseReason]
    LEASE_REASON_UNKNOWN_TASK: _ClassVar[LeaseReason]
    LEASE_REASON_MISMATCH: _ClassVar[LeaseReason]

class TaskState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TASK_STATE_UNSPECIFIED: _ClassVar[TaskState]
    TASK_STATE_PENDING: _ClassVar[TaskState]
    TASK_STATE_QUEUED: _ClassVar[TaskState]
    TASK_STATE_RUNNING: _ClassVar[TaskState]
    TASK_STATE_COMPLETED: _ClassVar[TaskState]
    TASK_STATE_FAILED: _ClassVar[TaskState]
LEASE_REASON_UNSPECIFIED: LeaseReason
LEASE_REASON_HELD: LeaseReason
LEASE_REASON_DONE: LeaseReason
LEASE_REASON_SUPERSEDED: LeaseReason
LEASE_REASON_UNKNOWN_TASK: LeaseReason
LEASE_REASON_MISMATCH: LeaseReason
TASK_STATE_UNSPECIFIED: TaskState
TASK_STATE_PENDING: TaskState
TASK_STATE_QUEUED: TaskState
TASK_STATE_RUNNING: TaskState
TASK_STATE_COMPLETED: TaskState
TASK_STATE_FAILED: TaskState

class AcquireTaskLeaseRequest(_message.Message):
    __slots__ = ("task_id", "run_id", "owner", "ttl_seconds", "attempt", "task_digest", "fence")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    TTL_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    TASK_DIGEST_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    run_id: str
    owner: str
    ttl_seconds: int
    attempt: int
    task_digest: bytes
    fence: int
    def __init__(self, task_id: _Optional[str] = ..., run_id: _Optional[str] = ..., owner: _Optional[str] = ..., ttl_seconds: _Optional[int] = ..., attempt: _Optional[int] = ..., task_digest: _Optional[bytes] = ..., fence: _Optional[int] = ...) -> None: ...

class AcquireTaskLeaseResponse(_message.Message):
    __slots__ = ("acquired", "reason", "fence", "attempt")
    ACQUIRED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    acquired: bool
    reason: LeaseReason
    fence: int
    attempt: int
    def __init__(self, acquired: _Optional[bool] = ..., reason: _Optional[_Union[LeaseReason, str]] = ..., fence: _Optional[int] = ..., attempt: _Optional[int] = ...) -> None: ...

class ReportTaskResultRequest(_message.Message):
    __slots__ = ("task_id", "run_id", "node_id", "attempt", "status", "output", "error", "owner", "terminal", "logs_json", "fence", "error_json")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    NODE_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    TERMINAL_FIELD_NUMBER: _ClassVar[int]
    LOGS_JSON_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    ERROR_JSON_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    run_id: str
    node_id: str
    attempt: int
    status: str
    output: bytes
    error: str
    owner: str
    terminal: bool
    logs_json: bytes
    fence: int
    error_json: bytes
    def __init__(self, task_id: _Optional[str] = ..., run_id: _Optional[str] = ..., node_id: _Optional[str] = ..., attempt: _Optional[int] = ..., status: _Optional[str] = ..., output: _Optional[bytes] = ..., error: _Optional[str] = ..., owner: _Optional[str] = ..., terminal: _Optional[bool] = ..., logs_json: _Optional[bytes] = ..., fence: _Optional[int] = ..., error_json: _Optional[bytes] = ...) -> None: ...

class ReportTaskResultResponse(_message.Message):
    __slots__ = ("acknowledged", "accepted")
    ACKNOWLEDGED_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    acknowledged: bool
    accepted: bool
    def __init__(self, acknowledged: _Optional[bool] = ..., accepted: _Optional[bool] = ...) -> None: ...

class SubmitTasksRequest(_message.Message):
    __slots__ = ("tasks",)
    TASKS_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[NewTask]
    def __init__(self, tasks: _Optional[_Iterable[_Union[NewTask, _Mapping]]] = ...) -> None: ...

class NewTask(_message.Message):
    __slots__ = ("task_id", "run_id", "node_id", "node_type", "workflow_id", "workflow_version", "input", "max_attempts", "queue", "traceparent")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    NODE_ID_FIELD_NUMBER: _ClassVar[int]
    NODE_TYPE_FIELD_NUMBER: _ClassVar[int]
    WORKFLOW_ID_FIELD_NUMBER: _ClassVar[int]
    WORKFLOW_VERSION_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    MAX_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    TRACEPARENT_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    run_id: str
    node_id: str
    node_type: str
    workflow_id: str
    workflow_version: str
    input: bytes
    max_attempts: int
    queue: str
    traceparent: str
    def __init__(self, task_id: _Optional[str] = ..., run_id: _Optional[str] = ..., node_id: _Optional[str] = ..., node_type: _Optional[str] = ..., workflow_id: _Optional[str] = ..., workflow_version: _Optional[str] = ..., input: _Optional[bytes] = ..., max_attempts: _Optional[int] = ..., queue: _Optional[str] = ..., traceparent: _Optional[str] = ...) -> None: ...

class SubmitTasksResponse(_message.Message):
    __slots__ = ("tasks",)
    TASKS_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[SubmittedTask]
    def __init__(self, tasks: _Optional[_Iterable[_Union[SubmittedTask, _Mapping]]] = ...) -> None: ...

class SubmittedTask(_message.Message):
    __slots__ = ("run_id", "task_id", "created")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    task_id: str
    created: bool
    def __init__(self, run_id: _Optional[str] = ..., task_id: _Optional[str] = ..., created: _Optional[bool] = ...) -> None: ...

class ListTasksRequest(_message.Message):
    __slots__ = ("run_id", "task_ids")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_IDS_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    task_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, run_id: _Optional[str] = ..., task_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class Task(_message.Message):
    __slots__ = ("task_id", "run_id", "node_id", "node_type", "workflow_id", "workflow_version", "queue", "state", "attempt", "max_attempts", "output", "error", "error_json", "logs_json", "owner", "created_at", "updated_at")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    NODE_ID_FIELD_NUMBER: _ClassVar[int]
    NODE_TYPE_FIELD_NUMBER: _ClassVar[int]
    WORKFLOW_ID_FIELD_NUMBER: _ClassVar[int]
    WORKFLOW_VERSION_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    MAX_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    ERROR_JSON_FIELD_NUMBER: _ClassVar[int]
    LOGS_JSON_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    run_id: str
    node_id: str
    node_type: str
    workflow_id: str
    workflow_version: str
    queue: str
    state: TaskState
    attempt: int
    max_attempts: int
    output: bytes
    error: str
    error_json: bytes
    logs_json: bytes
    owner: str
    created_at: float
    updated_at: float
    def __init__(self, task_id: _Optional[str] = ..., run_id: _Optional[str] = ..., node_id: _Optional[str] = ..., node_type: _Optional[str] = ..., workflow_id: _Optional[str] = ..., workflow_version: _Optional[str] = ..., queue: _Optional[str] = ..., state: _Optional[_Union[TaskState, str]] = ..., attempt: _Optional[int] = ..., max_attempts: _Optional[int] = ..., output: _Optional[bytes] = ..., error: _Optional[str] = ..., error_json: _Optional[bytes] = ..., logs_json: _Optional[bytes] = ..., owner: _Optional[str] = ..., created_at: _Optional[float] = ..., updated_at: _Optional[float] = ...) -> None: ...

class CountTasksRequest(_message.Message):
    __slots__ = ("run_id",)
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    def __init__(self, run_id: _Optional[str] = ...) -> None: ...

class TaskCounts(_message.Message):
    __slots__ = ("pending", "queued", "running", "completed", "failed")
    PENDING_FIELD_NUMBER: _ClassVar[int]
    QUEUED_FIELD_NUMBER: _ClassVar[int]
    RUNNING_FIELD_NUMBER: _ClassVar[int]
    COMPLETED_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    pending: int
    queued: int
    running: int
    completed: int
    failed: int
    def __init__(self, pending: _Optional[int] = ..., queued: _Optional[int] = ..., running: _Optional[int] = ..., completed: _Optional[int] = ..., failed: _Optional[int] = ...) -> None: ...

class CancelTasksRequest(_message.Message):
    __slots__ = ("run_id", "task_ids")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_IDS_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    task_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, run_id: _Optional[str] = ..., task_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ListDeadLettersRequest(_message.Message):
    __slots__ = ("queue",)
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    queue: str
    def __init__(self, queue: _Optional[str] = ...) -> None: ...

class ListDeadLettersResponse(_message.Message):
    __slots__ = ("letters", "truncated")
    LETTERS_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    letters: _containers.RepeatedCompositeFieldContainer[DeadLetter]
    truncated: bool
    def __init__(self, letters: _Optional[_Iterable[_Union[DeadLetter, _Mapping]]] = ..., truncated: _Optional[bool] = ...) -> None: ...

class DeadLetter(_message.Message):
    __slots__ = ("stream", "entry_id", "reason", "origin", "run_id", "task_id", "attempt")
    STREAM_FIELD_NUMBER: _ClassVar[int]
    ENTRY_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    stream: str
    entry_id: str
    reason: str
    origin: str
    run_id: str
    task_id: str
    attempt: int
    def __init__(self, stream: _Optional[str] = ..., entry_id: _Optional[str] = ..., reason: _Optional[str] = ..., origin: _Optional[str] = ..., run_id: _Optional[str] = ..., task_id: _Optional[str] = ..., attempt: _Optional[int] = ...) -> None: ...

class RequeueDeadLettersRequest(_message.Message):
    __slots__ = ("queue", "letters")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    LETTERS_FIELD_NUMBER: _ClassVar[int]
    queue: str
    letters: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, queue: _Optional[str] = ..., letters: _Optional[_Iterable[str]] = ...) -> None: ...

class RequeueDeadLettersResponse(_message.Message):
    __slots__ = ("letters",)
    LETTERS_FIELD_NUMBER: _ClassVar[int]
    letters: _containers.RepeatedCompositeFieldContainer[RequeuedLetter]
    def __init__(self, letters: _Optional[_Iterable[_Union[RequeuedLetter, _Mapping]]] = ...) -> None: ...

class RequeuedLetter(_message.Message):
    __slots__ = ("letter", "requeued", "reason")
    LETTER_FIELD_NUMBER: _ClassVar[int]
    REQUEUED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    letter: DeadLetter
    requeued: bool
    reason: str
    def __init__(self, letter: _Optional[_Union[DeadLetter, _Mapping]] = ..., requeued: _Optional[bool] = ..., reason: _Optional[str] = ...) -> None: ...

class DropDeadLettersRequest(_message.Message):
    __slots__ = ("queue", "letters", "older_than_seconds")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    LETTERS_FIELD_NUMBER: _ClassVar[int]
    OLDER_THAN_SECONDS_FIELD_NUMBER: _ClassVar[int]
    queue: str
    letters: _containers.RepeatedScalarFieldContainer[str]
    older_than_seconds: int
    def __init__(self, queue: _Optional[str] = ..., letters: _Optional[_Iterable[str]] = ..., older_than_seconds: _Optional[int] = ...) -> None: ...

class DropDeadLettersResponse(_message.Message):
    __slots__ = ("letters",)
    LETTERS_FIELD_NUMBER: _ClassVar[int]
    letters: _containers.RepeatedCompositeFieldContainer[DeadLetter]
    def __init__(self, letters: _Optional[_Iterable[_Union[DeadLetter, _Mapping]]] = ...) -> None: ...

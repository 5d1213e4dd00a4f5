from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ErrorKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_KIND_UNSPECIFIED: _ClassVar[ErrorKind]
    ERROR_KIND_SYNTAX_ERROR: _ClassVar[ErrorKind]
    ERROR_KIND_POLICY_VIOLATION: _ClassVar[ErrorKind]
    ERROR_KIND_USER_ERROR: _ClassVar[ErrorKind]
    ERROR_KIND_SANDBOX_VIOLATION: _ClassVar[ErrorKind]
    ERROR_KIND_TIMEOUT: _ClassVar[ErrorKind]
    ERROR_KIND_CPU_LIMIT: _ClassVar[ErrorKind]
    ERROR_KIND_MEMORY_LIMIT: _ClassVar[ErrorKind]
    ERROR_KIND_OUTPUT_LIMIT: _ClassVar[ErrorKind]
    ERROR_KIND_INVALID_RESULT: _ClassVar[ErrorKind]
    ERROR_KIND_CANCELLED: _ClassVar[ErrorKind]
    ERROR_KIND_CRASHED: _ClassVar[ErrorKind]
    ERROR_KIND_INTERNAL: _ClassVar[ErrorKind]
ERROR_KIND_UNSPECIFIED: ErrorKind
ERROR_KIND_SYNTAX_ERROR: ErrorKind
ERROR_KIND_POLICY_VIOLATION: ErrorKind
ERROR_KIND_USER_ERROR: ErrorKind
ERROR_KIND_SANDBOX_VIOLATION: ErrorKind
ERROR_KIND_TIMEOUT: ErrorKind
ERROR_KIND_CPU_LIMIT: ErrorKind
ERROR_KIND_MEMORY_LIMIT: ErrorKind
ERROR_KIND_OUTPUT_LIMIT: ErrorKind
ERROR_KIND_INVALID_RESULT: ErrorKind
ERROR_KIND_CANCELLED: ErrorKind
ERROR_KIND_CRASHED: ErrorKind
ERROR_KIND_INTERNAL: ErrorKind

class ExecuteRequest(_message.Message):
    __slots__ = ("task_id", "runtime", "input_json", "timeout_seconds", "metadata", "limits", "timezone", "seed", "inline_code")
    class MetadataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    INPUT_JSON_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    TIMEZONE_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    INLINE_CODE_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    runtime: str
    input_json: str
    timeout_seconds: int
    metadata: _containers.ScalarMap[str, str]
    limits: Limits
    timezone: str
    seed: int
    inline_code: InlineCode
    def __init__(self, task_id: _Optional[str] = ..., runtime: _Optional[str] = ..., input_json: _Optional[str] = ..., timeout_seconds: _Optional[int] = ..., metadata: _Optional[_Mapping[str, str]] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., timezone: _Optional[str] = ..., seed: _Optional[int] = ..., inline_code: _Optional[_Union[InlineCode, _Mapping]] = ...) -> None: ...

class InlineCode(_message.Message):
    __slots__ = ("code", "filename")
    CODE_FIELD_NUMBER: _ClassVar[int]
    FILENAME_FIELD_NUMBER: _ClassVar[int]
    code: str
    filename: str
    def __init__(self, code: _Optional[str] = ..., filename: _Optional[str] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ("memory_mb", "cpu_seconds", "output_bytes", "log_bytes")
    MEMORY_MB_FIELD_NUMBER: _ClassVar[int]
    CPU_SECONDS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_BYTES_FIELD_NUMBER: _ClassVar[int]
    LOG_BYTES_FIELD_NUMBER: _ClassVar[int]
    memory_mb: int
    cpu_seconds: int
    output_bytes: int
    log_bytes: int
    def __init__(self, memory_mb: _Optional[int] = ..., cpu_seconds: _Optional[int] = ..., output_bytes: _Optional[int] = ..., log_bytes: _Optional[int] = ...) -> None: ...

class ExecuteResponse(_message.Message):
    __slots__ = ("task_id", "success", "output_json", "error", "logs", "logs_truncated", "usage", "security_events")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_JSON_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    LOGS_FIELD_NUMBER: _ClassVar[int]
    LOGS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    SECURITY_EVENTS_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    success: bool
    output_json: str
    error: ExecuteError
    logs: _containers.RepeatedCompositeFieldContainer[LogLine]
    logs_truncated: bool
    usage: Usage
    security_events: _containers.RepeatedCompositeFieldContainer[SecurityEvent]
    def __init__(self, task_id: _Optional[str] = ..., success: _Optional[bool] = ..., output_json: _Optional[str] = ..., error: _Optional[_Union[ExecuteError, _Mapping]] = ..., logs: _Optional[_Iterable[_Union[LogLine, _Mapping]]] = ..., logs_truncated: _Optional[bool] = ..., usage: _Optional[_Union[Usage, _Mapping]] = ..., security_events: _Optional[_Iterable[_Union[SecurityEvent, _Mapping]]] = ...) -> None: ...

class ExecuteError(_message.Message):
    __slots__ = ("kind", "message", "type", "traceback", "line", "column", "hint")
    KIND_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    TRACEBACK_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    HINT_FIELD_NUMBER: _ClassVar[int]
    kind: ErrorKind
    message: str
    type: str
    traceback: str
    line: int
    column: int
    hint: str
    def __init__(self, kind: _Optional[_Union[ErrorKind, str]] = ..., message: _Optional[str] = ..., type: _Optional[str] = ..., traceback: _Optional[str] = ..., line: _Optional[int] = ..., column: _Optional[int] = ..., hint: _Optional[str] = ...) -> None: ...

class LogLine(_message.Message):
    __slots__ = ("stream", "text", "at_seconds")
    STREAM_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    AT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    stream: str
    text: str
    at_seconds: float
    def __init__(self, stream: _Optional[str] = ..., text: _Optional[str] = ..., at_seconds: _Optional[float] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ("queue_seconds", "wall_seconds", "cpu_seconds", "peak_memory_bytes", "compile_seconds", "run_seconds")
    QUEUE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    WALL_SECONDS_FIELD_NUMBER: _ClassVar[int]
    CPU_SECONDS_FIELD_NUMBER: _ClassVar[int]
    PEAK_MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    COMPILE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    RUN_SECONDS_FIELD_NUMBER: _ClassVar[int]
    queue_seconds: float
    wall_seconds: float
    cpu_seconds: float
    peak_memory_bytes: int
    compile_seconds: float
    run_seconds: float
    def __init__(self, queue_seconds: _Optional[float] = ..., wall_seconds: _Optional[float] = ..., cpu_seconds: _Optional[float] = ..., peak_memory_bytes: _Optional[int] = ..., compile_seconds: _Optional[float] = ..., run_seconds: _Optional[float] = ...) -> None: ...

class SecurityEvent(_message.Message):
    __slots__ = ("layer", "action", "detail")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    layer: str
    action: str
    detail: str
    def __init__(self, layer: _Optional[str] = ..., action: _Optional[str] = ..., detail: _Optional[str] = ...) -> None: ...

class ExecuteEvent(_message.Message):
    __slots__ = ("log", "response")
    LOG_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    log: LogLine
    response: ExecuteResponse
    def __init__(self, log: _Optional[_Union[LogLine, _Mapping]] = ..., response: _Optional[_Union[ExecuteResponse, _Mapping]] = ...) -> None: ...

class ValidateRequest(_message.Message):
    __slots__ = ("runtime", "inline_code")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    INLINE_CODE_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    inline_code: InlineCode
    def __init__(self, runtime: _Optional[str] = ..., inline_code: _Optional[_Union[InlineCode, _Mapping]] = ...) -> None: ...

class ValidateResponse(_message.Message):
    __slots__ = ("ok", "problems", "imports")
    OK_FIELD_NUMBER: _ClassVar[int]
    PROBLEMS_FIELD_NUMBER: _ClassVar[int]
    IMPORTS_FIELD_NUMBER: _ClassVar[int]
    ok: bool
    problems: _containers.RepeatedCompositeFieldContainer[ExecuteError]
    imports: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, ok: _Optional[bool] = ..., problems: _Optional[_Iterable[_Union[ExecuteError, _Mapping]]] = ..., imports: _Optional[_Iterable[str]] = ...) -> None: ...

class GetCapabilitiesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Capabilities(_message.Message):
    __slots__ = ("version", "runtimes", "layers", "max_limits", "max_concurrency")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    RUNTIMES_FIELD_NUMBER: _ClassVar[int]
    LAYERS_FIELD_NUMBER: _ClassVar[int]
    MAX_LIMITS_FIELD_NUMBER: _ClassVar[int]
    MAX_CONCURRENCY_FIELD_NUMBER: _ClassVar[int]
    version: str
    runtimes: _containers.RepeatedCompositeFieldContainer[RuntimeInfo]
    layers: _containers.RepeatedCompositeFieldContainer[LayerInfo]
    max_limits: Limits
    max_concurrency: int
    def __init__(self, version: _Optional[str] = ..., runtimes: _Optional[_Iterable[_Union[RuntimeInfo, _Mapping]]] = ..., layers: _Optional[_Iterable[_Union[LayerInfo, _Mapping]]] = ..., max_limits: _Optional[_Union[Limits, _Mapping]] = ..., max_concurrency: _Optional[int] = ...) -> None: ...

class RuntimeInfo(_message.Message):
    __slots__ = ("name", "version", "modules", "profile")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    MODULES_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    modules: _containers.RepeatedScalarFieldContainer[str]
    profile: str
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., modules: _Optional[_Iterable[str]] = ..., profile: _Optional[str] = ...) -> None: ...

class LayerInfo(_message.Message):
    __slots__ = ("name", "active", "detail")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    name: str
    active: bool
    detail: str
    def __init__(self, name: _Optional[str] = ..., active: _Optional[bool] = ..., detail: _Optional[str] = ...) -> None: ...

"""Callers compiled against yesterday's proto: every name and number below stays; new ones may come."""

from __future__ import annotations

import pytest
from google.protobuf.descriptor import FieldDescriptor

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

METHODS = {
    "Execute": ("ExecuteRequest", "ExecuteResponse", False),
    "ExecuteStream": ("ExecuteRequest", "ExecuteEvent", True),
    "Validate": ("ValidateRequest", "ValidateResponse", False),
    "GetCapabilities": ("GetCapabilitiesRequest", "Capabilities", False),
}

SCALARS = {
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_DOUBLE: "double",
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_INT64: "int64",
}


def promised_fields() -> list[tuple[str, str]]:
    lines = (line.split(None, 1) for line in CONTRACT.strip().splitlines())
    return [(message, field) for message, fields in lines for field in fields.split("; ")]


def spelled(field: FieldDescriptor) -> str:
    if field.message_type is not None:
        kind = field.message_type.name
    elif field.enum_type is not None:
        kind = field.enum_type.name
    else:
        kind = SCALARS[field.type]
    return f"{'repeated ' if field.is_repeated else ''}{kind} {field.name}={field.number}"


@pytest.mark.parametrize(("message", "field"), promised_fields())
def test_field_is_there_under_its_name_number_and_type(message: str, field: str) -> None:
    descriptor = lang_pb2.DESCRIPTOR.message_types_by_name[message]
    assert field in [spelled(found) for found in descriptor.fields]


def test_methods() -> None:
    service = lang_pb2.DESCRIPTOR.services_by_name["LanguageServer"]
    assert service.full_name == "lang.v1.LanguageServer"
    found = {
        method.name: (method.input_type.name, method.output_type.name, method.server_streaming)
        for method in service.methods
    }
    assert METHODS.items() <= found.items()


def test_a_seed_of_zero_is_told_from_no_seed() -> None:
    assert lang_pb2.ExecuteRequest(seed=0).HasField("seed")
    assert not lang_pb2.ExecuteRequest().HasField("seed")


def test_error_kinds_are_numbered_as_in_the_core() -> None:
    assert {f"ERROR_KIND_{kind.name}": kind.value for kind in ErrorKind} == dict(lang_pb2.ErrorKind.items())

"""What a child says of its task: the payloads of its REPORT, LOG and EVENT frames.

Everything decoded here is a claim of a possibly hostile process. Decoding is strict about structure, lenient about text
(`FieldReader.text`), and clamps what is only shown.
"""

from __future__ import annotations

import struct

from langserver.core.claims import Failure, LogClaim, Report, SecurityClaim
from langserver.core.outcome import CLAIMABLE, ErrorKind
from langserver.wire.fields import FieldError, FieldReader, pack_bytes, pack_text

MAX_FAILURES = 100
MAX_IMPORTS = 200
MESSAGE_BYTES = 8 << 10
TYPE_BYTES = 256
TRACEBACK_BYTES = 64 << 10
HINT_BYTES = 2 << 10
IMPORT_BYTES = 256
LOG_LINE_BYTES = 8 << 10
EVENT_TEXT_BYTES = 200
BAD_INPUT_BYTES = 512
# Room that a REPORT frame has beside its output, all its texts together.
REPORT_OVERHEAD_BYTES = 1 << 20

STREAMS = ("stdout", "stderr", "log", "info", "warn", "error", "debug")
# What a child can see of a layer. That the kernel killed it is for the server to say.
EVENT_ACTIONS = ("refused", "denied")
EVENT_LAYERS = ("policy", "audit", "privileges", "rlimits", "landlock", "seccomp", "namespaces")

_HEAD = struct.Struct("!QQHH")
_FAILURE = struct.Struct("!BII")
_BYTE = struct.Struct("!B")
# Where the time of compiling stands in a report: at its start.
COMPILE_NS = struct.Struct("!Q")
LINE = struct.Struct("!I")
# Where the line of the first failure stands in a report without output: after its kind.
LINE_OFFSET = _HEAD.size + len(pack_bytes(b"")) + _BYTE.size
_MAX_POSITION = 2**31 - 1  # proto int32


def encode_report(report: Report) -> bytes:
    """The payload of a REPORT frame; texts over their caps are cut."""
    failures, imports = report.failures[:MAX_FAILURES], report.imports[:MAX_IMPORTS]
    parts = [_HEAD.pack(report.compile_ns, report.run_ns, len(failures), len(imports)), pack_bytes(report.output)]
    room = REPORT_OVERHEAD_BYTES // 2
    for failure in failures:
        traceback_cap = min(TRACEBACK_BYTES, room)
        room -= min(len(failure.traceback), traceback_cap)
        parts += [
            _FAILURE.pack(failure.kind, _position(failure.line), _position(failure.column)),
            pack_text(failure.message, MESSAGE_BYTES if len(failures) == 1 else 1 << 10),
            pack_text(failure.type, TYPE_BYTES),
            pack_text(failure.traceback, traceback_cap),
            pack_text(failure.hint, HINT_BYTES if len(failures) == 1 else 512),
        ]
    parts += [pack_text(name, IMPORT_BYTES) for name in imports]
    return b"".join(parts)


def decode_report(payload: bytes, output_cap: int) -> Report:
    """Reads a REPORT payload. `output_cap` is in bytes. Raises FieldError for what `encode_report` cannot make."""
    reader = FieldReader(payload)
    compile_ns, run_ns, failure_count, import_count = reader.numbers(_HEAD)
    if failure_count > MAX_FAILURES or import_count > MAX_IMPORTS:
        raise FieldError(f"{failure_count} failures and {import_count} imports are too many")
    output = reader.bytes(output_cap)
    failures = tuple(_decode_failure(reader) for _ in range(failure_count))
    imports = tuple(reader.text(IMPORT_BYTES) for _ in range(import_count))
    reader.end()
    if len(payload) - len(output) > REPORT_OVERHEAD_BYTES:
        raise FieldError(f"{len(payload) - len(output)} bytes beside the output are too many")
    return Report(output, failures, imports, compile_ns, run_ns)


def _decode_failure(reader: FieldReader) -> Failure:
    number, line, column = reader.numbers(_FAILURE)
    try:
        kind = ErrorKind(number)
    except ValueError:
        raise FieldError(f"there is no error kind {number}") from None
    if kind not in CLAIMABLE:
        raise FieldError(f"a child may not claim {kind.name}")
    return Failure(
        kind,
        message=reader.text(MESSAGE_BYTES),
        type=reader.text(TYPE_BYTES),
        traceback=reader.text(TRACEBACK_BYTES),
        hint=reader.text(HINT_BYTES),
        line=_position(line),
        column=_position(column),
    )


def encode_log(claim: LogClaim) -> bytes:
    """The payload of a LOG frame; the text must be at most LOG_LINE_BYTES long."""
    return _BYTE.pack(STREAMS.index(claim.stream)) + pack_text(claim.text, LOG_LINE_BYTES)


def decode_log(payload: bytes) -> LogClaim:
    """Reads a LOG payload. Raises FieldError."""
    reader = FieldReader(payload)
    (number,) = reader.numbers(_BYTE)
    if number >= len(STREAMS):
        raise FieldError(f"there is no log stream {number}")
    text = reader.text(LOG_LINE_BYTES)
    reader.end()
    return LogClaim(STREAMS[number], text.replace("\n", " "))


def encode_event(claim: SecurityClaim) -> bytes:
    """The payload of an EVENT frame."""
    return _BYTE.pack(EVENT_LAYERS.index(claim.layer)) + b"".join(
        pack_text(text, EVENT_TEXT_BYTES) for text in (claim.action, claim.detail)
    )


def decode_event(payload: bytes) -> SecurityClaim:
    """Reads an EVENT payload. Raises FieldError."""
    reader = FieldReader(payload)
    (number,) = reader.numbers(_BYTE)
    if number >= len(EVENT_LAYERS):
        raise FieldError(f"there is no layer {number}")
    claim = SecurityClaim(EVENT_LAYERS[number], reader.text(EVENT_TEXT_BYTES), reader.text(EVENT_TEXT_BYTES))
    reader.end()
    if claim.action not in EVENT_ACTIONS:
        raise FieldError("a child may not claim that event")
    return claim


def _position(number: int) -> int:
    return max(0, min(number, _MAX_POSITION))

"""The closed set of ways a task can end, numbered as in proto/lang.proto."""

from __future__ import annotations

from enum import IntEnum


class ErrorKind(IntEnum):
    """Why a task did not succeed; the values are those of the proto's `ErrorKind`."""

    UNSPECIFIED = 0
    SYNTAX_ERROR = 1
    POLICY_VIOLATION = 2
    USER_ERROR = 3
    SANDBOX_VIOLATION = 4
    TIMEOUT = 5
    CPU_LIMIT = 6
    MEMORY_LIMIT = 7
    OUTPUT_LIMIT = 8
    INVALID_RESULT = 9
    CANCELLED = 10
    CRASHED = 11
    INTERNAL = 12


# What a child may say of its own task. The other kinds are facts that only the server can know:
# a child that claims one of them has broken the protocol.
CLAIMABLE = frozenset(
    {
        ErrorKind.SYNTAX_ERROR,
        ErrorKind.POLICY_VIOLATION,
        ErrorKind.USER_ERROR,
        ErrorKind.SANDBOX_VIOLATION,
        ErrorKind.MEMORY_LIMIT,
        ErrorKind.OUTPUT_LIMIT,
        ErrorKind.INVALID_RESULT,
    }
)

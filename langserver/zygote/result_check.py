"""Whether the JSON a child reported really is JSON: its text goes to callers who will parse it."""

from __future__ import annotations

import asyncio

import msgspec

from langserver.wire.strict_json import MAX_DEPTH, within_depth

_INLINE_BYTES = 64 << 10  # below this the check costs less than a hop to another thread


async def output_fault(output: bytes) -> str | None:
    """What is wrong with a report's output, or None. Reads the grammar without building the value."""
    if len(output) <= _INLINE_BYTES:
        return _fault(output)
    return await asyncio.to_thread(_fault, output)


def _fault(output: bytes) -> str | None:
    try:
        output.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"not UTF-8 at byte {error.start}"
    try:
        msgspec.json.decode(output, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError) as error:
        return str(error)
    if not within_depth(output):
        return f"nested over {MAX_DEPTH} levels"
    return None

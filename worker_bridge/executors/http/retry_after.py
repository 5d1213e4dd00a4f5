"""When a server asks to be asked again later."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

MAX_WAITS: Final = 5

_STATUSES: Final = frozenset({429, 503})
_LEAST_SECONDS: Final = 0.1
_SECONDS = re.compile(rb"[0-9]{1,9}")


def asked_to_wait(status: int, values: list[bytes], now: datetime) -> float | None:
    """How many seconds to wait before the same is sent once more; None: it was not asked for, or not understood."""
    if status not in _STATUSES or len(values) != 1:
        return None
    value = values[0].strip()
    if _SECONDS.fullmatch(value):
        return max(_LEAST_SECONDS, float(value))
    try:
        moment = parsedate_to_datetime(value[:64].decode("ascii"))
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(_LEAST_SECONDS, (moment - now).total_seconds())

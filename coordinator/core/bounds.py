"""How large each thing may be: what goes into the database and the streams has a bound."""

from __future__ import annotations

from typing import Final

KIB: Final = 1 << 10
MIB: Final = 1 << 20

ID_BYTES: Final = 256
NAME_BYTES: Final = 128  # node types and queues: they become names of streams
INPUT_BYTES: Final = 16 * MIB
OUTPUT_BYTES: Final = 16 * MIB
ERROR_CHARACTERS: Final = 16 * KIB
ERROR_JSON_BYTES: Final = 1 * MIB
LOGS_BYTES: Final = 4 * MIB
JSON_DEPTH: Final = 200
TASKS_A_REQUEST: Final = 10_000
IDS_A_REQUEST: Final = 100_000
MOST_ATTEMPTS: Final = 1_000
MOST_LEASE_SECONDS: Final = 3_600
# A task with the largest input, or a report with the largest output, logs and error, and the fields around it.
MESSAGE_BYTES: Final = OUTPUT_BYTES + LOGS_BYTES + ERROR_JSON_BYTES + 3 * MIB

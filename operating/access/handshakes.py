"""Failed TLS handshakes in the log: few lines, and nothing that a client sent.

gRPC's core tells of them nobody but standard error, one line each, at the rate of whoever connects. So that descriptor
becomes a pipe that is read here; Python's own standard error stays where it was. A full pipe takes no more, and nobody
waits for it.

Nothing of it is passed on. The core writes what clients sent as it is, line ends too (the debug data of a GOAWAY frame,
RFC 9113, section 6.8), so that a line of somebody else's, as it seems, may be anybody's.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import re
import sys
from collections import Counter
from typing import Final

log = logging.getLogger(__name__)

_EVERY_SECONDS: Final = 10.0
_PIPE_BYTES: Final = 1 << 16
_FAILED: Final = "Handshake failed"
_REASONS: Final = (
    ("PEER_DID_NOT_RETURN_A_CERTIFICATE", "no client certificate"),
    ("certificate has expired", "an expired client certificate"),
    ("CERTIFICATE_VERIFY_FAILED", "a client certificate that the client CA did not sign"),
    ("WRONG_VERSION_NUMBER", "no TLS"),
    ("HTTP_REQUEST", "no TLS"),
)
_OTHER: Final = "another reason"
REASONS: Final = (*dict.fromkeys(words for _, words in _REASONS), _OTHER)
_CORES_LINE: Final = re.compile(r"[IWE]\d{4} ")  # the core's; what is fatal begins with F


class Handshakes:
    """Made before gRPC is imported, and before logging is set up."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._silent_until = float("-inf")
        self._unknown = 0  # lines
        self._unknown_until = float("-inf")
        self._own = os.fdopen(os.dup(2), "w", buffering=1, errors="backslashreplace")
        self.descriptor, write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        os.dup2(write, 2)
        os.close(write)
        sys.stderr = self._own
        faulthandler.enable(self._own)  # the last words of a process that dies would be left in the pipe

    def read(self, now: float) -> Counter[str]:
        """To be called when `descriptor` can be read; tells how many failed since it was last called, by reason."""
        failed: Counter[str] = Counter()
        for line in os.read(self.descriptor, _PIPE_BYTES).decode("utf-8", "replace").splitlines():
            if not _CORES_LINE.match(line):
                self._unknown += 1
            elif _FAILED in line:
                failed[next((words for sign, words in _REASONS if sign in line), _OTHER)] += 1
        self._counts += failed
        if self._counts and now >= self._silent_until:
            said = ", ".join(f"{words} ({count})" for words, count in self._counts.most_common())
            log.warning("clients that could not connect over TLS: %s", said)
            self._counts.clear()
            self._silent_until = now + _EVERY_SECONDS
        if self._unknown and now >= self._unknown_until:
            log.warning(
                "%d lines on standard error that are not this program's were left out, since a client may have written "
                "them: GRPC_VERBOSITY=info shows them, and all of gRPC's",
                self._unknown,
            )
            self._unknown, self._unknown_until = 0, now + _EVERY_SECONDS
        return failed


def overhear(certificate: str) -> Handshakes | None:
    """Where the variable `certificate` asks for TLS, and nobody has asked gRPC's core for more words.

    Call it before gRPC is imported.
    """
    if os.environ.get(certificate) and "GRPC_VERBOSITY" not in os.environ and _is_open(2):
        return Handshakes()
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # the library's own log lines say less than ours
    return None


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True

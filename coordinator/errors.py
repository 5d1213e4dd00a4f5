"""What can go wrong, in words for whoever has to mend it."""

from __future__ import annotations


class StartError(Exception):
    """The coordinator cannot start: exit status 3. The text names the setting and says what to change."""


class InvalidRequest(Exception):
    """The caller's fault: over gRPC `INVALID_ARGUMENT`. The text names the field and the bound."""


class StoreUnavailable(Exception):
    """The database cannot be reached or does not take the change: over gRPC `UNAVAILABLE`. Nothing was changed, or the
    change is not known to have been made.
    """


class StreamUnavailable(Exception):
    """The stream server cannot be reached. Whether the last change was made is not known."""


class StreamRefused(StreamUnavailable):
    """This one key cannot be used as a stream: something else has its name. Others can."""

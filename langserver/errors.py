"""Errors that a user of the command line or a caller over gRPC reads: they say what happened and what to do."""

from __future__ import annotations


class RequestError(Exception):
    """The caller's fault: over gRPC `INVALID_ARGUMENT`, on the command line exit status 2."""


class StartError(Exception):
    """The sandbox or the server cannot start: exit status 3."""

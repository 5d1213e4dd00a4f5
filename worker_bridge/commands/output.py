"""What commands print."""

from __future__ import annotations

import os
import sys

from worker_bridge.errors import StartError


def say(text: str) -> None:
    """Prints it at once. A reader that went away is no reason to stop. Raises StartError for a full disk."""
    try:
        print(text, flush=True)
    except OSError as error:
        # What is still buffered has to go somewhere, or the interpreter complains at its exit (docs of `signal`).
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        if not isinstance(error, BrokenPipeError):
            raise StartError(f"standard output: {error.strerror}") from None

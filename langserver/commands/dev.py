"""`langserver dev`: a whole installation in one command. It is a package of its own, which knows all the others."""

from __future__ import annotations

import importlib
import os
from argparse import Namespace

from langserver.commands.exits import ExitStatus
from langserver.errors import StartError


def dev(options: Namespace) -> int:
    """Runs until it is stopped; returns the exit status. Raises StartError."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # before it is imported: its log lines say less than ours
    command = importlib.import_module("langserver_dev.command")
    try:
        command.run(options)
    except command.StartError as error:
        raise StartError(str(error)) from None
    return ExitStatus.SUCCESS

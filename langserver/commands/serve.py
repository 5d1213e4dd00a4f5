"""`langserver serve`: the gRPC server, with the settings of the environment."""

from __future__ import annotations

from argparse import Namespace

from langserver.server import app
from langserver.settings import Settings


def serve(options: Namespace) -> int:
    """Serves until it is stopped; returns the exit status. Raises StartError."""
    return app.serve(Settings(), options.listen, options.reflection)

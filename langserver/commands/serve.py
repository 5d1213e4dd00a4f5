"""`langserver serve`: the gRPC server, with the settings of the environment."""

from __future__ import annotations

import os
from argparse import Namespace

from langserver.sandbox import confine


def serve(options: Namespace) -> int:
    """Serves until it is stopped; returns the exit status. Raises StartError."""
    # Before a secret is read: nobody of the same user may look into this process through /proc or ptrace.
    confine.forbid_dumps()
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # the library's own log lines say less than ours
    from langserver.server import app, heap
    from langserver.settings import Settings

    heap.share_one_arena()
    return app.serve(Settings(), options.listen, options.reflection)

"""`langserver serve`: the gRPC server, with the settings of the environment."""

from __future__ import annotations

from argparse import Namespace

from langserver.sandbox import confine
from operating.access.handshakes import overhear


def serve(options: Namespace) -> int:
    """Serves until it is stopped; returns the exit status. Raises StartError."""
    # Before a secret is read: nobody of the same user may look into this process through /proc or ptrace.
    confine.forbid_dumps()
    handshakes = overhear("LANG_TLS_CERT")
    from langserver.server import app, heap
    from langserver.settings import Settings

    heap.share_one_arena()
    return app.serve(Settings(), options.listen, options.reflection, handshakes)

"""What the demo's servers themselves have to say: in a file, for it is of use only where something goes wrong."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LAST_LINES = 20


@contextmanager
def told_apart() -> Iterator[None]:
    """Standard error goes to a file, that of processes started here too; shown if the block does not end well."""
    sys.stderr.flush()
    ours = os.dup(2)
    descriptor, name = tempfile.mkstemp(prefix="langserver-demo-", suffix=".log")
    os.dup2(descriptor, 2)
    os.close(descriptor)
    file = Path(name)
    well = False
    try:
        yield
        well = True
    finally:
        sys.stderr.flush()
        os.dup2(ours, 2)
        os.close(ours)
        if well:
            file.unlink()
        else:
            sys.stdout.flush()
            print(_said(file), file=sys.stderr)


def _said(file: Path) -> str:
    lines = file.read_text(errors="replace").splitlines()
    heading = f"What the servers said is in {file}" + (", and ends:" if lines else ", which is empty.")
    return "\n".join(["", heading, *(f"  {line}" for line in lines[-_LAST_LINES:])])

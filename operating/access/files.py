"""Files that an operator names."""

from __future__ import annotations

from pathlib import Path


def readable(path: Path | None) -> Path | None:
    """The same, when there is none or this process can read it. Raises ValueError with the reason."""
    try:
        if path is not None:
            path.open("rb").close()
    except OSError as error:
        raise ValueError(str(error)) from None
    return path

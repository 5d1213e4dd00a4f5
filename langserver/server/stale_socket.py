"""The socket file that a killed server left."""

from __future__ import annotations

import os
import socket
import stat

from langserver.errors import StartError
from operating.access.address import Address


def clear_stale_socket(address: Address) -> None:
    """Removes it. Raises StartError when it is in use, or no socket at all.

    gRPC would remove any file at that path without asking, a living server's socket too.
    """
    if not address.path:
        return
    try:
        mode = os.lstat(address.path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise StartError(f"can't listen on {address}: there is something that is no socket")
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(address.path)
        except ConnectionRefusedError:
            os.unlink(address.path)
        except OSError as error:
            raise StartError(f"can't listen on {address}: {error.strerror or error}") from None
        else:
            raise StartError(f"can't listen on {address}: another server does")

"""A certificate and its key, as a client sees them: the ssl module shows that in a handshake only, so here is one."""

from __future__ import annotations

import ssl
from pathlib import Path


class Refused(Exception):
    """Why a client who trusts this very certificate would not take it now, as when it has expired."""


def load(cert: Path, key: Path) -> ssl.SSLContext:
    """A server's, from PEM files. Raises OSError (of which ssl.SSLError is one), ValueError when they are of no use."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    load_pair(context, cert, key)
    return context


def load_pair(context: ssl.SSLContext, cert: Path, key: Path) -> None:
    """As `load`, into a context. Without asking a terminal for a password."""
    context.load_cert_chain(cert, key, password=_no_password)


def names_shown(server: ssl.SSLContext, cert: Path) -> list[str]:
    """The hosts and addresses that it is for, to a client who trusts it alone. Raises Refused."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_flags = ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
    client.load_verify_locations(cert)
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    asking = client.wrap_bio(back, there)
    for side in (asking, server.wrap_bio(there, back, server_side=True), asking):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
        except ssl.SSLCertVerificationError as error:
            raise Refused(error.verify_message) from None
    shown = asking.getpeercert() or {}
    return [str(entry[1]) for entry in shown.get("subjectAltName", ()) if entry[0] in ("DNS", "IP Address")]


def _no_password() -> str:
    raise ValueError("the key is encrypted")

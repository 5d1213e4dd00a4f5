"""The certificate of the server whose environment this is: what a probe beside it can know without being told."""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass

from langserver.commands.exits import UsageError


@dataclass(frozen=True, slots=True)
class OwnCertificate:
    """Of LANG_TLS_CERT and LANG_TLS_KEY: paths, and a name that the certificate is for."""

    cert: str
    key: str
    name: str


def own_certificate() -> OwnCertificate | None:
    """None where the environment is not that of a server with TLS. Raises UsageError for files that cannot be used."""
    cert, key = os.environ.get("LANG_TLS_CERT"), os.environ.get("LANG_TLS_KEY")
    if not cert or not key:
        return None
    try:
        return OwnCertificate(cert, key, _name_in(cert, key))
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise UsageError(f"LANG_TLS_CERT and LANG_TLS_KEY are no certificate and its key in PEM: {error}") from None


def _name_in(cert: str, key: str) -> str:
    """The first of its names. The ssl module shows one only after a handshake, so there is one, in memory."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(cert, key, password=_no_password)
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
    shown = asking.getpeercert() or {}
    names = [str(entry[1]) for entry in shown.get("subjectAltName", ()) if entry[0] in ("DNS", "IP Address")]
    if not names:
        raise ValueError("it is for no host (subjectAltName)")
    return names[0].replace("*", "any")  # a certificate for *.example is for any.example


def _no_password() -> str:
    raise ValueError("the key is encrypted")

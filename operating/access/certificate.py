"""A certificate and its key, as a client sees them: the ssl module shows that in a handshake only, so here is one."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_CERTIFICATE: Final = b"-----BEGIN CERTIFICATE-----"  # RFC 7468, section 5
_KEY: Final = b"PRIVATE KEY-----"  # and 10, 11; older kinds have a word before it


@dataclass(frozen=True, slots=True)
class Shown:
    """What a certificate says: the hosts and addresses that it is for, and until when (seconds since 1970)."""

    names: tuple[str, ...]
    ends_at: float


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


def why_no_pair(cert: Path, key: Path, error: OSError | ValueError) -> str:
    """What is wrong with files that could not be loaded, and what to do: OpenSSL's words tell of its own insides."""
    if "KEY_VALUES_MISMATCH" in str(error):
        return f"the key in {key} is not that of the certificate in {cert}: put the two that belong together there"
    try:
        for file, wanted, what in ((cert, _CERTIFICATE, "certificate"), (key, _KEY, "private key")):
            if wanted not in file.read_bytes():
                return f"{file} holds no {what} in PEM: look whether the two are swapped, or one is in another format"
    except OSError as unreadable:
        return str(unreadable)
    if isinstance(error, ssl.SSLError) or not isinstance(error, ValueError):
        return str(error)
    return f"{error}, in {key}: `openssl pkey -in {key}` writes it without a password"


def shown(server: ssl.SSLContext, cert: Path) -> Shown:
    """To a client who trusts it alone. Raises Refused."""
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
            raise Refused(f"{error.verify_message} ({cert}): put a valid one there, or set the clock right") from None
    found = asking.getpeercert() or {}
    names = (str(entry[1]) for entry in found.get("subjectAltName", ()) if entry[0] in ("DNS", "IP Address"))
    return Shown(tuple(names), ssl.cert_time_to_seconds(str(found["notAfter"])))


def _no_password() -> str:
    raise ValueError("the key is encrypted")

"""The certificate of the server whose environment this is: what a probe beside it can know without being told."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from langserver.commands.exits import UsageError
from operating.access import certificate


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
        names = certificate.shown(certificate.load(Path(cert), Path(key)), Path(cert)).names
    except (OSError, ValueError) as error:
        why = certificate.why_no_pair(Path(cert), Path(key), error)
        raise UsageError(f"LANG_TLS_CERT and LANG_TLS_KEY are no certificate and its key in PEM: {why}") from None
    except certificate.Refused as why:
        raise UsageError(f"LANG_TLS_CERT is no certificate that a client would take: {why}") from None
    if not names:
        raise UsageError("LANG_TLS_CERT is for no host (subjectAltName)")
    return OwnCertificate(cert, key, names[0].replace("*", "any"))  # a certificate for *.example is for any.example

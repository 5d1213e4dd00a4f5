"""A server's certificates."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc

from operating.access import certificate


def check_together(prefix: str, cert: Path | None, key: Path | None, client_ca: Path | None) -> None:
    """Whether what is set is of use without what is not. Raises ValueError naming the setting."""
    if (cert is None) is not (key is None):
        raise ValueError(f"{prefix}_TLS_CERT and {prefix}_TLS_KEY go together: one of them is missing")
    if client_ca is not None and cert is None:
        raise ValueError(f"{prefix}_TLS_CLIENT_CA needs {prefix}_TLS_CERT and {prefix}_TLS_KEY")


@dataclass(frozen=True, slots=True)
class Certificates:
    """For gRPC, and until when clients take it (seconds since 1970)."""

    configuration: grpc.ServerCertificateConfiguration
    ends_at: float


def certificates(prefix: str, cert: Path, key: Path, client_ca: Path | None) -> Certificates:
    """What the files hold, for gRPC. Raises ValueError naming the setting, which begins with `prefix`."""
    # gRPC itself finds out only at the first handshake, and tells nobody.
    try:
        context = certificate.load(cert, key)
        shown = certificate.shown(context, cert)
    except (OSError, ValueError) as error:
        why = certificate.why_no_pair(cert, key, error)
        raise ValueError(
            f"{prefix}_TLS_CERT and {prefix}_TLS_KEY are no certificate and its key in PEM: {why}"
        ) from None
    except certificate.Refused as why:
        raise ValueError(f"{prefix}_TLS_CERT is no certificate that a client would take: {why}") from None
    roots = None
    if client_ca is not None:
        try:
            context.load_verify_locations(client_ca)
        except (ssl.SSLError, OSError) as error:
            raise ValueError(f"{prefix}_TLS_CLIENT_CA holds no certificates in PEM: {client_ca}: {error}") from None
        roots = client_ca.read_bytes()
    pair = (key.read_bytes(), cert.read_bytes())
    return Certificates(grpc.ssl_server_certificate_configuration([pair], root_certificates=roots), shown.ends_at)

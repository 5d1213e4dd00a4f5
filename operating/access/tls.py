"""A server's certificates."""

from __future__ import annotations

import ssl
from pathlib import Path

import grpc


def certificates(prefix: str, cert: Path, key: Path, client_ca: Path | None) -> grpc.ServerCertificateConfiguration:
    """What the files hold, for gRPC. Raises ValueError naming the setting, which begins with `prefix`."""
    # gRPC itself finds out only at the first handshake, and tells nobody.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(cert, key, password=_no_password)
    except (ssl.SSLError, OSError, ValueError) as error:
        raise ValueError(
            f"{prefix}_TLS_CERT and {prefix}_TLS_KEY are no certificate and its key in PEM: {error}"
        ) from None
    why = _refusal(context, cert)
    if why:
        raise ValueError(f"{prefix}_TLS_CERT is no certificate that a client would take: {why}")
    roots = None
    if client_ca is not None:
        try:
            context.load_verify_locations(client_ca)
        except (ssl.SSLError, OSError) as error:
            raise ValueError(f"{prefix}_TLS_CLIENT_CA holds no certificates in PEM: {error}") from None
        roots = client_ca.read_bytes()
    return grpc.ssl_server_certificate_configuration([(key.read_bytes(), cert.read_bytes())], root_certificates=roots)


def _refusal(server: ssl.SSLContext, cert: Path) -> str:
    """Why a client who trusts this very certificate would not take it now, as when it has expired; else empty."""
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
            return error.verify_message
    return ""


def _no_password() -> str:
    raise ValueError("the key is encrypted")

"""The server's certificates."""

from __future__ import annotations

import ssl
from pathlib import Path

import grpc

from langserver.errors import StartError


def server_credentials(cert: Path, key: Path, client_ca: Path | None) -> grpc.ServerCredentials:
    """TLS with the files' certificate; with `client_ca`, only for clients who have one of its certificates.

    Raises StartError naming the setting.
    """
    # gRPC itself finds out only at the first handshake, and tells nobody.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(cert, key, password=_no_password)
    except (ssl.SSLError, OSError, ValueError) as error:
        raise StartError(f"LANG_TLS_CERT and LANG_TLS_KEY are no certificate and its key in PEM: {error}") from None
    roots = None
    if client_ca is not None:
        try:
            context.load_verify_locations(client_ca)
        except (ssl.SSLError, OSError) as error:
            raise StartError(f"LANG_TLS_CLIENT_CA holds no certificates in PEM: {error}") from None
        roots = client_ca.read_bytes()
    return grpc.ssl_server_credentials(
        [(key.read_bytes(), cert.read_bytes())], root_certificates=roots, require_client_auth=roots is not None
    )


def _no_password() -> str:
    raise ValueError("the key is encrypted")

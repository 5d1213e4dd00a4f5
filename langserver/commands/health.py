"""`langserver health`: asks a server how it is, for probes that cannot speak gRPC or TLS themselves."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from langserver.commands.exits import ExitStatus, UsageError
from langserver.commands.own_certificate import own_certificate
from langserver.commands.present import Page
from operating.access.address import parse_address
from operating.access.advice import Names, advice

if TYPE_CHECKING:
    import grpc

_NAMES = Names(ca="--tls-ca", cert="--tls-cert", token="none: health needs none")  # noqa: S106 - a sentence
_DEFAULT_ADDR = "127.0.0.1:50053"
_ANY_HOST = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104 - listened on, so to be asked on loopback


def health(options: Namespace) -> int:
    """Asks once; returns the exit status. Raises UsageError."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # the library's own log lines say less than ours
    import grpc
    from grpc_health.v1 import health_pb2, health_pb2_grpc

    _as_the_environment_says(options)
    address = _checked(options.addr)
    name = options.service or "the server"
    with _channel(address, options) as channel:
        try:
            answer = health_pb2_grpc.HealthStub(channel).Check(
                health_pb2.HealthCheckRequest(service=options.service), timeout=options.timeout
            )
        except grpc.RpcError as error:
            Page.of(sys.stderr).line(f"{address}: {_why(error, name, tls=_speaks_tls(options))}")
            return ExitStatus.FAILED
    serving = answer.status == health_pb2.HealthCheckResponse.SERVING
    state = health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
    Page.of(sys.stdout if serving else sys.stderr).line(f"{address}: {name} is {state}")
    return ExitStatus.SUCCESS if serving else ExitStatus.FAILED


def _as_the_environment_says(options: Namespace) -> None:
    """Without an address the server of this environment is asked, with TLS where that has a certificate: an image's
    health check is written before anyone knows how its server is set up. Raises UsageError.
    """
    if options.addr:
        return
    options.addr = _listening_here()
    own = None if _speaks_tls(options) else own_certificate()
    if own is not None:
        # It is trusted, and shown: where the server wants a client's, its CA may have signed this one too.
        options.tls_ca, options.tls_cert, options.tls_key = own.cert, own.cert, own.key
        options.tls_name = options.tls_name or own.name


def _listening_here() -> str:
    """The address that a server with this environment listens on, as a client writes it."""
    address = os.environ.get("LANG_LISTEN_ADDR") or _DEFAULT_ADDR
    host, _, port = address.rpartition(":")
    return f"{_ANY_HOST.get(host, host)}:{port}"


def _checked(address: str) -> str:
    try:
        return str(parse_address(address))
    except ValueError as error:
        raise UsageError(f"{address}: {error}") from None


def _channel(address: str, options: Namespace) -> grpc.Channel:
    import grpc

    if bool(options.tls_cert) != bool(options.tls_key):
        raise UsageError("--tls-cert and --tls-key belong together")
    if not _speaks_tls(options):
        if options.tls_name:
            raise UsageError("--tls-name needs --tls-ca")
        return grpc.insecure_channel(address)
    credentials = grpc.ssl_channel_credentials(
        root_certificates=_read(options.tls_ca),
        private_key=_read(options.tls_key),
        certificate_chain=_read(options.tls_cert),
    )
    # A probe asks on loopback, where the certificate may be for the name that others call.
    named = [("grpc.ssl_target_name_override", options.tls_name)] if options.tls_name else None
    return grpc.secure_channel(address, credentials, options=named)


def _speaks_tls(options: Namespace) -> bool:
    return bool(options.tls_ca or options.tls_cert)


def _read(file: str | None) -> bytes | None:
    if file is None:
        return None
    try:
        with open(file, "rb") as opened:
            return opened.read()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None


def _why(error: grpc.RpcError, name: str, *, tls: bool) -> str:
    import grpc

    match error.code():
        case grpc.StatusCode.NOT_FOUND:
            return f"{name} is not one of this server's health entries"
        case grpc.StatusCode.DEADLINE_EXCEEDED:
            return "no answer in time"
        case code:
            advised = advice(code.name, error.details() or "", _NAMES, tls=tls).text
            return f"{code.name}: {error.details()}{f' ({advised})' if advised else ''}"

"""The gRPC server: its bounds, its port, its services."""

from __future__ import annotations

from collections.abc import Mapping

import grpc

from langserver.errors import StartError
from langserver.server.interceptors import Handler, TokenInterceptor
from langserver.server.reset import remember_calls
from langserver.server.stale_socket import clear_stale_socket
from langserver.server.statuses import TurnedAway
from langserver.settings import Settings
from operating.access.address import Address
from operating.access.backlog import backlog_options
from operating.access.exposure import Protection, check_exposure
from operating.access.keys import KeyFiles, Keys

_MIB = 1 << 20
_METADATA_BYTES = 16 << 10
# Beside the tasks: calls that are answered `RESOURCE_EXHAUSTED`, health, capabilities. A call over the bound would wait
# inside the caller's library, unanswered.
_SPARE_STREAMS = 256
_LEAST_OUTBOX_BYTES = 64 * _MIB
_PING_MS = 10_000
_MIN_CLIENT_PING_MS = 5_000


def keys_of(settings: Settings) -> Keys:
    """The tokens and certificates that the settings name. Raises StartError."""
    token = settings.auth_token
    try:
        return Keys(
            KeyFiles(
                "LANG",
                cert=settings.tls_cert,
                key=settings.tls_key,
                client_ca=settings.tls_client_ca,
                token=None if token is None else token.get_secret_value().encode(),
                tokens_file=settings.auth_tokens_file,
            )
        )
    except (OSError, ValueError) as error:
        raise StartError(str(error)) from None


def make_server(settings: Settings, keys: Keys, refused: TurnedAway = lambda _reason, _whom: None) -> grpc.aio.Server:
    """A server with its bounds and its token check, but no port and no service yet. `refused`: see TokenInterceptor."""
    remember_calls()
    return grpc.aio.server(
        interceptors=[TokenInterceptor(keys.tokens, refused)] if keys.asks_for_token else [],
        options=server_options(settings),
        compression=grpc.Compression.NoCompression,
    )


def server_options(settings: Settings) -> list[tuple[str, int]]:
    """gRPC's channel arguments (grpc/impl/channel_arg_names.h)."""
    # Code or input a little over its own limit shall be answered by us, with limit and size.
    receive_bytes = settings.code_bytes + settings.input_bytes + 4 * _MIB
    # A log line costs its budget at least what its message adds; errors and events are under one MiB together.
    send_bytes = settings.output_bytes + settings.log_bytes + 2 * _MIB
    return [
        ("grpc.max_receive_message_length", receive_bytes),
        ("grpc.max_send_message_length", send_bytes),
        *backlog_options(settings.max_concurrency + settings.max_queue + _SPARE_STREAMS),
        ("grpc.max_metadata_size", _METADATA_BYTES),
        ("grpc.absolute_max_metadata_size", _METADATA_BYTES),
        # Bit 0, identity, alone: a message is never larger than what came over the wire.
        ("grpc.compression_enabled_algorithms_bitset", 1),
        # Of a message that nobody reads yet only the 64 KiB of HTTP/2's first window come in. Probing the line would
        # widen that for every stream of a quick connection.
        ("grpc.http2.bdp_probe", 0),
        # Two servers on one port would share its callers between them, silently.
        ("grpc.so_reuseport", 0),
        # A frozen or unplugged caller is noticed, and its child killed.
        ("grpc.keepalive_time_ms", _PING_MS),
        ("grpc.keepalive_timeout_ms", _PING_MS),
        ("grpc.http2.min_ping_interval_without_data_ms", _MIN_CLIENT_PING_MS),
        ("grpc.keepalive_permit_without_calls", 1),
    ]


def bind(server: grpc.aio.Server, address: Address, settings: Settings, keys: Keys) -> Address:
    """Takes the port; returns the address with the number that port 0 became. Raises StartError."""
    credentials = keys.credentials()
    protection = Protection(
        tls=credentials is not None,
        client_certificates=settings.tls_client_ca is not None,
        token=keys.asks_for_token,
    )
    try:
        check_exposure("LANG", address, protection, settings.allow_insecure)
    except ValueError as error:
        raise StartError(str(error)) from None
    clear_stale_socket(address)
    try:
        if credentials is None:
            port = server.add_insecure_port(str(address))
        else:
            port = server.add_secure_port(str(address), credentials)
    except RuntimeError:
        raise StartError(
            f"can't listen on {address}: in use, not this machine's, or not allowed (LANG_LISTEN_ADDR, --listen)"
        ) from None
    return address if address.path else Address(address.host, port)


def outbox_bytes(settings: Settings) -> int:
    """What answers may lie unread, all calls together: some for each slot, and never few."""
    return max(_LEAST_OUTBOX_BYTES, 4 * settings.max_concurrency * (settings.output_bytes + settings.log_bytes))


def add_services(server: grpc.aio.Server, services: Mapping[str, Mapping[str, Handler]], reflection: bool) -> None:
    """`services` are handlers by method, by the service's full name. Raises StartError when reflection is asked for but
    not installed.
    """
    server.add_generic_rpc_handlers(
        tuple(grpc.method_handlers_generic_handler(name, dict(handlers)) for name, handlers in services.items())
    )
    if not reflection:
        return
    try:
        from grpc_reflection.v1alpha import reflection as service_list
    except ImportError:
        raise StartError("reflection is not installed: it comes with `langserver[reflection]`") from None
    service_list.enable_server_reflection([*services, service_list.SERVICE_NAME], server)

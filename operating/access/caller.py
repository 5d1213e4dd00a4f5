"""Who this side is to servers of one kind: token and client certificate; and whose certificates it trusts."""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import grpc

from operating.access import certificate
from operating.access.address import is_local, parse_address
from operating.access.advice import Advice, Names, advice
from operating.access.watched import Watched, warn_if_open

_LOOK_SECONDS: Final = 1.0
_TOKEN: Final = re.compile(rb"[\x21-\x7e]{1,1024}")


@dataclass(frozen=True, slots=True)
class CallerFiles:
    """What an operator has set, in variables that begin with `prefix`."""

    prefix: str
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None
    token: bytes | None = field(default=None, repr=False)
    token_file: Path | None = None


class Caller:
    """Without files a caller in the clear, whom nobody asks who he is."""

    def __init__(self, files: CallerFiles, now: Callable[[], float]) -> None:
        """`now` is a clock in seconds. Raises ValueError naming the variable."""
        self._files = files
        self._now = now
        prefix = files.prefix
        self._names = Names(f"{prefix}_TLS_CA", f"{prefix}_CLIENT_CERT", f"{prefix}_TOKEN, {prefix}_TOKEN_FILE")
        if files.token is not None and files.token_file is not None:
            raise ValueError(f"{prefix}_TOKEN and {prefix}_TOKEN_FILE are both set: unset one")
        if (files.cert is None) is not (files.key is None):
            raise ValueError(f"{prefix}_CLIENT_CERT and {prefix}_CLIENT_KEY go together: one of them is missing")
        if files.cert is not None and files.ca is None:
            raise ValueError(f"{prefix}_CLIENT_CERT needs {prefix}_TLS_CA, the certificates that sign the server's")
        self._given = b"" if files.token is None else _checked(files.token, f"{prefix}_TOKEN")
        self._file: Watched[bytes] | None = None
        if files.token_file is not None:
            try:
                self._file = Watched(f"{prefix}_TOKEN_FILE", [files.token_file], self._read_token)
            except OSError as error:
                raise ValueError(f"{prefix}_TOKEN_FILE: {error}") from None
        self._next_look = now() + _LOOK_SECONDS
        self._credentials = _credentials(files)

    def channel_to(self, address: str) -> grpc.ChannelCredentials | None:
        """For a channel to `HOST:PORT` or `unix:PATH`; None: in the clear.

        Raises ValueError where a token would cross a network in the clear.
        """
        if self._credentials is None and (self._given or self._file) and not is_local(parse_address(address)):
            raise ValueError(
                f"{address} is beyond this machine, and the token would go there in the clear: set {self._names.ca}"
            )
        return self._credentials

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """For each call: the token that is in the file now, or none."""
        if self._file is not None and self._now() >= self._next_look:
            self._next_look = self._now() + _LOOK_SECONDS
            self._file.look()
        token = self._given if self._file is None else self._file.value
        return (("authorization", f"Bearer {token.decode()}"),) if token else ()

    def advice(self, code: grpc.StatusCode, details: str | None) -> Advice:
        """See `advice`."""
        return advice(code.name, details or "", self._names, tls=self._credentials is not None)

    def _read_token(self) -> bytes:
        file, variable = self._files.token_file, f"{self._files.prefix}_TOKEN_FILE"
        assert file is not None
        token = _checked(file.read_bytes().strip(), variable)
        warn_if_open(variable, file)
        return token


def _checked(token: bytes, variable: str) -> bytes:
    if not _TOKEN.fullmatch(token):
        raise ValueError(f"{variable} is not usable: expected one token of printable ASCII characters without spaces")
    return token


def _credentials(files: CallerFiles) -> grpc.ChannelCredentials | None:
    prefix = files.prefix
    if files.ca is None:
        return None
    # gRPC itself finds out only at the first handshake.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(files.ca)
    except (ssl.SSLError, OSError) as error:
        raise ValueError(f"{prefix}_TLS_CA holds no certificates in PEM: {files.ca}: {error}") from None
    if files.cert is None or files.key is None:
        return grpc.ssl_channel_credentials(files.ca.read_bytes())
    try:
        certificate.load_pair(context, files.cert, files.key)
    except (ssl.SSLError, OSError, ValueError) as error:
        why = certificate.why_no_pair(files.cert, files.key, error)
        raise ValueError(
            f"{prefix}_CLIENT_CERT and {prefix}_CLIENT_KEY are no certificate and its key in PEM: {why}"
        ) from None
    warn_if_open(f"{prefix}_CLIENT_KEY", files.key)
    return grpc.ssl_channel_credentials(files.ca.read_bytes(), files.key.read_bytes(), files.cert.read_bytes())

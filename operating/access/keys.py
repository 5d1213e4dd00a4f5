"""Tokens and certificates that are read again while the server runs."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn

import grpc

from operating.access.expiry import Warnings
from operating.access.tls import Certificates, certificates
from operating.access.tokens import Tokens, parse_tokens
from operating.access.watched import Watched, warn_if_open

log = logging.getLogger(__name__)

_LOOK_SECONDS: Final = 1.0
_TOKENS_FILE_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class KeyFiles:
    """What an operator has set. `prefix` is how his variables begin; `token` has no name."""

    prefix: str
    cert: Path | None = None
    key: Path | None = None
    client_ca: Path | None = None
    token: bytes | None = field(default=None, repr=False)
    tokens_file: Path | None = None


class Keys:
    """What callers are asked for: a token or none, a certificate or none."""

    def __init__(self, files: KeyFiles) -> None:
        """Raises ValueError naming the setting."""
        self._files = files
        self._tokens: Watched[Tokens] | None = None
        self._certificates: Watched[Certificates] | None = None
        self._warnings = Warnings()
        if files.tokens_file is not None:
            self._tokens = Watched(f"{files.prefix}_AUTH_TOKENS_FILE", [files.tokens_file], self._read_tokens)
        if files.cert is not None and files.key is not None:
            pem = [file for file in (files.cert, files.key, files.client_ca) if file is not None]
            self._certificates = Watched(f"{files.prefix}_TLS_CERT, _KEY, _CLIENT_CA", pem, self._read_certificates)
        self._given = Tokens({} if files.token is None else {"": files.token})

    @property
    def asks_for_token(self) -> bool:
        """Whether nobody is let in without one."""
        return self._files.token is not None or self._files.tokens_file is not None

    def tokens(self) -> Tokens:
        """Those that are valid now. The one without a file has the name ""."""
        return self._given if self._tokens is None else self._tokens.value

    def credentials(self) -> grpc.ServerCredentials | None:
        """For a port; each later handshake takes the certificates that are there then. None: no TLS."""
        watched = self._certificates
        if watched is None:
            return None
        taken = watched.value.configuration

        def changed() -> grpc.ServerCertificateConfiguration | None:
            """Asked by gRPC, in threads of its own, before each handshake."""
            nonlocal taken
            now = watched.value.configuration
            if now is taken:
                return None
            taken = now
            return now

        # Typeshed has its callback's answer without None; the library's own words have it.
        return grpc.dynamic_ssl_server_credentials(
            taken,
            changed,  # type: ignore[arg-type, unused-ignore]
            require_client_authentication=self._files.client_ca is not None,
        )

    @property
    def certificate_ends_at(self) -> float:
        """Until when clients take it (seconds since 1970); without TLS for ever."""
        return float("inf") if self._certificates is None else self._certificates.value.ends_at

    @property
    def are_in_files(self) -> bool:
        """Whether there is something to look at again."""
        return self._tokens is not None or self._certificates is not None

    async def keep(self) -> NoReturn:
        """Looks at the files every second."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            self.look()

    def look(self, *, at_once: bool = False) -> None:
        """See Watched."""
        for watched in (self._tokens, self._certificates):
            if watched is not None:
                watched.look(at_once=at_once)
        if self._certificates is not None and (said := self._warnings.due(self.certificate_ends_at, time.time())):
            log.warning(
                "%s_TLS_CERT: %s %s. Put a new one and its key into their places, which are looked at every second",
                self._files.prefix,
                self._files.cert,
                said,
            )

    def _read_tokens(self) -> Tokens:
        """At the start the file must be right. Later whose line is gone from it is out, whatever else it holds."""
        before = None if self._tokens is None else self._tokens.value
        file, variable = self._files.tokens_file, f"{self._files.prefix}_AUTH_TOKENS_FILE"
        assert file is not None
        with file.open("rb") as opened:
            content = opened.read(_TOKENS_FILE_BYTES + 1)
        if len(content) > _TOKENS_FILE_BYTES:
            raise ValueError(f"{variable}: {file} has more than {_TOKENS_FILE_BYTES} bytes")
        try:
            named = parse_tokens(content)
        except ValueError as error:
            if before is None:
                raise ValueError(f"{variable}: {file}: {error}") from None
            words = "no new token is taken from it, and those whose lines are gone are refused"
            log.error("%s: %s: %s: %s", variable, file, error, words)
            return before.still_in(content)
        if not named:
            if before is None:
                raise ValueError(f"{variable}: {file}: it holds no token")
            log.warning("%s: %s holds no token any more: those that it held are refused", variable, file)
        warn_if_open(variable, file)
        return Tokens(named if self._files.token is None else {"": self._files.token, **named})

    def _read_certificates(self) -> Certificates:
        files = self._files
        assert files.cert is not None
        assert files.key is not None
        read = certificates(files.prefix, files.cert, files.key, files.client_ca)
        warn_if_open(f"{files.prefix}_TLS_KEY", files.key)
        return read

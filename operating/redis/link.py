"""Who this side is to Redis, and whose certificates it trusts: read again from their files at each new connection."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from operating.access.address import Address, is_local
from operating.access.certificate import load_pair, why_no_pair
from operating.access.watched import Watched, warn_if_open

_FILE_BYTES: Final = 4096
# What an ACL file can hold has no spaces; `requirepass` can have them.
_PASSWORD: Final = re.compile(rb"[^\x00-\x1f\x7f]{1,1024}")
_USER: Final = re.compile(r"[^\x00-\x20\x7f]{1,256}")
_PASSWORD_NAMES: Final = "REDIS_PASSWORD_FILE (or REDIS_PASSWORD)"  # noqa: S105 - names of settings
_ANYWAY: Final = "REDIS_ALLOW_INSECURE=1 connects all the same"


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """What an operator has set. `host` is without brackets; without a user a password is the default user's."""

    host: str = "127.0.0.1"
    port: int = 6379
    user: str | None = None
    password: bytes | None = field(default=None, repr=False)
    password_file: Path | None = None
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None
    allow_insecure: bool = False


class Link:
    """For connections to one Redis server."""

    def __init__(self, settings: LinkSettings) -> None:
        """Raises ValueError, which names the variable."""
        _check(settings)
        self._settings = settings
        self._secrets: set[bytes] = set()
        self._given = None if settings.password is None else self._usable(settings.password, "REDIS_PASSWORD")
        self._file: Watched[bytes] | None = None
        if settings.password_file is not None:
            try:
                self._file = Watched("REDIS_PASSWORD_FILE", [settings.password_file], self._read_password)
            except OSError as error:
                raise ValueError(f"REDIS_PASSWORD_FILE: {error}") from None
        self._tls: Watched[ssl.SSLContext] | None = None
        pem = [file for file in (settings.ca, settings.cert, settings.key) if file is not None]
        if pem:
            self._tls = Watched("REDIS_TLS_CA, REDIS_CLIENT_CERT, _KEY", pem, self._read_certificates)

    @property
    def host(self) -> str:
        """Without brackets."""
        return self._settings.host

    @property
    def port(self) -> int:
        """The number."""
        return self._settings.port

    @property
    def speaks_tls(self) -> bool:
        """Whether this side does."""
        return self._tls is not None

    @property
    def has_password(self) -> bool:
        """Whether this side shows one."""
        return self._given is not None or self._file is not None

    def login(self) -> tuple[str, bytes] | tuple[bytes] | None:
        """For AUTH: a user and his password as it is in the file now, or the default user's. None: nobody asks."""
        if self._file is not None:
            self._file.look()
        password = self._given if self._file is None else self._file.value
        if password is None:
            return None
        user = self._settings.user
        return (password,) if user is None else (user, password)

    def tls(self) -> ssl.SSLContext | None:
        """What the files hold now. None: in the clear."""
        if self._tls is None:
            return None
        self._tls.look()
        return self._tls.value

    def without_secrets(self, text: str) -> str:
        """What the other side said, less each password it was told: a server may repeat what it does not understand."""
        text = text.partition(" with args ")[0]  # Redis repeats the beginning of those of a command that it lacks
        for secret in self._secrets:
            text = text.replace(secret.decode("utf-8", "replace"), "...")
        return text

    def _read_password(self) -> bytes:
        file = self._settings.password_file
        assert file is not None
        with file.open("rb") as opened:
            content = opened.read(_FILE_BYTES)
        password = self._usable(content.removesuffix(b"\n").removesuffix(b"\r"), "REDIS_PASSWORD_FILE")
        warn_if_open("REDIS_PASSWORD_FILE", file)
        return password

    def _usable(self, password: bytes, variable: str) -> bytes:
        if not _PASSWORD.fullmatch(password):
            raise ValueError(f"{variable} is not usable: expected one line with 1 to 1024 bytes, the password alone")
        self._secrets.add(password)
        return password

    def _read_certificates(self) -> ssl.SSLContext:
        settings = self._settings
        # Not ssl.create_default_context, nor what redis-py makes with it: that would trust the machine's CAs as well.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # checks the certificate and its host's name
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            context.load_verify_locations(settings.ca)
        except (ssl.SSLError, OSError) as error:
            raise ValueError(f"REDIS_TLS_CA holds no certificates in PEM: {settings.ca}: {error}") from None
        if settings.cert is not None and settings.key is not None:
            try:
                load_pair(context, settings.cert, settings.key)
            except (ssl.SSLError, OSError, ValueError) as error:
                why = why_no_pair(settings.cert, settings.key, error)
                raise ValueError(
                    f"REDIS_CLIENT_CERT and REDIS_CLIENT_KEY are no certificate and its key in PEM: {why}"
                ) from None
            warn_if_open("REDIS_CLIENT_KEY", settings.key)
        return context


def _check(settings: LinkSettings) -> None:
    has_password = settings.password is not None or settings.password_file is not None
    if settings.password is not None and settings.password_file is not None:
        raise ValueError("REDIS_PASSWORD and REDIS_PASSWORD_FILE are both set: unset one")
    if settings.user is not None and not has_password:
        raise ValueError(f"REDIS_USER needs the user's password: set {_PASSWORD_NAMES}")
    if settings.user is not None and not _USER.fullmatch(settings.user):
        raise ValueError("REDIS_USER is not usable: expected the name of an ACL user, without spaces")
    if (settings.cert is None) is not (settings.key is None):
        raise ValueError("REDIS_CLIENT_CERT and REDIS_CLIENT_KEY go together: one of them is missing")
    if settings.cert is not None and settings.ca is None:
        raise ValueError("REDIS_CLIENT_CERT needs REDIS_TLS_CA, the certificates that sign Redis's")
    if settings.allow_insecure or is_local(Address(settings.host)):
        return
    where = f"refusing to connect to Redis at {settings.host}, beyond this machine"
    if settings.ca is None:
        crossing = (
            "the password would cross the network in the clear"
            if has_password
            else ("whoever is on the way could read tasks and add others")
        )
        also = "" if has_password else f" and {_PASSWORD_NAMES}"
        raise ValueError(f"{where}, without TLS: {crossing}. Set REDIS_TLS_CA{also}; {_ANYWAY}")
    if not has_password and settings.cert is None:
        raise ValueError(
            f"{where}, without a password: everybody who can reach it could add tasks. Set REDIS_USER and "
            f"{_PASSWORD_NAMES}, or REDIS_CLIENT_CERT and REDIS_CLIENT_KEY; {_ANYWAY}"
        )

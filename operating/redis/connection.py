"""redis-py's connection, with a link's password and certificates as they are when it connects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from redis.asyncio.connection import Connection
from redis.credentials import CredentialProvider
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

from operating.redis.advice import of_connecting
from operating.redis.link import Link

# Of the time to connect: a server that speaks no TLS lets a handshake wait, and that should be said, not "timeout".
_HANDSHAKE_SHARE: Final = 0.8


class NotConnected(RedisConnectionError):
    """Its text says what to check. `sure`: no other try will end differently before somebody mends it."""

    def __init__(self, text: str, *, sure: bool) -> None:
        super().__init__(text)
        self.sure = sure


class LinkedConnection(Connection):
    """Takes `link` beside what redis-py's has, and neither `host` nor a password of its own."""

    def __init__(self, *, link: Link, **arguments: Any) -> None:
        self._link = link
        login = _Login(link) if link.has_password else None
        super().__init__(host=link.host, port=link.port, credential_provider=login, **arguments)

    async def connect(self) -> None:
        """Raises NotConnected."""
        try:
            await super().connect()  # type: ignore[no-untyped-call]
        except RedisError as error:
            said = self._link.without_secrets(str(error) or type(error).__name__)
            advice = of_connecting(said, tls=self._link.speaks_tls)
            raise NotConnected(advice.after(said), sure=advice.sure) from None

    def _connection_arguments(self) -> Mapping[str, Any]:
        context = self._link.tls()
        if context is None:
            return super()._connection_arguments()
        assert self.socket_connect_timeout
        seconds = _HANDSHAKE_SHARE * self.socket_connect_timeout
        return {**super()._connection_arguments(), "ssl": context, "ssl_handshake_timeout": seconds}


class _Login(CredentialProvider):
    """Asked at each connection."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def get_credentials_async(self) -> Any:
        return self._link.login()

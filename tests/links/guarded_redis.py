"""A Redis that knows its callers: with TLS, with a password, or with the users of deploy/redis.acl."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import Self

from redis import Redis

from tests.coordinator.servers import RedisServer
from tests.links.pki import Pki

ACL = Path(__file__).parents[2] / "deploy/redis.acl"
ADMIN = "admin"
_ADMINS_LINE = f"user {ADMIN} on >{ADMIN} ~* &* +@all"


class GuardedRedis(RedisServer):
    """Ends with its `with`. It keeps nothing over a restart."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        super().__init__(folder)
        self.arguments = arguments

    @classmethod
    def with_tls(cls, pki: Pki, *arguments: str, cert: tuple[str, str] | None = None) -> GuardedRedis:
        """Asks for client certificates, unless `--tls-auth-clients no`."""
        server = cls(pki.folder)
        pem, key = cert or pki.server
        server.arguments = (
            *("--port", "0", "--tls-port", str(server.port), "--tls-ca-cert-file", pki.ca),
            *("--tls-cert-file", pem, "--tls-key-file", key, *arguments),
        )
        return server

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def admin(self, **more: object) -> Redis:
        """A client that may do anything, of a server with `acl_file`."""
        known = {"host": "127.0.0.1", "port": self.port, "username": ADMIN, "password": ADMIN}
        return Redis(**known, decode_responses=True, protocol=2, **more)


def acl_lines(text: str | None = None) -> dict[str, str]:
    """The lines of deploy/redis.acl, by user."""
    lines = (ACL.read_text() if text is None else text).splitlines()
    return {line.split()[1]: line for line in lines}


def acl_file(folder: Path, **lines: str) -> str:
    """As deploy/secrets.sh makes it, with each user's name for his password, and an administrator.

    `lines` are in the place of those of the same users.
    """
    text = "\n".join({**acl_lines(), **lines}.values())
    for user in acl_lines():
        text = re.sub(f"#{user.upper()}\\b", f"#{sha256(user.encode()).hexdigest()}", text)
    file = folder / "users.acl"
    file.write_text(f"{text}\n{_ADMINS_LINE}\n")
    return str(file)

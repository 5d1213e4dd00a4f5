"""A real Redis and a real PostgreSQL, on free ports, in temporary folders."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from operating.redis.link import Link, LinkSettings

GUARD_SECONDS = 60
# Where Debian keeps what it does not link into the path.
POSTGRES_FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def found(program: str, package: str) -> str:
    """The program's path. Without it the test fails where CI is set, and is skipped elsewhere, saying how to get it."""
    path = shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", ""), *map(str, POSTGRES_FOLDERS)]))
    if path is not None:
        return path
    missing = f"{program} is missing: apt-get install {package}"
    print(missing)
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(condition: Callable[[], bool], what: str) -> None:
    """Waits for it, generously."""
    deadline = time.monotonic() + GUARD_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"{what}: not within {GUARD_SECONDS} s"
        time.sleep(0.02)


@dataclass
class RedisServer:
    """Can be killed and started again on its port; it keeps nothing then, unless it is told to."""

    folder: Path
    durable: bool = False
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    arguments: tuple[str, ...] = ()  # more of its own; `--port 0` leaves the number to `--tls-port`

    @property
    def addr(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        program = found("redis-server", "redis-server")
        durable = "yes" if self.durable else "no"
        settings = f"--port {self.port} --bind 127.0.0.1 --appendonly {durable} --appendfsync always"
        self.process = subprocess.Popen(
            [program, *settings.split(), "--dir", self.folder, "--save", "", *self.arguments],
            stdout=subprocess.DEVNULL,
        )
        until(lambda: accepts(self.port), "redis-server listens")

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def link_to(port: int) -> Link:
    """To a Redis of this machine that asks nobody who he is."""
    return Link(LinkSettings(port=port))


def accepts(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@dataclass
class PostgresServer:
    """A cluster of its own, without fsync: nothing here is about power cuts."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    databases: int = 0

    def start(self) -> None:
        data = self.folder / "data"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        if not data.exists():
            self.folder.chmod(0o755)
            data.mkdir(mode=0o700)
            if _other_user():
                shutil.chown(data, *_other_user())
            self._run(found("initdb", "postgresql"), "-D", data, "-U", "coordinator", "-A", "trust", "-N", "-E", "UTF8")
        self.process = subprocess.Popen(
            [found("postgres", "postgresql"), *f"-D {data} -p {self.port} -h 127.0.0.1 -F -k {data} -N 60".split()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd="/",
            **_identity(),
        )
        until(self._is_up, "postgres answers")

    def new_database(self, encoding: str = "UTF8") -> str:
        """The URL of an empty one."""
        import psycopg

        self.databases += 1
        name = f"tasks{self.databases}"
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            made = f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'"
            connection.execute(made.encode())
        return self._url(name)

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)  # SIGTERM would wait for the clients to leave
            self.process.wait()
            self.process = None

    def _url(self, database: str) -> str:
        return f"postgresql://coordinator@127.0.0.1:{self.port}/{database}"

    def _is_up(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self._url("postgres"), connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def _run(self, *command: object) -> None:
        ended = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, cwd="/", check=False, **_identity()
        )
        assert ended.returncode == 0, ended.stderr


def _other_user() -> tuple[int, int] | None:
    """PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            known = pwd.getpwnam(name)
        except KeyError:
            continue
        return known.pw_uid, known.pw_gid
    return 65534, 65534


def _identity() -> dict[str, object]:
    other = _other_user()
    return {} if other is None else {"user": other[0], "group": other[1], "extra_groups": []}

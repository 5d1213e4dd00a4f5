"""deploy/secrets.sh: keys that the programs take, each readable by one user, and made once."""

from __future__ import annotations

import os
import shutil
import ssl
import stat
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from langserver.commands.own_certificate import own_certificate
from operating.access.tls import certificates
from tests.deploy.hardened import UID
from tests.deploy.published import DEPLOY

DATABASE_UID = 999  # of the images of PostgreSQL and Redis
DATABASES = ("postgres.password", "redis.acl", "redis.ca.pem", "redis.key", "redis.pem")
needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("openssl") is None, reason="only root may give files away, and openssl makes them"
)


def make(folder: Path, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([DEPLOY / "secrets.sh", folder], capture_output=True, text=True, timeout=60, **more)


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys") / "secrets"
    done = make(folder)
    assert done.returncode == 0, done.stderr
    return folder


@needs_root
def test_each_file_is_one_users(secrets: Path) -> None:
    owners = {"ca.key": 0, "ca.srl": 0, **dict.fromkeys(DATABASES, DATABASE_UID)}
    for file in secrets.iterdir():
        state = file.stat()
        assert (stat.S_IMODE(state.st_mode), state.st_uid) == (0o400, owners.get(file.name, UID)), file.name
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o711  # mounted whole, it is entered by each user


@needs_root
@pytest.mark.parametrize(
    ("name", "host"), [("langserver", "langserver-1"), ("coordinator", "coordinator"), ("redis", "redis")]
)
def test_the_certificates_serve(secrets: Path, name: str, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cert, key = secrets / f"{name}.pem", secrets / f"{name}.key"
    assert certificates("LANG", cert, key, secrets / "ca.pem")
    monkeypatch.setenv("LANG_TLS_CERT", str(cert))
    monkeypatch.setenv("LANG_TLS_KEY", str(key))
    own = own_certificate()
    assert own is not None
    assert own.name == host
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(cert, key)
    client = ssl.create_default_context(cafile=secrets / "ca.pem")
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    asking = client.wrap_bio(back, there, server_hostname=host)
    for side in (asking, server.wrap_bio(there, back, server_side=True), asking):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
    assert asking.getpeercert(), "a client of this CA would not take it"


@needs_root
def test_what_one_side_sends_the_other_knows(secrets: Path) -> None:
    def known(name: str) -> dict[str, str]:
        return dict(line.split(":", 1) for line in (secrets / name).read_text().splitlines())

    def sent(name: str) -> str:
        return (secrets / name).read_text().strip()

    assert known("langserver.tokens") == {"bridge": sent("langserver.token")}
    assert known("coordinator.tokens") == {"bridge": sent("coordinator.token"), "engine": sent("submit.token")}
    assert len({sent(f"{name}.token") for name in ("langserver", "coordinator", "submit")}) == 3
    assert (secrets / "pgpass").read_text().strip().endswith(sent("postgres.password"))


@needs_root
def test_redis_knows_each_user_by_the_hash_of_his_password(secrets: Path) -> None:
    lines = {line.split()[1]: line.split() for line in (secrets / "redis.acl").read_text().splitlines()}
    for user in ("bridge", "coordinator", "keda"):
        password = (secrets / f"redis-{user}.password").read_bytes()
        assert len(password) == 64, "no end of a line"
        assert f"#{sha256(password).hexdigest()}" in lines[user]
    assert lines["default"][2] == "off"
    assert "#" not in " ".join(lines["default"] + lines["health"])


@needs_root
def test_what_is_there_stays(secrets: Path) -> None:
    before = {file.name: file.read_bytes() for file in secrets.iterdir()}
    assert make(secrets).returncode == 0
    assert {file.name: file.read_bytes() for file in secrets.iterdir()} == before


@pytest.mark.skipif(os.geteuid() != 0, reason="this user is an ordinary one")
def test_an_ordinary_user_is_told_why_not(tmp_path: Path) -> None:
    command, script = ["sh", "-s", str(tmp_path / "x")], (DEPLOY / "secrets.sh").read_text()
    done = subprocess.run(command, input=script, capture_output=True, text=True, timeout=60, user=UID, cwd="/")
    assert (done.returncode, done.stdout) == (1, "")
    assert "run it as root: the files must belong to the users of the containers" in done.stderr

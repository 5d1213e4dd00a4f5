"""No secret of an operator, and no credential of an author, is in what an object says of itself.

What says of itself less than it holds can be put into any log, error or trace by mistake.
"""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from coordinator.core.submission import Submitted, checked
from coordinator.errors import StartError as CoordinatorStartError
from coordinator.settings import Settings as CoordinatorSettings
from coordinator.streams.redis import RedisStreams
from langserver.server.endpoint import keys_of
from langserver.settings import Settings as ServerSettings
from langserver.zygote.request import TaskRequest
from operating.access.caller import Caller
from operating.access.keys import Keys
from operating.redis.link import Link
from worker_bridge.core.envelope import parse_entry
from worker_bridge.executors.http.connection import Head
from worker_bridge.executors.http.request import parse_request
from worker_bridge.executors.program import parse_program
from worker_bridge.settings import Settings as BridgeSettings
from worker_bridge.streams.port import Entry
from worker_bridge.streams.redis import RedisConsumer

CANARY = "canary-7f3a-of-an-operator"
# What is called so holds a credential, or may: code, an input and a request are an author's, with his keys in them.
_TELLING = re.compile(
    r"(.*_)?(token|password|secret|credentials?|authorization|api_key|private_key)|"
    r"headers|body|input|input_json|code|source|fields"
)
_ROOTS = ("langserver", "worker_bridge", "coordinator", "operating")
_IN_CHILDREN = ("langserver.python_runtime.", "langserver.js_runtime.")  # the task itself is there


def shown_fields() -> Iterator[str]:
    """Fields of dataclasses of the tree that a repr shows, and whose name says that they hold text or bytes to hide."""
    for root in _ROOTS:
        for found in pkgutil.walk_packages(importlib.import_module(root).__path__, f"{root}."):
            if found.name.endswith("__main__") or found.name.startswith(_IN_CHILDREN):
                continue
            for kind in vars(importlib.import_module(found.name)).values():
                if isinstance(kind, type) and kind.__module__ == found.name and dataclasses.is_dataclass(kind):
                    for field in dataclasses.fields(kind):
                        holds = re.search(r"\b(str|bytes|Headers|Fields|SecretStr)\b", str(field.type))
                        if field.repr and holds and _TELLING.fullmatch(field.name):
                            yield f"{found.name}.{kind.__name__}.{field.name}"


# Of these the name means something else: names of variables that hold a token.
_NAMES_ONLY = {"operating.access.advice.Names.token"}


def test_no_field_of_that_name_is_in_a_repr() -> None:
    assert set(shown_fields()) == _NAMES_ONLY


def spoken(*objects: object) -> str:
    """All that they say of themselves."""
    return "\n".join(
        said for one in objects for said in (repr(one), str(one), f"{one}", repr([one]), ascii({"a": one}))
    )


@pytest.fixture
def keyed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every variable that holds a secret, set; the folder has files with it."""
    for name in (
        "LANG_AUTH_TOKEN",
        "COORDINATOR_AUTH_TOKEN",
        "COORDINATOR_TOKEN",
        "LANG_WORKER_TOKEN",
        "REDIS_PASSWORD",
    ):
        monkeypatch.setenv(name, CANARY)
    monkeypatch.setenv("COORDINATOR_DATABASE_URL", f"postgresql://me:{CANARY}@127.0.0.1/tasks")
    return tmp_path


async def test_operators_secrets(keyed: Path) -> None:
    server, bridge, coordinator = ServerSettings(), BridgeSettings(), CoordinatorSettings()
    links = [Link(bridge.redis_link), Link(coordinator.redis_link)]
    streams = [RedisConsumer(links[0], "me", "tasks"), RedisStreams(links[1])]
    callers = [Caller(files, lambda: 0.0) for files in (bridge.coordinator_access, bridge.language_access)]
    keys = [keys_of(server), Keys(coordinator.key_files)]
    said = spoken(
        *(server, bridge, coordinator, server.model_fields_set, vars(server)),
        *(bridge.redis_link, coordinator.redis_link, bridge.coordinator_access, bridge.language_access),
        *(coordinator.key_files, *links, *callers, *keys, *(one.tokens() for one in keys)),
        *(stream._redis for stream in streams),
        *(stream._redis.connection_pool.make_connection() for stream in streams),
    )
    assert CANARY not in said
    # They hold it all the same: else nothing would be shown by this.
    assert callers[0].metadata() == (("authorization", f"Bearer {CANARY}"),)
    assert links[0].login()[-1] == CANARY.encode()
    assert all(one.tokens().owner_of(f"Bearer {CANARY}".encode()) is not None for one in keys)


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://me:{CANARY} x@127.0.0.1:1/d",
        f"postgresql://me:{CANARY}%zz@127.0.0.1:1/d",
        f"postgresql://me:x@{CANARY}@127.0.0.1:1/d",
        f"postgresql://me:x@127.0.0.1:{CANARY}/d",
        f"postgresql://me:{CANARY}/x@127.0.0.1:1/d",
        f"postgresql://me:{CANARY}#x@127.0.0.1:1/d",
        f"postgresql://me:{CANARY}?x@127.0.0.1:1/d",
        f"postgresql://me:[{CANARY}@127.0.0.1:1/d",
        f"postgresql://127.0.0.1:1/d?password={CANARY}%",
        f"mysql://me:{CANARY}@h/d",
    ],
)
def test_a_database_s_url_that_is_none(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDINATOR_DATABASE_URL", url)
    with pytest.raises(
        CoordinatorStartError, match="COORDINATOR_DATABASE_URL is not usable: expected sqlite"
    ) as refused:
        CoordinatorSettings()
    assert CANARY not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql:///d",
        "postgresql://me@h/d",
        "postgres://me:a%20b%40:c@h:5432/d?sslmode=verify-full&application_name=x",
        "postgresql://h1:1,h2:2,h3/d?target_session_attrs=read-write",
        "postgresql://me@[::1]:5432/d",
        "postgresql://me@%2Fvar%2Frun/d",
        "postgresql://?host=/run/pg&dbname=d",
    ],
)
def test_a_database_s_url(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDINATOR_DATABASE_URL", url)
    assert CoordinatorSettings().database_url.get_secret_value() == url


def test_authors_credentials() -> None:
    text = (
        f'{{"method": "POST", "url": "https://example.com/?key={CANARY}", "headers": {{"Authorization": "{CANARY}"}}, '
        f'"body": "{CANARY}"}}'
    )
    asked = parse_request(text, "t")
    assert CANARY in asked.request.headers["authorization"]
    entry = Entry("s", "1-0", {b"task_id": b"t", b"run_id": b"r", b"node_type": b"http", b"input": text.encode()})
    program = parse_program(f'{{"code": "k = {CANARY!r}", "input": "{CANARY}"}}')
    new = checked(Submitted("r", "t", "", "http", "", "", text.encode(), 1, "", ""), 1)
    said = spoken(
        *(asked, asked.request, asked.request.target, entry, parse_entry(entry.fields), program, new),
        Head(200, b"OK", ((b"set-cookie", CANARY.encode()),)),
        TaskRequest("python", f"k = {CANARY!r}", f'"{CANARY}"'),
    )
    assert CANARY not in said

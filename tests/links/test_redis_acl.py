"""deploy/redis.acl: what its users may do is what bridge and coordinator do, no less and no more."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from redis import Redis

from coordinator.errors import StreamRefused, StreamUnavailable
from coordinator.streams.redis import RedisStreams
from operating.redis.link import Link, LinkSettings
from tests.bridge.waiting import until
from tests.chaos.processes import Part, python
from tests.coordinator.servers import found, free_port
from tests.links.conftest import Start
from tests.links.guarded_redis import ACL, GuardedRedis, acl_file, acl_lines
from tests.links.pki import Pki
from worker_bridge.core.queues import GROUP
from worker_bridge.errors import Unreachable
from worker_bridge.streams.redis import RedisConsumer

STREAM = "tasks:python:0"
OURS = ("bridge", "coordinator")
LACKS = "the ACL of this program's user (REDIS_USER) lacks it: docs/deploy.md has the lines that it needs"
# A task that a bridge ends by itself: needs no language server.
REQUEST = json.dumps({"method": "GET", "url": "http://127.0.0.1:1/"})
REFUSED = ["--node-type", "http", "--input", REQUEST, "--max-attempts", "1", "--wait", "60"]
PERMISSION = re.compile(r"\+[a-z|]+")


def link(server: GuardedRedis, user: str) -> Link:
    return Link(LinkSettings(port=server.port, user=user, password=user.encode()))


async def all_of_a_bridge(server: GuardedRedis, admin: Redis) -> None:
    """Each method of its port, on streams that have something for it."""
    one, other = (RedisConsumer(link(server, "bridge"), name, "tasks") for name in ("one", "other"))
    try:
        await one.check()
        assert await one.register("nonce", 60)
        await one.wait(STREAM, 0.01)  # makes the stream and its group
        await one.wait(STREAM, 0.01)  # and now the consumer
        for number in range(7):
            admin.xadd(STREAM, {"n": number})
        entries = await one.read(STREAM, 7)
        assert len(entries) == 7
        await one.touch(STREAM, entries[0].id)
        await one.set_aside(entries[1])
        await one.give_back(entries[2], 60)
        assert len((await other.claim(STREAM, 30, 9, "")).entries) == 1
        assert len(await other.mine(STREAM)) == 1
        await one.ack(STREAM, entries[3].id)
        assert await one.ack_if_mine(STREAM, entries[4].id)
        await one.park(entries[5], "a reason")
        for entry in entries:
            await other.ack(STREAM, entry.id)
        assert (await one.figures(STREAM)).dead == 1
        await one.wait("tasks:idle:0", 0.01)
        await other.wait("tasks:idle:0", 0.01)
        await asyncio.sleep(0.01)
        assert await one.remove_idle_consumers("tasks:idle:0", 0.001) == ["other"]
        await one.unregister("nonce")
        assert not admin.exists("tasks:worker:one")
    finally:
        await one.close()
        await other.close()


async def all_of_a_coordinator(server: GuardedRedis, admin: Redis) -> None:
    streams = RedisStreams(link(server, "coordinator"))
    try:
        added = await streams.add(STREAM, {"a": "b"})
        admin.xgroup_create(STREAM, GROUP, id="0")
        assert await streams.exists(STREAM, added)
        assert await streams.oldest(STREAM, 1) == [(added, {"a": "b"})]
        await streams.remove(STREAM, [added])
        admin.xadd(f"{STREAM}:dead", {"a": "b"}, id="1-1")
        assert await streams.oldest(f"{STREAM}:dead", 1)
        await streams.remove(f"{STREAM}:dead", ["1-1"])
    finally:
        await streams.close()


WORK: dict[str, Callable[[GuardedRedis, Redis], Awaitable[None]]] = {
    "bridge": all_of_a_bridge,
    "coordinator": all_of_a_coordinator,
}


def commands(user: str) -> list[str]:
    return PERMISSION.findall(acl_lines()[user])


def without(line: str, permission: str) -> str:
    """Without what a selector is for, the selector goes too."""
    fewer = re.sub(rf"{re.escape(permission)}(?=[ )])", "", line)
    return re.sub(r"\( *[~%][^)]*\)", "", fewer)


@pytest.mark.parametrize("user", OURS)
async def test_it_is_enough(tmp_path: Path, user: str) -> None:
    with GuardedRedis(tmp_path, "--aclfile", acl_file(tmp_path)) as server, server.admin() as admin:
        await WORK[user](server, admin)
        assert denied(admin) == []


@pytest.mark.parametrize(("user", "permission"), [(user, one) for user in OURS for one in commands(user)])
async def test_nothing_of_it_is_too_much_and_what_is_missing_is_said(
    tmp_path: Path, user: str, permission: str
) -> None:
    lines = {user: without(acl_lines()[user], permission)}
    with (
        GuardedRedis(tmp_path, "--aclfile", acl_file(tmp_path, **lines)) as server,
        server.admin() as admin,
        pytest.raises((Unreachable, StreamUnavailable)) as refused,
    ):
        await WORK[user](server, admin)
    assert LACKS in str(refused.value)
    assert user == "coordinator" or refused.value.fault


async def test_a_stream_that_the_acl_leaves_out_stops_no_other_and_is_not_taken_for_empty(tmp_path: Path) -> None:
    line = acl_lines()["coordinator"].replace("~tasks:*", "~tasks:python:*")
    with GuardedRedis(tmp_path, "--aclfile", acl_file(tmp_path, coordinator=line)) as server:
        streams = RedisStreams(link(server, "coordinator"))
        assert await streams.add(STREAM, {"a": "b"})
        with pytest.raises(StreamRefused, match="lacks it"):
            await streams.add("tasks:js:0", {"a": "b"})
        with pytest.raises(StreamUnavailable, match="lacks it") as unknown:
            await streams.exists("tasks:js:0", "1-1")
        assert not isinstance(unknown.value, StreamRefused), "its task would be dispatched again, and again"
        await streams.close()


def denied(admin: Redis) -> list[str]:
    """What was refused since the start, whoever it was."""
    entries = admin.execute_command("ACL", "LOG")
    return [" ".join(map(str, entry.values() if isinstance(entry, dict) else entry)) for entry in entries]


FORGED = [
    ("bridge", "XADD", STREAM, "*", "a", "b"),
    ("bridge", "EVAL", "return redis.call('XADD', KEYS[1], '*', 'a', 'b')", "1", STREAM),
    ("bridge", "SET", STREAM, "no stream"),
    ("bridge", "DEL", STREAM),
    ("bridge", "EVAL", "return redis.call('FLUSHALL')", "0"),
    ("bridge", "CONFIG", "SET", "maxmemory", "0"),
    ("bridge", "ACL", "SETUSER", "bridge", "+@all"),
    ("coordinator", "XGROUP", "DESTROY", STREAM, GROUP),
    ("coordinator", "XREADGROUP", "GROUP", GROUP, "me", "STREAMS", STREAM, ">"),
    ("coordinator", "XADD", "another:python:0", "*", "a", "b"),
    ("keda", "XADD", STREAM, "*", "a", "b"),
    ("keda", "XRANGE", STREAM, "-", "+"),
    ("health", "XLEN", STREAM),
    ("health", "CLIENT", "LIST"),
]


@pytest.mark.parametrize(("user", "command"), [(user, command) for user, *command in FORGED], ids=str)
def test_what_none_of_them_does_none_of_them_can(tmp_path: Path, user: str, command: list[str]) -> None:
    """Each is tried as an administrator too, or the command could be wrong."""
    with GuardedRedis(tmp_path, "--aclfile", acl_file(tmp_path)) as server, server.admin() as admin:
        admin.xadd(STREAM, {"n": "0"})
        admin.xgroup_create(STREAM, GROUP, id="0")
        with (
            Redis(port=server.port, username=user, password=user, protocol=2, driver_info=None) as client,
            pytest.raises(Exception, match=r"no permissions|The user executing the script"),
        ):
            client.execute_command(*command)
        admin.execute_command(*command)


def test_who_shows_nothing_can_do_nothing(tmp_path: Path) -> None:
    with (
        GuardedRedis(tmp_path, "--aclfile", acl_file(tmp_path)) as server,
        Redis(port=server.port, protocol=2, driver_info=None) as client,
        pytest.raises(Exception, match="Authentication required"),
    ):
        client.ping()


def test_a_file_whose_passwords_were_not_put_in_starts_no_redis() -> None:
    where = ["--bind", "127.0.0.1", "--port", str(free_port()), "--save", ""]
    command = [found("redis-server", "redis-server"), *where, "--aclfile", str(ACL)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode != 0
    assert "Aborting Redis startup because of ACL errors" in ended.stdout


def test_keda_can_look_at_a_stream_s_group(tmp_path: Path) -> None:
    with GuardedRedis(tmp_path, "--aclfile", acl_file(tmp_path)) as server, server.admin() as admin:
        admin.xgroup_create(STREAM, GROUP, id="0", mkstream=True)
        with Redis(port=server.port, username="keda", password="keda", protocol=2, driver_info=None) as client:
            assert client.ping()
            assert "redis_version" in client.info("server")
            assert len(client.xinfo_groups(STREAM)) == 1


def settings_of(user: str, server: GuardedRedis, pki: Pki) -> dict[str, str]:
    return {
        "REDIS_ADDR": server.addr,
        "REDIS_USER": user,
        "REDIS_PASSWORD_FILE": pki.write(f"redis.{user}", f"{user}\n"),
        "REDIS_TLS_CA": pki.ca,
        "STREAM_PREFIX": "tasks",
    }


async def run(module: str, *arguments: str, **settings: str) -> tuple[int, str, str]:
    ended = await asyncio.create_subprocess_exec(
        *python(module, *arguments),
        env={**os.environ, **settings},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await ended.communicate()
    return ended.returncode or 0, out.decode(), err.decode()


async def test_an_installation_works_with_these_users_alone(start: Start, pki: Pki) -> None:
    """Over TLS: a task that is done, an entry that is forged, parked, listed, and a bridge that stops."""
    arguments = ("--tls-auth-clients", "no", "--aclfile", acl_file(pki.folder))
    with (
        GuardedRedis.with_tls(pki, *arguments) as server,
        server.admin(ssl=True, ssl_ca_certs=pki.ca) as admin,
    ):
        _, coordinator = await start("coordinator", **settings_of("coordinator", server, pki))
        bridge = await a_bridge(start, server, pki, coordinator)
        status, out, err = await run("coordinator.cli", "submit", *REFUSED, COORDINATOR_ADDR=coordinator)
        assert (status, json.loads(out)["state"]) == (1, "FAILED"), err + bridge.words
        assert "EGRESS_REFUSED" in out
        admin.xadd("tasks:http:0", {"task_id": "t", "run_id": "r", "node_type": "http"})
        await until(lambda: admin.xlen("tasks:http:0:dead") == 1, 60, bridge.words)
        status, out, err = await run("coordinator.cli", "dead", "list", COORDINATOR_ADDR=coordinator)
        assert status == 0, err
        assert "no such task" in out or "unknown task" in out, out + err
        status, out, err = await run(
            "worker_bridge.cli", "queues", **settings_of("bridge", server, pki), WORKER_QUEUES="http"
        )
        assert (status, "tasks:http:0" in out) == (0, True), err
        assert await bridge.stop() == 0
        assert not admin.keys("tasks:worker:*"), "its name is free again"
        assert denied(admin) == []
        assert {client["user"] for client in admin.client_list()} <= {"coordinator", "admin"}


async def a_bridge(start: Start, server: GuardedRedis, pki: Pki, coordinator: str) -> Part:
    part, _ = await start(
        "worker-bridge",
        COORDINATOR_ADDR=coordinator,
        WORKER_QUEUES="http",
        LEASE_TTL_SECONDS="6",
        **settings_of("bridge", server, pki),
    )
    return part


async def test_a_bridge_without_a_permission_raises_its_alarm(start: Start, pki: Pki) -> None:
    line = without(acl_lines()["bridge"], "+xreadgroup")
    arguments = ("--tls-auth-clients", "no", "--aclfile", acl_file(pki.folder, bridge=line))
    with GuardedRedis.with_tls(pki, *arguments) as server, server.admin(ssl=True, ssl_ca_certs=pki.ca) as admin:
        _, coordinator = await start("coordinator", **settings_of("coordinator", server, pki))
        bridge = await a_bridge(start, server, pki, coordinator)
        wanted = ("tasks:http:0 cannot be read", "'xreadgroup'", LACKS, "this has to be mended by an operator")
        await until(lambda: all(words in bridge.words for words in wanted), 60, bridge.words)
        admin.execute_command("ACL", "SETUSER", "bridge", "+xreadgroup")
        status, out, err = await run("coordinator.cli", "submit", *REFUSED, COORDINATOR_ADDR=coordinator)
        assert (status, "EGRESS_REFUSED" in out) == (1, True), err + bridge.words


async def test_a_coordinator_without_a_permission_says_so(start: Start, pki: Pki) -> None:
    line = without(acl_lines()["coordinator"], "+xadd")
    arguments = ("--tls-auth-clients", "no", "--aclfile", acl_file(pki.folder, coordinator=line))
    with GuardedRedis.with_tls(pki, *arguments) as server:
        part, coordinator = await start("coordinator", **settings_of("coordinator", server, pki))
        task = ["--node-type", "http", "--input", "{}"]
        assert (await run("coordinator.cli", "submit", *task, COORDINATOR_ADDR=coordinator))[0] == 0
        await until(lambda: "tasks are not dispatched" in part.words and LACKS in part.words, 60, part.words)

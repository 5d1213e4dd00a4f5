"""Nothing of a task is found in the memory of a later task's child, nor in the zygote that forks it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import struct
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest
import trustme
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from google.protobuf.message import Message

from langserver.core.verdict import EndReason
from langserver.pb import lang_pb2, lang_pb2_grpc
from langserver.zygote.execution import Execution
from langserver.zygote.request import TaskRequest, make_job
from tests.integration.holds.conftest import ServerProcess, until
from tests.integration.holds.direct import CEILINGS, OneZygote, one_zygote, output

# A canary as it stands in no scanner: the class keeps the pattern's own text from matching.
CANARY = r"[C]ANARY[-][0-9a-f]{32}"
SEED = 7163549018273645
# A seed lives as the digits of a Python integer (base 2**30), or in words.
SEED_FORMS = struct.pack("<II", SEED % 2**30, SEED >> 30), str(SEED).encode()
# Spelled with escapes, so that no form of it stands in the scanner either.
SEED_PATTERN = "|".join("".join(f"\\x{byte:02x}" for byte in form) for form in SEED_FORMS)

# Native code: the policy is off, and no layer keeps it from its own memory.
SCANNER = f"""
import re
def main():
    found = set()
    pattern = re.compile(rb"{CANARY}|{SEED_PATTERN}")
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", buffering=0) as memory:
        areas = [line.split()[0].split("-") + [line.split()[1]] for line in maps if "[v" not in line]
        for start, end, rights in areas:
            if rights.startswith("r"):
                memory.seek(int(start, 16))
                try:
                    data = memory.read(int(end, 16) - int(start, 16))
                except OSError:
                    continue
                found.update(match[-8:].hex() for match in pattern.findall(data))
    return sorted(found)
"""
ECHO = {
    "python": "kept = '{canary}'\ndef main(inputs):\n    print(inputs)\n    return [inputs, kept]",
    "js": "const kept = '{canary}'; function main(inputs) {{ console.log(inputs); return [inputs, kept] }}",
}


def canary() -> str:
    return "CANARY-" + secrets.token_hex(16)


async def plant(supply: OneZygote, runtime: str) -> None:
    """A task with a canary in every field a request has, and one that fails with its canary in the error."""
    outcome = await supply.run(
        TaskRequest(
            runtime,
            ECHO[runtime].format(canary=canary()),
            input_json=json.dumps({"value": canary()}),
            filename=canary(),
            timezone="Asia/Kolkata",
            seed=SEED,
        )
    )
    assert outcome.verdict.failure is None, outcome.verdict
    assert len(supply.logs) == 1
    failing = {"python": f"raise ValueError('{canary()}')", "js": f"throw new Error('{canary()}')"}[runtime]
    outcome = await supply.run(TaskRequest(runtime, failing, filename=canary()))
    assert outcome.verdict.failure is not None


async def test_a_later_python_child_holds_nothing_of_earlier_tasks_or_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LANG_AUTH_TOKEN", canary())
    async with one_zygote("python", frozenset()) as supply:
        for _ in range(3):
            await plant(supply, "python")
        for _ in range(2):
            assert output(await supply.run(TaskRequest("python", SCANNER))) == []


async def test_the_scanner_finds_what_is_there() -> None:
    async with one_zygote("python", frozenset()) as supply:
        own = canary()
        request = TaskRequest("python", SCANNER, input_json=json.dumps(own), seed=SEED)
        assert output(await supply.run(request)) == sorted([own[-8:].encode().hex(), SEED_FORMS[0].hex()])


def scan(pid: int, *texts: bytes) -> set[bytes]:
    """Canaries, forms of the seed and `texts` in another process' memory.

    It must be dumpable and of this user, or this test root.
    """
    found: set[bytes] = set()
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in maps:
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            if not line.split()[1].startswith("rw"):  # V8 reserves terabytes without rights
                continue
            memory.seek(start)
            try:
                data = memory.read(end - start)
            except OSError:
                continue
            found.update(re.findall(rb"CANARY-[0-9a-f]{32}", data))
            found.update(text for text in (*SEED_FORMS, *texts) if text in data)
    return found


async def test_zygote_and_waiting_child_hold_nothing_seen_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG_AUTH_TOKEN", canary())
    # Without the layer `privileges` they are dumpable, so that this test may look in.
    layers = frozenset({"policy", "rlimits"})
    for runtime in ("python", "js"):
        async with one_zygote(runtime, layers) as supply:
            for _ in range(3):
                await plant(supply, runtime)
            waiting = await supply.take()
            await asyncio.sleep(0.2)
            assert scan(waiting.pid) == set()
            assert scan(supply.zygote.pid) == set()
            waiting.kill()
            await waiting.exit
            supply.done(waiting)


@pytest.mark.parametrize(
    ("runtime", "code"),
    [
        ("python", "kept = '{own}'\nprint(1)\nwhile True: pass"),
        ("js", "const kept = '{own}'; console.log(1); for (;;) {{}}"),
    ],
)
async def test_the_scan_from_outside_finds_what_is_there(runtime: str, code: str) -> None:
    own = canary()
    async with one_zygote(runtime, frozenset({"policy", "rlimits"})) as supply:
        started = asyncio.Event()
        job = make_job(TaskRequest(runtime, code.format(own=own), seed=SEED), CEILINGS, "run")
        execution = Execution(job, supply, lambda line: started.set())
        running = asyncio.create_task(execution.run())
        await asyncio.wait_for(started.wait(), 30)
        assert supply.child is not None
        assert {own.encode(), SEED_FORMS[0]} <= scan(supply.child.pid)
        execution.end(EndReason.CANCELLED)
        await running


# What a child that scans itself is told not to find, and may have inherited: the server's environment and descriptors.
HELD = (
    SCANNER
    + """
import os
scanned = main
def main():
    with open("/proc/self/environ", "rb") as environ:
        around = environ.read().hex()
    links = []
    for name in os.listdir("/proc/self/fd"):
        try: links.append(os.readlink("/proc/self/fd/" + name))
        except OSError: pass  # what listed them
    return [scanned(), around, links]
"""
)


async def test_a_child_inherits_nothing_of_the_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LANG_AUTH_TOKEN", canary())
    key = tmp_path / "key.pem"
    key.write_text(canary())
    with key.open() as file:
        os.set_inheritable(file.fileno(), True)
        async with one_zygote("python", frozenset()) as supply:
            found, around, links = output(await supply.run(TaskRequest("python", HELD)))
    assert found == []
    assert around == "", "not even a name: nothing was on its first stack"
    assert "/dev/null" in links
    assert str(key) not in links


def fill(message: Message) -> None:
    """Puts a canary into every text of a request: also into fields that are yet to come."""
    for field in message.DESCRIPTOR.fields:
        if field.name in {"runtime", "timezone", "code"}:
            continue
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            getattr(message, field.name)[canary()] = canary()
        elif field.message_type is not None:
            fill(getattr(message, field.name))
        elif field.type == field.TYPE_STRING:
            setattr(message, field.name, canary())
        elif field.name == "seed":
            message.seed = SEED  # type: ignore[attr-defined]


def filled(runtime: str) -> lang_pb2.ExecuteRequest:
    request = lang_pb2.ExecuteRequest(runtime=runtime, timezone=ZONE)
    fill(request)
    request.inline_code.code = ECHO[runtime].format(canary=canary())
    request.input_json = json.dumps({"value": canary()})
    return request


ZONE = "Antarctica/Troll"


def test_what_a_server_was_told_is_in_no_other_process(
    make_server: Callable[..., ServerProcess], tmp_path: Path
) -> None:
    authority = trustme.CA()
    own = authority.issue_cert("127.0.0.1")
    own.private_key_pem.write_to_path(tmp_path / "key.pem")
    own.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    key = own.private_key_pem.bytes().splitlines()[1]
    scalar = load_pem_private_key(own.private_key_pem.bytes(), None).private_numbers().private_value  # type: ignore[union-attr]
    scalars = [scalar.to_bytes(32, order) for order in ("big", "little")]  # type: ignore[arg-type]
    token, named = canary(), canary()
    (tmp_path / "tokens").write_text(f"engine:{named}\n")
    server = make_server(
        LANG_WARM_CHILDREN="2",
        LANG_AUTH_TOKEN=token,
        LANG_AUTH_TOKENS_FILE=str(tmp_path / "tokens"),
        LANG_TLS_CERT=str(tmp_path / "cert.pem"),
        LANG_TLS_KEY=str(tmp_path / "key.pem"),
    )
    credentials = grpc.ssl_channel_credentials(authority.cert_pem.bytes())
    with grpc.secure_channel(server.address, credentials) as channel:
        stub = lang_pb2_grpc.LanguageServerStub(channel)
        for shown in (token, named):
            metadata = [("authorization", f"Bearer {shown}"), ("x-of-the-call", canary())]
            for runtime in ("python", "js") * 2:
                assert stub.Execute(filled(runtime), metadata=metadata).success
    until(lambda: all(len(server.zygotes(runtime)[0].children()) == 2 for runtime in ECHO), "new children wait")
    try:
        assert {token.encode(), key} <= scan(server.process.pid, key), "the scan finds what is there"
    except PermissionError:
        pytest.skip("only root may look into processes that are not dumpable; test_a_child_inherits_nothing is for all")
    others = server.descendants
    assert len(others) >= 2 + 2 * 2
    # The names of all zones are in every Python zygote: what must not be there is that a task was given this one.
    foreign = (key, *scalars, f'"zone": "{ZONE}"'.encode(), f"TZ={ZONE}".encode())
    assert set().union(*(scan(process.pid, *foreign) for process in others)) == set()

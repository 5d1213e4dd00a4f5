"""The networks of deploy/compose.yaml, made by podman: who reaches whom, tried by connecting."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

import pytest
import yaml

from tests.container.engine import Engine, call
from tests.container.image import ROOT
from tests.integration.server.harness import wait_for

FILE = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())
NETWORKS = {name: service["networks"] for name, service in FILE["services"].items()}
PORT = 7000
LISTEN = f"""
import socket, sys
listening = socket.create_server(("0.0.0.0", {PORT}))
print("listens", flush=True)
while True:
    with listening.accept()[0] as caller:
        caller.sendall(sys.argv[1].encode())
"""
# By their word, since some networks have somebody who accepts each connection, to whatever address it goes.
REACHED = f"""
import json, socket, sys
reached = []
for address in sys.argv[1:]:
    try:
        with socket.create_connection((address, {PORT}), timeout=2) as there:
            there.settimeout(2)
            reached.append(b"".join(iter(lambda: there.recv(64), b"")).decode())
    except OSError:
        pass
print(json.dumps(reached))
"""
# Where podman has its networks. A bridge has a route of 24 bits; what is for one that has none, as an internal one,
# shall not leave this machine by its way out.
ALL_NETWORKS = "10.89.0.0/16"
# A line a route; a destination of zeros is the way to everywhere (proc(5)).
WAY_OUT = "print(any(line.split()[1] == '00000000' for line in list(open('/proc/net/route'))[1:]))"


@pytest.fixture
def nothing_leaves() -> Iterator[None]:
    route = ["unreachable", ALL_NETWORKS, "metric", "4096"]
    call("ip", "route", "replace", *route)
    yield
    call("ip", "route", "delete", *route)


@pytest.fixture
def members(engine: Engine, image: str, nothing_leaves: None) -> Iterator[dict[str, str]]:
    """A container for each service, which is in that service's networks and listens."""
    made = {name: f"{engine.name()}-{name}" for name in FILE["networks"]}
    started: list[subprocess.Popen[str]] = []
    names = {}
    try:
        for name, network in made.items():
            internal = ["--internal"] if (FILE["networks"][name] or {}).get("internal") else []
            call("podman", "network", "create", *internal, network)
        for service, networks in NETWORKS.items():
            names[service] = engine.name()
            joined = ",".join(made[network] for network in networks)
            command = engine.command(image, "python3", "-c", LISTEN, service, name=names[service], network=joined)
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            started.append(process)
            assert process.stdout is not None
            assert process.stdout.readline() == "listens\n", process.communicate(timeout=60)
        yield names
    finally:
        for name in names.values():
            call("podman", "rm", "--force", "--ignore", "--time=0", name)
        for process in started:
            process.communicate(timeout=60)
        for network in made.values():
            wait_for(
                lambda network=network: subprocess.run(["podman", "network", "rm", "--force", network]).returncode == 0
            )


@pytest.mark.slow
@pytest.mark.timeout(600, func_only=True)
def test_language_servers_reach_nothing_and_only_the_bridge_reaches_them(members: dict[str, str]) -> None:
    addresses = {}
    for service, name in members.items():
        told = json.loads(call("podman", "inspect", "--format={{json .NetworkSettings.Networks}}", name))
        addresses[service] = {network["IPAddress"] for network in told.values()}
    others = {service: set.union(*(ips for one, ips in addresses.items() if one != service)) for service in members}
    reached = {}
    for service, name in members.items():
        told = json.loads(call("podman", "exec", name, "python3", "-c", REACHED, *sorted(others[service]), timeout=120))
        reached[service] = set(told)
    # This listener is the test's: a bridge has none.
    assert reached["langserver-1"] == reached["langserver-2"] == {"bridge"}
    assert {service for service, found in reached.items() if "langserver-1" in found} == {"bridge"}
    assert {service for service, found in reached.items() if "redis" in found} == {"bridge", "coordinator", "postgres"}
    leads_out = {
        service
        for service, name in members.items()
        if call("podman", "exec", name, "python3", "-c", WAY_OUT) == "True\n"
    }
    assert leads_out == {"bridge", "coordinator"}

"""deploy/compose.yaml brought up by Docker, by the words of docs/deploy.md, and what then happens to it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.container.engine import Engine
from tests.container.installation import FILE, SERVICES, Installation, documented, eventually, installed

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900, func_only=True)]

LANGUAGES = ["langserver-1", "langserver-2"]
OURS = [*LANGUAGES, "bridge", "coordinator"]
PORTS = {"coordinator": 50051, "langserver-1": 50053, "langserver-2": 50053, "redis": 6379, "postgres": 5432}
# On the machine's own loopback, where it is the internet to containers: by no private address.
INTERNET, WEB = "11.0.0.1", 80
NAP = "import time\ntime.sleep(1.5)\nreturn inputs['n'] * 2"
REACHED = """
import json, socket, sys
reached = []
for place in sys.argv[1:]:
    host, _, port = place.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=2).close()
        reached.append(place)
    except OSError:
        pass
print(json.dumps(reached))
"""
# In each folder that is a mount, and in those that programs like to write to. What is made in /dev/mqueue, which Docker
# gives each container, is a queue and holds no file (mq_overview(7)).
WRITTEN = """
import json, os
folders = {line.split()[1] for line in open("/proc/self/mounts")} | {"/", "/tmp", "/var/tmp", "/run", "/home", "/opt"}
written = []
for folder in sorted(folders):
    if os.path.isdir(folder) and not folder.startswith(("/proc", "/dev/mqueue")):
        try:
            open(folder + "/probe", "x").close()
            written.append(folder)
        except OSError:
            pass
print(json.dumps(written))
"""
# By cgroups of either version, as a container sees its own.
LIMITS = """
import json
from pathlib import Path
def read(*names):
    return next(int(Path(name).read_text().split()[0]) for name in names if Path(name).exists())
top = Path("/sys/fs/cgroup")
memory = read(top / "memory/memory.limit_in_bytes", top / "memory.max")
print(json.dumps([memory, read(top / "pids/pids.max", top / "pids.max")]))
"""
UNITS = {"m": 1 << 20, "g": 1 << 30}


@pytest.fixture(scope="module")
def up(engine: Engine, image: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with installed(engine, image, tmp_path_factory.mktemp("clone")) as one:
        one.call("ip", "address", "add", f"{INTERNET}/32", "dev", "lo")
        page = one.clone / "web/index.html"
        page.parent.mkdir()
        page.write_text("hello")
        server = subprocess.Popen(
            one.command("python3", "-m", "http.server", str(WEB), "--directory", "web"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        eventually(lambda: reached(one, f"127.0.0.1:{WEB}") != [], "the web server answers")
        yield one
    server.wait(timeout=60)  # its machine is gone


def reached(one: Installation, *places: str, service: str = "") -> list[str]:
    """To which of these places a connection is made, from a service's container or from the machine itself."""
    words = ("python3", "-c", REACHED, *places)
    done = one.inside(service, *words) if service else one.run(*words)
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


def naps(run: str, count: int) -> list[dict[str, Any]]:
    return [
        {"node_type": "python", "run_id": run, "task_id": str(n), "input": {"code": NAP, "input": {"n": n}}}
        for n in range(count)
    ]


def states(one: Installation, run: str) -> list[dict[str, Any]]:
    done = one.inside("coordinator", "coordinator", "status", "--run-id", run, "--json")
    return [json.loads(line) for line in done.stdout.splitlines()]


def all_of(one: Installation, run: str, count: int) -> bool:
    """Whether each task of a run is completed, with the output that is its own."""
    found = states(one, run)
    assert not [task for task in found if task["state"] == "FAILED"], found
    return sorted(task["output"] for task in found if task["state"] == "COMPLETED") == [2 * n for n in range(count)]


def healthy(one: Installation, service: str) -> bool:
    return bool(one.inspect(service)["State"].get("Health", {}).get("Status") == "healthy")


def test_there_are_four_commands() -> None:
    built, keys, up, _ = documented()
    assert built.startswith("make image")
    assert keys == "sudo deploy/secrets.sh"
    assert up == "docker compose --file deploy/compose.yaml up --detach --wait"


def test_the_documented_task_is_answered(up: Installation) -> None:
    done = up.run("bash", "-c", documented()[3])
    assert done.returncode == 0, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    assert (answer["state"], answer["output"]) == ("COMPLETED", 42)
    (js,) = up.submit([{"node_type": "js", "input": {"code": "return 6 * 7"}}])
    assert (js["state"], js["output"]) == ("COMPLETED", 42)


def test_http_tasks_reach_public_addresses_and_no_others(up: Installation) -> None:
    urls = [f"http://{host}/" for host in (INTERNET, up.gateway("out"), "redis", "langserver-1")]
    public, *others = up.submit(
        [{"node_type": "http", "max_attempts": 1, "input": {"method": "GET", "url": url}} for url in urls]
    )
    assert public["state"] == "COMPLETED", public
    assert public["output"] == {"body": "hello"}
    assert [task["state"] for task in others] == ["FAILED"] * 3
    assert all(task["error"].startswith("EGRESS_REFUSED: ") for task in others), others


@pytest.mark.parametrize("service", OURS)
def test_ours_can_write_nowhere(up: Installation, service: str) -> None:
    done = up.inside(service, "python3", "-c", WRITTEN)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


@pytest.mark.parametrize("service", ["redis", "postgres"])
def test_theirs_write_to_their_volume_and_nowhere_else(up: Installation, service: str) -> None:
    volume = SERVICES[service]["volumes"][0].partition(":")[2]
    written = {
        folder
        for folder in ("/", "/etc", "/home", "/opt", "/run", "/usr", "/var/lib", "/var/tmp", volume)
        if up.inside(service, "touch", f"{folder}/probe").returncode == 0
    }
    assert up.inside(service, "rm", f"{volume}/probe").returncode == 0
    assert written == {volume}


@pytest.mark.parametrize("service", SERVICES)
def test_every_process_has_the_user_and_nothing_else(up: Installation, service: str) -> None:
    container = up.inspect(service)["Id"]
    uids = up.call("docker", "top", container, "-eo", "pid,uid").split("\n")[1:]
    assert {line.split()[1] for line in uids if line} == {SERVICES[service]["user"].partition(":")[0]}
    first = f"/proc/{up.inspect(service)['State']['Pid']}/status"
    status = dict(line.split(":\t", 1) for line in up.call("cat", first).splitlines() if ":\t" in line)
    assert {int(status[name], 16) for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb")} == {0}
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")


@pytest.mark.parametrize("service", SERVICES)
def test_docker_has_every_limit_of_the_file(up: Installation, service: str) -> None:
    said, told = SERVICES[service], up.inspect(service)["HostConfig"]
    memory = int(said["mem_limit"][:-1]) * UNITS[said["mem_limit"][-1]]
    assert (told["Memory"], told["MemorySwap"], told["PidsLimit"]) == (memory, memory, said["pids_limit"])
    assert told["NanoCpus"] == said.get("cpus", 0) * 1_000_000_000
    if service in OURS:
        assert json.loads(up.inside(service, "python3", "-c", LIMITS).stdout) == [memory, said["pids_limit"]]


def test_language_servers_reach_nothing_but_the_address_of_their_gateway(up: Installation) -> None:
    networks = {service: up.inspect(service)["NetworkSettings"]["Networks"] for service in SERVICES}
    gateways = {name: up.gateway(name) for name in FILE["networks"]}
    places = {f"{name}:{port}": name for name, port in PORTS.items()}
    places |= {f"{net['IPAddress']}:{PORTS[name]}": name for name in PORTS for net in networks[name].values()}
    places |= {f"{address}:{WEB}": f"the machine, by {name}" for name, address in gateways.items()}
    places |= {f"{INTERNET}:{WEB}": "the internet"}
    found = {service: {places[place] for place in reached(up, *places, service=service)} for service in OURS}
    # The machine by the gateway of its own network is what the document says that a network does not close.
    assert {service: found[service] for service in LANGUAGES} == {
        "langserver-1": {"langserver-1", "the machine, by languages-1"},
        "langserver-2": {"langserver-2", "the machine, by languages-2"},
    }
    assert found["bridge"] >= {*PORTS, "the internet"}
    assert found["coordinator"] >= {"coordinator", "redis", "postgres"}
    assert not found["coordinator"] & {*LANGUAGES}


def test_the_coordinator_is_published_on_loopback_alone(up: Installation) -> None:
    assert reached(up, "127.0.0.1:50051", f"{INTERNET}:50051") == ["127.0.0.1:50051"]
    assert reached(up, *(f"127.0.0.1:{port}" for port in (50053, 6379, 5432))) == []


@pytest.mark.parametrize(
    ("user", "command", "says"),
    [
        ("health", "PING", "PONG"),
        ("health", "INFO", "NOPERM"),
        ("bridge", "XADD tasks:python:0 * a b", "NOPERM"),
        ("bridge", "XLEN tasks:python:0", ""),
        ("coordinator", "XREADGROUP GROUP workers me STREAMS tasks:python:0 >", "NOPERM"),
        ("coordinator", "XRANGE tasks:python:0 - + COUNT 1", ""),
        ("coordinator", "KEYS *", "NOPERM"),
        ("default", "PING", "NOAUTH"),
    ],
)
def test_users_of_redis_may_do_what_their_lines_say(up: Installation, user: str, command: str, says: str) -> None:
    file = up.clone / f"deploy/secrets/redis-{user}.password"
    password = file.read_text() if file.exists() else "any"
    login = [] if user == "default" else ["--user", user, "--pass", password, "--no-auth-warning"]
    tls = ["--tls", "--cacert", "/run/secrets/redis.ca.pem"]
    done = up.inside("redis", "redis-cli", *tls, *login, *command.split())
    assert done.stdout.startswith(says) if says else "NOPERM" not in done.stdout, done.stdout
    assert "AUTH failed" not in done.stdout + done.stderr


def test_postgres_takes_its_password_only(up: Installation) -> None:
    connect = "import psycopg; psycopg.connect('postgresql://langserver:{}@postgres/langserver', connect_timeout=10)"
    right = (up.clone / "deploy/secrets/postgres.password").read_text().strip()
    assert up.inside("coordinator", "python3", "-c", connect.format(right)).returncode == 0
    wrong = up.inside("coordinator", "python3", "-c", connect.format("wrong"))
    assert "password authentication failed" in wrong.stderr


def test_the_server_of_postgres_first_start_is_not_healthy_yet(up: Installation) -> None:
    """It has no port, makes the database, and ends: a coordinator that took it for the real one would find nobody."""
    told, service = up.inspect("postgres"), SERVICES["postgres"]
    settings = [f"--env={one}" for one in told["Config"]["Env"]]
    secret = "--volume=/clone/deploy/secrets/postgres.password:/run/secrets/postgres.password:ro"
    start = ["docker", "run", "--detach", "--user=999:999", *settings, secret, told["Config"]["Image"]]
    other = up.call(*start, "postgres", "-c", "listen_addresses=").strip()
    try:
        by_socket = ["docker", "exec", other, "pg_isready", "-U", "langserver"]
        eventually(lambda: up.run(*by_socket).returncode == 0, "PostgreSQL answers")
        _, *check = service["healthcheck"]["test"]
        asked = up.run("docker", "exec", other, *check)
        assert (asked.returncode, "no response" in asked.stdout) == (2, True), asked
    finally:
        up.call("docker", "rm", "--force", "--volumes", other)


def test_no_task_is_lost_with_a_language_server(up: Installation) -> None:
    up.submit(naps("killed", 24), wait=0)
    eventually(lambda: sum(task["state"] == "RUNNING" for task in states(up, "killed")) >= 4, "tasks are running")
    before = up.inspect("langserver-1")
    up.call("kill", "-9", str(before["State"]["Pid"]))  # of `docker kill` Docker would start no other one
    eventually(lambda: up.inspect("langserver-1")["RestartCount"] == before["RestartCount"] + 1, "it is started again")
    eventually(lambda: all_of(up, "killed", 24), "all tasks are completed")
    eventually(lambda: healthy(up, "langserver-1"), "the language server is healthy again")


def test_a_restart_of_redis_and_of_postgres_heals_by_itself(up: Installation) -> None:
    before = {service: up.inspect(service)["State"]["StartedAt"] for service in OURS}
    for number, service in enumerate(("redis", "postgres")):
        up.submit(naps(f"restart-{number}", 12), wait=0)
        up.call(*f"docker compose --file deploy/compose.yaml restart {service}".split())
        eventually(lambda run=f"restart-{number}": all_of(up, run, 12), "all tasks are completed")
    assert {service: up.inspect(service)["State"]["StartedAt"] for service in OURS} == before
    eventually(lambda: all(healthy(up, service) for service in SERVICES), "all services are healthy")


def test_stop_drains_down_takes_away_and_up_goes_on(up: Installation) -> None:
    up.submit(naps("stopped", 24), wait=0)
    eventually(lambda: any(task["state"] == "RUNNING" for task in states(up, "stopped")), "a task is running")
    stopped = up.compose("stop")
    assert stopped.returncode == 0, stopped.stderr
    # 137 would be SIGKILL, when the grace period was over.
    assert {service: up.inspect(service)["State"]["ExitCode"] for service in SERVICES} == dict.fromkeys(SERVICES, 0)
    assert up.compose("down").returncode == 0
    assert up.call("docker", "ps", "--all", "--quiet") == ""
    assert set(up.call("docker", "network", "ls", "--format={{.Name}}").split()) == {"bridge", "host", "none"}
    up.up()
    eventually(lambda: all_of(up, "stopped", 24), "all tasks are completed")
    # Nobody was ended while it ran, which would have cost an attempt.
    assert {task["attempt"] for task in states(up, "stopped")} == {1}

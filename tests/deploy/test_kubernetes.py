"""deploy/kubernetes: what kustomize makes of it, held against published schemas and what we insist on."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy import hardened
from tests.deploy.needs import needed, settings_of
from tests.deploy.published import DEPLOY, complaints, kubernetes

COMPONENTS = ("keda", "gvisor", "metrics")
WORKLOADS = ("langserver", "bridge", "coordinator")
KUBECTL = shutil.which("kubectl")
HARD: list[hardened.Path] = [
    *(("securityContext", name) for name in ("runAsNonRoot", "runAsUser", "runAsGroup", "fsGroup", "seccompProfile")),
    *((name,) for name in ("automountServiceAccountToken", "enableServiceLinks", "serviceAccountName")),
    *((name,) for name in ("terminationGracePeriodSeconds", "topologySpreadConstraints", "securityContext")),
    ("topologySpreadConstraints", 0),
    ("volumes", 0, "secret", "defaultMode"),
    *(
        ("containers", 0, "securityContext", name)
        for name in ("allowPrivilegeEscalation", "privileged", "readOnlyRootFilesystem", "capabilities")
    ),
    *(("containers", 0, name) for name in ("securityContext", "resources", "readinessProbe")),
    *(("containers", 0, "resources", kind, what) for kind in ("limits", "requests") for what in ("cpu", "memory")),
    ("containers", 0, "volumeMounts", 0, "readOnly"),
]


pytestmark = pytest.mark.skipif(
    KUBECTL is None,
    reason="kubectl is missing, whose kustomize makes the manifests: 1.32 will do, Debian 12's 1.20 is too old",
)


@cache
def made(*components: str) -> list[dict[str, Any]]:
    """What would be applied, with components on top as an operator's own file puts them."""
    assert KUBECTL is not None, "install kubectl"
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(DEPLOY / "kubernetes", Path(place, "base"))
        own = {"resources": ["../base"], "components": [f"../base/components/{name}" for name in components]}
        Path(place, "own").mkdir()
        Path(place, "own/kustomization.yaml").write_text(json.dumps(own))
        done = subprocess.run([KUBECTL, "kustomize", f"{place}/own"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


def one(kind: str, name: str, *components: str) -> dict[str, Any]:
    (found,) = [item for item in made(*components) if (item["kind"], item["metadata"]["name"]) == (kind, name)]
    return found


def workload(name: str, *components: str) -> dict[str, Any]:
    return one("StatefulSet" if name == "langserver" else "Deployment", name, *components)


def container(name: str, *components: str) -> dict[str, Any]:
    (found,) = workload(name, *components)["spec"]["template"]["spec"]["containers"]
    return found


def environment(name: str, *components: str) -> dict[str, str]:
    return {entry["name"]: entry.get("value", "") for entry in container(name, *components)["env"]}


def labels(name: str) -> dict[str, str]:
    return workload(name)["spec"]["template"]["metadata"]["labels"]


@pytest.mark.parametrize("components", [(), *((name,) for name in COMPONENTS), COMPONENTS], ids=str)
def test_it_is_what_kubernetes_and_keda_publish(components: tuple[str, ...]) -> None:
    for item in made(*components):
        validator = kubernetes(item["apiVersion"], item["kind"])
        assert complaints(validator, item) == [], item["metadata"]["name"]
        assert complaints(validator, {**item, "spek": {}}) != []


def test_a_field_of_no_pod_would_be_seen() -> None:
    item = workload("bridge")
    wrong = json.loads(json.dumps(item).replace("readOnlyRootFilesystem", "readOnlyRootFileSystem"))
    assert complaints(kubernetes(item["apiVersion"], item["kind"]), wrong) != []


def test_the_namespace_takes_restricted_pods_only() -> None:
    found = one("Namespace", "langserver")["metadata"]["labels"]
    assert {found[f"pod-security.kubernetes.io/{how}"] for how in ("enforce", "audit", "warn")} == {"restricted"}
    assert one("ServiceAccount", "langserver")["automountServiceAccountToken"] is False


@pytest.mark.parametrize("components", [(), COMPONENTS], ids=str)
@pytest.mark.parametrize("name", WORKLOADS)
def test_each_is_hard(name: str, components: tuple[str, ...]) -> None:
    assert hardened.in_kubernetes(workload(name, *components)) == []


@pytest.mark.parametrize("name", WORKLOADS)
@pytest.mark.parametrize("at", HARD, ids=str)
def test_one_field_less_would_be_seen(name: str, at: hardened.Path) -> None:
    assert hardened.in_kubernetes(hardened.without(workload(name), ("spec", "template", "spec", *at))) != []


def test_nothing_runs_but_these() -> None:
    running = {"Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod", "ReplicaSet"}
    assert {item["metadata"]["name"] for item in made(*COMPONENTS) if item["kind"] in running} == set(WORKLOADS)


def policies_for(name: str) -> list[dict[str, Any]]:
    """Those whose selector the labels of its pods fulfil: their rules add up."""
    carried = labels(name).items()
    every = [item["spec"] for item in made() if item["kind"] == "NetworkPolicy"]
    return [spec for spec in every if spec["podSelector"].get("matchLabels", {}).items() <= carried]


@pytest.mark.parametrize("name", WORKLOADS)
def test_what_is_not_said_may_not_be_sent(name: str) -> None:
    assert all(set(spec["policyTypes"]) == {"Ingress", "Egress"} for spec in policies_for(name))
    assert any(not spec.get("ingress") and not spec.get("egress") for spec in policies_for(name))


def test_a_language_server_is_reached_by_bridges_and_reaches_nothing() -> None:
    specs = policies_for("langserver")
    assert [rule for spec in specs for rule in spec.get("egress") or []] == []
    (rule,) = [rule for spec in specs for rule in spec.get("ingress") or []]
    (who,) = rule["from"]
    assert who.keys() == {"podSelector"}
    wanted = who["podSelector"]["matchLabels"].items()
    assert [name for name in WORKLOADS if wanted <= labels(name).items()] == ["bridge"]
    assert rule["ports"] == [{"port": container("langserver")["ports"][0]["containerPort"], "protocol": "TCP"}]


def test_a_bridge_is_reached_by_nobody_and_reaches_no_private_address() -> None:
    specs = policies_for("bridge")
    assert [rule for spec in specs for rule in spec.get("ingress") or []] == []
    blocks = [
        to["ipBlock"] for spec in specs for rule in spec.get("egress") or [] for to in rule["to"] if "ipBlock" in to
    ]
    (v4,) = [block for block in blocks if "." in block["cidr"]]
    assert {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8"} <= set(v4["except"])


@pytest.mark.parametrize(("components", "count"), [((), None), (("keda",), "maxReplicaCount")], ids=str)
def test_a_bridge_knows_each_language_server_that_there_can_be(components: tuple[str, ...], count: str | None) -> None:
    servers = workload("langserver", *components)
    if count is None:
        number = servers["spec"]["replicas"]
    else:
        assert "replicas" not in servers["spec"], "two would set it"
        number = one("ScaledObject", "langserver", *components)["spec"][count]
    service = one("Service", servers["spec"]["serviceName"], *components)
    assert service["spec"]["clusterIP"] == "None"
    (port,) = service["spec"]["ports"]
    suffix = f"{service['metadata']['name']}.{servers['metadata']['namespace']}.svc:{port['port']}"
    names = [f"{servers['metadata']['name']}-{ordinal}.{suffix}" for ordinal in range(number)]
    listed = [part.strip() for part in environment("bridge", *components)["LANG_WORKER_ADDRS"].split(",")]
    assert sorted(listed) == sorted(f"{runtime}:{name}" for name in names for runtime in ("python", "js"))
    (shown,) = re.findall(r"^certificate langserver (.+)", (DEPLOY / "secrets.sh").read_text(), re.MULTILINE)
    assert f"DNS:*.{suffix.partition(':')[0]}" in shown


def test_the_bridge_finds_the_coordinator() -> None:
    service = one("Service", "coordinator")
    address = f"coordinator.{service['metadata']['namespace']}.svc:{service['spec']['ports'][0]['port']}"
    assert environment("bridge")["COORDINATOR_ADDR"] == address
    (shown,) = re.findall(r"^certificate coordinator (.+)", (DEPLOY / "secrets.sh").read_text(), re.MULTILINE)
    assert f"DNS:{address.partition(':')[0]}" in shown


def test_its_memory_holds_what_its_settings_allow() -> None:
    settings = {name: value for name, value in environment("langserver").items() if not value.startswith("/keys/")}
    limits = container("langserver")["resources"]["limits"]
    limit = int(limits["memory"].removesuffix("Gi")) * 1024
    assert needed(settings_of(settings)).total <= 0.9 * limit
    assert needed(settings_of({**settings, "LANG_MEMORY_MB": "512"})).total > 0.9 * limit
    assert int(settings["LANG_MAX_CONCURRENCY"]) <= 2 * int(limits["cpu"])  # the server's own default


def test_the_grace_period_is_longer_than_the_drain() -> None:
    for name, variable in (("langserver", "LANG_DRAIN_SECONDS"), ("bridge", "WORKER_DRAIN_SECONDS")):
        grace = workload(name)["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
        assert grace > int(environment(name)[variable]) + 20 + 1


def test_liveness_is_more_patient_than_readiness_and_only_where_a_hang_can_be_told() -> None:
    probes = {name: container(name) for name in WORKLOADS}
    assert [name for name in WORKLOADS if "livenessProbe" in probes[name]] == ["langserver"]
    live, ready = (probes["langserver"][f"{kind}Probe"] for kind in ("liveness", "readiness"))
    patience, haste = (probe["periodSeconds"] * probe["failureThreshold"] for probe in (live, ready))
    assert patience >= 3 * haste
    for kind in ("startup", "liveness", "readiness"):
        probe = probes["langserver"][f"{kind}Probe"]
        assert probe["exec"]["command"][:2] == ["langserver", "health"]
        assert probe["timeoutSeconds"] < probe["periodSeconds"] or kind == "startup"


@pytest.mark.parametrize("name", WORKLOADS)
def test_no_node_is_drained_of_all_of_them(name: str) -> None:
    budget = one("PodDisruptionBudget", name)["spec"]
    assert budget["maxUnavailable"] == 1
    assert budget["selector"]["matchLabels"].items() <= labels(name).items()
    assert workload(name)["spec"]["replicas"] > 1


def test_what_keda_looks_at_is_what_the_bridge_reads() -> None:
    from worker_bridge.core.queues import GROUP, stream_name

    streams = {stream_name("tasks", queue, 0) for queue in ("python", "js")}
    for name, more in (("langserver", set()), ("bridge", {stream_name("tasks", "http", 0)})):
        triggers = [trigger["metadata"] for trigger in one("ScaledObject", name, "keda")["spec"]["triggers"]]
        assert {trigger["stream"] for trigger in triggers} == streams | more
        assert {trigger["consumerGroup"] for trigger in triggers} == {GROUP}
        assert {int(trigger["lagCount"]) for trigger in triggers} == {8}


def test_keda_shows_redis_the_secret_that_the_docs_make() -> None:
    references = one("TriggerAuthentication", "redis", "keda")["spec"]["secretTargetRef"]
    # https://keda.sh/docs/latest/scalers/redis-streams has these names
    assert {reference["parameter"] for reference in references} == {"username", "password", "tls", "ca"}
    assert {(reference["name"], reference["key"]) for reference in references} <= secret_keys()
    for name in ("langserver", "bridge"):
        triggers = one("ScaledObject", name, "keda")["spec"]["triggers"]
        assert {trigger["authenticationRef"]["name"] for trigger in triggers} == {"redis"}
        (host,) = {trigger["metadata"]["address"].partition(":")[0] for trigger in triggers}
        assert f"DNS:{host}" in names_of("redis")


def secret_keys() -> set[tuple[str, str]]:
    """Name and key of what docs/deploy.md puts into Secrets."""
    text = (DEPLOY.parent / "docs/deploy.md").read_text()
    made = re.findall(r"^ *kubectl -n langserver create secret generic (\S+)(.*)", text, re.MULTILINE)
    return {(name, key) for name, words in made for key in re.findall(r"--from-(?:file|literal)=([^= ]+)=", words)}


def names_of(certificate: str) -> str:
    """What deploy/secrets.sh has it signed for."""
    (shown,) = re.findall(rf"^certificate {certificate} (.+)", (DEPLOY / "secrets.sh").read_text(), re.MULTILINE)
    return shown


@pytest.mark.parametrize("name", ["bridge", "coordinator"])
def test_redis_is_reached_over_tls_with_a_user_of_one_s_own(name: str) -> None:
    told = environment(name)
    assert told["REDIS_USER"] == name
    assert f"DNS:{told['REDIS_ADDR'].partition(':')[0]}" in names_of("redis")
    files = {Path(told[variable]).name for variable in ("REDIS_PASSWORD_FILE", "REDIS_TLS_CA")}
    assert {(f"{name}-keys", file) for file in files} <= secret_keys()
    (volume,) = workload(name)["spec"]["template"]["spec"]["volumes"]
    assert "items" not in volume["secret"] or files <= {item["path"] for item in volume["secret"]["items"]}


def test_figures_are_shown_to_those_who_scrape_and_to_no_others() -> None:
    settings = {"langserver": "LANG", "bridge": "WORKER", "coordinator": "COORDINATOR"}
    for name, prefix in settings.items():
        (port,) = [one["containerPort"] for one in container(name, "metrics")["ports"] if one["name"] == "metrics"]
        assert environment(name, "metrics")[f"{prefix}_METRICS_ADDR"] == f"0.0.0.0:{port}"
        assert environment(name, "metrics")[f"{prefix}_METRICS_ALLOW_REMOTE"] == "1"
        notes = workload(name, "metrics")["spec"]["template"]["metadata"]["annotations"]
        assert notes == {"prometheus.io/scrape": "true", "prometheus.io/port": str(port)}
        assert f"{prefix}_METRICS_ADDR" not in environment(name)
    policy = one("NetworkPolicy", "metrics", "metrics")["spec"]
    assert all(policy["podSelector"]["matchLabels"].items() <= labels(name).items() for name in WORKLOADS)
    (rule,) = policy["ingress"]
    (who,) = rule["from"]
    assert who["podSelector"] == {"matchLabels": {"langserver/scrapes": "true"}}
    assert rule["ports"] == [{"port": "metrics", "protocol": "TCP"}]
    assert "egress" not in policy


def test_gvisor_is_for_language_servers() -> None:
    found = {name: workload(name, "gvisor")["spec"]["template"]["spec"].get("runtimeClassName") for name in WORKLOADS}
    assert found == {"langserver": "gvisor", "bridge": None, "coordinator": None}


@pytest.mark.parametrize("name", WORKLOADS)
def test_each_variable_is_a_setting(name: str) -> None:
    known = set(re.findall(r"`([A-Z][A-Z_]+)`", (Path(__file__).parents[2] / "README.md").read_text()))
    assert environment(name, *COMPONENTS).keys() <= known

"""What each container of ours must have, in the words of compose and of Kubernetes; and how a field is taken away."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

UID = 65532
Path = tuple[str | int, ...]


def in_compose(service: Mapping[str, Any]) -> list[str]:
    """What is wrong with a service; nothing where it is as hard as it must be."""
    opted = service.get("security_opt", [])
    wanted = {
        "user": service.get("user") == f"{UID}:{UID}",
        "read_only": service.get("read_only") is True,
        "cap_drop": service.get("cap_drop") == ["ALL"] and not service.get("cap_add"),
        "no-new-privileges": "no-new-privileges:true" in opted,
        "seccomp": "seccomp:./seccomp.json" in opted,
        "pids_limit": 0 < service.get("pids_limit", 0) <= 512,
        "mem_limit": "mem_limit" in service,
        "no swap": service.get("memswap_limit") == service.get("mem_limit"),
        "ipc": service.get("ipc") == "none",
        "healthcheck": bool(service.get("healthcheck", {}).get("test")),
        "stop_grace_period": "stop_grace_period" in service,
        "secrets": bool(service.get("secrets")),
        "no secret in a variable": not any("TOKEN" in key and "FILE" not in key for key in service["environment"]),
        "nothing of the host": not {"privileged", "volumes", "devices", "pid", "network_mode"} & service.keys(),
    }
    return [name for name, holds in wanted.items() if not holds]


def in_kubernetes(workload: Mapping[str, Any]) -> list[str]:
    """The same of a Deployment or StatefulSet: the restricted Pod Security Standard, and more."""
    pod = workload["spec"]["template"]["spec"]
    everywhere = pod.get("securityContext", {})
    wanted = {
        "runAsNonRoot": everywhere.get("runAsNonRoot") is True,
        "runAsUser": everywhere.get("runAsUser") == UID,
        "runAsGroup": everywhere.get("runAsGroup") == UID,
        "fsGroup": everywhere.get("fsGroup") == UID,
        "seccompProfile": everywhere.get("seccompProfile", {}).get("type") in ("RuntimeDefault", "Localhost"),
        "automountServiceAccountToken": pod.get("automountServiceAccountToken") is False,
        "enableServiceLinks": pod.get("enableServiceLinks") is False,
        "serviceAccountName": bool(pod.get("serviceAccountName")),
        "terminationGracePeriodSeconds": pod.get("terminationGracePeriodSeconds", 30) >= 30
        and "terminationGracePeriodSeconds" in pod,
        "topologySpreadConstraints": {one["topologyKey"] for one in pod.get("topologySpreadConstraints", [])}
        == {"topology.kubernetes.io/zone", "kubernetes.io/hostname"},
        "nothing of the host": not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & pod.keys()
        and all(set(volume) == {"name", "secret"} for volume in pod.get("volumes", [])),
        "secrets": all(volume["secret"].get("defaultMode") == 0o440 for volume in pod.get("volumes", [])),
    }
    found = [name for name, holds in wanted.items() if not holds]
    for container in pod["containers"]:
        found += [f"{container['name']}: {name}" for name, holds in _container(container).items() if not holds]
    return found


def _container(container: Mapping[str, Any]) -> dict[str, bool]:
    own = container.get("securityContext", {})
    limits, requests = (container.get("resources", {}).get(kind, {}) for kind in ("limits", "requests"))
    return {
        "allowPrivilegeEscalation": own.get("allowPrivilegeEscalation") is False,
        "privileged": own.get("privileged") is False,
        "readOnlyRootFilesystem": own.get("readOnlyRootFilesystem") is True,
        "capabilities": own.get("capabilities") == {"drop": ["ALL"]},
        "limits": limits.keys() >= {"cpu", "memory", "ephemeral-storage"},
        "requests": requests.keys() >= {"cpu", "memory", "ephemeral-storage"},
        "memory is its own": limits.get("memory") == requests.get("memory"),
        "readinessProbe": "exec" in container.get("readinessProbe", {}),
        "mounts": all(mount.get("readOnly") is True for mount in container.get("volumeMounts", [])),
    }


def leaves(value: object, at: Path = ()) -> Iterator[Path]:
    """Where each value of a document is that has nothing inside."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*at, key))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from leaves(inner, (*at, index))
    else:
        yield at


def without(document: Mapping[str, Any], at: Path) -> dict[str, Any]:
    """A copy that lacks what is there."""
    changed = copy.deepcopy(dict(document))
    holder: Any = changed
    for step in at[:-1]:
        holder = holder[step]
    del holder[at[-1]]
    return changed

"""deploy/seccomp.json allows nothing that Docker's default does not, and much less.

The reference is a default of 2023. What later ones took away is listed here: io_uring in 25.0 (moby#46762), and most of
the families of sockets.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.deploy.published import DEPLOY, read

PROFILE = json.loads((DEPLOY / "seccomp.json").read_text())
DEFAULT = read("docker-20.10.24-seccomp.json")
ALLOW = "SCMP_ACT_ALLOW"
TAKEN_AWAY = {"io_uring_enter", "io_uring_register", "io_uring_setup"}
FAMILIES = {1: "AF_UNIX", 2: "AF_INET", 10: "AF_INET6", 16: "AF_NETLINK"}
# What an attacker of a kernel asks for first, and no process of ours.
NOT_OURS = {
    "add_key", "bpf", "fanotify_init", "io_uring_setup", "keyctl", "memfd_create", "mknod", "modify_ldt", "mount",
    "msgget", "perf_event_open", "personality", "process_vm_readv", "process_vm_writev", "ptrace", "request_key",
    "semget", "setns", "setxattr", "shmget", "splice", "symlink", "umount2", "unshare", "userfaultfd", "vmsplice",
}  # fmt: skip


def allowed(profile: dict[str, Any]) -> dict[str, list[list[dict[str, Any]] | None]]:
    """Each call that a container without capabilities has, with its conditions; None: always."""
    found: dict[str, list[list[dict[str, Any]] | None]] = {}
    for rule in profile["syscalls"]:
        needs = rule.get("includes") or {}
        without = {"CAP_SYS_ADMIN"} & set((rule.get("excludes") or {}).get("caps", ()))
        if rule["action"] == ALLOW and not needs.get("caps") and (without or not rule.get("excludes")):
            for name in rule["names"]:
                found.setdefault(name, []).append(rule.get("args") or None)
    return found


def beyond(profile: dict[str, Any]) -> set[str]:
    """What a profile allows and the default does not. A condition on what the default always allows is tighter."""
    default = allowed(DEFAULT)
    return {
        name
        for name, rules in allowed(profile).items()
        if name in TAKEN_AWAY
        or not all(None in default.get(name, []) or rule in default.get(name, []) for rule in rules)
    }


def test_what_is_not_named_is_refused() -> None:
    assert PROFILE["defaultAction"] == DEFAULT["defaultAction"] == "SCMP_ACT_ERRNO"
    assert {rule["action"] for rule in PROFILE["syscalls"]} == {ALLOW, "SCMP_ACT_ERRNO"}


def test_nothing_is_allowed_that_dockers_default_refuses() -> None:
    assert beyond(PROFILE) == set()


@pytest.mark.parametrize(
    "rule",
    [
        {"names": ["mount"]},
        {"names": ["clone"]},
        {"names": ["clone"], "args": [{"index": 0, "value": 0, "op": "SCMP_CMP_MASKED_EQ"}]},
        {"names": ["clone3"]},
        {"names": ["unshare", "read"]},
        {"names": ["io_uring_setup"]},
        {"names": ["keyctl"]},
        {"names": ["personality"]},
    ],
)
def test_that_would_be_seen(rule: dict[str, Any]) -> None:
    assert beyond({**PROFILE, "syscalls": [*PROFILE["syscalls"], {**rule, "action": ALLOW}]}) != set()


def test_it_is_half_of_it() -> None:
    ours, default = allowed(PROFILE), allowed(DEFAULT)
    assert len(ours) < 0.55 * len(default)
    assert NOT_OURS & ours.keys() == set()


def test_sockets_are_of_few_families() -> None:
    rules = allowed(PROFILE)["socket"]
    assert all(rule is not None and len(rule) == 1 and rule[0]["op"] == "SCMP_CMP_EQ" for rule in rules)
    assert {rule[0]["value"] for rule in rules if rule} == FAMILIES.keys()


def test_calls_of_other_architectures_are_none() -> None:
    """Docker allows 32-bit calls too: other tables of calls, and other bugs."""
    assert PROFILE["archMap"] == [
        {"architecture": f"SCMP_ARCH_{name}", "subArchitectures": []} for name in ("X86_64", "AARCH64")
    ]


def test_no_call_is_named_twice() -> None:
    names = [name for rule in PROFILE["syscalls"] if not rule.get("args") for name in rule["names"]]
    assert len(names) == len(set(names))

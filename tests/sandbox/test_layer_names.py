from __future__ import annotations

import pytest

from langserver.sandbox import libc
from langserver.sandbox.errors import LayerUnavailable
from langserver.sandbox.jail import Jail
from langserver.sandbox.layers import LAYERS, format_layers, parse_layers
from langserver.sandbox.probe import probe
from langserver.sandbox.proc import Proc


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("none", set()),
        ("seccomp", {"seccomp"}),
        (" policy , audit,policy", {"policy", "audit"}),
        (",".join(LAYERS), set(LAYERS)),
    ],
)
def test_a_list_is_read(text: str, expected: set[str]) -> None:
    assert parse_layers(text) == expected
    assert parse_layers(format_layers(parse_layers(text))) == expected


@pytest.mark.parametrize("text", ["", "selinux", "none,audit", "audit,", "AUDIT"])
def test_what_is_no_layer_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="unknown layer"):
        parse_layers(text)


def test_probe_tells_of_every_layer() -> None:
    found = {status.name: status for status in probe()}
    assert tuple(found) == LAYERS
    assert all(status.detail for status in found.values())
    assert found["policy"].available
    assert found["audit"].available
    assert found["rlimits"].available


def test_landlock_missing_in_the_kernel_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    real = libc.syscall

    def without(number: int, *arguments: int) -> int:
        if number == 444:
            raise OSError(38, "Function not implemented")
        return real(number, *arguments)

    monkeypatch.setattr(libc, "syscall", without)
    with pytest.raises(LayerUnavailable, match="landlock is not available: the kernel is built without it") as caught:
        Jail("python", frozenset({"landlock"}), Proc())
    assert caught.value.layer == "landlock"
    assert {status.name: status.available for status in probe()}["landlock"] is False


def test_probe_changes_nothing() -> None:
    def state() -> str:
        with open("/proc/self/status") as status:
            return "".join(
                line for line in status if line.startswith(("Uid", "Gid", "Cap", "NoNewPrivs", "Seccomp", "Threads"))
            )

    before = state()
    probe()
    assert state() == before

"""The rows under tests/security/attacks: complete, and with claims that hang together."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest

from langserver.sandbox.layers import LAYERS
from tests.security.suite.attack import FAMILIES, FOLDER, BadRow, Host, Stop, load
from tests.security.suite.layer_sets import (
    ALL,
    ALONE,
    FULL,
    KERNEL,
    NEWEST_ABI,
    REQUIRED_KERNEL,
    SERVER,
    SETS,
    Expected,
    Machine,
)

ATTACKS = load()
# An ordinary user on an old kernel, in a container: what every server has at least.
LEAST = Machine(root=False, landlock_abi=0, namespaces=False, python=(3, 11))


def test_every_file_is_read_and_every_id_is_its_own() -> None:
    files = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.toml")}
    assert files == {f"{one.runtime}/{one.family.lower().replace(' ', '-')}.toml" for one in ATTACKS}
    assert [name for name, count in Counter(one.id for one in ATTACKS).items() if count > 1] == []


def test_no_family_is_empty() -> None:
    assert {attack.family for attack in ATTACKS} == set(FAMILIES)


def test_rows_are_whole() -> None:
    known = {*LAYERS, SERVER}
    for attack in ATTACKS:
        stops = attack.stopped_by
        assert attack.title, attack.id
        assert stops, attack.id
        assert all(stop.layers <= known and 0 <= stop.abi <= NEWEST_ABI for stop in stops), attack.id
        assert attack.aims_at in ("", *LAYERS), attack.id
        assert set(attack.harmless or ()) <= set(attack.input), attack.id
        unused = [key for key in attack.input if not re.search(rf"inputs(\.{key}|\[[\"']{key}[\"']\])", attack.code)]
        assert not unused, attack.id


@pytest.mark.parametrize("python", [(3, 11), (3, 12), (3, 13)])
def test_all_are_stopped_by_the_layers_that_every_server_has(python: tuple[int, int]) -> None:
    """No attack is left to landlock or namespaces, which a host may lack; nor native code to the language."""
    least = replace(LEAST, python=python)
    for attack in ATTACKS:
        if not attack.decision:
            assert ALL.claims(attack, least), attack.id
        if not attack.decision and attack.runtime == "native":
            assert KERNEL.claims(attack, least), attack.id
            assert REQUIRED_KERNEL.claims(attack, least), attack.id


def test_a_claim_may_hold_on_some_pythons_only() -> None:
    found = {attack.id: attack for attack in ATTACKS}
    held = {
        name: [ALONE["audit"].claims(found[name], replace(LEAST, python=(3, minor))) for minor in (11, 12, 13, 14)]
        for name in ("n-threads", "n-audit-subinterpreter")
    }
    assert held == {"n-threads": [False, True, True, True], "n-audit-subinterpreter": [True, True, False, False]}


@pytest.mark.parametrize("text", ["audit since 3.12", "audit from", "landlock 6 7"])
def test_a_claim_that_says_not_when_it_holds(text: str) -> None:
    with pytest.raises((BadRow, ValueError)):
        Stop.read(text)


def test_each_is_shown_to_be_real_or_says_why_not() -> None:
    for attack in ATTACKS:
        through = [one for one in SETS if one.takes(attack) and one.expects(attack, FULL) is Expected.THROUGH]
        elsewhere = attack.real.host is not Host.NONE
        assert through or elsewhere or attack.decision or attack.dangerous, attack.id
        assert attack.real.host is not Host.NOWHERE or attack.real.why, attack.id


def test_what_is_harmless_is_given_to_somebody() -> None:
    for attack in ATTACKS:
        if attack.harmless is not None:
            unclaimed = [one for one in SETS if one.takes(attack) and not one.claims(attack, FULL)]
            assert unclaimed or attack.real.host in (Host.NAIVE, Host.NODE), attack.id

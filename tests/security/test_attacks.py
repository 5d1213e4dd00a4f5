"""Every attack under every set of layers that it is tried under: stopped where a row says so, and through elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.security.suite import layer_sets
from tests.security.suite.attack import Attack, Host, load
from tests.security.suite.batteries import Batteries
from tests.security.suite.hosts import runner
from tests.security.suite.layer_sets import ALL, ALL_WITH_JIT, BOUNDED, NONE, OLDER_LANDLOCK, SETS, Expected, LayerSet
from tests.security.suite.machine import HERE, missing
from tests.security.suite.world import World, world

ATTACKS = load()
TRIED = [
    (layer_set, attack)
    for layer_set in SETS
    for attack in ATTACKS
    if layer_set.takes(attack) and layer_set.expects(attack, HERE) is not Expected.UNTRIED
]
# Between the oldest landlock and the newest, and of the compiler's attacks that the interpreter has stood up to.
LATER = {ALL_WITH_JIT, *OLDER_LANDLOCK[1:]}
SHOWN_ELSEWHERE = [attack for attack in ATTACKS if attack.real.host not in (Host.NONE, Host.NOWHERE)]


def name_of(pair: tuple[LayerSet, Attack]) -> str:
    return f"{pair[0].name.replace(', ', '+').replace(' ', '-')}-{pair[1].id}"


def marked(pair: tuple[LayerSet, Attack]) -> object:
    return pytest.param(pair, id=name_of(pair), marks=[pytest.mark.slow] if pair[0] in LATER else [])


def answering_set(attack: Attack) -> LayerSet:
    """Where an attack on a limit, or on the protocol, comes that far."""
    if attack.runtime == "javascript":
        return ALL
    return BOUNDED if BOUNDED.takes(attack) else NONE


@pytest.fixture(scope="session")
def batteries(request: pytest.FixtureRequest) -> Batteries:
    """Of what was selected only."""
    ours = (item for item in request.session.items if item.path == Path(__file__))
    chosen = [item.callspec.params for item in ours if hasattr(item, "callspec")]
    pairs = [params["pair"] for params in chosen if "pair" in params]
    answering = [(answering_set(params["attack"]), params["attack"]) for params in chosen if "attack" in params]
    return Batteries([pair for pair in (*pairs, *answering) if pair[0].takes(pair[1])])


@pytest.fixture(scope="session")
def around() -> Iterator[World]:
    with world() as found:
        yield found


@pytest.mark.timeout(1000)  # the first of a set waits for all of it
@pytest.mark.parametrize("pair", [marked(pair) for pair in TRIED])
def test_attack(
    pair: tuple[LayerSet, Attack], batteries: Batteries, record_property: Callable[[str, object], None]
) -> None:
    layer_set, attack = pair
    if lacking := missing(layer_set):
        pytest.skip(lacking)
    finding = batteries.finding(layer_set, attack)
    if attack.decision:
        assert not finding.shaken, finding.won
        return
    contained = layer_set.expects(attack, HERE) is Expected.CONTAINED
    if not contained and not finding.won and batteries.host_stops(layer_set, attack):
        pytest.skip(f"this machine stops it without any layer; it needs {attack.host}")
    record_property("tried", (layer_set.name, attack.id, not finding.won))
    if contained:
        assert not finding.won, f"{attack.title}: {finding.won}"
    else:
        assert finding.won, f"nothing claims to stop {attack.title!r}, yet: {finding.ending}"


@pytest.mark.timeout(1000)
@pytest.mark.parametrize("attack", SHOWN_ELSEWHERE, ids=lambda attack: f"{attack.real.host}-{attack.id}")
def test_is_real(attack: Attack, batteries: Batteries, around: World) -> None:
    """Those that win nothing from plain CPython: against what they aim at."""
    if attack.real.host is Host.ANSWER:
        finding = batteries.finding(answering_set(attack), attack)
        assert finding.answered, f"it did not come as far as the wall: {finding.ending}"
        return
    if lacking := runner.missing(attack.real.host):
        pytest.skip(lacking)
    shown = runner.show(attack, around.fill(attack.input_for(stopped=False)))
    if not shown and attack.host:
        pytest.skip(f"this machine stops it without any layer; it needs {attack.host}")
    assert shown, f"nothing of {attack.title!r} was seen in what the host said"


def test_the_sets_have_names_of_their_own() -> None:
    assert len({layer_set.name for layer_set in layer_sets.SETS}) == len(layer_sets.SETS)

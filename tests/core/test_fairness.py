"""Callers share slots and queue: what a flood, long tasks and many names can do to others, and what they cannot."""

from __future__ import annotations

import heapq
from collections import Counter
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langserver.core.admission import Admission, Answer
from langserver.core.fairness import HORIZON_SECONDS, LEAST_SECONDS, REMEMBERED, TENANTS, Shares, Whose

ANN, BOB, CYD = Whose("ann"), Whose("bob"), Whose("cyd")


class World:
    """An admission and its clock. A task of a caller takes as long as `seconds` says of him."""

    def __init__(self, slots, queue, seconds):
        self.admission = Admission(slots, queue)
        self.seconds = seconds
        self.now = 0.0
        self.begun = []  # whose, in order
        self.held = Counter()  # slot-seconds by whose, of running tasks too
        self._running = []  # heap of end, ticket
        self._numbers = count()

    def come(self, whose):
        ticket = (next(self._numbers), whose)
        offered = self.admission.offer(ticket, whose, None, self.now)
        self._begin_all(offered.freed)
        if offered.answer is Answer.RUN:
            self._begin(ticket)
        return offered

    def wait(self, seconds):
        """Nothing happens meanwhile but that time goes by."""
        self.now += seconds
        self._begin_all(self.admission.look(self.now))

    def go_on(self):
        """Until the next task ends; whose it was."""
        end, (_, whose) = self._running[0]
        for _, (_, runs) in self._running:
            self.held[runs] += end - self.now
        _, ticket = heapq.heappop(self._running)
        self.now = end
        self._begin_all(self.admission.release(ticket, self.now))
        return whose

    def waiting(self, whose):
        """How many of his wait."""
        shares = self.admission._shares
        principal = shares._active.get(whose.principal)
        tenant = principal and principal.tenants.get(whose.tenant)
        return tenant.waiting if tenant else 0

    def _begin_all(self, freed):
        for called in freed.run:
            self._begin(called)

    def _begin(self, ticket):
        self.begun.append(ticket[1])
        heapq.heappush(self._running, (self.now + self.seconds(ticket[1]), ticket))


def flooded(world, callers, times):
    """Each of `callers` has tickets waiting all the time, until `times` tasks have ended."""
    for whose in callers * (world.admission.slots + world.admission.queue):
        world.come(whose)
    for _ in range(times):
        world.come(world.go_on())


def test_one_caller_alone_has_everything():
    world = World(3, 5, lambda _: 1.0)
    assert [world.come(ANN).answer for _ in range(9)] == [Answer.RUN] * 3 + [Answer.WAIT] * 5 + [Answer.FULL]


def test_a_light_caller_is_next_whatever_waits():
    world = World(2, 20, lambda _: 1.0)
    for _ in range(22):
        world.come(ANN)
    for _ in range(5):
        world.go_on()
        assert world.come(BOB).answer is Answer.WAIT
        world.go_on()
        assert world.begun[-1] == BOB


def test_a_flood_gives_up_its_newest_places():
    world = World(1, 4, lambda _: 1.0)
    for _ in range(6):
        world.come(ANN)
    assert [world.come(BOB).evicted for _ in range(3)] == [(4, ANN), (3, ANN), None]
    assert world.come(ANN).answer is Answer.FULL
    assert [world.come(CYD).evicted for _ in range(2)] == [(2, ANN), None]


def test_a_flood_of_names_takes_places_from_its_own_tenants_only():
    world = World(1, 4, lambda _: 1.0)
    for whose in (ANN, BOB, BOB, ANN, ANN):
        world.come(whose)
    assert world.come(Whose("ann", "a")).evicted == (4, ANN)  # as many as bob's, of one tenant
    assert world.come(Whose("ann", "b")).answer is Answer.FULL
    assert world.come(Whose("bob", "a")).evicted == (2, BOB)


def test_many_names_gain_nothing_against_another_principal():
    """Of three principals, one with a name for each task: the slots go round by principal."""
    world = World(1, 300, lambda _: 1.0)
    for number in range(100):
        world.come(Whose("ann", f"t{number}"))
        world.come(BOB)
        world.come(CYD)
    for _ in range(150):
        world.go_on()
    begun = Counter(whose.principal for whose in world.begun[1:])
    assert max(begun.values()) - min(begun.values()) <= 1


def test_long_tasks_do_not_starve_short_ones():
    """One slot: it is the time that is shared, not the number of tasks."""
    world = World(1, 10, {ANN: 10.0, BOB: 0.1}.__getitem__)
    flooded(world, [ANN, BOB], 600)
    begun = Counter(world.begun)
    assert begun[BOB] > 90 * begun[ANN]
    assert abs(world.held[ANN] - world.held[BOB]) <= 10.0


def test_who_leaves_between_his_tasks_owes_what_he_had():
    """One long task at a time, and nothing waiting when it ends: no way to be a newcomer each time."""
    world = World(1, 10, {ANN: 10.0, BOB: 0.1}.__getitem__)
    world.come(ANN)
    for _ in range(3):
        world.come(BOB)
    for _ in range(400):
        ended = world.go_on()
        world.come(ended)
    assert abs(world.held[ANN] - world.held[BOB]) <= 10.0


def test_nobody_saves_up():
    """Who did nothing for long has no claim on what he did not use."""
    world = World(1, 10, lambda _: 1.0)
    flooded(world, [ANN], 100)
    world.come(BOB)
    world.come(BOB)
    world.come(BOB)
    for _ in range(5):
        world.go_on()
    assert world.begun[-5:] == [BOB, ANN, BOB, ANN, BOB]


def came_a_moment_ago(world, whose, flood):
    """A world that `flood` has filled, in which `whose` had one task that is over."""
    world.come(whose)
    while world.admission.waiting < world.admission.queue:
        world.come(flood)
    while whose in (ticket[1] for _, ticket in world._running):
        world.go_on()
    while world.admission.waiting < world.admission.queue:
        world.come(flood)


@pytest.mark.parametrize(("light", "flood"), [(ANN, BOB), (Whose("one", "ann"), Whose("one", "bob"))])
def test_who_came_lately_waits_for_no_task_of_a_flood(light, flood):
    """However long its tasks are: one slot is left for him, and the flood has it when he stays away for a minute."""
    world = World(4, 8, lambda whose: 1000.0 if whose == flood else 0.01)
    came_a_moment_ago(world, light, flood)
    for _ in range(20):
        assert (world.admission.running, world.admission.waiting) == (3, 8)
        assert world.come(light).answer is Answer.RUN
        assert world.come(light).answer is Answer.WAIT  # he floods no more than others do
        while world.waiting(light) or world.admission.running == 4:
            assert world.go_on() == light
        world.come(flood)  # one had to give its place in the queue to his second
    world.wait(HORIZON_SECONDS - 1)
    assert world.admission.running == 3
    world.wait(2)
    assert (world.admission.running, world.admission.waiting) == (4, 7)


def test_who_comes_when_a_slot_is_not_kept_any_more_overtakes_nobody():
    """Neither his own tasks, nor those of somebody who has fewer, by a name that nobody has used."""
    one, other = Whose("bob"), Whose("bob", "new")
    for late in (BOB, other):
        world = World(3, 8, {one: 1000.0, other: 1000.0, ANN: 0.01, CYD: 1000.0}.__getitem__)
        world.come(ANN)
        for whose in (CYD, one, one, CYD):
            world.come(whose)
        while ANN in (ticket[1] for _, ticket in world._running):
            world.go_on()
        assert (world.admission.running, world.admission.waiting) == (2, 2)
        world.now += HORIZON_SECONDS + 1  # and nobody has looked since
        world.begun.clear()
        assert world.come(late).answer is Answer.WAIT
        assert world.begun in ([one], [CYD])


def test_somebody_whose_call_was_given_up_ends_nobodys_minute():
    world = World(4, 8, lambda whose: 1000.0 if whose == BOB else 0.01)
    came_a_moment_ago(world, ANN, BOB)
    admission = world.admission
    assert admission.offer("given up", CYD, None, world.now).answer is Answer.RUN
    assert admission.offer("waits", Whose("dan"), None, world.now).answer is Answer.WAIT
    admission.withdraw("waits")
    assert admission.release("given up", world.now).run == ()
    assert admission.keeps_a_slot


@pytest.mark.parametrize(("slots", "queue"), [(1, 8), (4, 0)])
def test_of_one_slot_none_is_kept_and_without_a_queue_neither(slots, queue):
    world = World(slots, queue, lambda whose: 1000.0 if whose == BOB else 0.01)
    for _ in range(slots):
        world.come(BOB)
    world.go_on()
    world.come(ANN)
    while world.admission.running == slots:
        world.go_on()
    for _ in range(slots + queue):
        world.come(BOB)
    assert (world.admission.running, world.admission.waiting) == (slots, queue)


def test_no_slot_is_kept_for_who_was_never_there_or_has_work():
    alone, both = World(4, 8, lambda _: 1.0), World(4, 8, lambda _: 1.0)
    flooded(alone, [BOB], 20)
    flooded(both, [ANN, BOB], 20)
    assert alone.admission.running == both.admission.running == 4


@pytest.mark.parametrize(("light", "flood"), [(ANN, BOB), (Whose("one", "ann"), Whose("one", "bob"))])
def test_a_flood_makes_way_on_the_cores(light, flood):
    """But for one task of his, and not where there is nobody to make way for."""
    admission = Admission(8, 0)

    def makes_way(ticket, whose, now):
        assert admission.offer(ticket, whose, None, now).answer is Answer.RUN
        return admission.makes_way(ticket)

    assert [makes_way(ticket, flood, 0.0) for ticket in range(3)] == [False] * 3
    assert not makes_way("first", light, 0.0)
    assert makes_way(3, flood, 0.0)
    admission.release("first", 1.0)
    assert makes_way(4, flood, 1.0)
    assert not makes_way(5, flood, 1.0 + HORIZON_SECONDS + 1)
    for ticket in range(6):
        admission.release(ticket, 100.0)
    assert not makes_way(6, flood, 100.0)


def test_a_tenant_owes_nothing_for_what_he_had_alone():
    one, two = Whose("ann", "one"), Whose("ann", "two")
    world = World(2, 10, {BOB: 1e6, one: 1.0, two: 1.0}.__getitem__)
    world.come(BOB)  # somebody is there all the time, and so ann is remembered
    for _ in range(50):
        world.come(one)
        world.go_on()
    for whose in (two, two, one, two, one):
        world.come(whose)
    for _ in range(4):
        world.go_on()
    assert world.begun[-5:] == [two, one, two, one, two]


def test_what_somebody_had_before_another_came_is_not_held_against_him():
    """Nor is a task that is running then, but for what it takes from there on."""
    world = World(1, 10, {ANN: 100.0, BOB: 1.0, CYD: 60.0}.__getitem__)
    world.come(CYD)
    world.come(ANN)
    world.go_on()
    world.now += 50.0
    world.come(ANN)
    for _ in range(3):
        world.come(BOB)
    world.now -= 50.0
    while world.begun.count(ANN) < 2:
        world.come(world.go_on())
    assert 49 <= world.begun.count(BOB) <= 52


@pytest.mark.parametrize("divided", ["principals", "tenants"])
def test_what_nobody_else_wanted_keeps_nobody_waiting_for_long(divided):
    """One with a long task, another who took what was left for an hour, then three more who want all they get."""
    names = ["small", "large", "d", "e", "f"]
    small, large, *late = map(Whose, names) if divided == "principals" else (Whose("ann", name) for name in names)
    world = World(4, 40, lambda whose: 1e6 if whose == small else 1.0)
    world.come(small)
    while world.now < 3600:
        while world.waiting(large) < 3:
            world.come(large)
        world.go_on()
    for whose in [*late, large] * 5:
        world.come(whose)
    came, had = world.now, world.begun.count(large)
    while world.begun.count(large) < had + 20:
        world.come(world.go_on())
        assert world.now < came + 2 * HORIZON_SECONDS
    assert min(world.begun.count(whose) for whose in late) > 20


@given(
    st.integers(1, 4),
    st.lists(st.floats(0.01, 50), min_size=2, max_size=6),
    st.integers(50, 150),
)
def test_those_who_flood_share_evenly(slots, seconds, times):
    """However long the tasks of each: what two have had differs by a task or two of theirs for each slot."""
    callers = [Whose(str(number)) for number in range(len(seconds))]
    world = World(slots, 8 * len(callers), lambda whose: seconds[int(whose.principal)])
    flooded(world, callers, times)
    assert world.admission.running == slots
    bound = 2 * max(seconds) * slots
    assert max(world.held.values()) - min(world.held[whose] for whose in callers) <= bound


@given(
    st.integers(1, 3),
    st.integers(0, 6),
    st.lists(st.tuples(st.booleans(), st.integers(0, 4), st.integers(0, 2)), max_size=120),
)
def test_whatever_others_do_a_caller_keeps_his_share_of_the_queue_and_is_served(slots, queue, steps):
    """Ann waits with one ticket while others do what they like: it is not evicted, and comes before long."""
    world = World(slots, queue + 1, lambda whose: 1.0 + int(whose.principal))
    for _ in range(slots):
        world.come(Whose("0"))
    anns = Whose("9", "ann")
    assert world.come(anns).answer is Answer.WAIT
    begun = len(world.begun)
    for comes, principal, tenant in steps:
        if comes:
            evicted = world.come(Whose(str(principal), str(tenant))).evicted
            assert evicted is None or evicted[1] != anns
        elif world.admission.running:
            world.go_on()
    while anns not in world.begun:
        world.go_on()
    assert world.begun.index(anns) - begun < 5, "each of the others went before her once at most"


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 90)), max_size=300))
def test_what_is_remembered_is_bounded(tickets):
    admission = Admission(2, 100)
    for number, (principal, tenant) in enumerate(tickets):
        admission.offer(number, Whose(str(principal), str(tenant)), None, 0.0)
    shares: Shares = admission._shares
    assert shares.known <= shares.competing + REMEMBERED
    assert shares.competing <= 102
    for principal in (*shares._active.values(), *shares._idle.values()):
        assert len(principal.tenants) <= TENANTS + 1


def test_what_everybody_had_is_forgotten_when_all_have_left():
    shares = Shares()
    keeps = shares.enter(ANN, 0.0)
    shares.begin(keeps, 0.0)
    for number in range(REMEMBERED + 50):
        tenant = shares.enter(Whose(str(number)), 1.0)
        shares.begin(tenant, 1.0)
        shares.end(tenant, 1.0, 2.0)
    assert shares.known == REMEMBERED + 1
    shares.end(keeps, 0.0, 3.0)
    assert shares.known == REMEMBERED
    assert {one.used(3.0) for one in shares._idle.values()} == {0.0}


def test_more_tenants_than_are_remembered_share_one_place():
    shares = Shares()
    tenants = [shares.enter(Whose("ann", str(number)), 0.0) for number in range(TENANTS)]
    for tenant in tenants:
        shares.begin(tenant, 0.0)
    further = [shares.enter(Whose("ann", f"x{number}"), 0.0) for number in range(3)]
    assert further[0] is further[1] is further[2]
    assert further[0] not in tenants
    shares.begin(further[0], 0.0)
    shares.end(tenants[5], 0.0, 1.0)
    assert shares.enter(Whose("ann", "x0"), 0.0) not in (*tenants, further[0])  # a name has become free


def test_tasks_that_take_no_time_are_not_free():
    world = World(1, 10, {ANN: 0.0, BOB: 0.0, CYD: LEAST_SECONDS}.__getitem__)
    flooded(world, [ANN, BOB, CYD], 300)
    assert min(world.begun.count(whose) for whose in (ANN, BOB, CYD)) > 98

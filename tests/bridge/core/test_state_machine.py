"""The decisions of several bridges against a model of coordinator and stream: any order, lost calls, lost answers.

There is no Redis and no clock: time is a number that rules move on.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.bridge.tasks import a_task
from worker_bridge.core.delivery import (
    Acquire,
    Denial,
    Denied,
    End,
    Execute,
    Executed,
    Fate,
    Granted,
    LeaseLost,
    Life,
    Report,
    Reported,
    Stopping,
)
from worker_bridge.core.digest import task_digest
from worker_bridge.core.envelope import Poison, Task
from worker_bridge.core.intake import Intake
from worker_bridge.core.lease import Lease
from worker_bridge.core.outcome import Outcome
from worker_bridge.core.timings import Timings

TIMINGS = Timings.of(30, 90, 30)
MOST_DELIVERIES = 3
SLOTS = 2
CALLS = st.sampled_from(["answered", "answer lost", "call lost"])


@dataclass
class Row:
    """A task of the coordinator."""

    task: Task
    state: str = "QUEUED"
    fence: int = 0
    owner: int = -1
    expires: float = 0.0
    accepted: list[int] = field(default_factory=list)  # attempts


@dataclass
class Pending:
    bridge: int
    touched: float
    deliveries: int


@dataclass
class Held:
    """An entry in a bridge's hand."""

    life: Life
    lease: Lease | None = None


class Model(RuleBasedStateMachine):
    @initialize(tasks=st.integers(1, 3))
    def begin(self, tasks: int) -> None:
        self.now = 0.0
        self.rows = {task.task_id: Row(task) for task in (a_task() for _ in range(tasks))}
        self.entries: dict[int, Task | Poison] = {}
        self.unread: list[int] = []
        self.pending: dict[int, Pending] = {}
        self.parked: list[int] = []
        self.hands: list[dict[int, Held]] = [{}, {}]
        self.intakes = [Intake(SLOTS), Intake(SLOTS)]
        self.numbers = 0
        # What may take an entry away for good.
        self.excused: set[int] = set()
        for row in self.rows.values():
            self.dispatch(row.task)

    def dispatch(self, what: Task | Poison) -> None:
        self.numbers += 1
        self.entries[self.numbers] = what
        self.unread.append(self.numbers)

    # The coordinator.

    def acquire(self, bridge: int, task: Task) -> tuple[int, int] | Denial:
        row = self.rows.get(task.task_id)
        if row is None:
            return Denial.UNKNOWN_TASK
        if row.state in ("COMPLETED", "FAILED"):
            return Denial.DONE
        if task.attempt != row.task.attempt:
            return Denial.SUPERSEDED
        if task_digest(task) != task_digest(row.task):
            return Denial.MISMATCH
        if row.state == "RUNNING" and row.expires > self.now:
            return Denial.HELD
        row.state, row.owner, row.expires, row.fence = "RUNNING", bridge, self.now + TIMINGS.ttl, row.fence + 1
        return row.fence, row.task.attempt

    def renew(self, bridge: int, task: Task, lease: Lease) -> bool:
        row = self.rows[task.task_id]
        if row.state != "RUNNING" or row.owner != bridge or row.fence != lease.fence:
            return False
        row.expires = self.now + TIMINGS.ttl
        return True

    def report(self, bridge: int, task: Task, lease: Lease, outcome: Outcome) -> None:
        row = self.rows[task.task_id]
        if row.state != "RUNNING" or row.owner != bridge or row.fence != lease.fence:
            return
        row.accepted.append(row.task.attempt)
        if outcome.completed:
            row.state = "COMPLETED"
        elif outcome.terminal or row.task.attempt == 3:
            row.state = "FAILED"
        else:
            row.state, row.task = "QUEUED", replace(row.task, attempt=row.task.attempt + 1)
            self.dispatch(row.task)

    def sweep(self) -> None:
        for row in self.rows.values():
            there = any(entry == row.task for entry in self.entries.values())
            waits = row.state == "QUEUED" or (row.state == "RUNNING" and self.now > row.expires + TIMINGS.ttl)
            if waits and not there:
                self.dispatch(row.task)

    # What may happen.

    @rule(seconds=st.sampled_from([0.1, 5.0, 11.0, 31.0, 70.0]))
    def time_goes_by(self, seconds: float) -> None:
        self.now += seconds

    @rule(kind=st.sampled_from(["poison", "code", "stale", "copy", "unknown"]), data=st.data())
    def somebody_writes(self, kind: str, data: st.DataObject) -> None:
        row = data.draw(st.sampled_from(list(self.rows.values())))
        forged: dict[str, Task | Poison] = {
            "poison": Poison("no task"),
            "code": replace(row.task, input="{}"),
            "stale": replace(row.task, attempt=row.task.attempt + 7),
            "copy": row.task,
            "unknown": a_task(),
        }
        self.dispatch(forged[kind])

    @rule(bridge=st.integers(0, 1))
    def read(self, bridge: int) -> None:
        for _ in range(self.slots(bridge, "read", len(self.unread))):
            number = self.unread.pop(0)
            self.pending[number] = Pending(bridge, self.now, 1)
            self.take(bridge, number)

    @rule(bridge=st.integers(0, 1))
    def reclaim(self, bridge: int) -> None:
        idle = [n for n, one in self.pending.items() if self.now - one.touched >= TIMINGS.ttl and n in self.entries]
        for number in idle:
            if not self.slots(bridge, "reclaim", 1):
                return
            one = self.pending[number]
            self.pending[number] = Pending(bridge, self.now, one.deliveries + 1)
            if number in self.hands[bridge]:
                self.intakes[bridge].give_back(1)
            else:
                self.take(bridge, number)

    def slots(self, bridge: int, reader: str, wanted: int) -> int:
        intake = self.intakes[bridge]
        intake.ask(reader)
        grant = intake.grant()
        if grant is None:
            intake.withdraw(reader)
            return 0
        used = min(wanted, grant.count)
        intake.give_back(grant.count - used)
        return used

    def take(self, bridge: int, number: int) -> None:
        assert number not in self.hands[bridge]
        life = Life.begin(self.entries[number], self.pending[number].deliveries, MOST_DELIVERIES)
        self.hands[bridge][number] = Held(life)

    @precondition(lambda self: any(self.hands))
    @rule(call=CALLS, redis=st.booleans(), data=st.data())
    def go_on(self, call: str, redis: bool, data: st.DataObject) -> None:
        bridge, number = data.draw(
            st.sampled_from([(bridge, number) for bridge, hand in enumerate(self.hands) for number in hand])
        )
        kind = data.draw(st.sampled_from(["completed", "failed", "terminal"]))
        self.step(bridge, number, call, kind, redis)

    def step(self, bridge: int, number: int, call: str, kind: str, redis: bool) -> None:
        held = self.hands[bridge][number]
        match held.life.step:
            case Acquire(task):
                if call == "call lost":
                    return
                answer = self.acquire(bridge, task)
                if call == "answer lost":
                    return
                if isinstance(answer, Denial):
                    if answer in (Denial.DONE, Denial.SUPERSEDED, Denial.MISMATCH, Denial.UNKNOWN_TASK):
                        self.excused.add(number)
                    held.life = held.life.after(Denied(answer))
                else:
                    held.lease = Lease.granted(*answer, self.now, TIMINGS)
                    held.life = held.life.after(Granted())
            case Execute():
                outcome = Outcome(completed=kind == "completed", terminal=kind == "terminal")
                held.life = held.life.after(Executed(outcome) if self.lives(held) else LeaseLost(told=False))
            case Report(task, outcome):
                if not self.lives(held):
                    held.life = held.life.after(LeaseLost(told=False))
                    return
                if call == "call lost":
                    return
                assert held.lease is not None
                self.report(bridge, task, held.lease, outcome)
                if call == "answered":
                    self.excused.add(number)
                    held.life = held.life.after(Reported(acknowledged=True))
            case End(fate, _):
                if redis:
                    self.dispose(bridge, number, fate)
                    del self.hands[bridge][number]
                    self.intakes[bridge].give_back(1)

    def lives(self, held: Held) -> bool:
        return held.lease is not None and held.lease.lives(self.now)

    def dispose(self, bridge: int, number: int, fate: Fate) -> None:
        one = self.pending.get(number)
        match fate:
            case Fate.ACK:
                self.remove(number)
            case Fate.ACK_IF_OURS:
                if one is not None and one.bridge == bridge:
                    self.excused.add(number)
                    self.remove(number)
            case Fate.PARK:
                if isinstance(self.entries.get(number), Poison):
                    self.excused.add(number)
                self.parked.append(number)
                self.remove(number)
            case Fate.SET_ASIDE if one is not None:
                self.pending[number] = replace(one, bridge=-1, touched=self.now)
            case Fate.GIVE_BACK if one is not None:
                self.pending[number] = replace(one, bridge=bridge, touched=self.now - TIMINGS.ttl)

    def remove(self, number: int) -> None:
        assert number in self.excused, "an entry went without a word of the coordinator"
        self.entries.pop(number, None)
        self.pending.pop(number, None)

    @precondition(lambda self: any(held.lease for hand in self.hands for held in hand.values()))
    @rule(call=CALLS, data=st.data())
    def renewal(self, call: str, data: st.DataObject) -> None:
        bridge, number = data.draw(
            st.sampled_from([(b, n) for b, hand in enumerate(self.hands) for n, held in hand.items() if held.lease])
        )
        held = self.hands[bridge][number]
        step = held.life.step
        if not isinstance(step, Execute | Report):
            return
        assert held.lease is not None
        if not held.lease.lives(self.now):
            held.life = held.life.after(LeaseLost(told=False))
        elif call != "call lost":
            kept = self.renew(bridge, step.task, held.lease)
            if call == "answer lost":
                held.lease = held.lease.not_renewed(self.now, 0.5, TIMINGS)
            elif kept:
                held.lease = held.lease.renewed(self.now, TIMINGS)
                if number in self.pending:
                    self.pending[number] = replace(self.pending[number], bridge=bridge, touched=self.now)
            else:
                held.life = held.life.after(LeaseLost(told=True))

    @rule(bridge=st.integers(0, 1))
    def crash(self, bridge: int) -> None:
        self.hands[bridge] = {}
        self.intakes[bridge] = Intake(SLOTS)

    @rule(bridge=st.integers(0, 1))
    def stop(self, bridge: int) -> None:
        for held in self.hands[bridge].values():
            if isinstance(held.life.step, Acquire):
                held.life = held.life.after(Stopping())

    # What must hold.

    @invariant()
    def no_attempt_is_accepted_twice(self) -> None:
        for row in self.rows.values():
            assert len(set(row.accepted)) == len(row.accepted)

    @invariant()
    def no_more_in_hand_than_slots(self) -> None:
        for hand, intake in zip(self.hands, self.intakes, strict=True):
            assert len(hand) == intake.in_hand <= SLOTS

    @invariant()
    def no_task_runs_twice_at_once(self) -> None:
        running = [
            held.life.step.task.task_id
            for hand in self.hands
            for held in hand.values()
            if isinstance(held.life.step, Execute) and self.lives(held)
        ]
        assert len(set(running)) == len(running)

    @invariant()
    def what_was_parked_made_no_report(self) -> None:
        for row in self.rows.values():
            assert len(row.accepted) <= row.task.attempt

    def teardown(self) -> None:
        """Without further trouble every task ends, and nothing is left in the stream."""
        if not hasattr(self, "rows"):
            return
        for _ in range(60):
            for bridge, hand in enumerate(self.hands):
                self.read(bridge)
                self.reclaim(bridge)
                while hand:
                    self.step(bridge, next(iter(hand)), "answered", "completed", redis=True)
            self.sweep()
            self.now += 10
        assert {row.state for row in self.rows.values()} <= {"COMPLETED", "FAILED"}
        assert not self.entries
        assert not self.pending


Model.TestCase.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)
TestDecisions = pytest.mark.timeout(300)(Model.TestCase)

"""Executors of an operator's own: the documented example, as it stands there, and what can be wrong with one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from worker_bridge.app import Bridge
from worker_bridge.core.envelope import Task
from worker_bridge.errors import StartError
from worker_bridge.executors.added import with_added
from worker_bridge.executors.registry import Executors
from worker_bridge.settings import Settings
from worker_bridge.streams.memory import MemoryStreams

PAGE = Path(__file__).resolve().parents[2] / "docs" / "node-types.md"


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (tmp_path / "acme_nodes.py").write_text(code)
    (tmp_path / "acme_broken.py").write_text("1 / 0\n\nclass Never: ...\n")
    (tmp_path / "acme_empty.py").write_text("class Empty:\n    async def start(self): ...\n")
    monkeypatch.syspath_prepend(tmp_path)


def task(text: str) -> Task:
    return Task("task-1", "run", "node", "charge", "flow", "1", 1, text)


@pytest.mark.usefixtures("example")
async def test_the_documented_example_executes() -> None:
    executors = Executors(with_added({}, {"charge": "acme_nodes:Charge"}))
    await executors.start()
    await executors.usable("charge")
    for amount in (4200, 1):
        outcome = await executors.execute(task(json.dumps({"amount": amount})), 10)
        assert (outcome.completed, outcome.output) == (True, b'{"charged": 4200}')
    failed = await executors.execute(task("[]"), 10)
    assert (failed.completed, failed.terminal) == (False, True)
    assert failed.error.startswith("BAD_REQUEST: ")
    await executors.close()


@pytest.mark.usefixtures("example")
async def test_its_queue_is_read() -> None:
    settings = Settings(worker_executors={"charge": "acme_nodes:Charge"})
    bridge = Bridge(settings, MemoryStreams().consumer(settings.worker_id))
    assert bridge.reads == ("tasks:charge:0", "tasks:http:0")


@pytest.mark.usefixtures("example")
@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("no_such_module:Charge", "no_such_module"),
        ("acme_nodes:Missing", "Missing"),
        ("acme_broken:Never", "ZeroDivisionError"),
        ("acme_empty:Empty", "has no usable, execute, close"),
    ],
)
def test_what_cannot_be_made_is_said(place: str, words: str) -> None:
    with pytest.raises(StartError, match=re.escape(words)) as caught:
        with_added({}, {"charge": place})
    assert f"charge={place}" in str(caught.value)


@pytest.mark.usefixtures("example")
def test_what_is_built_in_is_not_replaced() -> None:
    settings = Settings(worker_executors={"http": "acme_nodes:Charge"})
    with pytest.raises(StartError, match="http is there already"):
        Bridge(settings, MemoryStreams().consumer(settings.worker_id))

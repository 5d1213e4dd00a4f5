"""What the documents say of memory is what the server adds up."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

import pytest
import yaml

from langserver.core.capacity import USABLE_PERCENT
from langserver.zygote.client import Zygote
from tests.deploy.needs import PROBE, ZYGOTE_MIB, needed, settings_of

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("LANG_")]:
        monkeypatch.delenv(name)


def rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the only table under that heading."""
    text = (ROOT / "docs" / page).read_text()
    (section,) = re.findall(rf"^## {heading}$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_table_of_deploy_is_the_servers_sum() -> None:
    environment = COMPOSE["services"]["langserver-1"]["environment"]
    numbers = {name: value for name, value in environment.items() if not value.startswith("/run/secrets/")}
    found = needed(settings_of(numbers))
    parts = [found.tasks, found.waiting, found.zygotes, found.server, found.callers, PROBE]
    table = rows("deploy.md", "How much memory")
    assert [int(row[2].rpartition("=")[2]) for row in table] == parts
    page = (ROOT / "docs/deploy.md").read_text()
    assert f"That is {found.total:,.0f} of the {2048 * USABLE_PERCENT // 100:,} that are nine tenths of 2 GiB." in page


@pytest.mark.parametrize("row", rows("operations.md", "Sizing"), ids=lambda row: f"{row[0]} tasks")
def test_the_table_of_operations_is_the_servers_sum(row: list[str]) -> None:
    tasks, cores, least, roomy = row
    waiting = min(int(tasks), int(cores))  # what `fit` makes of a setting that is not given
    found = needed(settings_of({"LANG_MAX_CONCURRENCY": tasks, "LANG_WARM_CHILDREN": str(waiting)}))
    assert least == _rounded(found.own * 100 / USABLE_PERCENT)
    assert roomy == _rounded(found.own + found.callers)


def _rounded(mib: float) -> str:
    return f"{math.ceil(mib)} MiB" if mib < 1000 else f"{mib / 1024:.1f}".removesuffix(".0") + " GiB"


@pytest.mark.parametrize("runtime", ["python", "js"])
async def test_a_zygote_has_no_more_than_the_documents_count(runtime: str) -> None:
    zygote = await Zygote.start(runtime, frozenset({"policy", "privileges", "rlimits"}))
    try:
        assert zygote.facts.idle_held_bytes <= ZYGOTE_MIB << 20
    finally:
        await zygote.close()

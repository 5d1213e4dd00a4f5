"""Two tasks never share state."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from langserver.zygote.request import TaskRequest
from tests.integration.holds.conftest import ServerProcess
from tests.integration.holds.direct import one_zygote, output

PYTHON_LEAVES = """
import json, random, math
class Mark: pass
def tried(f):
    try: f()
    except Exception: pass
def main():
    tried(lambda: setattr(json, "mark", 1))
    tried(lambda: setattr(math, "pi", 3))
    tried(lambda: setattr(random, "random", lambda: 4))
    global mark, len
    mark, len = 1, None
    random.seed(5)
    return 1
"""
PYTHON_LOOKS = """
import json, random, math
def exists(f):
    try: f()
    except NameError: return False
    return True
def main():
    found = [exists(lambda: mark), exists(lambda: Mark), len is None]
    return [hasattr(json, "mark"), math.pi == 3, random.random() == 4, *found]
"""
JS_LEAVES = """
globalThis.mark = 1; Object.prototype.mark = 1; Array.prototype.push = null; Math.random = () => 4;
JSON.stringify = () => '"patched"'; console.mark = 1;
function main() { return 1 }
"""
JS_LOOKS = """
function main() {
  return [typeof mark, typeof {}.mark, typeof [].push, Math.random() === 4, JSON.stringify(1), typeof console.mark]
}
"""


@pytest.mark.parametrize("warm", ["0", "2"])
def test_what_a_task_set_the_next_does_not_see(warm: str, make_server: Callable[..., ServerProcess]) -> None:
    server = make_server(LANG_WARM_CHILDREN=warm)
    for _ in range(4):
        server.execute(PYTHON_LEAVES)
        assert server.execute(PYTHON_LOOKS).output_json.replace(" ", "") == "[false,false,false,false,false,false]"
        server.execute(JS_LEAVES, "js")
        assert (
            server.execute(JS_LOOKS, "js").output_json == '["undefined","undefined","function",false,"1","undefined"]'
        )


async def test_nor_does_plain_python() -> None:
    """With the policy off a program can change what every module shares."""
    leave = """
import builtins, json, os, sys
builtins.mark = json.mark = os.environ['MARK'] = sys.mark = '1'
builtins.compile = None  # one that the child itself needs no more
"""
    look = """
import builtins, json, os, sys
result = [hasattr(builtins, "mark"), hasattr(json, "mark"), hasattr(sys, "mark"), "MARK" in os.environ, compile is None]
"""
    async with one_zygote("python", frozenset({"privileges", "rlimits", "seccomp"})) as supply:
        for _ in range(2):
            assert (await supply.run(TaskRequest("python", leave))).verdict.failure is None
            assert output(await supply.run(TaskRequest("python", look))) == [False] * 5


RANDOM = {
    "python": "import random\ndef main(): return [random.random() for _ in range(4)]",
    "js": "function main() { return [Math.random(), Math.random(), Math.random(), Math.random()] }",
}


@pytest.mark.parametrize("warm", ["0", "4"])
@pytest.mark.parametrize("runtime", sorted(RANDOM))
def test_siblings_draw_different_numbers(runtime: str, warm: str, make_server: Callable[..., ServerProcess]) -> None:
    server = make_server(LANG_WARM_CHILDREN=warm)
    drawn = [server.execute(RANDOM[runtime], runtime).output_json for _ in range(8)]
    assert len(set(drawn)) == 8


@pytest.mark.parametrize("warm", ["0", "2"])
@pytest.mark.parametrize("runtime", sorted(RANDOM))
def test_a_seed_repeats_them_and_zero_is_a_seed(
    runtime: str, warm: str, make_server: Callable[..., ServerProcess]
) -> None:
    server = make_server(LANG_WARM_CHILDREN=warm)
    drawn = {
        seed: {server.execute(RANDOM[runtime], runtime, seed=seed).output_json for _ in range(3)} for seed in (0, 7)
    }
    assert [len(values) for values in drawn.values()] == [1, 1]
    assert drawn[0] != drawn[7]


PYTHON_ZONE = """
import time, datetime
from zoneinfo import ZoneInfo
def main():
    assert ZoneInfo("Europe/Berlin").utcoffset(datetime.datetime(2024, 7, 1)) == datetime.timedelta(hours=2)
    then = datetime.datetime(1944, 6, 1).astimezone()
    first = datetime.datetime.fromtimestamp(0)
    return [time.strftime("%z", time.localtime(1719830400)), then.strftime("%z"), first.strftime("%H")]
"""


@pytest.mark.parametrize("warm", ["0", "2"])
@pytest.mark.parametrize("runtime", ["python", "js"])
def test_the_time_zone_is_the_tasks_own(runtime: str, warm: str, make_server: Callable[..., ServerProcess]) -> None:
    code = {
        "python": PYTHON_ZONE,
        "js": "function main() { return new Date(1719830400000).getTimezoneOffset() }",
    }[runtime]
    server = make_server(LANG_WARM_CHILDREN=warm)
    zones = ["", "Asia/Kolkata", "America/New_York", ""]
    got = [server.execute(code, runtime, timezone=zone).output_json for zone in zones]
    assert (
        got
        == {
            # In 1944 India's clocks were an hour ahead of today's.
            "python": [
                '["+0000","+0000","00"]',
                '["+0530","+0630","05"]',
                '["-0400","-0400","19"]',
                '["+0000","+0000","00"]',
            ],
            "js": ["0", "-330", "240", "0"],
        }[runtime]
    )

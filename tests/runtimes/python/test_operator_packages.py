"""The operator's packages in sealed children: ordinary programs under the policy, results, seeds, memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from langserver.commands.one_task import perform_on, start_zygote
from langserver.core.outcome import ErrorKind
from langserver.limits import Asked, Ceilings
from langserver.sandbox.layers import POLICY
from langserver.sandbox.probe import probe
from langserver.zygote.client import Zygote
from langserver.zygote.job import Outcome
from langserver.zygote.request import TaskRequest, make_job
from tests.runtimes.python import package_calls
from tests.runtimes.python.package_programs import PACKAGES, PROGRAMS

ROOT = Path(__file__).resolve().parents[3]
LAYERS = frozenset(layer.name for layer in probe() if layer.available)
MEMORY_MB = 64

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Children:
    """One zygote with all layers and packages; each run is a child of its own."""

    def __init__(self, zygote: Zygote, layers: frozenset[str]) -> None:
        self._zygote = zygote
        self._layers = layers

    async def run(self, code: str, mode: str = "run", seed: int | None = None, **asked: int) -> Outcome:
        ceilings = Ceilings()
        job = make_job(TaskRequest("python", code, seed=seed, asked=Asked(**asked)), ceilings, mode)
        return await perform_on(self._zygote, job, ceilings, self._layers, lambda line: None)

    async def value(self, code: str, **options: int) -> object:
        outcome = await self.run(code, **options)
        assert not outcome.verdict.failure, outcome.verdict.failure
        assert outcome.events == ()
        return json.loads(outcome.verdict.report.output)

    async def failure(self, code: str, mode: str = "run", **asked: int):
        outcome = await self.run(code, mode, **asked)
        assert outcome.verdict.failure, outcome.verdict
        return outcome.verdict.failure


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def children() -> AsyncIterator[Children]:
    zygote = await start_zygote("python", LAYERS, PACKAGES)
    yield Children(zygote, LAYERS)
    await zygote.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def unguarded() -> AsyncIterator[Children]:
    layers = LAYERS - {POLICY}
    zygote = await start_zygote("python", layers, PACKAGES)
    yield Children(zygote, layers)
    await zygote.close()


@pytest.mark.parametrize("name", PROGRAMS)
async def test_an_ordinary_program(children: Children, name: str) -> None:
    source, expected = PROGRAMS[name]
    assert await children.value(source) == expected


async def test_programs_are_the_same_to_plain_python(unguarded: Children) -> None:
    for source, expected in PROGRAMS.values():
        assert await unguarded.value(source) == expected


async def test_calls_that_load_or_open_nothing(unguarded: Children) -> None:
    """Each in the sealed child: one that misses a file or a system call raises."""
    tries = "\n".join(f"{call}\ndone += 1" for call in package_calls.CALLS)
    source = (
        f"import warnings\nwarnings.simplefilter('ignore')\ndone = 0\n{package_calls.PREPARE}{tries}\nresult = done"
    )
    assert await unguarded.value(source) == len(package_calls.CALLS)


def late_imports(*more: str) -> dict[str, list[str]]:
    command = [sys.executable, "-I", package_calls.__file__, str(ROOT), *more]
    return json.loads(subprocess.run(command, capture_output=True, check=True, env={}).stdout)


@pytest.mark.asyncio(loop_scope="module")
async def test_nothing_is_imported_after_the_preload() -> None:
    assert late_imports("wave") == {"wave": ["wave"]}


# Values

ARRAYS = "import numpy as np, pandas as pd, datetime\n"
VALUES = {
    "np.int64(3)": 3,
    "np.uint8(200)": 200,
    "np.float32(0.5)": 0.5,
    "np.longdouble(0.25)": 0.25,
    "np.float64(1e300)": 1e300,
    "np.bool_(True)": True,
    "np.str_('é')": "é",
    "np.datetime64('2024-01-31')": "2024-01-31",
    "np.datetime64('2024-01-31T10:00:00')": "2024-01-31T10:00:00",
    "np.datetime64('2024-01-31T10:00:00.000000000')": "2024-01-31T10:00:00",
    "np.datetime64('2024-01-31T10:00:00.120000000')": "2024-01-31T10:00:00.120000",
    "np.datetime64('2024-01-31T10:00:00.120000001')": "2024-01-31T10:00:00.120000001",
    "np.datetime64('NaT')": None,
    "np.array(5)": 5,
    "np.array([])": [],
    "np.array([[1, 2], [3, 4]])": [[1, 2], [3, 4]],
    "np.zeros((1, 2, 1))": [[[0], [0]]],
    "np.zeros((2, 0))": [[], []],
    "np.array(['a', 'bc'])": ["a", "bc"],
    "np.array([True, False])": [True, False],
    "np.array(['2024-01-31', 'NaT'], 'M8[ns]')": ["2024-01-31T00:00:00", None],
    "np.array([['2024-01', '2024-02']], 'M8[M]')": [["2024-01", "2024-02"]],
    "np.array([1, 'x', None, [2], np.int8(3)], dtype=object)": [1, "x", None, [2], 3],
    "np.array(5, dtype=object)": 5,
    "np.array([(1, 'x')], dtype=[('n', int), ('s', 'U1')])": [{"n": 1, "s": "x"}],
    "np.array([(1, 'x')], dtype=[('n', int), ('s', 'U1')])[0]": {"n": 1, "s": "x"},
    "np.array([(['2024-01-31', 'NaT'],)], dtype=[('d', 'M8[ns]', (2,))])": [{"d": ["2024-01-31T00:00:00", None]}],
    "np.rec.array([(1, 2.5)], names='a,b')[0]": {"a": 1, "b": 2.5},
    "np.ma.array([1, 2], mask=[0, 1])": [1, None],
    "np.ma.array([[1, 2]], mask=[[0, 1]])": [[1, None]],
    "np.ma.array(['2024-01-31'] * 2, dtype='M8[ns]', mask=[0, 1])": ["2024-01-31T00:00:00", None],
    "np.ma.masked": None,
    "np.matrix([[1, 2]])": [[1, 2]],
    "np.arange(10000).sum()": 49995000,
    "np.arange(10000)[::5000]": [0, 5000],
    "{np.int64(1): 'a', np.str_('b'): np.float16(2), np.float32(0.5): 3}": {"1": "a", "b": 2, "0.5": 3},
    "{np.True_: 1}": {"true": 1},
    "(np.int8(1), {np.int8(2)}, [np.arange(2)])": [1, [2], [[0, 1]]],
    "pd.Timestamp('2024-01-31 10:00')": "2024-01-31T10:00:00",
    "pd.Timestamp('2024-01-31 10:00:00.000000001', tz='Europe/Berlin')": "2024-01-31T10:00:00.000000001+01:00",
    "pd.NaT": None,
    "pd.NA": None,
    "pd.array([1, None], dtype='Int64')": [1, None],
    "pd.Series(['b', 'a', 'b']).unique()": ["b", "a"],
    "pd.Series(['b', 'a', 'b'], dtype='category').unique()": ["b", "a"],
    "pd.Series(pd.date_range('2024', periods=1, tz='UTC')).array": ["2024-01-01T00:00:00+00:00"],
    "pd.DataFrame({'t': [pd.Timestamp('2024'), pd.NaT]}).to_dict('records')": [
        {"t": "2024-01-01T00:00:00"},
        {"t": None},
    ],
    "pd.Series({'a': 1, 'b': 2}).to_dict()": {"a": 1, "b": 2},
    "pd.date_range('2024', periods=2).tolist()": ["2024-01-01T00:00:00", "2024-01-02T00:00:00"],
}
REFUSED = {
    "np.array([1.0, np.nan])": ("result[1] is nan", "use None where there is no number"),
    "{'a': np.float32('inf')}": ("result.a is inf", "use None where there is no number"),
    "pd.DataFrame({'x': [1.0, None]}).to_dict('records')": ("result[1].x is nan", "use None where there is no number"),
    "pd.DataFrame({'x': [1]})": ("result is a DataFrame", 'use .to_dict("records")'),
    "{'rows': [pd.DataFrame({'x': [1]})]}": ("result.rows[0] is a DataFrame", 'use .to_dict("records")'),
    "pd.Series([1])": ("result is a Series", "use .tolist(), or .to_dict() of a Series"),
    "pd.DataFrame({'x': [1]}).columns": ("result is an Index", "use .tolist(), or .to_dict() of a Series"),
    "pd.date_range('2024', periods=2)": ("result is a DatetimeIndex", "use .tolist(), or .to_dict() of a Series"),
    "pd.Timedelta('1h')": ("result is a Timedelta", "use its total_seconds()"),
    "np.timedelta64(1, 'h')": ("result is a timedelta64", 'divide it by np.timedelta64(1, "s")'),
    "np.array([1], 'm8[s]')": ("result[0] is a timedelta64", 'divide it by np.timedelta64(1, "s")'),
    "np.array([1j])": ("result[0] is a complex", "use [z.real, z.imag], or str(z)"),
    "np.complex64(1j)": ("result is a complex64", "use [z.real, z.imag], or str(z)"),
    "np.array([b'a'])": ("result[0] is bytes", "decode it, or use base64"),
    "np.zeros(1, 'V2')": ("result[0] is raw bytes", "decode it, or use base64"),
    "pd.Period('2024-01')": ("result is a Period", "use str(...)"),
    "{pd.Timestamp('2024'): 1}": ("a key of result is a Timestamp", "use str(key)"),
    "np.sum": ("result is a", ""),
    "np": ("result is a module", ""),
}


async def test_values_become_json(children: Children) -> None:
    got = await children.value(f"{ARRAYS}result = [{', '.join(VALUES)}]")
    assert dict(zip(VALUES, got, strict=True)) == VALUES


@pytest.mark.parametrize("value", REFUSED)
async def test_what_is_no_json_is_refused_with_its_place_and_what_to_write(children: Children, value: str) -> None:
    failure = await children.failure(f"{ARRAYS}result = {value}")
    message, hint = REFUSED[value]
    assert failure.kind is ErrorKind.INVALID_RESULT
    assert failure.message.startswith(message), failure
    assert hint in failure.hint, failure


LIAR = """
import numpy as np
class Liar(np.ndarray):
    def tolist(self):
        return ["forged"]
    def __getitem__(self, place):
        return 9
result = np.arange(2).view(Liar)
"""


async def test_an_array_that_holds_itself_and_one_with_methods_of_the_program(children: Children) -> None:
    failure = await children.failure("import numpy as np\na = np.empty(1, object)\na[0] = a\nresult = a")
    assert failure.kind is ErrorKind.INVALID_RESULT
    assert await children.value(LIAR) == [0, 1]


async def test_a_large_array_is_stopped_at_the_limit(children: Children) -> None:
    failure = await children.failure("import numpy as np\nresult = np.zeros(5_000_000)")
    assert failure.kind is ErrorKind.OUTPUT_LIMIT


# Names


async def test_private_names_and_classes_of_a_package_stay_closed(children: Children) -> None:
    for code in ("import numpy as np\nnp._core", "import pandas as pd\npd.DataFrame({'a': [1]})._mgr"):
        failure = await children.failure(code)
        assert failure.kind is ErrorKind.POLICY_VIOLATION, code
    for code in ("import numpy as np\nnp.pi = 3", "import pandas as pd\npd.DataFrame.x = 1"):
        failure = await children.failure(code)
        assert failure.kind is ErrorKind.POLICY_VIOLATION, code
        assert "cannot be set here" in failure.message


async def test_what_was_not_named_is_not_there(children: Children) -> None:
    for name in ("soupsieve", "ctypes", "os"):
        failure = await children.failure(f"import {name}")
        assert failure.kind is ErrorKind.POLICY_VIOLATION, name
    assert "did you mean 'numpy'?" in (await children.failure("import numpyy")).hint
    assert "cannot import name 'nothing'" in (await children.failure("from numpy import nothing")).message
    assert (await children.failure("import numpyy")).kind is ErrorKind.USER_ERROR
    assert (await children.failure("from numpy import nothing")).kind is ErrorKind.USER_ERROR
    assert "'numpy.nothing' is not available" in (await children.failure("import numpy.nothing")).message


async def test_what_a_package_cannot_have_here_is_said(children: Children) -> None:
    frame = "import pandas as pd\nframe = pd.DataFrame({'a': [1]})\n"
    read = await children.failure("import pandas as pd\npd.read_csv('https://example.com/a.csv')")
    assert (read.kind, read.message) == (ErrorKind.USER_ERROR, "No module named 'urllib.request'")
    assert "no network" in read.hint
    for code in ("frame.to_csv('/tmp/x.csv')", "pd.read_csv('/tmp/x.csv')", "frame.to_json('/x/y')"):
        failure = await children.failure(frame + code)
        assert failure.kind is not ErrorKind.POLICY_VIOLATION
        assert "there are no files here: " in failure.hint, failure


async def test_checking_knows_them_too(children: Children) -> None:
    outcome = await children.run("import numpy.linalg as la\nfrom pandas import DataFrame\nimport bs4", "validate")
    assert not outcome.verdict.failure
    assert outcome.verdict.report.imports == ("numpy.linalg", "pandas", "bs4")
    assert "nothing" in (await children.failure("from numpy import nothing", "validate")).message


# Seeds

DRAWN = "import random, numpy as np\nresult = [random.random(), np.random.rand(), np.random.default_rng().random()]"


async def test_a_seed_makes_the_global_generators_repeatable_and_no_other(children: Children) -> None:
    first, second = [await children.value(DRAWN, seed=42) for _ in range(2)]
    assert first[:2] == second[:2] == [0.6394267984578837, 0.3745401188473625]  # as random.seed(42), np.random.seed(42)
    assert first[2] != second[2]
    large, negative = await children.value(DRAWN, seed=1 << 40), await children.value(DRAWN, seed=-42)
    assert len({first[1], large[1], negative[1]}) == 3


async def test_without_a_seed_no_two_children_draw_alike(children: Children) -> None:
    drawn = [await children.value(DRAWN) for _ in range(3)]
    assert all(len(set(each)) == 3 for each in zip(*drawn, strict=True))


# Memory


async def test_a_small_limit_is_enough_for_a_small_frame(children: Children) -> None:
    source, expected = PROGRAMS["pandas: group-by"]
    assert await children.value(source, memory_mb=MEMORY_MB) == expected


@pytest.mark.parametrize(
    "wanted",
    ["np.ones(20_000_000)", "np.zeros(20_000_000)", "np.empty(10**12)", "np.arange(2_000_000).repeat(20)"],
)
async def test_an_array_over_the_limit(children: Children, wanted: str) -> None:
    failure = await children.failure(f"import numpy as np\nresult = {wanted}.size", memory_mb=MEMORY_MB)
    assert failure.kind is ErrorKind.MEMORY_LIMIT


async def test_frames_that_grow(children: Children) -> None:
    code = "import pandas as pd\nd = pd.DataFrame({'a': range(1000)})\nwhile True:\n    d = pd.concat([d, d])"
    assert (await children.failure(code, memory_mb=MEMORY_MB)).kind is ErrorKind.MEMORY_LIMIT

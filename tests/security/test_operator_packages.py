"""With an operator's packages the policy is void, and the layers of the kernel hold: each attempt from both sides."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from langserver.sandbox.layers import AUDIT, POLICY, SECCOMP
from langserver.sandbox.probe import probe
from langserver.zygote.job import Outcome
from langserver.zygote.request import TaskRequest
from tests.integration.holds.direct import OneZygote, one_zygote

PACKAGES = ("numpy", "pandas", "dateutil")
ALL = frozenset(layer.name for layer in probe() if layer.available)
# What each is tried under, and what of it does not get through: None means nothing may.
SETS: dict[str, tuple[frozenset[str], frozenset[str] | None]] = {
    "nothing": (frozenset(), frozenset()),
    # numpy opens this one by the built-in function of whoever calls, which is the policy's.
    "policy alone": (frozenset({POLICY}), frozenset({"read: fromfile"})),
    "everything": (ALL, None),
    "everything but what is in the language": (ALL - {POLICY, AUDIT}, None),
    "seccomp alone": (frozenset({SECCOMP}), None),
}
LIBC = "libc = np.ctypeslib.ctypes.CDLL(None)\n"
HEAD = """
import io
import numpy as np
import pandas as pd
from dateutil import tz
os = pd.io.common.os
frame = pd.DataFrame({"a": [1]})
PASSWORDS = "/etc/passwd"
written = inputs["written"]
escaped = False
"""
# `cos\nsystem` names the function, what follows are its arguments (pickletools shows it).
PICKLE = "b\"cos\\nsystem\\n(S'exit 7'\\ntR.\""
EXIT_7 = 7 << 8

# The image has what the server needs, and nothing of an operator's. `make setup` installs them all.
LACKING = [name for name in PACKAGES if find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(LACKING), reason=f"no package of an operator is installed here: {LACKING}")

# Each sets `escaped` with the forbidden thing in hand. Only public names: the policy has nothing against any of it.
ATTACKS = {
    "read: genfromtxt": "escaped = 'root:' in str(np.genfromtxt(PASSWORDS, dtype=str, delimiter='|', comments=None))",
    "read: loadtxt": "escaped = 'root:' in str(np.loadtxt(PASSWORDS, dtype=str, delimiter='|', comments=None))",
    "read: fromfile": "escaped = b'root:' in np.fromfile(PASSWORDS, dtype='u1').tobytes()",
    "read: memmap": "escaped = b'root:' in np.memmap(PASSWORDS, dtype='u1', mode='r').tobytes()",
    "read: read_csv": "escaped = 'root' in pd.read_csv(PASSWORDS, sep=':', header=None)[0].tolist()",
    "read: read_fwf": "escaped = 'root' in str(pd.read_fwf(PASSWORDS, header=None))",
    "read: os of a module": "escaped = b'root:' in os.read(os.open(PASSWORDS, os.O_RDONLY), 1000)",
    "read: the environment": "escaped = os.stat('/proc/self/environ') is not None",
    "read: a zone that is no zone": """
try:
    tz.tzfile(PASSWORDS)
except ValueError as error:  # it was read, and is none
    escaped = 'magic' in str(error)
""",
    "write: to_pickle": "frame.to_pickle(written); escaped = True",
    "write: to_csv": "frame.to_csv(written); escaped = True",
    "write: np.save": "np.save(written, np.arange(2)); escaped = True",
    "write: memmap": "np.memmap(written, mode='w+', shape=(3,)); escaped = True",
    "execute: read_pickle": f"escaped = pd.read_pickle(io.BytesIO({PICKLE})) == {EXIT_7}",
    "execute: np.load": f"""
file = io.BytesIO()
np.lib.format.write_array_header_1_0(file, {{"descr": "|O", "fortran_order": False, "shape": ()}})
file.write({PICKLE})
file.seek(0)
escaped = np.load(file, allow_pickle=True) == {EXIT_7}
""",
    "execute: eval": f"escaped = frame.eval(\"@pd.io.common.os.system('exit 7')\") == {EXIT_7}",
    "execute: query": f"""
try:
    frame.query("@pd.io.common.os.system('exit 7') == {EXIT_7}")
except KeyError as error:  # the answer is no index
    escaped = "True" in str(error)
""",
    "execute: a module of a module": "escaped = pd.io.clipboard.subprocess.run(['/bin/true']).returncode == 0",
    "native: open": f"{LIBC}escaped = libc.open(b'/etc/passwd', 0) >= 0",
    "native: socket": f"{LIBC}escaped = libc.socket(2, 1, 0) >= 0",
    "native: fork": f"""{LIBC}pid = libc.fork()
if pid == 0:
    os.kill(os.getpid(), 9)
escaped = pid > 0
""",
    "native: memory that can be executed": f"""{LIBC}escaped = libc.mmap(None, 4096, 7, 0x22, -1, 0) != -1
""",
    "native: a signal to the zygote": f"{LIBC}escaped = libc.kill(os.getppid(), 0) == 0",
}


def wins(outcome: Outcome) -> bool:
    report = outcome.verdict.report
    return report is not None and report.output == b"true"


async def run(supply: OneZygote, code: str, written: Path) -> Outcome:
    return await supply.run(TaskRequest("python", code, input_json=json.dumps({"written": str(written)})))


@pytest.mark.parametrize("name", SETS)
async def test_attacks_by_packages(name: str, tmp_path: Path) -> None:
    layers, stopped = SETS[name]
    ended: dict[str, bool] = {}
    async with one_zygote("python", layers, PACKAGES) as supply:
        control = f"{HEAD}result = bool(frame.a.sum() + np.arange(2).sum() == 2)"
        assert wins(await run(supply, control, tmp_path / "control"))
        for number, (attack, code) in enumerate(ATTACKS.items()):
            outcome = await run(supply, f"{HEAD}{code}\nresult = bool(escaped)", tmp_path / f"{number}.npy")
            ended[attack] = wins(outcome)
        assert wins(await run(supply, control, tmp_path / "control"))
    won = frozenset() if stopped is None else ATTACKS.keys() - stopped
    assert ended == {attack: attack in won for attack in ATTACKS}
    assert bool(os.listdir(tmp_path)) is bool(won)

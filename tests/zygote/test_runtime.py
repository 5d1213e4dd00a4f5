"""What a zygote loads for its runtime, and what it leaves out."""

from __future__ import annotations

import subprocess
import sys

import pytest

LOADS = """
import sys
from langserver.zygote.runtime import make_runtime

make_runtime("python", {policy}, ()).preload()
print(sorted({{"asyncio", "ssl", "_ssl"}} & sys.modules.keys()))
"""


@pytest.mark.parametrize(
    ("policy", "loaded"), [(True, ["asyncio"]), (False, ["_ssl", "asyncio", "ssl"])], ids=["programs", "reviewers"]
)
def test_what_no_program_can_use_is_not_loaded(policy: bool, loaded: list[str]) -> None:
    """Reviewers' attacks may: there it is imported, and nothing is in its way any more."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", LOADS.format(policy=policy)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(loaded)

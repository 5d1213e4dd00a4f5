"""Runs an attack on one of the naive hosts of this folder, to show that it is real."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.security.suite.attack import TWICE, Attack, Host
from tests.security.suite.world import ENVIRONMENT

_HERE: Final = Path(__file__).parent
_ROOT: Final = Path(__file__).parents[4]
_OUTLIVED: Final = "outlived its time"
_NO_ANSWER: Final = "no answer"
_SECONDS: Final = 60.0
_SHORT_SECONDS: Final = 2.0  # for one that is expected to stay


def missing(host: Host) -> str:
    """Why this machine has no such host, empty when it has."""
    return "there is no `node` on this machine" if host is Host.NODE and shutil.which("node") is None else ""


def show(attack: Attack, given: Mapping[str, Any]) -> str:
    """Runs the attack on its host; what it won, empty when it won nothing."""
    task = {"code": attack.code, "input": given, "runs": 2 if attack.judged in TWICE else 1}
    said, answer = _run(_command(attack.real.host), json.dumps(task), _OUTLIVED in attack.real.shows)
    if attack.real.shows:
        found = re.search(attack.real.shows, said)
        return found.group()[:200] if found else ""
    result = answer.get("result") if isinstance(answer, dict) else None
    return json.dumps(result)[:200] if isinstance(result, dict) and result.get("escaped") else ""


def _command(host: Host) -> list[str]:
    if host is Host.NODE:
        return ["node", "--experimental-shadow-realm", str(_HERE / "node.cjs")]
    # Its secret on the command line is one of its mistakes.
    return [sys.executable, "-m", f"tests.security.suite.hosts.{host}", "--token", "secret"]


def _run(command: list[str], task: str, short: bool) -> tuple[str, Any]:
    """All that the host said, and its last answer."""
    process = subprocess.Popen(
        command,
        cwd=_ROOT,
        env={**os.environ, **ENVIRONMENT},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
        errors="replace",
    )
    try:
        answers, log = process.communicate(task, _SHORT_SECONDS if short else _SECONDS)
        late = ""
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        answers, log = process.communicate()
        late = _OUTLIVED
    answer = _last_answer(answers)
    said = (answers, log, late, f"exit status {process.returncode}", "" if answer is not None else _NO_ANSWER)
    return "\n".join(said), answer


def _last_answer(text: str) -> Any:
    lines = text.strip().splitlines()
    try:
        return json.loads(lines[-1]) if lines else None
    except (ValueError, RecursionError):
        return None

"""Rights are taken away from pages, and that is found out from the kernel, whatever the C library answers by itself."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtimes.js.driver import ROOT

PAGES = Path(__file__).with_name("pages.py")
DEEDS = ("finish", "shorten")


def told(deed: str, library: str) -> tuple[int, str]:
    """How the process ended, and what it said."""
    done = subprocess.run(
        [sys.executable, "-I", str(PAGES), str(ROOT), deed, library],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("deed", DEEDS)
def test_what_was_taken_away_is_gone(deed: str) -> None:
    """On glibc 2.41 or newer, where the kernel has getrandom in its vDSO, the library's own dies of a try."""
    assert told(deed, "honest") == (0, f"taken {signal.SIGSEGV:d}")


@pytest.mark.parametrize("deed", DEEDS)
def test_nothing_is_called_that_the_library_may_answer_by_itself(deed: str) -> None:
    """The same on any C library: its own answer is not the kernel's."""
    assert told(deed, "own-answers") == (0, f"taken {signal.SIGSEGV:d}")


@pytest.mark.parametrize("deed", DEEDS)
def test_what_is_still_there_is_found(deed: str) -> None:
    assert told(deed, "liar") == (0, "memory that was taken away is still there")

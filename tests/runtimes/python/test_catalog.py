"""The list of modules, and what reading it costs."""

from __future__ import annotations

import subprocess
import sys

from langserver.python_runtime import catalog


def test_every_module_imports_and_shows_no_foreign_module(run):
    source = "\n".join(f"import {name}" for name in catalog.MODULES)
    loops = [f"for n in dir({name}): seen.append(type(getattr({name}, n)).__name__)" for name in catalog.MODULES]
    source += "\nseen = []\n" + "\n".join(loops) + "\nresult = sorted(set(seen))"
    shown = run(source).value
    assert "module" not in shown
    assert "function" in shown
    assert list(catalog.MODULES) == sorted(catalog.MODULES)


def test_the_catalog_is_light():
    code = "import sys, langserver.python_runtime.catalog\n"
    code += "print('RestrictedPython' in sys.modules, 'asyncio' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_reviewers_modules_are_loaded_without_the_policy(plain):
    source = "import ctypes, mmap, socket, subprocess, sqlite3, ssl\nresult = ctypes.CDLL(None).getpid() > 0"
    assert plain(source).value is True

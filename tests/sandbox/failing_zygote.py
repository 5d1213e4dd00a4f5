"""A zygote whose children fail at the step that a file names: `failing_zygote.py ROOT FILE ...`.

What follows are the arguments of langserver.zygote.main. An empty file lets every step be taken. Where it says
`MODULE FUNCTION fails` or `MODULE FUNCTION does nothing` when the zygote starts, so it is in the zygote.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from langserver.sandbox import jail
from langserver.zygote import main

FILE = Path(sys.argv[2])
TAKEN = jail.STEPS


def fail(*_: object, **__: object) -> None:
    raise OSError(1, "refused")


def seal(self: jail.Jail, *arguments: object) -> None:
    named = FILE.read_text()
    jail.STEPS = tuple(replace(step, run=fail) if step.name == named else step for step in TAKEN)
    take_steps(self, *arguments)


take_steps = jail.Jail.seal
jail.Jail.seal = seal
match FILE.read_text().split(" ", 2):
    case [module, function, "fails"]:
        setattr(importlib.import_module(module), function, fail)
    case [module, function, "does nothing"]:
        setattr(importlib.import_module(module), function, lambda *_, **__: 0)
main.main(sys.argv[3:])

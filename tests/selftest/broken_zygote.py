"""A zygote that claims every layer it was asked for, with one thing broken: `broken_zygote.py ROOT BREAKAGE ...`.

What follows are the arguments of langserver.zygote.main.
"""

from __future__ import annotations

import sys

sys.path.insert(0, sys.argv[1])

from langserver.sandbox import jail, landlock, layers, namespaces, syscall_rules
from langserver.zygote import main, selftest


def without(layer: str) -> None:
    """The steps of a layer are skipped, and the layer is still said to be in force."""
    jail.STEPS = tuple(step for step in jail.STEPS if layer not in step.layers or len(step.layers) > 1)


def allow_any_mmap() -> None:
    for runtime, rules in syscall_rules.ALLOWED.items():
        others = (rule for rule in rules if rule.name != "mmap")
        syscall_rules.ALLOWED[runtime] = (*others, syscall_rules.Rule("mmap", "a mistake"))


def no_entropy() -> None:
    landlock.Ruleset._allow_reading = lambda *_: None


def same_randomness() -> None:
    from langserver.js_runtime.run import JsRuntime
    from langserver.python_runtime.run import PythonRuntime

    JsRuntime.draw = PythonRuntime.draw = lambda _: 7


def one_draw_dies() -> None:
    fork, drawn = selftest.SelfTest._run_child, []

    def run_child(self, jail, work, wake):
        if len(work) == 1 and work[0][1].__name__ == "draw":
            drawn.append(1)
            if len(drawn) == 1:
                return fork(self, jail, [(0, lambda: 1 // 0)], wake)
        return fork(self, jail, work, wake)

    selftest.SelfTest._run_child = run_child


def keep_descriptors() -> None:
    jail.STEPS = tuple(step for step in jail.STEPS if step.name != "descriptors")


def no_memory_limit() -> None:
    selftest.ChildLimits = lambda _, cpu: jail.ChildLimits(None, cpu)


def not_sealed() -> None:
    selftest.ChildLimits = lambda _, cpu: jail.ChildLimits(-1, cpu)


def not_answered() -> None:
    def answers(_):
        raise OSError(11, "no process")

    selftest.SelfTest.answers = answers


def not_elsewhere() -> None:
    """New namespaces but for the network, and the host's files are still there."""
    namespaces._NEW_NET = 0
    namespaces.Inside.change_root = lambda _: None


def nothing() -> None:
    """All is as it should be."""


BREAKAGES = {
    act.__name__: act
    for act in (
        nothing,
        allow_any_mmap,
        no_entropy,
        same_randomness,
        one_draw_dies,
        keep_descriptors,
        no_memory_limit,
        not_elsewhere,
        not_sealed,
        not_answered,
    )
}

if __name__ == "__main__":
    breakage = sys.argv[2]
    if breakage in layers.LAYERS:
        without(breakage)
    else:
        BREAKAGES[breakage]()
    main.main(sys.argv[3:])

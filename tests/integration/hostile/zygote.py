"""A zygote whose tasks may be worse than plain Python, and which turns hostile itself when asked: `zygote.py ROOT ...`.

What follows are the arguments of langserver.zygote.main. A task called `early` runs while it should be compiled: before
the child has read its input and has said that it started. A task that asks for a CPU limit of one of `acts.ACTS`
has its zygote do that in place of telling its end.
"""

from __future__ import annotations

import sys

sys.path.insert(0, sys.argv[1])

from langserver.python_runtime.run import PythonRuntime
from langserver.zygote import main
from tests.integration.hostile import acts

EARLY = "early"


class _Runtime(PythonRuntime):
    def compile(self, header, source):
        if header.label == EARLY:
            exec(source, {"__name__": "__main__"})
        return super().compile(header, source)


class _Zygote(main.Zygote):
    def __init__(self, *args):
        super().__init__(*args)
        self._acts = {}

    def _limit(self, message):
        self._acts[message.slot] = acts.ACTS.get(message.numbers[1])
        super()._limit(message)

    def _reap(self, pidfd):
        act = self._acts.pop(self._children[pidfd].slot, None)
        if act is None:
            super()._reap(pidfd)
        else:
            act(self, self._children[pidfd].slot)

    def _spawn(self, message, descriptors):
        super()._spawn(message, descriptors)
        if acts.after_birth:
            acts.after_birth.pop()(self, message.slot)


if __name__ == "__main__":
    make = main.make_runtime
    main.make_runtime = lambda name, policy, *given: make(name, policy, *given) if policy else _Runtime(policy)
    main.Zygote = _Zygote
    main.main(sys.argv[2:])

"""What a program sees when the policy refuses something while it runs. Uncaught, each is a POLICY_VIOLATION."""

from __future__ import annotations

import weakref
from collections.abc import Callable

from langserver.python_runtime.catalog import is_left_out, without
from langserver.wire.channel import MAX_EVENTS

_DETAIL_CHARACTERS = 500
# The policy's part of a response's events: less than half, so that other layers are heard too. One is kept for the
# refusal that ends the task.
_WHILE_RUNNING = MAX_EVENTS // 2 - 2


class Told:
    """Tells of each refusal once, when it is made: the program may catch it and go on."""

    def __init__(self) -> None:
        self._tell: Callable[[str], None] | None = None
        self._details: set[str] = set()
        self._untold: weakref.WeakKeyDictionary[Refusal, str] = weakref.WeakKeyDictionary()

    def connect(self, tell: Callable[[str], None]) -> None:
        """From now on `tell` is given each new text."""
        self._tell = tell

    def refused(self, refusal: Refusal, message: str) -> None:
        """Called for every refusal."""
        detail = message[:_DETAIL_CHARACTERS]
        if self._tell is None or detail in self._details:
            return
        if len(self._details) >= _WHILE_RUNNING:
            self._untold[refusal] = detail
            return
        self._tell(detail)
        # Only now: telling may fail where the program's stack ends, and the next refusal must be told then.
        self._details.add(detail)

    def ended(self, refusal: Refusal) -> None:
        """Called with the refusal that ended the task: tells of it if that was not done."""
        detail = self._untold.pop(refusal, None)
        if detail is not None and self._tell is not None:
            self._tell(detail)


TOLD = Told()


class Refusal(Exception):
    """Common to the refusals below. `rule` names the rule, `hint` says what to write instead (may be empty)."""

    rule = ""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        if type(message) is str:  # `__exit__` is handed the class, which can be called with anything
            TOLD.refused(self, message)


class RefusedAttribute(Refusal, AttributeError):
    """An attribute may not be read or written; to the program it is an AttributeError."""

    rule = "attribute"


class RefusedImport(Refusal, ImportError):
    """A name of a module is not there; to the program it is an ImportError."""

    rule = "import"


class RefusedModule(RefusedImport, ModuleNotFoundError):
    """A module is not there; to the program it is a ModuleNotFoundError."""


class UnknownName(ImportError):
    """A module has no such name, here or elsewhere: a mistake of the program. `hint` as in Refusal."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UnknownModule(UnknownName, ModuleNotFoundError):
    """There is no such module, here or elsewhere: a mistake of the program."""


class RefusedCall(Refusal, RuntimeError):
    """A builtin that has no meaning here was called."""

    rule = "call"


class RefusedClass(Refusal, TypeError):
    """A class may not be made this way; to the program it is a TypeError."""

    rule = "class"


class RefusedReceiver(Refusal, TypeError):
    """A method of the library was called with an object that is not of its class."""

    rule = "call"


# What a program sees of them, as in `type(error).__name__`, is what it would see elsewhere.
for _refusal, _shown in {
    RefusedAttribute: AttributeError,
    RefusedImport: ImportError,
    RefusedModule: ModuleNotFoundError,
    UnknownName: ImportError,
    UnknownModule: ModuleNotFoundError,
    RefusedCall: RuntimeError,
    RefusedClass: TypeError,
    RefusedReceiver: TypeError,
}.items():
    _refusal.__name__ = _refusal.__qualname__ = _shown.__name__
    _refusal.__module__ = _shown.__module__


def attribute(name: str, why: str, hint: str = "") -> RefusedAttribute:
    """The refusal of one attribute access."""
    return RefusedAttribute(f"the attribute {name!r} is not available here: {why}", hint)


def module(name: str) -> RefusedModule | UnknownModule:
    """The refusal of one import, or the error if there is no such module anywhere."""
    refusal = (RefusedModule if is_left_out(name) else UnknownModule)(*without(name))
    refusal.name = name
    return refusal


def call(name: str, instead: str) -> RefusedCall:
    """The refusal of one builtin."""
    return RefusedCall(f"{name}() is not available: {instead}", instead)

"""What a program sees when the policy refuses something while it runs. Uncaught, each is a POLICY_VIOLATION."""

from __future__ import annotations

from langserver.python_runtime.catalog import available, instead_of


class Refusal(Exception):
    """Common to the refusals below. `rule` names the rule, `hint` says what to write instead (may be empty)."""

    rule = ""
    hint = ""


class RefusedAttribute(Refusal, AttributeError):
    """An attribute may not be read or written; to the program it is an AttributeError."""

    rule = "attribute"


class RefusedImport(Refusal, ImportError):
    """A module or a name of it is not there; to the program it is an ImportError."""

    rule = "import"


class RefusedCall(Refusal, RuntimeError):
    """A builtin that has no meaning here was called."""

    rule = "call"


class RefusedClass(Refusal, TypeError):
    """A class may not be made this way; to the program it is a TypeError."""

    rule = "class"


def attribute(name: str, why: str, hint: str = "") -> RefusedAttribute:
    """The refusal of one attribute access."""
    refusal = RefusedAttribute(f"the attribute {name!r} is not available here: {why}")
    refusal.hint = hint
    return refusal


def import_hint(name: str) -> str:
    """What to do without module `name`, and the modules there are."""
    hint = instead_of(name)
    return f"{hint}; {available()}" if hint else available()


def module(name: str) -> RefusedImport:
    """The refusal of one import."""
    hint = instead_of(name)
    refusal = RefusedImport(f"the module {name!r} is not available" + (f": {hint}" if hint else ""))
    refusal.hint = import_hint(name)
    return refusal


def call(name: str, instead: str) -> RefusedCall:
    """The refusal of one builtin."""
    refusal = RefusedCall(f"{name}() is not available: {instead}")
    refusal.hint = instead
    return refusal

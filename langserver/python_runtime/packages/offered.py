"""The operator's packages as import statements of a program find them: the real modules."""

from __future__ import annotations

import sys
from typing import Any

from langserver.python_runtime import catalog
from langserver.python_runtime.refusals import RefusedImport, UnknownName, module


def find(name: str) -> Any:
    """The module `name`, which is offered and loaded, else None."""
    return sys.modules.get(name) if catalog.offers(name) else None


def import_module(name: str, itself: bool) -> Any:
    """`import name`: the module itself when it is bound by `as`, else its package. Raises RefusedImport."""
    found = find(name)
    if found is None:
        raise module(name)
    return found if itself else sys.modules[name.partition(".")[0]]


def import_from(name: str, attribute: str) -> Any:
    """`from name import attribute`, which may be a module below it. Raises RefusedImport for either."""
    found = find(name)
    if found is None:
        raise module(name)
    if not attribute.startswith("_"):
        try:
            return getattr(found, attribute)
        except AttributeError:
            below = find(f"{name}.{attribute}")
            if below is not None:
                return below
            raise UnknownName(f"cannot import name {attribute!r} from {name!r}") from None
    raise RefusedImport(f"cannot import name {attribute!r} from {name!r}: it is not available")


def public_names(name: str) -> tuple[str, ...]:
    """What `from name import *` binds; nothing for a module that is not offered."""
    found = find(name)
    listed = getattr(found, "__all__", None) or (dir(found) if found is not None else ())
    return tuple(key for key in listed if type(key) is str and not key.startswith("_"))

"""The modules user code may import: facades that hold listed names only and lead to no foreign module.

Beside them what the operator adds, as it is.
"""

from __future__ import annotations

import pkgutil
import sys
from difflib import get_close_matches
from typing import Any

from langserver.python_runtime import catalog
from langserver.python_runtime.instead import instead_of, instead_of_attribute
from langserver.python_runtime.modules import (
    abstract,
    aliases,
    archives,
    caches,
    contexts,
    converters,
    copying,
    enums,
    formats,
    functional,
    generated,
    groups,
    receivers,
    records,
    views,
)
from langserver.python_runtime.modules.facade import Facade, hides, make
from langserver.python_runtime.modules.listed import listed
from langserver.python_runtime.modules.own import own
from langserver.python_runtime.packages import offered
from langserver.python_runtime.refusals import RefusedImport, UnknownName

_FACADES: dict[str, Facade] = {}
_NAMES: dict[str, tuple[str, ...]] = {}
_SAID = 12  # names of a module in a hint


def build() -> None:
    """Makes every facade of the catalog: in the zygote, once."""
    generated.harden()
    copying.harden()
    abstract.harden()
    enums.harden()
    formats.harden()
    archives.harden()
    functional.harden()
    aliases.harden()
    caches.harden()
    contexts.harden()
    converters.harden()
    groups.harden()
    records.harden()
    views.harden()
    for name in catalog.MODULES:
        paths = getattr(sys.modules[name], "__path__", ())
        catalog.leave_out(found.name for found in pkgutil.iter_modules(paths, f"{name}."))
    contents: dict[str, dict[str, Any]] = {name: listed(name) | own(name) for name in catalog.MODULES}
    for name in sorted(contents, key=lambda each: -each.count(".")):  # a package holds its modules: those first
        for child in contents:
            if child.rpartition(".")[0] == name:
                contents[name][child.rpartition(".")[2]] = _FACADES[child]
        _FACADES[name] = make(name, contents[name])
        _NAMES[name] = tuple(key for key in contents[name] if not key.startswith("_"))
    receivers.check_receivers()


def renew(name: str, attributes: tuple[str, ...]) -> None:
    """Takes these attributes of the module `name` anew from the library: they changed since its facade was made."""
    facade, library = type(_FACADES[name]), sys.modules[name]
    for attribute in attributes:
        setattr(facade, attribute, staticmethod(getattr(library, attribute)))


def public_names(name: str) -> tuple[str, ...]:
    """What `from name import *` binds; nothing for a module that is not there."""
    return _NAMES[name] if name in _NAMES else offered.public_names(name)


def import_module(name: str, itself: bool) -> Any:
    """`import name`: the module itself when it is bound by `as`, else its package. Raises RefusedImport."""
    found = _FACADES.get(name)
    if found is None:
        return offered.import_module(name, itself)
    return found if itself else _FACADES[name.partition(".")[0]]


def import_from(name: str, attribute: str) -> Any:
    """`from name import attribute`. Raises RefusedImport for either."""
    found = _FACADES.get(name)
    if found is None:
        return offered.import_from(name, attribute)
    if attribute in _NAMES[name]:
        return getattr(found, attribute)
    message = f"cannot import name {attribute!r} from {name!r}"
    if hides(name, attribute) or catalog.is_left_out(f"{name}.{attribute}"):
        instead = instead_of_attribute(name, attribute) or instead_of(f"{name}.{attribute}")
        raise RefusedImport(f"{message}: it is not available", instead or _has(name, attribute))
    raise UnknownName(message, _has(name, attribute))


def _has(name: str, attribute: str) -> str:
    """Which names of the module `name` may be meant by `attribute`."""
    names = _NAMES[name]
    close = get_close_matches(attribute, names, n=1, cutoff=0.75)
    if close:
        return f"did you mean {close[0]!r}?"
    more = f" and {len(names) - _SAID} more, which docs/python.md lists" if len(names) > _SAID else ""
    return f"{name} has {', '.join(names[:_SAID])}{more}"

"""Loads the operator's packages, so that nothing of them is missing after the seal. Ends the zygote when one fails."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from importlib.machinery import BuiltinImporter, FrozenImporter
from types import ModuleType
from typing import Final, NoReturn

from langserver.python_runtime import catalog
from langserver.python_runtime.packages import classes
from langserver.python_runtime.packages.known import WarmUp, warm_ups
from langserver.python_runtime.packages.names import VARIABLE
from langserver.python_runtime.packages.traces import Traces

# A second thread would keep a zygote from forking, and a child can start none. Read when the libraries are loaded.
_SETTINGS: Final = dict.fromkeys(
    """
    BLIS_NUM_THREADS MKL_NUM_THREADS NUMBA_NUM_THREADS NUMEXPR_MAX_THREADS NUMEXPR_NUM_THREADS OMP_NUM_THREADS
    OPENBLAS_NUM_THREADS POLARS_MAX_THREADS RAYON_NUM_THREADS VECLIB_MAXIMUM_THREADS
    """.split(),
    "1",
) | {
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # the others have threads of their own
    "NUMPY_MADVISE_HUGEPAGE": "0",  # a call that the filter refuses
}
# Modules for those who build and test a package: they load compilers and test tools, which no task can use.
_TOOLS: Final = frozenset(
    "__main__ _configtool _pyinstaller _testing conftest distutils f2py mypy_plugin setup test tests testutils".split()
)
_REASON_CHARACTERS: Final = 500


def load(names: tuple[str, ...]) -> None:
    """Imports `names`, what they need and all submodules of both, and exercises those that are known.

    One that cannot be imported or exercised, or that leaves behind what no child may have, ends the process with its
    reason on stderr.
    """
    if not names:
        return
    os.environ.update(_SETTINGS)
    libraries = set(sys.modules)
    before = classes.all_classes()
    traces = Traces()
    with _quiet():
        for name in names:
            _say(f"loading {name} did not come to an end")
            _import(name, traces)
        for package in _packages(libraries):
            _say(f"loading all of {package} did not come to an end")
            _walk(sys.modules[package], traces)
            _check(package, traces.found_in_memory())
        for package, warm_up in warm_ups():
            _say(f"exercising {package} did not come to an end")
            _exercise(package, warm_up, traces)
    catalog.offer(names)
    classes.export(before)


def close_folders() -> None:
    """What is not loaded now is not there, and no folder is asked for it.

    Packages look for optional parts all the time. The refusals would be told as events of a program that does nothing
    of the kind.
    """
    sys.meta_path[:] = [BuiltinImporter, FrozenImporter]


def _import(name: str, traces: Traces) -> None:
    try:
        importlib.import_module(name)
    except BaseException as error:  # noqa: BLE001 -- whatever a package raises, SystemExit too, is the reason
        _refuse(f"{name} cannot be imported", error)
    _check(name, traces.found() or traces.found_in_memory())


def _exercise(package: str, warm_up: WarmUp, traces: Traces) -> None:
    try:
        warm_up()
    except BaseException as error:  # noqa: BLE001 -- likewise
        _refuse(f"{package} cannot be exercised", error)
    _check(package, traces.found() or traces.found_in_memory())


def _packages(libraries: set[str]) -> list[str]:
    """The top packages that were loaded since, the named ones and those that they need, without the library's own."""
    found = {name.partition(".")[0] for name in sys.modules.keys() - libraries}
    return sorted(name for name in found - sys.stdlib_module_names if name in sys.modules)


def _walk(package: ModuleType, traces: Traces) -> None:
    """Imports what is below `package`: much is else loaded at first use. What cannot be imported here never can be."""
    for found in pkgutil.iter_modules(getattr(package, "__path__", ()), f"{package.__name__}."):
        last = found.name.rpartition(".")[2]
        if last in _TOOLS or last.startswith(("test_", "_test_")):
            continue
        try:
            module = importlib.import_module(found.name)
        except BaseException:  # noqa: BLE001, S112 -- of optional parts something is mostly missing
            continue
        finally:
            _check(found.name, traces.found())
        _walk(module, traces)


def _check(name: str, found: str) -> None:
    if found:
        _refuse(f"{name} {found}")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Nobody reads what a package prints while it is loaded, and a full pipe would hold it up."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


def _say(text: str) -> None:
    """The last line on stderr is why a zygote did not start."""
    os.write(2, f"{VARIABLE}: {text}\n".encode("utf-8", "replace"))


def _refuse(what: str, error: BaseException | None = None) -> NoReturn:
    reason = "" if error is None else " ".join(f": {type(error).__name__}: {error}".split())[:_REASON_CHARACTERS]
    _say(what + reason)
    os._exit(1)  # threads of a package would keep an ordinary end waiting

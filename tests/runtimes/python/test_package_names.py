"""What LANG_PYTHON_MODULES may hold."""

from __future__ import annotations

import pytest

from langserver.python_runtime.packages.names import parse_modules


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", ()),
        (" , ", ()),
        ("numpy", ("numpy",)),
        (" numpy , pandas,numpy,", ("numpy", "pandas")),
        ("scipy.stats,sklearn", ("scipy.stats", "sklearn")),
        ("wsgiref.util", ("wsgiref.util",)),
    ],
)
def test_names(text: str, names: tuple[str, ...]) -> None:
    assert parse_modules(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "numpy pandas",
        "numpy==2.4",
        "a-b",
        "../numpy",
        ".numpy",
        "numpy.",
        "a..b",
        "class",
        "a.if",
        "1a",
        "nümpy",
        "json",
        "collections.abc",
        "urllib.request",
        "os",
        "os.path",
        "subprocess",
        "threading",
        "ctypes",
        "socket",
        "importlib",
        "langserver",
        "langserver.settings",
        "__main__",
    ],
)
def test_no_names(text: str) -> None:
    with pytest.raises(ValueError, match=r"module|tasks"):
        parse_modules(f"numpy,{text}")

"""numpy: what exercises it, and the one generator of it that every child would inherit."""

from __future__ import annotations

import importlib
import io
import os
from typing import Any, Final

from langserver.python_runtime.packages import numpy_values

_BELOW: Final = """
    ctypeslib exceptions fft lib.format lib.recfunctions lib.scimath linalg ma ma.extras polynomial random rec strings
    testing
"""
_WORD: Final = 1 << 32
_FRESH_WORDS: Final = 8


def warm_up() -> None:
    """Runs what numpy does at first use: imports, tables, the work space of its linear algebra."""
    np: Any = importlib.import_module("numpy")
    for name in _BELOW.split():
        importlib.import_module(f"numpy.{name}")
    _calculate(np)
    _exchange(np)
    numpy_values.register(np)


def _calculate(np: Any) -> None:
    square = np.arange(64.0 * 64).reshape(64, 64) % 7 + 64 * np.eye(64)
    for kind in ("f4", "f8", "c8", "c16"):
        some = square.astype(kind)
        np.linalg.solve(some @ some.T, some[0])
        for decompose in (np.linalg.svd, np.linalg.eig, np.linalg.eigh, np.linalg.qr, np.linalg.inv, np.linalg.det):
            decompose(some)
    np.linalg.cholesky(square @ square.T)
    np.linalg.lstsq(square, square[0], rcond=None)
    np.linalg.pinv(square)
    np.polyfit(np.arange(5.0), np.arange(5.0) ** 2, 2)
    np.polynomial.Polynomial.fit(np.arange(5.0), np.arange(5.0), 1)
    np.fft.irfft(np.fft.rfft(square[0]))
    np.fft.ifft2(np.fft.fft2(square))
    np.einsum("ij,jk->ik", square, square, optimize=True)
    for kind in ("i8", "f8", "U3", "M8[s]", "O"):
        np.unique(np.sort(np.arange(9).astype(kind)))
    np.histogram(square, bins=5)
    np.nanpercentile(square, [5, 50])
    np.vectorize(str)(np.arange(2))
    generator = np.random.default_rng(1)
    for draw in (generator.normal, generator.random, generator.poisson):
        draw(size=3)
    generator.shuffle(generator.choice(9, 3, replace=False))
    np.random.seed(1)
    np.random.normal(size=2)
    np.random.permutation(4)
    np.random.choice(4, 2, p=[0.5, 0.5, 0, 0])


def _exchange(np: Any) -> None:
    file = io.BytesIO()
    np.savez_compressed(file, a=np.arange(3))
    np.load(io.BytesIO(file.getvalue()))["a"]
    text = io.StringIO()
    np.savetxt(text, np.eye(2), delimiter=",")
    np.loadtxt(io.StringIO(text.getvalue()), delimiter=",")
    np.genfromtxt(io.StringIO("a,b\n1,x\n"), delimiter=",", names=True, dtype=None, encoding="utf-8")
    masked = np.ma.masked_less(np.arange(3.0), 1)
    dates = np.array(["2024-01-31", "NaT"], "M8[D]")
    rows = np.array([(1, "a")], dtype=[("n", int), ("s", "U1")])
    repr((np.eye(2), masked, dates, rows, np.float32(1), np.arange(9999), np.array([1.5 + 1j, np.nan])))
    np.busday_count("2024-01-01", "2024-02-01")
    np.char.upper(np.array(["a"]))
    np.testing.assert_allclose([1.0], [1.0])


def reseed(seed: int | None) -> None:
    """Seeds the global generator of `numpy.random`, as `numpy.random.seed` does; `default_rng()` asks the kernel."""
    random: Any = importlib.import_module("numpy.random")
    if seed is None:
        fresh = os.urandom(4 * _FRESH_WORDS)
        random.seed([int.from_bytes(fresh[place : place + 4]) for place in range(0, len(fresh), 4)])
    else:
        random.seed(seed if seed < _WORD else [seed % _WORD, seed // _WORD])

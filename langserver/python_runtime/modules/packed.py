"""Compressed files without files: `gzip`, `bz2` and `lzma` over a file object, and text over bytes in memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from typing import Any, NoReturn

from langserver.python_runtime.refusals import RefusedCall

_INSTEAD = "pass a file object such as io.BytesIO"


class _Packed(io.BytesIO):
    """Reads what a file object holds compressed, at once; writes to it, compressed, when it is closed."""

    def __init__(
        self, fileobj: Any, mode: str, pack: Callable[[bytes], bytes], unpack: Callable[[bytes], bytes]
    ) -> None:
        if isinstance(fileobj, (str, bytes)) or fileobj is None:
            raise RefusedCall("there are no files to open here", _INSTEAD)
        if mode not in {"r", "rb", "w", "wb", "x", "xb", "a", "ab"}:
            raise ValueError(f"Invalid mode: {mode!r}")
        writes = mode[0] != "r"
        super().__init__(b"" if writes else unpack(fileobj.read()))
        self._writes = writes
        self._target: Any = fileobj if writes else None
        self._pack = pack

    @property
    def mode(self) -> str:
        """`rb` or `wb`."""
        return "wb" if self._writes else "rb"

    def readable(self) -> bool:
        return not self._writes

    def writable(self) -> bool:
        return self._writes

    def read(self, size: int | None = -1, /) -> bytes:
        if self._writes:
            raise OSError("read() on write-only object")
        return super().read(size)

    def write(self, data: Any, /) -> int:
        if not self._writes:
            raise OSError("write() on read-only object")
        return super().write(data)

    def close(self) -> None:
        if not self.closed and self._target is not None:
            target, self._target = self._target, None
            target.write(self._pack(self.getvalue()))
        super().close()


class GzipFile(_Packed):
    """`gzip.GzipFile` with `fileobj`."""

    def __init__(
        self,
        filename: Any = None,
        mode: str | None = None,
        compresslevel: int = 9,
        fileobj: Any = None,
        mtime: Any = None,
    ) -> None:
        def pack(data: bytes) -> bytes:
            return gzip.compress(data, compresslevel, mtime=mtime)

        super().__init__(filename if fileobj is None else fileobj, mode or "rb", pack, gzip.decompress)


class BZ2File(_Packed):
    """`bz2.BZ2File`."""

    def __init__(self, filename: Any, mode: str = "r", compresslevel: int = 9) -> None:
        super().__init__(filename, mode, lambda data: bz2.compress(data, compresslevel), bz2.decompress)


class LZMAFile(_Packed):
    """`lzma.LZMAFile`."""

    def __init__(
        self,
        filename: Any = None,
        mode: str = "r",
        *,
        format: Any = None,  # noqa: A002 -- the library's name
        check: int = -1,
        preset: Any = None,
        filters: Any = None,
    ) -> None:
        def pack(data: bytes) -> bytes:
            return lzma.compress(data, lzma.FORMAT_XZ if format is None else format, check, preset, filters)

        def unpack(data: bytes) -> bytes:
            return lzma.decompress(data, lzma.FORMAT_AUTO if format is None else format, None, filters)

        super().__init__(filename, mode, pack, unpack)


class TextIOWrapper(io.TextIOWrapper):
    """`io.TextIOWrapper` over bytes in memory. Over an object of the program, C code would call back in the middle."""

    def __init__(self, buffer: Any, *args: Any, **options: Any) -> None:
        if type(buffer) not in _IN_MEMORY:
            raise TypeError(f"io.TextIOWrapper takes an io.BytesIO here, not {type(buffer).__name__}")
        super().__init__(buffer, *args, **options)


_IN_MEMORY = (io.BytesIO, GzipFile, BZ2File, LZMAFile)


def _opener(kind: Callable[..., _Packed]) -> Callable[..., Any]:
    def open(  # noqa: A001 -- the library's name
        filename: Any,
        mode: str = "rb",
        *args: Any,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        **options: Any,
    ) -> Any:
        """Over a file object, as bytes or, with `t` in the mode, as text."""
        file = kind(filename, mode.replace("t", ""), *args, **options)
        return TextIOWrapper(file, encoding or "utf-8", errors, newline) if "t" in mode else file

    return open


def _no_file(*args: Any, **options: Any) -> NoReturn:
    raise RefusedCall("there are no files to open here", _INSTEAD)


BZ2: dict[str, Any] = {"BZ2File": BZ2File, "open": _opener(BZ2File)}
GZIP: dict[str, Any] = {"GzipFile": GzipFile, "open": _opener(GzipFile)}
IO: dict[str, Any] = {"TextIOWrapper": TextIOWrapper, "open": _no_file}
LZMA: dict[str, Any] = {"LZMAFile": LZMAFile, "open": _opener(LZMAFile)}

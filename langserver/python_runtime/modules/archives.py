"""`zipfile` without files: an archive is read from a file object whole, and written to one when it is closed."""

from __future__ import annotations

import io
import zipfile
from typing import Any, Final, NoReturn, Self

from langserver.python_runtime.refusals import RefusedCall

_INSTEAD: Final = "pass a file object such as io.BytesIO"
_MODES: Final = ("r", "w", "x", "a")


def _refused(what: str, instead: str) -> NoReturn:
    raise RefusedCall(f"there are no files to {what} here", instead)


def _content(file: Any) -> bytes:
    if file is None or isinstance(file, (str, bytes)) or not hasattr(file, "read"):
        _refused("open", _INSTEAD)
    file.seek(0)
    data = file.read()
    if not isinstance(data, (bytes, bytearray)):
        raise TypeError(f"an archive is bytes, not {type(data).__name__}")
    return bytes(data)


class _Member(io.BytesIO):
    """What `ZipFile.open` gives: the content, to be read; or to be written, and then put into the archive."""

    def __init__(self, name: str, mode: str, content: bytes, done: Any) -> None:
        super().__init__(content)
        self.name = name
        self._mode = mode
        self._done: Any = done

    @property
    def mode(self) -> str:
        """`r` or `w`."""
        return self._mode

    def readable(self) -> bool:
        return self._done is None

    def writable(self) -> bool:
        return self._done is not None

    def close(self) -> None:
        if not self.closed and self._done is not None:
            self._done(self.getvalue())
        super().close()


class ZipFile:
    """`zipfile.ZipFile`. `read`, `open` and `writestr` work; what names a file on a disk is refused."""

    filename = None

    def __init__(
        self,
        file: Any,
        mode: str = "r",
        compression: int = zipfile.ZIP_STORED,
        allowZip64: bool = True,  # noqa: N803 -- the library's name
        compresslevel: int | None = None,
        *,
        strict_timestamps: bool = True,
        metadata_encoding: str | None = None,
    ) -> None:
        if mode not in _MODES:
            raise ValueError("ZipFile requires mode 'r', 'w', 'x', or 'a'")
        held = io.BytesIO(_content(file) if mode in {"r", "a"} else b"")
        if mode != "r" and not hasattr(file, "write"):
            _refused("write", _INSTEAD)
        self.mode = mode
        self.compression = compression
        self.compresslevel = compresslevel
        self._held = held
        self._target: Any = None if mode == "r" else file
        self._archive = zipfile.ZipFile(
            held,
            "a" if mode == "a" else "r" if mode == "r" else "w",  # `x` asks whether the file exists: this is a new one
            compression,
            allowZip64,
            compresslevel,
            strict_timestamps=strict_timestamps,
            metadata_encoding=metadata_encoding,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<zipfile.ZipFile mode={self.mode!r}>"

    @property
    def comment(self) -> bytes:
        """Of the archive."""
        return self._archive.comment

    @comment.setter
    def comment(self, comment: bytes) -> None:
        self._archive.comment = comment

    @property
    def filelist(self) -> list[zipfile.ZipInfo]:
        """As `infolist`."""
        return self.infolist()

    def namelist(self) -> list[str]:
        """The names of the members."""
        return self._archive.namelist()

    def infolist(self) -> list[zipfile.ZipInfo]:
        """What is known of each member."""
        return [*self._archive.infolist()]

    def getinfo(self, name: str) -> zipfile.ZipInfo:
        """What is known of one. Raises KeyError."""
        return self._archive.getinfo(name)

    def read(self, name: Any, pwd: bytes | None = None) -> bytes:
        """The content of a member. Raises KeyError, zipfile.BadZipFile, RuntimeError for a password."""
        return self._archive.read(name, pwd)

    def open(self, name: Any, mode: str = "r", pwd: bytes | None = None, *, force_zip64: bool = False) -> Any:
        """A file object for one member. Raises as `read`."""
        label = str(getattr(name, "filename", name))
        if mode == "r":
            return _Member(label, "r", self.read(name, pwd), None)
        if mode != "w":
            raise ValueError('open() requires mode "r" or "w"')
        return _Member(label, "w", b"", lambda content: self.writestr(name, content))

    def writestr(
        self, zinfo_or_arcname: Any, data: Any, compress_type: int | None = None, compresslevel: int | None = None
    ) -> None:
        """Adds a member."""
        self._archive.writestr(zinfo_or_arcname, data, compress_type, compresslevel)

    def mkdir(self, zinfo_or_directory_name: Any, mode: int = 511) -> None:
        """Adds a folder."""
        name = str(getattr(zinfo_or_directory_name, "filename", zinfo_or_directory_name))
        info = zipfile.ZipInfo(name if name.endswith("/") else f"{name}/")
        info.external_attr = ((0o40000 | mode) & 0xFFFF) << 16 | 0x10
        self._archive.writestr(info, b"")

    def testzip(self) -> str | None:
        """The name of the first member that is broken."""
        return self._archive.testzip()

    def setpassword(self, pwd: bytes) -> None:
        """For members that are encrypted."""
        self._archive.setpassword(pwd)

    def printdir(self, file: Any = None) -> None:
        """Prints the table of members."""
        from langserver.python_runtime.modules.printing import stdout

        out = stdout() if file is None else file
        out.write(f"{'File Name':<46} {'Modified    ':>19} {'Size':>12}\n")
        for info in self.infolist():
            date = "{}-{:02}-{:02} {:02}:{:02}:{:02}".format(*info.date_time[:6])
            out.write(f"{info.filename:<46} {date} {info.file_size:12}\n")

    def close(self) -> None:
        """Writes what was added; may be called twice."""
        self._archive.close()
        target, self._target = self._target, None
        if target is None:
            return
        if self.mode == "a":
            target.seek(0)
            target.truncate()
        target.write(self._held.getvalue())

    def extract(self, member: Any, path: Any = None, pwd: bytes | None = None) -> NoReturn:
        """Refused."""
        _refused("write", "read the members with archive.read(name)")

    def extractall(self, path: Any = None, members: Any = None, pwd: bytes | None = None) -> NoReturn:
        """Refused."""
        _refused("write", "read the members with archive.read(name)")

    def write(self, filename: Any, arcname: Any = None, *_: Any, **__: Any) -> NoReturn:
        """Refused."""
        _refused("read", "write content with archive.writestr(name, data)")


def is_zipfile(filename: Any) -> bool:
    """`zipfile.is_zipfile`, of a file object."""
    return zipfile.is_zipfile(io.BytesIO(_content(filename)))


def _no_file(*_: Any, **__: Any) -> NoReturn:
    _refused("read", "zipfile.ZipInfo(name) makes one")


def harden() -> None:
    """In the zygote: the one method of a member's description that looks at files."""
    zipfile.ZipInfo.from_file = staticmethod(_no_file)  # type: ignore[method-assign]


# What may be set of a ZipInfo, as the documentation shows.
WRITABLE: Final = frozenset(
    "comment compress_type create_system date_time external_attr extra filename flag_bits internal_attr".split()
)
NAMES: Final[dict[str, Any]] = {"ZipFile": ZipFile, "is_zipfile": is_zipfile}

"""Takes out of an image what no process of ours runs: the last step of its build, by the image's own interpreter.

No shell, no tool of the system and no package manager is left. Lists of what is installed stay, for scanners. See
docs/decisions/0058.
"""

from __future__ import annotations

import compileall
import os
import re
import shutil
import ssl
import stat
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

TOOLS = ("bin", "sbin", "usr/bin", "usr/sbin", "usr/local/bin", "usr/local/sbin", "usr/games")
INTERPRETER = re.compile(r"python3(\.\d+)?")
# Of the standard library: what installs, what tests it, what needs a screen.
MODULES = ("ensurepip", "idlelib", "lib2to3", "test", "tkinter", "turtledemo")
DISTRIBUTIONS = re.compile(r"(pip|setuptools|wheel|pkg_resources|_distutils_hack|distutils-precedence)\b.*")
# What tools leave behind when they are gone: documentation, headers, their own libraries and caches.
FOLDERS = (
    "usr/include",
    "usr/lib/apt",
    "usr/lib/dpkg",
    "usr/local/include",
    "usr/local/share/man",
    "usr/share/doc",
    "usr/share/info",
    "usr/share/locale",
    "usr/share/man",
    "usr/share/perl5",
    "usr/share/python-wheels",
    "var/cache",
    "var/lib/apt",
    "var/lib/dpkg/info",
    "var/log",
)
LIBRARIES = re.compile(r"libapt-\w+\.so[\d.]*|libperl\.so[\d.]*|libpython3.*\.a|perl-base|perl5?|gconv")


def main() -> int:
    """Returns the exit status."""
    if not certificates():
        print("the base has no CA certificates, which http tasks need: install ca-certificates in it", file=sys.stderr)
        return 1
    standard = Path(sysconfig.get_path("stdlib"))
    remove_tools()
    remove_modules(standard)
    remove_libraries()
    # Slim images come without: each process would compile what it imports anew, since nothing can be written.
    compileall.compile_dir(standard, quiet=1)
    sweep()
    Path(__file__).unlink()
    return 0


def remove_tools() -> None:
    """All programs but the interpreter, and what comes with them."""
    for place in {Path("/", name).resolve() for name in TOOLS}:
        for tool in children(place):
            if not INTERPRETER.fullmatch(tool.name):
                remove(tool)
    for name in FOLDERS:
        remove(Path("/", name))


def remove_modules(standard: Path) -> None:
    """What installs packages, wherever the interpreter looks; of the standard library what nobody runs here."""
    for name in MODULES:
        remove(standard / name)
    for config in standard.glob("config-*"):
        remove(config)
    for site in (*standard.glob("*-packages"), Path("/usr/lib/python3/dist-packages")):
        for entry in children(site):
            if DISTRIBUTIONS.fullmatch(entry.name):
                remove(entry)


def remove_libraries() -> None:
    """Of tools that are gone."""
    system = Path("/usr/lib")
    for place in (system, *system.glob("*-linux-gnu")):
        for entry in children(place):
            if LIBRARIES.fullmatch(entry.name):
                remove(entry)


def certificates() -> bool:
    """Whether the system has certificates to trust."""
    paths = ssl.get_default_verify_paths()
    return bool(paths.cafile) or (bool(paths.capath) and any(children(Path(paths.capath))))


def children(folder: Path) -> Iterator[Path]:
    """What is in a folder; nothing where there is none."""
    return iter(sorted(folder.iterdir()) if folder.is_dir() else ())


def remove(entry: Path) -> None:
    """A file, a link or a folder; it need not be there."""
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry)
    else:
        entry.unlink(missing_ok=True)


def sweep() -> None:
    """No script is left without what would run it, and no file that gives whoever runs it another identity."""
    device = Path("/").stat().st_dev
    for folder, inner, files in os.walk("/"):
        inner[:] = [name for name in inner if Path(folder, name).lstat().st_dev == device]
        for path in (Path(folder, name) for name in files):
            mode = path.lstat().st_mode
            if not stat.S_ISREG(mode) or not mode & 0o111:
                continue
            runs = interpreter(path)
            if runs is not None and not Path(runs).exists() and path.suffix != ".py":  # some modules are scripts too
                path.unlink()
            elif mode & (stat.S_ISUID | stat.S_ISGID):
                path.chmod(stat.S_IMODE(mode) & ~(stat.S_ISUID | stat.S_ISGID))


def interpreter(script: Path) -> str | None:
    """Of a script, by its first line; None where it is none."""
    with script.open("rb") as opened:
        first = opened.readline(256)
    return os.fsdecode(first[2:].split()[0]) if first.startswith(b"#!") and first[2:].split() else None


if __name__ == "__main__":
    sys.exit(main())

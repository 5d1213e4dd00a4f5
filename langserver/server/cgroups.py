"""The control groups that this process is in, as far as they are seen from here: of version 1, 2, or both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Group:
    """One, and which version's files it has."""

    unified: bool
    folder: Path

    def read(self, name: str) -> str | None:
        """What one of its files says; None where there is none."""
        return read(self.folder / name)


def own_groups(controller: str) -> Iterator[Group]:
    """The group of this process that may bound what `controller` counts, and all above it: the bounds of all hold.

    On a host with both versions that may be two lines of groups, of which one has the controller's files.
    """
    groups, mounts = read(PROC / "self" / "cgroup"), read(PROC / "self" / "mountinfo")
    return groups_above(controller, groups or "", mounts or "")


def groups_above(controller: str, groups: str, mounts: str) -> Iterator[Group]:
    """The same, of the texts of /proc/self/cgroup (cgroups(7)) and /proc/self/mountinfo (proc_pid_mountinfo(5))."""
    for line in groups.splitlines():
        hierarchy, controllers, path = line.split(":", 2)
        unified = hierarchy == "0" and not controllers
        if unified or controller in controllers.split(","):
            yield from _seen(unified, controller, PurePosixPath(path), mounts)


def _seen(unified: bool, controller: str, path: PurePosixPath, mounts: str) -> Iterator[Group]:
    for line in mounts.splitlines():
        fields, _, source = line.partition(" - ")
        kind, _, options = source.split(" ", 2)
        if kind != ("cgroup2" if unified else "cgroup") or not (unified or controller in options.split(",")):
            continue
        root, point = (_unescaped(field) for field in fields.split(" ")[3:5])
        # In a container the path may be the host's, which is not seen there: what is mounted is its own group then.
        below = path.relative_to(root) if path.is_relative_to(root) else PurePosixPath()
        if ".." in below.parts:  # the group is outside of what this namespace of groups can name
            below = PurePosixPath()
        for part in (below, *below.parents):
            yield Group(unified, Path(point, part))
        return


def _unescaped(field: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), field)


def read(path: Path) -> str | None:
    """The text of a small file of the kernel's; None where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None

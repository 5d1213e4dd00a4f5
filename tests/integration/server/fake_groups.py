"""Trees of control groups of all shapes, as /proc and the files of the groups show them."""

from __future__ import annotations

import pytest

from langserver.server import cgroups

V1_NONE = "9223372036854771712\n"  # how version 1 says that there is no bound


class Tree:
    """A /proc/self and the mounts that it names, below a folder."""

    def __init__(self, folder, monkeypatch: pytest.MonkeyPatch):
        self._folder = folder
        self._mounts = []
        (folder / "proc" / "self").mkdir(parents=True)
        monkeypatch.setattr(cgroups, "PROC", folder / "proc")
        self.mounted("/", "/", "ext4", "rw")
        self.says("proc/meminfo", "MemTotal:       8388608 kB\nMemFree:         123456 kB\n")

    def says(self, path, text):
        (self._folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self._folder / path).write_text(text)

    def is_in(self, text):
        """What /proc/self/cgroup says."""
        self.says("proc/self/cgroup", text)

    def mounted(self, root, point, kind, options):
        """A line of mountinfo; `point` is below the folder of this tree."""
        number = 30 + len(self._mounts)
        point = f"{self._folder}{point}".replace(" ", "\\040")
        self._mounts.append(f"{number} 23 0:{number} {root} {point} rw,relatime shared:1 - {kind} {kind} {options}\n")
        self.says("proc/self/mountinfo", "".join(self._mounts))

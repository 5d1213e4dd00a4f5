"""What is said when a request may not go where it wants."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """The closed set that metrics count by."""

    URL = "url"  # no URL of ours, or one that two readers might read differently
    SCHEME = "scheme"
    USERINFO = "userinfo"
    SPELLING = "spelling"  # a host that is neither a plain name nor a plainly written address
    ZONE = "zone"
    PORT = "port"
    NAME = "name"
    ADDRESS = "address"
    METADATA = "metadata"
    DOWNGRADE = "downgrade"


class Refused(Exception):
    """The egress policy forbids it, now and again; the text is for the task's author."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason

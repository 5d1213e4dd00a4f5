"""A throw-away CA, and files as an operator has them."""

from __future__ import annotations

import datetime
from pathlib import Path

import trustme

_LONG_AGO = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)


class Pki:
    """The installation's CA, and a stranger's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.authority, self.stranger = trustme.CA(), trustme.CA()
        self.ca, self.other_ca = str(folder / "ca.pem"), str(folder / "other_ca.pem")
        self.authority.cert_pem.write_to_path(self.ca)
        self.stranger.cert_pem.write_to_path(self.other_ca)
        self.server = self.files("server", "127.0.0.1")
        self.bridge = self.files("bridge", "bridge@example.org")

    def files(
        self, name: str, identity: str, *, by: trustme.CA | None = None, expired: bool = False
    ) -> tuple[str, str]:
        """Certificate and key."""
        dates = {"not_before": _LONG_AGO, "not_after": _LONG_AGO + datetime.timedelta(days=1)} if expired else {}
        leaf = (by or self.authority).issue_cert(identity, **dates)
        cert, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        leaf.cert_chain_pems[0].write_to_path(cert)
        leaf.private_key_pem.write_to_path(key)
        key.chmod(0o600)
        return str(cert), str(key)

    def serving(self, prefix: str, **more: str) -> dict[str, str]:
        """Settings of a server that wants certificates."""
        cert, key = self.server
        known = {f"{prefix}_TLS_CERT": cert, f"{prefix}_TLS_KEY": key, f"{prefix}_TLS_CLIENT_CA": self.ca}
        return known | {f"{prefix}_{name}": value for name, value in more.items()}

    def calling(self, prefix: str, **more: str) -> dict[str, str]:
        """Settings of a client that has one; with an empty value that setting is left out."""
        cert, key = self.bridge
        known = {"TLS_CA": self.ca, "CLIENT_CERT": cert, "CLIENT_KEY": key} | more
        return {f"{prefix}_{name}": value for name, value in known.items() if value}

    def write(self, name: str, text: str) -> str:
        """A file that its owner alone can read, in the place of the one before."""
        new, file = self.folder / f"{name}.new", self.folder / name
        new.write_text(text)
        new.chmod(0o600)
        new.replace(file)
        return str(file)

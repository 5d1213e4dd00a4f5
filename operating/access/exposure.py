"""What a network may reach of a program: calls with TLS and a known caller, figures when an operator says so."""

from __future__ import annotations

from dataclasses import dataclass

from operating.access.address import Address, is_local


@dataclass(frozen=True, slots=True)
class Protection:
    """What stands between the network and a server."""

    tls: bool
    client_certificates: bool
    token: bool


def check_exposure(prefix: str, address: Address, protection: Protection, allow_insecure: bool) -> None:
    """Refuses to offer the execution of code to a network in the clear, or to everybody.

    Raises ValueError naming the settings, which begin with `prefix`.
    """
    if allow_insecure or is_local(address):
        return
    anyway = f"{prefix}_ALLOW_INSECURE=1 listens all the same"
    if not protection.tls and protection.token:
        raise ValueError(
            f"refusing to listen on {address}: the token would cross the network in the clear. "
            f"Set {prefix}_TLS_CERT and {prefix}_TLS_KEY; {anyway}"
        )
    if not protection.tls:
        raise ValueError(
            f"refusing to listen on {address}, beyond this machine, without TLS and a token. Set {prefix}_TLS_CERT, "
            f"{prefix}_TLS_KEY and {prefix}_AUTH_TOKENS_FILE (or {prefix}_AUTH_TOKEN, {prefix}_TLS_CLIENT_CA); {anyway}"
        )
    if not protection.token and not protection.client_certificates:
        raise ValueError(
            f"refusing to listen on {address}: everybody who can reach it could run code. Set "
            f"{prefix}_AUTH_TOKENS_FILE, {prefix}_AUTH_TOKEN or {prefix}_TLS_CLIENT_CA; {anyway}"
        )


def check_shown(prefix: str, address: Address, allow_remote: bool, learns: str) -> None:
    """Refuses to show figures to a network unasked; `learns` is what they tell. Raises ValueError as above."""
    if allow_remote or is_local(address):
        return
    raise ValueError(
        f"{prefix}_METRICS_ADDR is {address}, beyond this machine: {prefix}_METRICS_ALLOW_REMOTE=1 allows that. "
        f"Metrics hold no secrets, and whoever reaches them learns {learns}"
    )

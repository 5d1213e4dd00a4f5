"""What to check when a server is not reached or sends us away, from gRPC's words about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_SAID: Final = (
    ("certificate has expired", "the server's certificate has expired"),
    ("certificate is not yet valid", "the server's certificate is not valid yet: check the clocks"),
    ("CERTIFICATE_VERIFY_FAILED", "the server's certificate is not signed by a CA in {ca}"),
    ("Hostname Verification", "the server's certificate is for another host than the one in the address"),
    ("WRONG_VERSION_NUMBER", "the server speaks no TLS, but {ca} is set: check the address, and the server's settings"),
)
# A server that is just being restarted ends connections too.
_NO_CONNECTION: Final = "failed to connect"
_CLOSED: Final = ("Socket closed", "Connection reset by peer")
_CLOSED_TLS: Final = (
    "the server ended the connection: it may want a client certificate ({cert}) that its client CA has signed and that "
    "has not expired"
)
_CLOSED_PLAIN: Final = "the server ended the connection: it may speak TLS only, which needs {ca}"
# Nobody there, as yet: what is just being started is not there either.
_AWAY: Final = (
    ("Connection refused", "nothing listens there: check the address, and whether the server runs"),
    ("errors resolving", "nobody knows the host's name: check the address, and the name servers"),
    ("DNS resolution failed", "nobody knows the host's name: check the address, and the name servers"),
    ("No route to host", "no way leads there: check the address, the networks and the firewalls between"),
    ("Network is unreachable", "no way leads there: check the address, the networks and the firewalls between"),
)
_TOKEN: Final = "the server does not know the token: check {token}"  # noqa: S105 - a sentence


@dataclass(frozen=True, slots=True)
class Names:
    """How an operator sets what is advised."""

    ca: str
    cert: str
    token: str


@dataclass(frozen=True, slots=True)
class Advice:
    """A sentence, empty where there is none. `sure`: no other try will end differently."""

    text: str = ""
    sure: bool = False


def advice(code: str, details: str, names: Names, *, tls: bool) -> Advice:
    """`code` is a status's name; `tls`, whether this side speaks it."""
    text, sure = "", True
    if code == "UNAUTHENTICATED":
        text = _TOKEN
    elif code == "UNAVAILABLE":
        text = next((words for sign, words in _SAID if sign in details), "")
        if not text and _NO_CONNECTION in details and any(sign in details for sign in _CLOSED):
            text, sure = _CLOSED_TLS if tls else _CLOSED_PLAIN, False
        if not text:
            text, sure = next((words for sign, words in _AWAY if sign in details), ""), False
    return Advice(text.format(ca=names.ca, cert=names.cert, token=names.token), sure) if text else Advice()

"""What to check when Redis is not reached, sends us away or refuses a command, from the words that were said of it.

The words are Redis's (src/acl.c, src/server.c) and OpenSSL's (ssl/ssl_err.c, crypto/x509/x509_txt.c), as redis-py
hands them on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_ACL: Final = "the ACL of this program's user (REDIS_USER) lacks it: docs/deploy.md has the lines that it needs"
_NO_CERTIFICATE: Final = "Redis wants a client certificate: set REDIS_CLIENT_CERT and REDIS_CLIENT_KEY"
_BAD_CERTIFICATE: Final = "Redis does not take REDIS_CLIENT_CERT: its CA has not signed it, or it has expired"
_OTHER_HOST: Final = "Redis's certificate is for another host than the one in REDIS_ADDR"
# The first that is found counts: an alert is the other side's word, of our certificate.
_SURE: Final = (
    ("ALERT_CERTIFICATE_REQUIRED", _NO_CERTIFICATE),
    ("_ALERT_", _BAD_CERTIFICATE),
    ("certificate has expired", "Redis's certificate has expired"),
    ("certificate is not yet valid", "Redis's certificate is not valid yet: check the clocks"),
    ("Hostname mismatch", _OTHER_HOST),
    ("IP address mismatch", _OTHER_HOST),
    ("CERTIFICATE_VERIFY_FAILED", "Redis's certificate is not signed by a CA in REDIS_TLS_CA"),
    ("WRONG_VERSION_NUMBER", "what answers at REDIS_ADDR speaks no TLS, but REDIS_TLS_CA is set"),
    (
        "invalid username-password pair",
        "Redis does not know this password, or its user is off: check REDIS_USER, REDIS_PASSWORD_FILE, REDIS_PASSWORD",
    ),
    (
        "without any password configured for the default user",
        "Redis's default user has no password: set REDIS_USER to the ACL user whose password this is",
    ),
    ("Authentication required", "Redis wants a password: set REDIS_USER and REDIS_PASSWORD_FILE or REDIS_PASSWORD"),
    ("no permissions to run", _ACL),
    ("o permissions to access", _ACL),
    ("The user executing the script", _ACL),
    ("EXEC without MULTI", _ACL),  # redis-py goes on after a MULTI that was refused
)
# A Redis without TLS waits for the end of what it takes for a command. One that stands still waits, too.
_SILENT: Final = "handshake is taking longer"
_NO_TLS: Final = "it may speak no TLS at this port, but REDIS_TLS_CA is set: check REDIS_ADDR, and Redis's tls-port"
# A Redis that is just being restarted ends connections, too.
_ENDED: Final = ("Connection closed by server", "Connection reset by peer", "Broken pipe")
# What is just being started is not there either. The words are asyncio's (base_events.py) and the C library's
# (gai_strerror(3)).
_AWAY: Final = (
    ("Connect call failed", "nothing listens there, or no way leads there: check REDIS_ADDR, and that Redis runs"),
    ("Name or service not known", "nobody knows the host's name: check REDIS_ADDR, and the name servers"),
    ("name resolution", "nobody knows the host's name: check REDIS_ADDR, and the name servers"),
)
# With TLS 1.3 our certificate is the last of the handshake (RFC 8446, section 2, figure 1): Redis's word on it comes
# when we send already, and the end of the connection may overtake it.
_WANTS_CERTIFICATE: Final = (
    "Redis ended the connection: it may want a client certificate, or may not take ours (REDIS_CLIENT_CERT)"
)
_WANTS_TLS: Final = "Redis ended the connection: it may speak TLS only, which needs REDIS_TLS_CA"


@dataclass(frozen=True, slots=True)
class Advice:
    """A sentence, empty where there is none. `sure`: no other try will end differently before somebody mends it."""

    text: str = ""
    sure: bool = False

    def after(self, said: str) -> str:
        """Both, in one line."""
        return f"{said} ({self.text})" if self.text else said


def of_connecting(said: str, *, tls: bool) -> Advice:
    """`tls`: whether this side speaks it."""
    found = of_command(said)
    if found.text:
        return found
    if _SILENT in said:
        return Advice(_NO_TLS)
    if any(words in said for words in _ENDED):
        return Advice(_WANTS_CERTIFICATE if tls else _WANTS_TLS)
    return Advice(next((advised for sign, advised in _AWAY if sign in said), ""))


def of_command(said: str) -> Advice:
    """Of what was answered to a command."""
    text = next((advised for sign, advised in _SURE if sign in said), "")
    return Advice(text, sure=bool(text))

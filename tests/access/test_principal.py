"""Who a caller is: no certificate, whatever names it has, makes him somebody else."""

from __future__ import annotations

import datetime
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import combinations
from typing import Any, TypeAlias

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID, ObjectIdentifier

from operating.access.principal import principal, principal_of, shown, token_owner

NOW = datetime.datetime.now(datetime.UTC)
DAY = datetime.timedelta(days=1)
CA_KEY = ec.generate_private_key(ec.SECP256R1())
CA_NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ca")])

Ask: TypeAlias = "Callable[[str, str, list[x509.GeneralName]], Awaitable[str]]"


@pytest.mark.parametrize(
    ("owner", "names", "written"),
    [
        ("", [], ""),
        ("engine", [], "token:engine"),
        ("", [b"bridge@example.org"], "bridge@example.org"),
        ("engine", [b"a", b"b"], "token:engine\0a\0b"),
        ("", [b"token:engine"], r"token\x3aengine"),
        ("", ["Jürgen".encode()], "Jürgen"),
        ("", [b"\xff"], r"\xff"),
        ("", [b"spiffe://here/token:engine"], "spiffe://here/token:engine"),
    ],
)
def test_how_it_is_written(owner: str, names: list[bytes], written: str) -> None:
    assert principal(owner, names) == written


def test_no_two_callers_are_one() -> None:
    callers: list[tuple[str, list[bytes]]] = [
        ("", []),
        ("engine", []),
        ("", [b"token:engine"]),
        ("", [rb"token\x3aengine"]),
        ("engine", [b"a"]),
        ("", [b"token:engine", b"a"]),
        ("", [b"token:engine\0a"]),
        ("", [b"token:engine a"]),
        ("", [b"a", b"b"]),
        ("", [b"b", b"a"]),
        ("", [b"a\0b"]),
        ("", [b"a b"]),
        ("", [b"a"]),
        ("", [b"\xff"]),
        ("", [rb"\xff"]),
        ("", [rb"\x5cxff"]),
    ]
    for one, other in combinations(callers, 2):
        assert principal(*one) != principal(*other), (one, other)
        assert shown(principal(*one)) != shown(principal(*other)), (one, other)


def certificate(common_name: str, names: list[x509.GeneralName]) -> tuple[bytes, bytes]:
    """Key and certificate, in PEM, as a CA that looks at nothing signs it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)] if common_name else [])
    leaf = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(CA_NAME)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW - DAY)
        .not_valid_after(NOW + DAY)
    )
    if names:
        leaf = leaf.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return (
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
        leaf.sign(CA_KEY, hashes.SHA256()).public_bytes(serialization.Encoding.PEM),
    )


@pytest.fixture
async def ask() -> AsyncIterator[Ask]:
    """Who a caller with this token and these names is, to a gRPC server that wants certificates."""
    authority = (
        x509.CertificateBuilder()
        .subject_name(CA_NAME)
        .issuer_name(CA_NAME)
        .public_key(CA_KEY.public_key())
        .serial_number(1)
        .not_valid_before(NOW - DAY)
        .not_valid_after(NOW + DAY)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(CA_KEY, hashes.SHA256())
        .public_bytes(serialization.Encoding.PEM)
    )
    owners: list[str] = []

    async def who(_: Any, context: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        token_owner.set(owners[-1])
        return principal_of(context).encode()

    server = grpc.aio.server()
    handler = grpc.stream_unary_rpc_method_handler(who)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("who", {"Calls": handler}),))
    pair = certificate("", [x509.DNSName("localhost")])
    port = server.add_secure_port(
        "localhost:0", grpc.ssl_server_credentials([pair], authority, require_client_auth=True)
    )
    await server.start()

    async def answer(owner: str, common_name: str, names: list[x509.GeneralName]) -> str:
        owners.append(owner)
        credentials = grpc.ssl_channel_credentials(authority, *certificate(common_name, names))
        async with grpc.aio.secure_channel(f"localhost:{port}", credentials) as channel:
            said: bytes = await channel.unary_unary("/who/Calls")(b"", timeout=30)
        return said.decode()

    yield answer
    await server.stop(None)


async def test_a_certificate_is_nobody_elses_token(ask: Ask) -> None:
    engine = await ask("engine", "probe", [])
    assert engine == "token:engine\0probe"
    assert await ask("", "x", [x509.DNSName("token:engine"), x509.DNSName("probe")]) == "token\\x3aengine\0probe"
    assert await ask("", "token:engine", []) == r"token\x3aengine"
    assert await ask("", "evil\nERROR", []) == "evil\nERROR"  # what it may not do to a log line sees the log to


async def test_names_that_are_not_shown_are_no_name(ask: Ask) -> None:
    """A directory's name, or one of a kind that a company made: to gRPC they are all the same one."""
    unshown: list[x509.GeneralName] = [x509.DirectoryName(CA_NAME), x509.RegisteredID(ObjectIdentifier("1.2.3"))]
    assert await ask("", "ada", unshown) == "ada"
    assert await ask("", "bob", unshown[:1]) == "bob"
    assert await ask("", "bob", [*unshown, x509.RFC822Name("bob@example.org")]) == "bob@example.org"
    assert await ask("", "", unshown) == ""

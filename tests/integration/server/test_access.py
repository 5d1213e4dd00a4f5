"""Who may call: the token, TLS, client certificates."""

from __future__ import annotations

import json
import ssl
import struct

import grpc
import pytest
import trustme
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from tests.integration.server.harness import SERVING, refusal_to_start, running_server, status_of
from tests.integration.server.raw_caller import GOAWAY, RawCaller, frame

TOKEN = "correct-horse-battery-staple"
UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED
MESSAGE = "this server needs its token, once, as metadata `authorization: Bearer TOKEN`"
PEM = "a file that holds no certificate\n"


@pytest.fixture(scope="module")
def guarded_server():
    with running_server(LANG_AUTH_TOKEN=TOKEN, LANG_REFLECTION="1", LANG_RUNTIMES="python,js") as server:
        yield server


@pytest.fixture
def guarded(guarded_server):
    with guarded_server.connect() as client:
        yield client


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_with_the_token(guarded, scheme):
    metadata = [("authorization", f"{scheme} {TOKEN}")]
    assert guarded.execute("return 1", metadata=metadata).output_json == "1"
    assert guarded.capabilities(metadata).version


@pytest.mark.parametrize(
    "metadata",
    [
        [],
        [("authorization", "")],
        [("authorization", TOKEN)],
        [("authorization", "Bearer ")],
        [("authorization", f"Bearer {TOKEN}x")],
        [("authorization", f"Bearer {TOKEN[:-1]}")],
        [("authorization", f"Basic {TOKEN}")],
        [("authorization", f"Bearer {TOKEN}"), ("authorization", f"Bearer {TOKEN}")],
        [("authorization", f"Bearer {TOKEN}"), ("authorization", "Bearer other-token-other")],
        [("authorization-bin", f"Bearer {TOKEN}".encode())],
    ],
)
def test_without_it(guarded, metadata):
    assert status_of(lambda: guarded.execute("return 1", metadata=metadata)) == (UNAUTHENTICATED, MESSAGE)
    assert status_of(lambda: guarded.capabilities(metadata)) == (UNAUTHENTICATED, MESSAGE)


def test_no_method_is_left_out(guarded):
    for method in ("/lang.v1.LanguageServer/Validate", "/lang.v1.LanguageServer/Destroy", "/other/Method", "/x"):
        call = guarded.channel.unary_unary(method)
        assert status_of(lambda call=call: call(b"", timeout=10)) == (UNAUTHENTICATED, MESSAGE)
    assert status_of(lambda: list(guarded.stream("return 1"))) == (UNAUTHENTICATED, MESSAGE)
    reflection = reflection_pb2_grpc.ServerReflectionStub(guarded.channel)
    ask = iter([reflection_pb2.ServerReflectionRequest(list_services="")])
    assert status_of(lambda: list(reflection.ServerReflectionInfo(ask))) == (UNAUTHENTICATED, MESSAGE)


def test_a_message_over_the_cap_is_not_looked_at(guarded):
    assert status_of(lambda: guarded.execute("return 1", input_json=" " * (60 << 20)))[0] is UNAUTHENTICATED


def test_health_needs_no_token(guarded):
    assert guarded.health() == SERVING
    first = next(guarded.health_stub.Watch(health_pb2.HealthCheckRequest(service="js"), timeout=10))
    assert first.status == SERVING


class Pki:
    """Files as an operator has them."""

    def __init__(self, folder):
        self.authority, self.stranger = trustme.CA(), trustme.CA()
        self.server = self.authority.issue_cert("127.0.0.1", "localhost")
        self.ca_file = self._write(folder / "ca.pem", self.authority.cert_pem)
        self.cert_file = self._write(folder / "cert.pem", self.server.cert_chain_pems[0])
        self.key_file = self._write(folder / "key.pem", self.server.private_key_pem)

    def settings(self, **more):
        return {"LANG_TLS_CERT": self.cert_file, "LANG_TLS_KEY": self.key_file} | more

    def credentials(self, issuer=None, name="caller@example.org"):
        roots = self.authority.cert_pem.bytes()
        if issuer is None:
            return grpc.ssl_channel_credentials(roots)
        mine = issuer.issue_cert(name)
        return grpc.ssl_channel_credentials(roots, mine.private_key_pem.bytes(), mine.cert_chain_pems[0].bytes())

    @staticmethod
    def _write(path, blob):
        blob.write_to_path(path)
        return str(path)


@pytest.fixture(scope="module")
def pki(tmp_path_factory):
    return Pki(tmp_path_factory.mktemp("pki"))


def test_tls_and_token(pki):
    settings = pki.settings(LANG_AUTH_TOKEN=TOKEN)
    with running_server(**settings) as server:
        with server.connect(pki.credentials()) as client:
            assert client.execute("return 1", metadata=[("authorization", f"Bearer {TOKEN}")]).output_json == "1"
            assert status_of(lambda: client.execute("return 1")) == (UNAUTHENTICATED, MESSAGE)
        with server.connect() as plain:
            assert status_of(lambda: plain.execute("return 1", timeout=5))[0] in (
                grpc.StatusCode.UNAVAILABLE,
                grpc.StatusCode.DEADLINE_EXCEEDED,
            )


def test_only_callers_with_a_certificate(pki):
    settings = pki.settings(LANG_TLS_CLIENT_CA=pki.ca_file)
    with running_server(**settings) as server:
        with server.connect(pki.credentials(pki.authority)) as client:
            assert client.execute("return 1").output_json == "1"
        for issuer in (None, pki.stranger):
            with server.connect(pki.credentials(issuer)) as client:
                assert status_of(lambda client=client: client.execute("return 1", timeout=5))[0] in (
                    grpc.StatusCode.UNAVAILABLE,
                    grpc.StatusCode.DEADLINE_EXCEEDED,
                )
                stub = health_pb2_grpc.HealthStub(client.channel)
                with pytest.raises(grpc.RpcError):
                    stub.Check(health_pb2.HealthCheckRequest(), timeout=2)


def test_tls_for_everybody_beyond_this_machine_is_refused(pki):
    assert "everybody who can reach it could run code" in refusal_to_start(**pki.settings(LANG_LISTEN_ADDR="0.0.0.0:0"))


def test_a_token_in_the_clear_beyond_this_machine_is_refused():
    words = refusal_to_start(LANG_LISTEN_ADDR="0.0.0.0:0", LANG_AUTH_TOKEN=TOKEN)
    assert "the token would cross the network in the clear" in words
    assert TOKEN not in words


def test_files_that_hold_something_else(pki, tmp_path):
    other = tmp_path / "other.pem"
    other.write_text(PEM)
    key = tmp_path / "key.pem"
    pki.authority.issue_cert("other.example.org").private_key_pem.write_to_path(key)
    assert "LANG_TLS_CERT and LANG_TLS_KEY are no certificate and its key" in refusal_to_start(
        **pki.settings(LANG_TLS_CERT=str(other))
    )
    assert "LANG_TLS_CERT and LANG_TLS_KEY are no certificate and its key" in refusal_to_start(
        **pki.settings(LANG_TLS_KEY=str(key))
    )
    assert "LANG_TLS_CLIENT_CA holds no certificates" in refusal_to_start(**pki.settings(LANG_TLS_CLIENT_CA=str(other)))


@pytest.mark.parametrize("tls", [True, False])
def test_a_stranger_writes_no_line(pki, tls):
    """GOAWAY has room for words (RFC 9113, section 6.8), and gRPC's core tells them as they are."""
    forged = '{"level": "error", "logger": "langserver.audit", "event": "TOKEN_REFUSED"}'
    context = ssl.create_default_context(cadata=pki.authority.cert_pem.bytes().decode()) if tls else None
    if context is not None:
        context.set_alpn_protocols(["h2"])
    settings = pki.settings() if tls else {}
    with running_server(**settings, LANG_AUTH_TOKEN=TOKEN, LANG_LOG_FORMAT="json", LANG_LOG_LEVEL="warning") as server:
        for code in (0, 2, 11):
            with RawCaller(server.address, tls=context) as caller:
                caller.wait_for_end_of({caller.call(b"")})  # it is connected
                words = f"x\n{forged}\nHandshake failed\n".encode()
                caller.send(frame(GOAWAY, 0, 0, struct.pack("!II", 0, code) + words))
                caller.wait_until_taken()
        server.signal()
        _, _, errors = server.wait()
    lines = [json.loads(line) for line in errors.splitlines()]  # nothing else is there
    assert forged not in errors
    said = [line["message"] for line in lines if line["logger"] != "operating.access.watched"]  # the key's rights
    assert all("lines on standard error that are not this program's" in message for message in said)
    assert bool(said) is tls

"""Tokens and certificates that are replaced while the server runs."""

from __future__ import annotations

import datetime
import signal
import threading

import grpc
import pytest
import trustme

from langserver.pb import lang_pb2
from tests.integration.server.harness import refusal_to_start, running_server, status_of, wait_for
from tests.integration.server.test_access import MESSAGE, UNAUTHENTICATED, Pki

LONG_AGO = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
ONE, TWO, THREE = "first-token-0123", "second-token-456", "third-token-7890"


def bearer(token):
    return [("authorization", f"Bearer {token}")]


class Log:
    """What a server says, as it comes."""

    def __init__(self, server):
        self.text = ""
        self._pipe = server.process.stderr
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._pipe:
            self.text += line


def write(path, text):
    new = path.with_name(path.name + ".new")
    new.write_text(text)
    new.chmod(0o600)
    new.replace(path)


def accepts(client, token):
    call = client.stub.GetCapabilities.future(lang_pb2.GetCapabilitiesRequest(), timeout=10, metadata=bearer(token))
    code = call.code()
    assert code is grpc.StatusCode.OK or (code, call.details()) == (UNAUTHENTICATED, MESSAGE)
    return code is grpc.StatusCode.OK


def test_tokens_are_replaced_while_the_server_runs(tmp_path):
    file = tmp_path / "tokens"
    write(file, f"engine:{ONE}\nprobe:{TWO}\n")
    with running_server(LANG_AUTH_TOKENS_FILE=str(file)) as server, server.connect() as client:
        log = Log(server)
        assert [accepts(client, token) for token in (ONE, TWO, THREE)] == [True, True, False]
        for method in ("/lang.v1.LanguageServer/Destroy", "/other/Method"):
            assert status_of(lambda method=method: client.channel.unary_unary(method)(b"", timeout=10)) == (
                UNAUTHENTICATED,
                MESSAGE,
            )
        assert client.health()

        write(file, f"engine:{THREE}\n")
        wait_for(lambda: accepts(client, THREE))
        assert [accepts(client, token) for token in (ONE, TWO)] == [False, False]

        write(file, f"engine:{THREE}\nother:{ONE}\nshort:{TWO[:9]}\n")
        wait_for(lambda: "those whose lines are gone are refused" in log.text)
        assert "line 3: the token is not 16 to" in log.text
        assert [accepts(client, token) for token in (ONE, THREE)] == [False, True]

        file.unlink()
        wait_for(lambda: "LANG_AUTH_TOKENS_FILE: what was read before goes on to be used" in log.text)
        assert accepts(client, THREE)

        write(file, f"engine:{TWO}\n")
        server.signal(signal.SIGHUP)
        wait_for(lambda: accepts(client, TWO))
        file.chmod(0o644)
        wait_for(lambda: f"every user of this machine can read or write {file}" in log.text)
        assert "calls without a valid token were refused, the latest from ipv4:127.0.0.1:" in log.text
        assert not any(token in log.text for token in (ONE, TWO[:9], THREE))


@pytest.mark.parametrize("left", ["", "\n \n", f"# engine:{ONE}\n", f"engine:{TWO}\nbroken\n"])
def test_the_last_token_is_refused_once_its_line_is_gone(tmp_path, left):
    file = tmp_path / "tokens"
    write(file, f"engine:{ONE}\n")
    with running_server(LANG_AUTH_TOKENS_FILE=str(file)) as server, server.connect() as client:
        log = Log(server)
        assert accepts(client, ONE)
        write(file, left)
        wait_for(lambda: not accepts(client, ONE))
        words = "whose lines are gone are refused" if "broken" in left else "holds no token any more"
        wait_for(lambda: f"LANG_AUTH_TOKENS_FILE: {file}" in log.text and words in log.text)
        assert not accepts(client, TWO)
        assert client.health()

        write(file, f"engine:{TWO}\n")
        wait_for(lambda: accepts(client, TWO))
        assert not accepts(client, ONE)


def test_the_token_without_a_name_beside_those_with_one(tmp_path):
    file = tmp_path / "tokens"
    write(file, f"engine:{ONE}\n")
    with running_server(LANG_AUTH_TOKENS_FILE=str(file), LANG_AUTH_TOKEN=TWO) as server, server.connect() as client:
        assert [accepts(client, token) for token in (ONE, TWO, THREE)] == [True, True, False]


@pytest.mark.parametrize("content", ["", "# none yet\n", "engine\n", f"a:{ONE}\na:{TWO}\n"])
def test_a_file_that_cannot_be_used_refuses_the_start(tmp_path, content):
    file = tmp_path / "tokens"
    write(file, content)
    words = refusal_to_start(LANG_AUTH_TOKENS_FILE=str(file))
    assert f"LANG_AUTH_TOKENS_FILE: {file}: " in words
    assert ONE not in words
    assert "no such" not in words


def test_named_tokens_need_tls_beyond_this_machine(tmp_path):
    file = tmp_path / "tokens"
    write(file, f"engine:{ONE}\n")
    words = refusal_to_start(LANG_LISTEN_ADDR="0.0.0.0:0", LANG_AUTH_TOKENS_FILE=str(file))
    assert "the token would cross the network in the clear" in words


class Rotating(Pki):
    """Files that are written again."""

    def install(self, leaf):
        leaf.private_key_pem.write_to_path(self.key_file)
        leaf.cert_chain_pems[0].write_to_path(self.cert_file)


def expired(authority):
    return authority.issue_cert("127.0.0.1", not_before=LONG_AGO, not_after=LONG_AGO + datetime.timedelta(days=1))


def trusting(server, authority, leaf=None):
    """A client's channel that trusts `authority` and shows `leaf`."""
    mine = () if leaf is None else (leaf.private_key_pem.bytes(), leaf.cert_chain_pems[0].bytes())
    # Two channels of the same arguments share their connections, and so handshakes.
    return server.connect(
        grpc.ssl_channel_credentials(authority.cert_pem.bytes(), *mine), options=[("grpc.use_local_subchannel_pool", 1)]
    )


def reaches(server, authority, leaf=None):
    with trusting(server, authority, leaf) as client:
        code = client.stub.GetCapabilities.future(lang_pb2.GetCapabilitiesRequest(), timeout=10).code()
        assert code in (grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE)
        return code is grpc.StatusCode.OK


def test_a_certificate_is_replaced_while_the_server_runs(tmp_path):
    pki, new = Rotating(tmp_path), trustme.CA()
    with running_server(**pki.settings()) as server:
        log = Log(server)
        with trusting(server, pki.authority) as before:
            assert before.execute("return 1").output_json == "1"
            assert not reaches(server, new)
            pki.install(new.issue_cert("127.0.0.1"))
            wait_for(lambda: reaches(server, new))
            assert not reaches(server, pki.authority)
            assert before.execute("return 1").output_json == "1", "connections that stand go on"
        # A key that is another's, then a certificate that has expired: neither is taken.
        other = new.issue_cert("127.0.0.1")
        other.private_key_pem.write_to_path(pki.key_file)
        wait_for(lambda: "are no certificate and its key" in log.text)
        assert reaches(server, new)
        pki.install(expired(new))
        wait_for(lambda: "certificate has expired" in log.text)
        assert reaches(server, new)


def test_a_client_ca_is_replaced_while_the_server_runs(tmp_path):
    pki, other = Rotating(tmp_path), trustme.CA()
    mine, theirs = pki.authority.issue_cert("me@example.org"), other.issue_cert("they@example.org")
    with running_server(**pki.settings(LANG_TLS_CLIENT_CA=pki.ca_file)) as server:
        assert reaches(server, pki.authority, mine)
        assert not reaches(server, pki.authority, theirs)
        assert not reaches(server, pki.authority)
        other.cert_pem.write_to_path(pki.ca_file)
        wait_for(lambda: reaches(server, pki.authority, theirs))
        assert not reaches(server, pki.authority, mine)
        assert not reaches(server, pki.authority)


def test_an_expired_certificate_refuses_the_start(tmp_path):
    pki = Rotating(tmp_path)
    pki.install(expired(pki.authority))
    assert "LANG_TLS_CERT is no certificate that a client would take: certificate has expired" in refusal_to_start(
        **pki.settings()
    )

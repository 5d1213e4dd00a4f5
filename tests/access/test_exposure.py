"""Where a program may listen, and with what protection."""

from __future__ import annotations

import pytest

from operating.access.address import Address, is_local, parse_address, parse_tcp_address
from operating.access.exposure import Protection, check_exposure, check_shown

NOTHING = Protection(tls=False, client_certificates=False, token=False)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:50053", Address("127.0.0.1", 50053)),
        ("localhost:0", Address("localhost", 0)),
        ("[::1]:1", Address("[::1]", 1)),
        ("unix:/run/lang.sock", Address(path="/run/lang.sock")),
        ("unix:relative.sock", Address(path="relative.sock")),
    ],
)
def test_addresses_read_back(text, address):
    assert parse_address(text) == address
    assert str(address) == text


@pytest.mark.parametrize(
    "text",
    ["", ":", ":50053", "host", "host:", "host:port", "host:65536", "host:-1", "::1:50053", "unix:", "dns:///x:1",
     "host:1\n", "a b:1", "*:50053", "host:\u0661"],
)  # fmt: skip
def test_what_is_no_address(text):
    with pytest.raises(ValueError, match="expected HOST:PORT"):
        parse_address(text)
    with pytest.raises(ValueError, match="expected HOST:PORT"):
        parse_tcp_address(text)


def test_a_unix_socket_is_no_tcp_address():
    with pytest.raises(ValueError, match=r"^expected HOST:PORT or \[IPv6\]:PORT$"):
        parse_tcp_address("unix:/x")


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("127.0.0.1:1", True),
        ("127.9.9.9:1", True),
        ("[::1]:1", True),
        ("[::ffff:127.0.0.1]:1", True),
        ("localhost:1", True),
        ("LOCALHOST:1", True),
        ("unix:/x", True),
        ("0.0.0.0:1", False),
        ("[::]:1", False),
        ("10.0.0.1:1", False),
        ("[::ffff:0.0.0.0]:1", False),
        ("[fe80::1]:1", False),
        ("localhost.example.org:1", False),
        ("127.0.0.1.example.org:1", False),
        ("my-laptop:1", False),
        ("127.1:1", False),
    ],
)
def test_what_is_local(text, local):
    assert is_local(parse_address(text)) is local


@pytest.mark.parametrize(
    ("protection", "words"),
    [
        (NOTHING, "without TLS and a token"),
        (
            Protection(tls=False, client_certificates=False, token=True),
            "the token would cross the network in the clear",
        ),
        (Protection(tls=True, client_certificates=False, token=False), "everybody who can reach it"),
    ],
)
def test_a_network_needs_tls_and_a_secret(protection, words):
    beyond = parse_address("0.0.0.0:50053")
    with pytest.raises(ValueError, match=words) as caught:
        check_exposure("LANG", beyond, protection, allow_insecure=False)
    assert "LANG_ALLOW_INSECURE=1" in str(caught.value)
    check_exposure("LANG", beyond, protection, allow_insecure=True)
    check_exposure("LANG", parse_address("127.0.0.1:50053"), protection, allow_insecure=False)


@pytest.mark.parametrize(
    "protection",
    [
        Protection(tls=True, client_certificates=False, token=True),
        Protection(tls=True, client_certificates=True, token=False),
    ],
)
def test_protected_it_may_listen_anywhere(protection):
    check_exposure("LANG", parse_address("[::]:50053"), protection, allow_insecure=False)


def test_figures_are_for_this_machine_unless_that_is_said():
    check_shown("X", parse_address("127.0.0.1:1"), allow_remote=False, learns="all")
    check_shown("X", parse_address("0.0.0.0:1"), allow_remote=True, learns="all")
    with pytest.raises(ValueError, match=r"^X_METRICS_ADDR is 0\.0\.0\.0:1, .*X_METRICS_ALLOW_REMOTE=1 .* learns all$"):
        check_shown("X", parse_address("0.0.0.0:1"), allow_remote=False, learns="all")

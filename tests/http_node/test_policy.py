"""What the exceptions allow, and what they do not."""

from __future__ import annotations

import ipaddress

import pytest

from worker_bridge.errors import StartError
from worker_bridge.executors.egress.exceptions import policy_with
from worker_bridge.executors.egress.policy import HostClass, Policy
from worker_bridge.executors.egress.refusal import Reason, Refused
from worker_bridge.executors.egress.url import parse_url


def policy(networks: str = "", hosts: tuple[tuple[str, int | None], ...] = ()) -> Policy:
    return Policy(tuple(ipaddress.ip_network(text) for text in networks.split()), frozenset(hosts))


def judged(found: Policy, url: str, *addresses: str) -> HostClass | Reason:
    try:
        target = parse_url(url)
        found.admit(target)
        return found.judge(target, [ipaddress.ip_address(text) for text in addresses])
    except Refused as refused:
        return refused.reason


def test_one_forbidden_address_refuses_all() -> None:
    assert judged(policy(), "https://a.example.com/", "93.184.216.34", "1.1.1.1") is HostClass.PUBLIC
    assert judged(policy(), "https://a.example.com/", "93.184.216.34", "10.0.0.1") is Reason.ADDRESS
    assert judged(policy(), "https://a.example.com/", "93.184.216.34", "::1") is Reason.ADDRESS
    assert judged(policy("10.0.0.0/8"), "https://a.example.com/", "10.0.0.1", "127.0.0.1") is Reason.ADDRESS


def test_a_listed_network_is_allowed_on_any_port_and_nothing_beside_it() -> None:
    inner = policy("10.1.0.0/16 127.0.0.0/8")
    assert judged(inner, "http://10.1.2.3:8080/", "10.1.2.3") is HostClass.EXCEPTION
    assert judged(inner, "http://localhost:8080/", "127.0.0.1") is HostClass.EXCEPTION
    assert judged(inner, "http://10.2.0.1:8080/", "10.2.0.1") is Reason.ADDRESS
    assert judged(inner, "http://a.example.com:8080/", "93.184.216.34") is Reason.PORT
    assert judged(inner, "http://localhost/", "93.184.216.34") is Reason.NAME
    assert judged(inner, "http://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1") is Reason.ADDRESS
    assert judged(inner, "http://0x7f.1/") is Reason.SPELLING


def test_a_listed_host_may_be_private_on_its_port_and_never_metadata() -> None:
    listed = policy(hosts=(("db.internal", None), ("api", 8080), ("10.9.9.9", 80)))
    assert judged(listed, "http://db.internal/", "10.0.0.1", "fd12::1") is HostClass.EXCEPTION
    assert judged(listed, "http://DB.internal:443/", "127.0.0.1") is HostClass.EXCEPTION
    assert judged(listed, "http://api:8080/", "192.168.0.9") is HostClass.EXCEPTION
    assert judged(listed, "http://api/", "192.168.0.9") is Reason.NAME
    assert judged(listed, "http://db.internal:8080/", "10.0.0.1") is HostClass.EXCEPTION
    assert judged(listed, "http://db.internal:8080/", "93.184.216.34") is HostClass.EXCEPTION
    assert judged(listed, "http://api:8081/", "10.0.0.1") is Reason.NAME
    assert judged(listed, "http://10.9.9.9/", "10.9.9.9") is HostClass.EXCEPTION
    assert judged(listed, "http://10.9.9.9:443/", "10.9.9.9") is Reason.ADDRESS
    assert judged(listed, "http://x.db.internal/", "10.0.0.1") is Reason.NAME
    for address in ("169.254.169.254", "100.100.100.200", "168.63.129.16", "fd00:ec2::254", "fe80::1"):
        assert judged(listed, "http://db.internal/", address) is Reason.METADATA
    for address in ("0.0.0.0", "224.0.0.1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "255.255.255.255"):
        assert judged(listed, "http://db.internal/", address) is Reason.ADDRESS


@pytest.mark.parametrize("wide", ["0.0.0.0/0", "100.64.0.0/10", "168.0.0.0/6", "fd00::/8", "::/0"])
def test_a_wide_network_opens_no_metadata(wide: str) -> None:
    for address in ("169.254.169.254", "100.100.100.200", "168.63.129.16", "fd00:ec2::254"):
        host = f"[{address}]" if ":" in address else address
        assert judged(policy(wide, (("a.example.com", None),)), f"http://{host}/", address) is Reason.METADATA
        assert judged(policy(wide, (("a.example.com", None),)), "http://a.example.com/", address) is Reason.METADATA


def test_metadata_written_down_is_allowed() -> None:
    assert judged(policy("169.254.169.254/32"), "http://169.254.169.254/", "169.254.169.254") is HostClass.EXCEPTION
    assert judged(policy("169.254.0.0/16"), "http://169.254.170.2/", "169.254.170.2") is HostClass.EXCEPTION
    assert judged(policy("169.254.169.254/32"), "http://169.254.170.2/", "169.254.170.2") is Reason.METADATA


def test_translated_addresses_need_their_network_and_what_is_in_them() -> None:
    translated = policy("64:ff9b::/96")
    assert judged(translated, "https://a.example.com/", "64:ff9b::5db8:d822") is HostClass.EXCEPTION
    assert judged(translated, "https://a.example.com/", "64:ff9b::a00:1") is Reason.ADDRESS
    assert judged(translated, "https://a.example.com/", "64:ff9b::a9fe:a9fe") is Reason.METADATA
    both = policy("64:ff9b::/96 10.0.0.0/8")
    assert judged(both, "https://a.example.com/", "64:ff9b::a00:1") is HostClass.EXCEPTION


def test_the_trace_goes_to_listed_hosts_only() -> None:
    listed = policy("10.0.0.0/8", (("api.example.com", None), ("b.example.com", 8443)))
    assert listed.lists(parse_url("https://API.example.com/"))
    assert listed.lists(parse_url("https://api.example.com:9000/"))
    assert listed.lists(parse_url("https://b.example.com:8443/"))
    assert not listed.lists(parse_url("https://b.example.com/"))
    assert not listed.lists(parse_url("https://x.api.example.com/"))
    assert not listed.lists(parse_url("https://10.0.0.1/"))


def test_what_an_operator_writes() -> None:
    found = policy_with((), ("Payments", "db.internal:8080", "[fd12:0::1]:81", "10.0.0.1:80"))
    assert found.hosts == {("payments", None), ("db.internal", 8080), ("fd12::1", 81), ("10.0.0.1", 80)}


@pytest.mark.parametrize(
    "text",
    [
        *"http://a.example.com a.example.com/x *.example.com a.example.com: a.example.com. a@b.example.com".split(),
        *("127.1", "a?b", "a:99999", "[::1%lo]", "a b", "ä.example.com", ""),
    ],
)
def test_what_is_no_host_ends_the_start(text: str) -> None:
    with pytest.raises(StartError, match="HTTP_ALLOW_HOSTS"):
        policy_with((), (text,))

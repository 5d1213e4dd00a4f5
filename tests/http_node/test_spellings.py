"""Every way to write an address inside that public lists know: none gets through."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker_bridge.executors.egress.addresses import Standing, standing
from worker_bridge.executors.egress.policy import Policy
from worker_bridge.executors.egress.refusal import Reason, Refused
from worker_bridge.executors.egress.url import parse_url

LOOPBACK = (
    "127.0.0.1 127.1 127.0.1 127.127.127.127 127.000.000.001 0127.0.0.1 0177.0.0.1 0177.0.0.01 0177.1 017700000001 "
    "00000177.0.0.1 0x7f.0.0.1 0x7f.1 0x7F.0x0.0x0.0x1 0x7f000001 0X7F000001 2130706433 4294967295.1 127.0.0.1. 127.1. "
    "2130706433. 0x7f000001. 0 0.0.0.0 0x0 00 0. 0.0 127.0.0.1.. 0x7f.0x1 127.0x1 1.0x 127.0.0.0x1 0x"
).split()
PRIVATE = (
    "10.0.0.1 0x0a000001 167772161 012.0.0.1 10.1 172.16.0.1 172.31.255.254 0xac.0x10.0.1 192.168.0.1 192.168.1 "
    "3232235521 0300.0250.0.1 100.64.0.1 100.127.255.255 198.18.0.1 192.0.0.1 192.0.2.1 198.51.100.7 203.0.113.9 "
    "192.88.99.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255"
).split()
METADATA = (
    "169.254.169.254 0xa9fea9fe 2852039166 0251.0376.0251.0376 169.254.43518 169.16689662 0xa9.0xfe.0xa9.0xfe "
    "169.254.169.254. 169.254.170.2 169.254.170.23 168.63.129.16 0xa83f8110 100.100.100.200 1684301000 192.0.0.192"
).split()
VERSION_6 = (
    "::1 :: 0:0:0:0:0:0:0:1 0000:0000:0000:0000:0000:0000:0000:0001 ::0001 ::ffff:127.0.0.1 ::ffff:7f00:1 "
    "::FFFF:127.0.0.1 0:0:0:0:0:ffff:7f00:1 ::127.0.0.1 ::7f00:1 ::ffff:0:127.0.0.1 ::ffff:0:7f00:1 64:ff9b::127.0.0.1 "
    "64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::7f00:1 64:ff9b:1:7f00:0:100:: 2002:7f00:1:: 2002:7f00:0001::1 "
    "2002:a9fe:a9fe:: 2002:a00:1:: 2001:0:7f00:1:: 2001:0:0:0:0:0:80ff:fffe 2001:0:4136:e378:8000:63bf:80ff:fffe "
    "fe80::1 fe80::5efe:7f00:1 2600::5efe:7f00:1 2600::200:5efe:127.0.0.1 2600::5efe:a9fe:a9fe fc00::1 fd00::1 "
    "fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fd00:c1::a9fe:a9fe fec0::1 ff02::1 ff01::1 100::1 2001:db8::1 2001:10::1 "
    "2001:1ff::1 3fff::1 5f00::1 4000::1 ::ffff:93.184.216.34 64:ff9b::93.184.216.34 ::2"
).split()
ZONES = ("[fe80::1%25eth0]", "[fe80::1%eth0]", "[::1%25lo]", "[::1%lo]", "[::1%251]")
NAMES = (
    "localhost LOCALHOST LocalHost localhost. localhost.localdomain a.localhost x.y.LOCALHOST ip6-localhost metadata "
    "metadata.google.internal METADATA.GOOGLE.INTERNAL metadata.google.internal. instance-data kubernetes "
    "kubernetes.default.svc redis printer.local router.lan db.corp x.internal 1.0.0.127.in-addr.arpa a.home.arpa"
).split()
# Full-width, circled and other digits and letters that a name's preparation turns into ASCII; dots that are none.
LOOK_ALIKES = (
    "１２７.０.０.１",
    "127。0。0。1",
    "127．0．0．1",
    "127｡0｡0｡1",
    "①②⑦.⓪.⓪.①",
    "①⑥⑨.②⑤④.①⑥⑨.②⑤④",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "ｌｏｃａｌｈｏｓｔ",
    "𝟏𝟐𝟕.𝟎.𝟎.𝟏",
    "𝕝𝕠𝕔𝕒𝕝𝕙𝕠𝕤𝕥",
    "locаlhost",
    "loca\u00adlhost",
    "local\u200bhost",
    "127.0.0.\u0661",
    "ⅼocalhost",
    "\u212aubernetes.example.com",  # the Kelvin sign is a small k when it is made small
    "metadata。google。internal",
)
PERCENT = ("%31%32%37.0.0.1", "127%2e0%2e0%2e1", "%6c%6f%63%61%6c%68%6f%73%74", "127.0.0.1%00", "localhost%2f", "%00")


def refusal(url: str, policy: Policy | None = None) -> Reason:
    with pytest.raises(Refused) as caught:
        (policy or Policy()).admit(parse_url(url))
    return caught.value.reason


@pytest.mark.parametrize("host", [*LOOPBACK, *PRIVATE, *METADATA, *NAMES, *ZONES, *LOOK_ALIKES, *PERCENT])
@pytest.mark.parametrize("url", ["http://{}/", "https://{}/latest/meta-data", "http://{}:80", "HTTP://{}?x#y"])
def test_no_spelling_gets_inside(host: str, url: str) -> None:
    refusal(url.format(host))


@pytest.mark.parametrize("host", VERSION_6)
def test_no_version_6_form_gets_inside(host: str) -> None:
    for spelled in (host, host.upper()):
        refusal(f"http://[{spelled}]/")
    refusal(f"http://{host}/")


@pytest.mark.parametrize("host", [*LOOPBACK, *PRIVATE, *METADATA, *LOOK_ALIKES, *PERCENT, *ZONES])
def test_a_user_before_the_host_helps_nobody(host: str) -> None:
    refusal(f"http://example.com@{host}/")
    refusal(f"http://{host}@example.com/")
    refusal(f"http://user:pass@{host}/")


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com\\@127.0.0.1/",
        "http:\\\\127.0.0.1/",
        "http:/127.0.0.1/",
        "http:127.0.0.1/",
        "http:///127.0.0.1/",
        "//127.0.0.1/",
        "127.0.0.1",
        "http://127.0.0.1\\.example.com/",
        "http://exam\tple.com/",
        "http://exam\nple.com/",
        "ht\ttp://example.com/",
        " http://example.com/",
        "http://example.com/ ",
        "http://example.com/a b",
        "http://example.com/\r\nHost: x",
        "http://example.com/%0d%0a\r",
        "http://example.com/\0",
        "http://example.com/\x7f",
        "http://example.com/\x85",
        "http://example.com/\ud800",
        "http://example.com:0/",
        "http://example.com:/",
        "http://example.com:080/",
        "http://example.com:+80/",
        "http://example.com:80:80/",
        "http://example.com:65536/",
        "http://example.com:99999999/",
        "http://example.com:８０/",
        "http://[::1/",
        "http://::1]/",
        "http://[::1]x/",
        "http://[]/",
        "http://[127.0.0.1]/",
        "http://[example.com]/",
        "http:///",
        "http://",
        "http://.example.com/",
        "http://example..com/",
        "http://example.com./",
        "http://-a.example.com/",
        "http://" + "a" * 64 + ".example.com/",
        "http://" + "a." * 127 + "example.com/",
        "http://" + "a" * 9_000 + "/",
        "",
        "http",
        "javascript:alert(1)",
    ],
)
def test_what_two_readers_may_read_differently_is_no_url(url: str) -> None:
    refusal(url)


@pytest.mark.parametrize("scheme", ["file", "ftp", "gopher", "dict", "ws", "unix", "data", "ldap", "jar"])
def test_only_http_and_https(scheme: str) -> None:
    assert refusal(f"{scheme}://example.com/") is Reason.SCHEME


@pytest.mark.parametrize("port", [22, 25, 6379, 8080, 8443, 10250, 65535])
def test_odd_ports_are_refused_before_a_name_is_resolved(port: int) -> None:
    assert refusal(f"https://example.com:{port}/") is Reason.PORT


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("127.0.0.1", Reason.ADDRESS),
        ("0x7f.1", Reason.SPELLING),
        ("169.254.169.254", Reason.METADATA),
        ("[::ffff:169.254.169.254]", Reason.METADATA),
        ("[::1]", Reason.ADDRESS),
        ("localhost", Reason.NAME),
        ("[fe80::1%25eth0]", Reason.ZONE),
        ("a@b.example.com", Reason.USERINFO),
    ],
)
def test_the_reason_is_the_one_that_counts(host: str, reason: Reason) -> None:
    assert refusal(f"http://{host}/") is reason


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "2606:4700::1111"]
)
def test_public_addresses_are_allowed(address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    target = parse_url(f"https://{host}/a?b")
    Policy().admit(target)
    assert target.address == ipaddress.ip_address(address)


def test_one_parse_serves_all() -> None:
    target = parse_url("HTTPS://Api.Example.COM:443/Ä b/%2F?q=ü#part".replace(" ", "+"))
    assert target.origin == ("https", "api.example.com", 443)
    assert target.authority == "api.example.com"
    assert target.path == "/%C3%84+b/%2F?q=%C3%BC"
    assert parse_url("http://[2606:4700:0::1111]:8080").authority == "[2606:4700::1111]:8080"


PIECES = st.sampled_from(
    [
        *"http https :// // : @ ? # [ ] % \\ . 0x7f 127 1 :: ffff a - example.com localhost 80 %2e %25 xn-- _".split(),
        *("\t", "\n", " ", "\0", "。", "１", "é", "\u202e", "\ud800"),
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join) | st.text())
@settings(max_examples=1_000)
def test_whatever_is_read_is_read_the_same_by_others(text: str) -> None:
    for url in (text, f"http://{text}", f"https://{text}/x"):
        try:
            target = parse_url(url)
        except Refused:
            continue
        assert parse_url(target.url) == target
        other = urlsplit(target.url)
        assert (other.scheme, other.hostname, other.port or target.port) == (target.scheme, target.host, target.port)
        assert other.username is None
        assert target.host.isascii()
        assert target.path.isascii()
        assert target.path.isprintable()


@given(st.ip_addresses(v=4) | st.ip_addresses(v=6))
@settings(max_examples=2_000)
def test_nothing_is_public_that_the_standard_library_knows_better(address: ipaddress.IPv4Address) -> None:
    if standing(address) is Standing.PUBLIC:
        assert address.is_global
        assert not address.is_multicast
        assert not address.is_reserved

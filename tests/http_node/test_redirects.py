"""Redirects: how many, where to, and what goes along."""

from __future__ import annotations

import asyncio
import ssl

import pytest

from tests.http_node.servers import Act, Got, Names, answer, node, saying, serving
from worker_bridge.executors.egress.policy import Policy
from worker_bridge.executors.egress.refusal import Reason, Refused
from worker_bridge.executors.egress.url import parse_url
from worker_bridge.executors.http.connection import Head
from worker_bridge.executors.http.failure import Failure
from worker_bridge.executors.http.redirects import redirected
from worker_bridge.executors.http.request import Request

OK = answer(b'"there"')
SECRETS = {"Authorization": "Bearer x", "Cookie": "a=b", "X-Api-Key": "k", "Accept": "text/x", "User-Agent": "me"}


def to(location: str, status: str = "302 Found") -> bytes:
    return answer(b"moved", status, [("Location", location)])


def after(location: str, status: int = 302, method: str = "POST", url: str = "https://a.example.com/x/y?z") -> Request:
    headers = {
        "authorization": "s",
        "content-type": "t",
        "content-language": "d",
        "idempotency-key": "k",
        "accept": "a",
    }
    request = Request(method, parse_url(url), headers, b"body")
    return redirected(request, Head(status, b"", ((b"location", location.encode("utf-8", "surrogateescape")),)))


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_post_becomes_a_get_without_body_and_key(status: int) -> None:
    request = after("/new", status)
    assert (request.method, request.body, request.target.url) == ("GET", None, "https://a.example.com/new")
    assert request.headers == {"authorization": "s", "accept": "a"}


@pytest.mark.parametrize("status", [307, 308])
def test_others_are_kept_within_the_origin(status: int) -> None:
    request = after("?q", status)
    assert (request.method, request.body, request.target.path) == ("POST", b"body", "/x/y?q")
    assert request.headers["idempotency-key"] == "k"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "location",
    ["https://b.example.com/", "//b.example.com/", "https://a.example.com:8443/", "https://A.example.com.example.org/"],
)
def test_nothing_secret_leaves_its_origin(location: str, status: int) -> None:
    request = after(location, status)
    assert request.body is None
    assert request.headers == {"accept": "a"}


def test_the_same_origin_otherwise_written_is_the_same() -> None:
    assert after("HTTPS://A.EXAMPLE.COM:443/n", 307).body == b"body"


@pytest.mark.parametrize("location", ["http://a.example.com/", "http://b.example.com/", "HTTP://a.example.com:443/"])
def test_no_way_from_https_to_http(location: str) -> None:
    with pytest.raises(Refused) as caught:
        after(location)
    assert caught.value.reason is Reason.DOWNGRADE


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd",
        "ftp://a.example.com/",
        "javascript:x",
        "data:text/plain,x",
        "https://user@b.example.com/",
        "https://b.example.com\\@c.example.com/",
        "\\\\b.example.com/",
        "/\\b.example.com/",
        "https://b.example.com/a b",
        "https://b.exam\tple.com/",
        "https://0x7f.1/",
        "https://127.1/",
        "https://[::1%25lo]/",
        "//[",
        "//[::1",
        "//",
        "https:///x",
        "https:x",
        "http:/x",
        "/\x7f",
        "/\u202e",
    ],
)
def test_a_strange_place_is_refused(location: str) -> None:
    with pytest.raises(Refused):
        after(location)


def test_a_location_that_is_no_text() -> None:
    with pytest.raises(Failure):
        after("/\udcff")
    with pytest.raises(Failure):
        redirected(Request("GET", parse_url("http://a.example.com"), {}), Head(302, b"", ((b"location", b"/a"),) * 2))


async def test_five_are_followed_and_not_six() -> None:
    def chain(length: int) -> Act:
        async def act(got: Got, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            number = int(got.path[1:])
            writer.write(OK if number == length else to(f"/{number + 1}"))

        return act

    async with serving(chain(5)) as server, node() as made:
        assert await made.output(f"{server.url}/0") == "there"
        assert server.connections == 1
    async with serving(chain(6)) as server, node() as made:
        assert await made.error(f"{server.url}/0", terminal=False) == "TOO_MANY_REDIRECTS: redirected more than 5 times"
        assert len(server.got) == 6


async def test_a_loop_ends() -> None:
    async with serving(saying(to("/"))) as server, node() as made:
        assert (await made.error(server.url, terminal=False)).startswith("TOO_MANY_REDIRECTS")
        assert len(server.got) == 6


async def test_another_server_gets_no_secrets() -> None:
    async with serving(saying(OK)) as there, serving(saying(to(f"{there.url}/new", "307 Go"))) as here, node() as made:
        assert await made.output(here.url, "POST", body={"secret": 1}, headers=SECRETS) == "there"
        assert here.got[0].header("x-api-key") == "k"
        (got,) = there.got
        assert (got.method, got.body) == ("POST", b"")
        assert {name for name, _ in got.headers} <= {
            "host",
            "accept",
            "user-agent",
            "accept-encoding",
            "content-length",
        }


@pytest.mark.parametrize(
    "location",
    [
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://[::ffff:169.254.169.254]/",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://metadata.google.internal/",
        "http://inside.example.com/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:6379/_x",
    ],
)
async def test_an_allowed_host_may_not_lead_inside(location: str) -> None:
    names = Names(inside_example_com=["10.0.0.1"], metadata_google_internal=["169.254.169.254"])
    async with serving(saying(to(location))) as server, node(resolve=names.resolve) as made:
        error = await made.error(server.url, terminal=True)
        assert error.startswith("EGRESS_REFUSED: ")
        assert len(server.got) == 1


async def test_a_listed_host_may_not_lead_to_the_port_beside_it() -> None:
    async with serving(saying(OK)) as other, serving(saying(to(other.url))) as server:
        target = parse_url(server.url)
        async with node(Policy(hosts=frozenset({(target.host, target.port)}))) as made:
            assert (await made.error(server.url, terminal=True)).startswith("EGRESS_REFUSED: ")
        assert other.connections == 0


async def test_an_expected_redirect_is_an_answer() -> None:
    async with serving(saying(to("/elsewhere"), answer(b"no place", "302 Found"))) as server, node() as made:
        assert await made.output(server.url, expect_status=302) == {"body": "moved"}
        assert await made.output(server.url) == {"body": "no place"}


async def test_from_https_to_http_over_the_wire(trusted: ssl.SSLContext, certified: ssl.SSLContext) -> None:
    async with serving(saying(OK)) as plain, serving(saying(to(plain.url)), certified) as secure:
        async with node(tls=trusted) as made:
            assert "https to http" in await made.error(f"https://{secure.address}", terminal=True)
        assert plain.connections == 0

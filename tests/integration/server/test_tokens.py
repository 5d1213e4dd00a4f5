"""Tokens with names: how a file is read, whose one is, and how little the log says of who has none."""

from __future__ import annotations

import os

import pytest

from operating.access.refusals import Refusals
from operating.access.tokens import Tokens, parse_tokens
from operating.access.watched import Watched

ONE, TWO = b"0123456789abcdef", b"fedcba9876543210"


def test_a_file_of_tokens():
    content = b"# who may call\n\n engine:%s \r\nprobe-2@eu:%s\n" % (ONE, TWO + b":#=")
    assert parse_tokens(content) == {"engine": ONE, "probe-2@eu": TWO + b":#="}


@pytest.mark.parametrize("content", [b"", b"\n \r\n", b"# engine:0123456789abcdef\n"])
def test_a_file_without_tokens(content):
    assert parse_tokens(content) == {}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\n" + ONE, "line 2: expected NAME:TOKEN"),
        (b":" + ONE, "line 1: expected NAME:TOKEN"),
        (b"two words:" + ONE, "line 1: expected NAME:TOKEN"),
        (b"n" * 65 + b":" + ONE, "line 1: expected NAME:TOKEN"),
        (b"n\xc3\xa4me:" + ONE, "line 1: expected NAME:TOKEN"),
        (b"engine:" + ONE[:15], "line 1: the token is not 16 to"),
        (b"engine:" + ONE + b" x", "line 1: the token is not 16 to"),
        (b"engine:" + ONE + b"\x00", "line 1: the token is not 16 to"),
        (b"engine:" + ONE + b"\xff", "line 1: the token is not 16 to"),
        (b"engine:" + ONE * 65, "line 1: the token is not 16 to"),
        (b"engine:%s\n#\nengine:%s" % (ONE, TWO), "line 3: a line before has the same name"),
        (b"engine:%s\nother:%s" % (ONE, ONE), "line 2: a line before has the same token"),
        (b"".join(b"n%d:%s%d\n" % (n, ONE, n) for n in range(1001)), "it holds 1001 tokens, more than 1000"),
    ],
)
def test_files_that_are_refused(content, said):
    with pytest.raises(ValueError, match=f"^{said}") as caught:
        parse_tokens(content)
    assert ONE[:15].decode() not in str(caught.value)


@pytest.mark.parametrize(
    ("header", "owner"),
    [
        (b"Bearer " + ONE, "engine"),
        (b"BEARER " + TWO, "probe"),
        (b"Bearer " + ONE[:-1], None),
        (b"Bearer " + ONE + b"0", None),
        (b"Bearer  " + ONE, None),
        (b"Bearer ", None),
        (b"Basic " + ONE, None),
        (ONE, None),
        (b"", None),
        (b"Bearer \xff" + ONE, None),
    ],
)
def test_whose_it_is(header, owner):
    assert Tokens({"engine": ONE, "probe": TWO}).owner_of(header) == owner
    assert Tokens({}).owner_of(header) is None


@pytest.mark.parametrize(
    ("content", "left"),
    [
        (b"engine:%s\nbroken\n" % ONE, "engine"),
        (b"broken\n probe:%s \r\n" % TWO, "probe"),
        (b"engine:%s\nprobe:%s" % (ONE, TWO[:9]), "engine"),  # half of the last line
        (b"#engine:%s\nprobe:%s\n:" % (ONE, TWO), "probe"),
        (b"engine:%s\nprobe:%s\n:" % (TWO, ONE), None),
        (b"engine:%s\nengine:%s\n" % (ONE, TWO), "engine"),
        (b"enginx:%s\n:" % ONE, None),
        (b"\0", None),
    ],
)
def test_whose_line_is_still_in_a_file_that_is_broken(content, left):
    with pytest.raises(ValueError, match="line"):
        parse_tokens(content)
    tokens = Tokens({"": b"given-beside-a-file", "engine": ONE, "probe": TWO}).still_in(content)
    whose = {tokens.owner_of(b"Bearer " + token) for token in (ONE, TWO)} - {None}
    assert whose == ({left} if left else set())
    assert tokens.owner_of(b"Bearer given-beside-a-file") == ""


class Clock:
    """Files with a state that changes with each write, whatever the file system's clock counts in."""

    def __init__(self):
        self.ticks = 0

    def write(self, path, text):
        self.ticks += 1
        new = path.with_suffix(".new")
        new.write_text(text)
        os.utime(new, ns=(self.ticks, self.ticks))
        new.replace(path)


def test_a_file_is_read_again_when_it_has_changed(tmp_path, caplog):
    file, write = tmp_path / "number", Clock().write
    read = []

    def load():
        read.append(file.read_text())
        return int(read[-1])

    write(file, "1")
    watched = Watched("NUMBER", [file], load)
    watched.look()
    assert (watched.value, len(read)) == (1, 1)
    write(file, "2")
    watched.look()
    assert watched.value == 2
    write(file, "broken")
    for _ in range(3):
        watched.look()
    assert (watched.value, len(read)) == (2, 3), "what is broken is read once"
    file.unlink()
    watched.look()
    assert watched.value == 2
    write(file, "3")
    watched.look()
    assert watched.value == 3
    watched.look(at_once=True)
    assert len(read) == 6 - 1
    assert [record.levelname for record in caplog.records if record.levelname == "ERROR"] == ["ERROR", "ERROR"]


def test_files_that_change_while_they_are_read_are_read_together(tmp_path):
    pair, write = [tmp_path / "cert", tmp_path / "key"], Clock().write
    for file in pair:
        write(file, "old")
    meanwhile = []

    def load():
        first = pair[0].read_text()
        for text in meanwhile:
            write(pair[1], text)
        return first, pair[1].read_text()

    watched = Watched("PAIR", pair, load)
    meanwhile.append("new")
    write(pair[0], "new")
    watched.look()
    assert watched.value == ("old", "old")
    meanwhile.clear()
    watched.look()
    assert watched.value == ("new", "new")


def test_little_is_said_of_many():
    refusals = Refusals()
    said = [refusals.refused("ipv4:10.0.0.7:4711", now=now / 10) for now in range(250)]
    assert [line for line in said if line] == [
        "1 calls without a valid token were refused, the latest from ipv4:10.0.0.7:4711",
        "100 calls without a valid token were refused, the latest from ipv4:10.0.0.7:4711",
        "100 calls without a valid token were refused, the latest from ipv4:10.0.0.7:4711",
    ]


@pytest.mark.parametrize("peer", ["unix:/tmp/evil\nERROR all is lost", "", "ipv4:1.2.3.4:1\n"])
def test_nothing_that_a_caller_chose_is_said(peer):
    assert Refusals().refused(peer, 0.0).endswith("the latest from a unix socket")

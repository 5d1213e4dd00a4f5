"""Frames: cut anywhere, capped before anything is allocated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langserver.wire.frames import HEAD, Frame, FrameDecoder, FrameError, Kind, encode

CAPS = {Kind.LOG: 100, Kind.REPORT: 1000}


@given(
    frames=st.lists(st.tuples(st.sampled_from([Kind.LOG, Kind.REPORT]), st.binary(max_size=100)), max_size=8),
    cuts=st.lists(st.integers(1, 40), min_size=1, max_size=20),
)
def test_frames_come_out_as_they_went_in_however_the_stream_is_cut(
    frames: list[tuple[Kind, bytes]], cuts: list[int]
) -> None:
    stream = b"".join(encode(kind, payload) for kind, payload in frames)
    decoder, got, at, turn = FrameDecoder(CAPS), [], 0, 0
    while at < len(stream):
        size = cuts[turn % len(cuts)]
        got += decoder.feed(stream[at : at + size])
        at, turn = at + size, turn + 1
    assert got == [Frame(kind, payload) for kind, payload in frames]


def test_a_cut_frame_waits_for_its_rest() -> None:
    decoder = FrameDecoder(CAPS)
    whole = encode(Kind.LOG, b"abc")
    assert list(decoder.feed(whole[:-1])) == []
    assert list(decoder.feed(whole[-1:])) == [Frame(Kind.LOG, b"abc")]


def test_frames_before_one_that_is_none_are_given_out() -> None:
    frames = FrameDecoder(CAPS).feed(encode(Kind.LOG, b"abc") + HEAD.pack(99, 0))
    assert next(frames) == Frame(Kind.LOG, b"abc")
    with pytest.raises(FrameError):
        next(frames)


@pytest.mark.parametrize("length", [101, 2**32 - 1])
def test_a_length_over_its_cap_is_refused_from_the_head_alone(length: int) -> None:
    with pytest.raises(FrameError, match="over its cap of 100"):
        list(FrameDecoder(CAPS).feed(HEAD.pack(Kind.LOG, length)))


@pytest.mark.parametrize("number", [0, 99, 255, Kind.HEADER])
def test_a_kind_that_is_not_accepted_here_is_refused(number: int) -> None:
    with pytest.raises(FrameError, match=f"kind {int(number)} is not accepted"):
        list(FrameDecoder(CAPS).feed(HEAD.pack(number, 0)))


@given(st.binary(max_size=300))
def test_any_bytes_are_frames_or_a_frame_error(data: bytes) -> None:
    decoder = FrameDecoder(CAPS)
    try:
        frames = list(decoder.feed(data))
    except FrameError:
        return
    assert all(len(frame.payload) <= CAPS[frame.kind] for frame in frames)

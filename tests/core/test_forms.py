"""Which compiled forms are kept: within bounds, by age of use, and nobody at the cost of who has less."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from langserver.core.forms import ENTRY_BYTES, LARGE_BYTES, NOTHING, FormCache, Found, Shelf

MOST = 10_000
SMALL = LARGE_BYTES - 1
WANTED = Found(wanted=True)


def kept(cache: FormCache, owner: str, key: bytes, form: bytes, image: int = 1) -> None:
    cache.find(owner, key, image, LARGE_BYTES)
    cache.keep(owner, key, image, form)


def form(cache: FormCache, owner: str, key: bytes, image: int = 1) -> bytes:
    return cache.find(owner, key, image, LARGE_BYTES).form


def test_a_large_source_is_asked_for_its_form_at_once_a_small_one_when_it_comes_again() -> None:
    cache = FormCache(MOST)
    assert cache.find("a", b"large", 1, LARGE_BYTES) == WANTED
    assert cache.find("a", b"small", 1, SMALL) == NOTHING
    assert cache.find("a", b"small", 1, SMALL) == WANTED


def test_what_was_kept_is_found_and_not_asked_for_again() -> None:
    cache = FormCache(MOST)
    kept(cache, "a", b"key", b"form")
    assert cache.find("a", b"key", 1, SMALL) == Found(form=b"form")


def test_the_first_form_stays() -> None:
    cache = FormCache(MOST)
    kept(cache, "a", b"key", b"first")
    cache.keep("a", b"key", 1, b"second")
    assert form(cache, "a", b"key") == b"first"


def test_nobody_gets_anothers_form() -> None:
    cache = FormCache(MOST)
    kept(cache, "a", b"key", b"form")
    assert cache.find("b", b"key", 1, LARGE_BYTES) == WANTED
    assert cache.find("a", b"other", 1, LARGE_BYTES) == WANTED


def test_a_form_is_for_children_of_its_image_alone_and_the_newest_image_is_asked() -> None:
    cache = FormCache(MOST)
    kept(cache, "a", b"key", b"of 2", image=2)
    assert cache.find("a", b"key", 1, LARGE_BYTES) == NOTHING, "children of the zygote before end their work"
    cache.keep("a", b"key", 1, b"of 1")
    assert form(cache, "a", b"key", 2) == b"of 2"
    assert cache.find("a", b"key", 3, SMALL) == WANTED, "it was seen before"
    cache.keep("a", b"key", 3, b"of 3")
    assert form(cache, "a", b"key", 3) == b"of 3"
    assert cache.find("a", b"key", 2, SMALL) == NOTHING


def test_a_source_without_a_form_is_not_asked_again() -> None:
    cache = FormCache(MOST)
    kept(cache, "a", b"key", b"")
    assert cache.find("a", b"key", 1, LARGE_BYTES) == NOTHING
    assert cache.find("a", b"key", 2, LARGE_BYTES) == WANTED


def test_a_forgotten_form_is_asked_for_again() -> None:
    cache = FormCache(MOST)
    kept(cache, "a", b"key", b"form", image=2)
    cache.forget("a", b"key", 1)
    assert form(cache, "a", b"key", 2) == b"form", "of another image"
    cache.forget("a", b"key", 2)
    assert cache.find("a", b"key", 2, SMALL) == WANTED


def test_a_form_larger_than_the_cache_is_none_and_costs_nobody_theirs() -> None:
    cache = FormCache(MOST)
    kept(cache, "a", b"key", b"form")
    kept(cache, "b", b"large", bytes(MOST))
    assert cache.find("b", b"large", 1, LARGE_BYTES) == NOTHING
    assert form(cache, "a", b"key") == b"form"


def test_who_has_most_gives_up_what_he_used_longest_ago() -> None:
    cache = FormCache(MOST)
    size = MOST // 4 - ENTRY_BYTES
    kept(cache, "a", b"only", bytes(100))
    for key in (b"1", b"2", b"3"):
        kept(cache, "b", key, bytes(size))
    assert form(cache, "b", b"1")
    kept(cache, "b", b"4", bytes(size))
    assert [bool(cache.find("b", key, 1, LARGE_BYTES).form) for key in (b"1", b"3", b"4")] == [True, True, True]
    assert form(cache, "a", b"only"), "somebody else filled it"


def test_sources_without_forms_count_too() -> None:
    cache = FormCache(MOST)
    for number in range(1000):
        cache.find("a", str(number).encode(), 1, SMALL)
    assert MOST - ENTRY_BYTES < cache.held_bytes <= MOST


def test_a_shelf_is_one_place() -> None:
    cache = FormCache(MOST)
    shelf = Shelf(cache, "a", b"key", LARGE_BYTES)
    assert shelf.find(1) == WANTED
    shelf.keep(1, b"form")
    assert shelf.find(1) == Found(form=b"form") == cache.find("a", b"key", 1, 0)
    shelf.forget(1)
    assert shelf.find(1) == WANTED


Step = tuple[str, str, bytes, int, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["find", "keep", "forget"]),
        st.sampled_from("abc"),
        st.sampled_from([b"1", b"2", b"3", b"4"]),
        st.integers(1, 3),
        st.integers(0, 5000),
    ),
    max_size=60,
)


@given(STEPS)
def test_its_bound_holds_and_what_it_gives_is_what_was_kept_there(steps: list[Step]) -> None:
    """Against a cache that never forgets: a form found is one that was kept for that owner, key and image."""
    cache, said = FormCache(MOST), set()
    for number, (act, owner, key, image, size) in enumerate(steps):
        if act == "find":
            found = cache.find(owner, key, image, size)
            assert not (found.form and found.wanted)
            assert not found.form or (owner, key, image, found.form) in said
        elif act == "keep":
            made = number.to_bytes(4, "big") + bytes(size)
            said.add((owner, key, image, made))
            cache.keep(owner, key, image, made)
        else:
            cache.forget(owner, key, image)
            assert not cache.find(owner, key, image, 0).form
        assert cache.held_bytes == sum(cache._held.values())
        assert cache.held_bytes <= MOST


@given(STEPS, st.integers(0, MOST // 2 - ENTRY_BYTES))
def test_nobody_can_take_from_who_has_less(steps: list[Step], size: int) -> None:
    """Whatever two owners do, a third keeps what fits into an even share."""
    cache = FormCache(MOST)
    share = size * 2 // 3
    kept(cache, "quiet", b"key", bytes(share) + b"x")
    if cache.held_bytes > MOST // 3:
        return
    for number, (_, owner, key, image, length) in enumerate(steps):
        kept(cache, "a" if owner == "c" else owner, key + bytes([number]), bytes(length), image)
    assert form(cache, "quiet", b"key") == bytes(share) + b"x"

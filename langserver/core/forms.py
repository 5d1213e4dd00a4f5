"""Compiled forms of programs: which are kept, for whom, and when one is asked for (decision 0038)."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

# So large a source is asked for its form when it is first seen, a smaller one when it comes again: what never comes
# again shall not pay for it.
LARGE_BYTES = 2 << 10
ENTRY_BYTES = 300  # what an entry takes beside its form: digest, objects, places in two tables


@dataclass(frozen=True, slots=True)
class Found:
    """What a child is told of a form: at most one of `form`, which it is given, and `wanted`, which it shall send."""

    form: bytes = b""
    wanted: bool = False


NOTHING = Found()


@dataclass(frozen=True, slots=True)
class _Entry:
    """A source that was seen. `image` is the zygote whose children made the form, 0: there is none yet.

    An empty form of an image says that there is none to be had.
    """

    image: int = 0
    form: bytes = b""

    @property
    def cost(self) -> int:
        return ENTRY_BYTES + len(self.form)


class FormCache:
    """At most `max_bytes` of forms, each for one owner and the children of one image.

    When it is full, the owner who has most gives up what he used longest ago: nobody can take from who has less.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._owners: dict[str, OrderedDict[bytes, _Entry]] = {}
        self._held: dict[str, int] = {}
        self._total = 0
        self.hits = 0  # forms that were given
        self.misses = 0

    @property
    def held_bytes(self) -> int:
        """What is kept, all owners together."""
        return self._total

    def find(self, owner: str, key: bytes, image: int, source_bytes: int) -> Found:
        """What to tell a child of `image` that is about to get this source. An image is a number above 0."""
        found = self._find(owner, key, image, source_bytes)
        if found.form:
            self.hits += 1
        else:
            self.misses += 1
        return found

    def _find(self, owner: str, key: bytes, image: int, source_bytes: int) -> Found:
        entry = self._entry(owner, key)
        if entry is None:
            self._put(owner, key, _Entry())
            return Found(wanted=source_bytes >= LARGE_BYTES)
        self._owners[owner].move_to_end(key)
        if entry.image == image:
            return Found(form=entry.form)
        # Children of a zygote that was replaced end their work; a newer one's form is not given up for theirs.
        return Found(wanted=entry.image < image)

    def keep(self, owner: str, key: bytes, image: int, form: bytes) -> None:
        """Takes the form that a child was asked for; the first one stays, one larger than all of the cache is none."""
        entry = self._entry(owner, key)
        if entry is not None and entry.image >= image:
            return
        kept = _Entry(image, form)
        self._put(owner, key, kept if kept.cost <= self._max_bytes else _Entry(image))

    def forget(self, owner: str, key: bytes, image: int) -> None:
        """Gives up a form with which a child did not begin."""
        entry = self._entry(owner, key)
        if entry is not None and entry.image == image:
            self._put(owner, key, _Entry())

    def _entry(self, owner: str, key: bytes) -> _Entry | None:
        entries = self._owners.get(owner)
        return None if entries is None else entries.get(key)

    def _put(self, owner: str, key: bytes, entry: _Entry) -> None:
        entries = self._owners.setdefault(owner, OrderedDict())
        before = entries.pop(key, None)
        entries[key] = entry
        self._count(owner, entry.cost - (before.cost if before is not None else 0))
        while self._total > self._max_bytes:
            most = max(self._held, key=self._held.__getitem__)
            _, gone = self._owners[most].popitem(last=False)
            self._count(most, -gone.cost)

    def _count(self, owner: str, change: int) -> None:
        self._total += change
        self._held[owner] = self._held.get(owner, 0) + change
        if not self._held[owner]:
            del self._held[owner], self._owners[owner]


@dataclass(frozen=True, slots=True)
class Shelf:
    """The place of one source in a cache."""

    cache: FormCache
    owner: str
    key: bytes
    source_bytes: int

    def find(self, image: int) -> Found:
        """See `FormCache.find`."""
        return self.cache.find(self.owner, self.key, image, self.source_bytes)

    def keep(self, image: int, form: bytes) -> None:
        """See `FormCache.keep`."""
        self.cache.keep(self.owner, self.key, image, form)

    def forget(self, image: int) -> None:
        """See `FormCache.forget`."""
        self.cache.forget(self.owner, self.key, image)

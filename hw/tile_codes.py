"""Tiles that tell their number and turning by magnets: which patterns, how nine sensors are read, which of them lies.

A well has nine sensors: eight in a *ring*, places 0 (north) to 7 (north-west) clockwise, and one in the *middle*, place
8. A tile has a magnet over some of them. Its ring pattern differs from its own turnings and from all others'; the
middle magnet is there where the ring's magnets are odd in number. So every whole tile shows an even number of magnets,
one wrong sensor an odd one: it is noticed, never taken for another tile.

Which patterns (:func:`choose`): thirty rings of eight differ from all their turnings. Of those

1. none with fewer than four magnets, the middle one counted: two that are lost must not look like nothing;
2. as few magnets as possible: the fifteen that have four, and three of the ten that have six. Of tiles with equally
   many magnets none becomes another by losing some;
3. the three with which the fewest stacks of two tiles look like a tile (their magnets add up: a well is covered
   often), then those with which two sensors that fall silent look like another tile least often, then any two faults.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

RING = 8
"""Places of the ring, and turnings of a tile: eighths, clockwise."""
MIDDLE = 8
PLACES = RING + 1
NOTHING = ""
UNREADABLE = "?"
LEAST_MAGNETS = 4
MOST_TILES = 30
_NAME = re.compile(r"[A-Za-z0-9]{1,8}")
_TURNED = re.compile(r"(.+)r([0-7])")


@dataclass(frozen=True)
class Suspicion:
    """What would explain readings that are no whole tile: the tile, its turning, and the one sensor that is wrong."""

    sight: str
    """The tile that would lie there: ``7r5``; empty for nothing at all."""
    place: int
    reads: bool
    """What the sensor at ``place`` reads: True, something where that tile has no magnet."""


class TileCodes:
    """The tiles of one board. ``patterns`` maps a tile's name to its ring pattern, turned by nothing: ``11010000``."""

    def __init__(self, patterns: Mapping[str, str]) -> None:
        """Raise ValueError for patterns that :func:`problems` finds something wrong with."""
        for name, why in problems(patterns):
            raise ValueError(f"{name}: {why}")
        self.tiles = tuple(patterns)
        self._masks = {
            sight_of(name, turn): mask(magnets(ring, turn)) for name, ring in patterns.items() for turn in range(RING)
        }
        self._sights = [UNREADABLE] * (1 << PLACES)
        self._sights[0] = NOTHING
        for sight, bits in self._masks.items():
            self._sights[bits] = sight

    def bits(self, sight: str) -> tuple[int, ...]:
        """Return what the nine sensors read under a tile (``7r5``), or under nothing. Raise KeyError."""
        found = self._masks[sight] if sight else 0
        return tuple(found >> place & 1 for place in range(PLACES))

    def decode(self, bits: Sequence[int], deaf: Collection[int] = ()) -> str:
        """Return the tile that nine readings show: ``7r5``, ``""`` for nothing, ``?`` for what is no whole tile.

        ``deaf`` are places whose sensors are known to be broken: one is made good by the number of magnets being even;
        with more there is an answer only where no other tile comes into question.
        """
        read = mask(bits)
        if not deaf:
            return self._sights[read]
        found = {self._sights[filled] for filled in _fillings(read, deaf)} - {UNREADABLE}
        return found.pop() if len(found) == 1 else UNREADABLE

    def explain(self, bits: Sequence[int]) -> tuple[Suspicion, ...]:
        """Return every single fault that would make these readings; none where they are in order, or wrong in two."""
        read = mask(bits)
        if self._sights[read] != UNREADABLE:
            return ()
        found = ((place, self._sights[read ^ 1 << place]) for place in range(PLACES))
        return tuple(Suspicion(sight, place, bool(read >> place & 1)) for place, sight in found if sight != UNREADABLE)

    def fault(self, bits: Sequence[int], sight: str) -> Suspicion | None:
        """Return the one sensor that is wrong if this tile lies there; None unless it is exactly one."""
        return next((one for one in self.explain(bits) if one.sight == sight), None)


def sight_of(tile: str, turn: int) -> str:
    """Return the text of a tile turned clockwise by so many eighths: ``7r5``."""
    return f"{tile}r{turn % RING}"


def parted(sight: str) -> tuple[str, int] | None:
    """Return tile and turning of a text such as ``7r5``; None where it is none."""
    found = _TURNED.fullmatch(sight)
    return (found[1], int(found[2])) if found else None


def magnets(ring: str, turn: int = 0) -> tuple[int, ...]:
    """Return where a tile has magnets over the nine places of its well when it lies turned by so many eighths."""
    turned = [int(ring[(place - turn) % RING]) for place in range(RING)]
    return (*turned, sum(turned) % 2)


def mask(bits: Sequence[int]) -> int:
    """Return nine readings as a number, place 0 lowest."""
    return sum(1 << place for place, bit in enumerate(bits) if bit)


def problems(patterns: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (tile, why) for everything that keeps these patterns from being told apart."""
    owners: dict[str, str] = {}
    for name, ring in patterns.items():
        if not _NAME.fullmatch(name) or parted(name):
            yield name, "expected a name of up to 8 letters and digits that does not end like a turning (r0 to r7)"
        if len(ring) != RING or set(ring) - {"0", "1"}:
            yield name, f"expected eight signs 0 or 1, clockwise from north, got {ring!r:.60}"
            continue
        turnings = {_turned(ring, turn) for turn in range(RING)}
        if len(turnings) < RING:
            yield name, f"{ring} looks the same when it is turned, expected a pattern whose eight turnings differ"
            continue
        other = next((owners[turned] for turned in sorted(turnings) if turned in owners), None)
        if other is not None:
            yield name, f"{ring} is tile {other}'s, turned; expected patterns that differ in every turning"
        owners |= dict.fromkeys(turnings, name)


# -- the choice ------------------------------------------------------------------------------------------------------


def rings() -> list[str]:
    """Return the thirty patterns that differ from all their turnings, each in that turning which is the greatest."""
    every = ("".join(signs) for signs in itertools.product("10", repeat=RING))
    return [ring for ring in every if all(ring > _turned(ring, turn) for turn in range(1, RING))]


def choose(count: int = 18) -> tuple[str, ...]:
    """Return the patterns that this project uses for so many tiles, by the rule at the head of this file.

    Fewer magnets first, then greater patterns first. Raise ValueError for more than the 26 that have four magnets.
    """
    by_magnets: dict[int, list[str]] = {}
    for ring in rings():
        by_magnets.setdefault(sum(magnets(ring)), []).append(ring)
    chosen: list[str] = []
    for number in sorted(by_magnets):
        if number < LEAST_MAGNETS or len(chosen) == count:
            continue
        room = count - len(chosen)
        ways = itertools.combinations(by_magnets[number], min(room, len(by_magnets[number])))
        best = min(ways, key=lambda more: _confusions((*chosen, *more)))  # The first of equals: greater patterns.
        chosen += best
    if len(chosen) != count:
        raise ValueError(f"expected at most {len(chosen)} tiles, got {count}")
    return tuple(chosen)


def _confusions(patterns: Sequence[str]) -> tuple[int, int, int]:
    """Return how many stacks of two look like a tile; how many pairs of tiles two silent, and any two, sensors part."""
    words = [(mask(magnets(ring, turn)), ring) for ring in patterns for turn in range(RING)]
    whole = {word for word, _ in words}
    stacked = silent = pairs = 0
    for (one, ring), (other, other_ring) in itertools.combinations(words, 2):
        stacked += ring != other_ring and (one | other) in whole
        if (one ^ other).bit_count() == 2:
            pairs += 1
            silent += one | other in {one, other}
    return stacked, silent, pairs


PATTERNS = (
    "11110000", "11101000", "11100100", "11100010", "11100000", "11011000",
    "11010100", "11010010", "11010000", "11001010", "11001000", "11000100",
    "11000010", "10101000", "10100100", "11111100", "11111010", "11110110",
)  # fmt: skip
"""What :func:`choose` finds for 18 tiles."""


def _turned(ring: str, turn: int) -> str:
    return ring[-turn % RING :] + ring[: -turn % RING]


def _fillings(read: int, deaf: Collection[int]) -> Iterator[int]:
    """Yield the readings with every possible answer of the deaf sensors."""
    heard = read & ~sum(1 << place for place in deaf)
    for bits in itertools.product((0, 1), repeat=len(deaf)):
        yield heard | sum(bit << place for place, bit in zip(deaf, bits, strict=True))

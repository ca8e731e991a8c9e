"""Magnet patterns that encode a tile's name and turning: their decoding, and wrong sensors.

A well has nine sensors: eight in a *ring*, places 0 (north) to 7 (north-west) clockwise, and one in the *middle*, place
8. A tile has magnets over some of them. Its ring pattern differs from its own turnings and from those of all other
tiles. It has a middle magnet if the ring's number of magnets is odd. So every tile shows an even number of magnets. One
wrong sensor makes the number odd: it is noticed, never taken for another tile.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

RING = 8
"""Number of places in the ring, and of turnings of a tile (clockwise, in eighths)."""
MIDDLE = 8
PLACES = RING + 1
NOTHING = ""
UNREADABLE = "?"
LEAST_MAGNETS = 4
MAX_TILES = 30
_NAME = re.compile(r"[A-Za-z0-9]{1,8}")
_TURNED = re.compile(r"(.+)r([0-7])")


@dataclass(frozen=True)
class Suspicion:
    """An explanation of readings that match no tile: a tile with its turning, and one wrong sensor."""

    sensed: str
    """The assumed tile and turning: ``7r5``; empty for an empty well."""
    place: int
    """The place of the wrong sensor."""
    reads: bool
    """The wrong reading: True for a magnet where the tile has none."""


class TileCodes:
    """The tiles of one board. ``patterns`` maps a tile's name to its ring pattern without a turn: ``11010000``."""

    def __init__(self, patterns: Mapping[str, str]) -> None:
        """Raise ValueError for patterns in which :func:`problems` finds a fault."""
        for name, why in problems(patterns):
            raise ValueError(f"{name}: {why}")
        self.tiles = tuple(patterns)
        self._masks = {
            sensed_tile(name, turn): mask(magnets(ring, turn))
            for name, ring in patterns.items()
            for turn in range(RING)
        }
        self._sensed_states = [UNREADABLE] * (1 << PLACES)
        self._sensed_states[0] = NOTHING
        for sensed, bits in self._masks.items():
            self._sensed_states[bits] = sensed

    def bits(self, sensed: str) -> tuple[int, ...]:
        """Return the nine readings under a tile (``7r5``), or of an empty well (``""``). Raise KeyError if unknown."""
        found = self._masks[sensed] if sensed else 0
        return tuple(found >> place & 1 for place in range(PLACES))

    def decode(self, bits: Sequence[int], ignored: Collection[int] = ()) -> str:
        """Return the tile that nine readings show: ``7r5``, ``""`` for nothing, ``?`` for readings of no tile.

        ``ignored`` are the places of broken sensors. The even number of magnets replaces one of them; with more, the
        result is a tile only if no other tile is possible.
        """
        read = mask(bits)
        if not ignored:
            return self._sensed_states[read]
        found = {self._sensed_states[filled] for filled in _fillings(read, ignored)} - {UNREADABLE}
        return found.pop() if len(found) == 1 else UNREADABLE

    def explain(self, bits: Sequence[int]) -> tuple[Suspicion, ...]:
        """Return every single fault that explains these readings; empty for a tile, and for two or more faults."""
        read = mask(bits)
        if self._sensed_states[read] != UNREADABLE:
            return ()
        found = ((place, self._sensed_states[read ^ 1 << place]) for place in range(PLACES))
        return tuple(
            Suspicion(sensed, place, bool(read >> place & 1)) for place, sensed in found if sensed != UNREADABLE
        )

    def fault(self, bits: Sequence[int], sensed: str) -> Suspicion | None:
        """Return the one wrong sensor if this tile lies there; None unless exactly one is wrong."""
        return next((one for one in self.explain(bits) if one.sensed == sensed), None)


def sensed_tile(tile: str, turn: int) -> str:
    """Return the text of a tile turned clockwise by ``turn`` eighths: ``7r5``."""
    return f"{tile}r{turn % RING}"


def split_sensed(sensed: str) -> tuple[str, int] | None:
    """Return tile and turning (eighths) of a text such as ``7r5``; None for any other text."""
    found = _TURNED.fullmatch(sensed)
    return (found[1], int(found[2])) if found else None


def magnets(ring: str, turn: int = 0) -> tuple[int, ...]:
    """Return 1 or 0 for a magnet over each of the nine places, for a tile turned by ``turn`` eighths."""
    turned = [int(ring[(place - turn) % RING]) for place in range(RING)]
    return (*turned, sum(turned) % 2)


def mask(bits: Sequence[int]) -> int:
    """Return nine readings as a number with place 0 as the lowest bit."""
    return sum(1 << place for place, bit in enumerate(bits) if bit)


def problems(patterns: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (tile, reason) for each fault that makes patterns invalid or ambiguous."""
    owners: dict[str, str] = {}
    for name, ring in patterns.items():
        if not _NAME.fullmatch(name) or split_sensed(name):
            yield name, "expected a name of up to 8 letters and digits that does not end like a turning (r0 to r7)"
        if len(ring) != RING or set(ring) - {"0", "1"}:
            yield name, f"expected eight signs 0 or 1, clockwise from north, got {ring!r:.60}"
            continue
        turnings = {turn_ring(ring, turn) for turn in range(RING)}
        if len(turnings) < RING:
            yield name, f"{ring} looks the same when it is turned, expected a pattern whose eight turnings differ"
            continue
        other = next((owners[turned] for turned in sorted(turnings) if turned in owners), None)
        if other is not None:
            yield name, f"{ring} is tile {other}'s, turned; expected patterns that differ in every turning"
        owners |= dict.fromkeys(turnings, name)


def turn_ring(ring: str, turn: int) -> str:
    """Return a ring's pattern turned clockwise by so many eighths."""
    return ring[-turn % RING :] + ring[: -turn % RING]


def _fillings(read: int, ignored: Collection[int]) -> Iterator[int]:
    """Yield the readings with every possible value of the broken sensors."""
    heard = read & ~sum(1 << place for place in ignored)
    for bits in itertools.product((0, 1), repeat=len(ignored)):
        yield heard | sum(bit << place for place, bit in zip(ignored, bits, strict=True))

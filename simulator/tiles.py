"""Pieces of a simulated board: tiles with a ring of magnets, stones with one in the middle, and their field in a well.

A tile's text is its name and its turning in eighths clockwise: ``7r5``. Only the board's description lists the tiles
and their magnets. A well has nine sensors, places 0 (north) to 7 clockwise and 8 in the middle. A tile has a magnet in
the middle if the number of magnets in its ring is odd, or if it has no ring.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hw.ports import RING, BoardDescription, Message

SUPPLY: Mapping[str, int] = {"w": 44, "b": 44}
"""Stones of each colour on a board without its own supply; at least one fewer than the board's nodes."""
POLE = {"w": 1, "b": -1}
"""Letter → 1 for a magnet with north up, -1 for south up; all other pieces have north up."""
MIDDLE = RING
PLACES = RING + 1
HEIGHTS = (1.0, 0.6, 0.3, 0.15)
"""Share of a tile's field at a well's sensors, by the number of tiles under it."""
LEAK = 0.04
"""Share of a magnet's field that reaches the next sensor of the ring."""
CLOSES = 0.5
"""Least share of a single magnet's field that closes a contact."""
_TURNED = re.compile(r"(.+)r([0-7])")


@dataclass(frozen=True)
class Pieces:
    """The pieces of one board."""

    rings: Mapping[str, str] = field(default_factory=dict)
    """Tile → its ring of magnets without a turn, ``11010000`` clockwise from north; empty for no ring."""
    stones: Mapping[str, int] = field(default_factory=lambda: dict(SUPPLY))
    """Letter of a round piece → number of such pieces."""

    @classmethod
    def of(cls, board: BoardDescription) -> Pieces:
        """Return the pieces of a board's description."""
        return cls({name: tile.ring for name, tile in board.tiles.items()}, dict(board.supply or SUPPLY))

    def supply(self, nodes: int) -> dict[str, int]:
        """Return piece (a tile without its turning) → number, for a board with this number of nodes."""
        least = nodes - 1 if self.stones == SUPPLY else 0
        return {**{stone: max(count, least) for stone, count in self.stones.items()}, **dict.fromkeys(self.rings, 1)}

    def kind_of(self, piece: str) -> str | None:
        """Return a piece's key in the supply: ``w``, or a tile's name; None for an unknown piece."""
        tile = self.parse_tile(piece)
        if tile is not None:
            return tile[0]
        return piece if piece in self.stones else None

    @property
    def words(self) -> str:
        """Words for all pieces of the board, for messages."""
        return " or ".join([*self.stones, *(["a tile such as 7r5"] if self.rings else [])])

    def none_left(self, kind: str) -> Message:
        """Return the message that the supply has no more of a piece."""
        if kind in self.rings:
            return Message("there is no tile {tile} in the supply", tile=kind)
        if self.stones == SUPPLY and kind == "w":
            return Message("there are no more white stones in the supply")
        if self.stones == SUPPLY and kind == "b":
            return Message("there are no more black stones in the supply")
        return Message("there are no more pieces {piece} in the supply", piece=kind)

    def parse_tile(self, piece: str) -> tuple[str, int] | None:
        """Return tile and turning of ``7r5``, or of ``7`` (turning 0); None for other pieces."""
        found = _TURNED.fullmatch(piece)
        if found is not None and found[1] in self.rings:
            return found[1], int(found[2])
        return (piece, 0) if piece in self.rings else None

    def lying(self, piece: str) -> str:
        """Return a piece's text on the board: a tile always with its turning."""
        tile = self.parse_tile(piece)
        return piece if tile is None else f"{tile[0]}r{tile[1]}"

    def turn(self, piece: str, eighths: int) -> str:
        """Return a piece after a further clockwise turn; round pieces are unchanged."""
        tile = self.parse_tile(piece)
        return piece if tile is None else f"{tile[0]}r{(tile[1] + eighths) % RING}"

    def pole(self, piece: str) -> int:
        """Return 1 for a piece with north up, -1 for south up."""
        return POLE.get(piece, 1) if self.stones == SUPPLY else 1

    def magnets(self, piece: str, lost: Collection[tuple[str, int]] = ()) -> tuple[int, ...]:
        """Return 1 or 0 for a magnet at each of nine places; ``lost`` has (tile, place on the unturned tile)."""
        tile = self.parse_tile(piece)
        if tile is None or not self.rings[tile[0]]:
            return (*[0] * RING, 0 if tile is not None and (tile[0], MIDDLE) in lost else 1)
        name, turn = tile
        ring = [int(sign) for sign in self.rings[name]]
        kept = [bit and (name, place) not in lost for place, bit in enumerate([*ring, sum(ring) % 2])]
        return (*(int(kept[(place - turn) % RING]) for place in range(RING)), int(kept[MIDDLE]))

    def shares(self, stack: Sequence[str], lost: Collection[tuple[str, int]] = ()) -> tuple[float, ...]:
        """Return the field at the nine sensors of a well under a stack, as shares of a single magnet's field."""
        felt = [0.0] * PLACES
        for piece, height in zip(stack, HEIGHTS, strict=False):
            for place, magnet in enumerate(self.magnets(piece, lost)):
                if magnet:
                    felt[place] += height
                    for near in _beside(place):
                        felt[near] += height * LEAK
        return tuple(felt)


def _beside(place: int) -> Iterator[int]:
    if place != MIDDLE:
        yield from ((place - 1) % RING, (place + 1) % RING)

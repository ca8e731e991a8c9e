"""Six Men's Morris: a stone that closes a mill takes one of the opponent's stones, which is an action in two parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from firmware_host.games.game import BadPosition, Layout, Occupancy, PieceMove, Status
from firmware_host.games.plain import Plain, other, read_fields

PLACES = {
    **{"a1": (-2, -2), "d1": (0, -2), "g1": (2, -2), "a4": (-2, 0), "g4": (2, 0), "a7": (-2, 2), "d7": (0, 2)},
    **{"g7": (2, 2), "c3": (-1, -1), "d3": (0, -1), "e3": (1, -1), "c4": (-1, 0), "e4": (1, 0), "c5": (-1, 1)},
    **{"d5": (0, 1), "e5": (1, 1)},
}
NODES = list(PLACES)
MILLS = [
    tuple(line.split())
    for line in ("a1 d1 g1", "a7 d7 g7", "a1 a4 a7", "g1 g4 g7", "c3 d3 e3", "c5 d5 e5", "c3 c4 c5", "e3 e4 e5")
]
SPOKES = ["a4 c4", "e4 g4", "d1 d3", "d5 d7"]
LINES = [pair for line in MILLS for pair in ((line[0], line[1]), (line[1], line[2]))] + [
    (spoke.split()[0], spoke.split()[1]) for spoke in SPOKES
]
STONES = 6
MOST_ACTIONS = 80


@dataclass(frozen=True)
class Position:
    """The stones (a sign a node), the seat to act, and how many actions have been made: the first 12 put stones."""

    cells: str = "." * len(NODES)
    seat: int = 1
    made: int = 0
    resigned: int = 0
    mode = "2"


class Mills(Plain[Position]):
    """Six Men's Morris."""

    name = "mills"
    title = "Six Men's Morris"
    endings: Mapping[str, str] = {
        "few": "Two stones are no mill.",
        "stuck": "No stone can move.",
        "long": "Nobody wins.",
        "resigned": "A player has resigned.",
    }

    def layout(self) -> Layout:
        return Layout({node: (float(x), float(y)) for node, (x, y) in PLACES.items()}, tuple(LINES))

    def start(self, mode: str) -> Position:
        self.seats(mode)
        return Position()

    def text(self, position: Position) -> str:
        return f"{position.cells} {position.seat} {position.made}"

    def parse(self, text: str) -> Position:
        cells, seat, made = read_fields(
            text, cells=(r"[.bw]{16}", "16 signs"), seat=("[12]", "1 or 2"), made=(r"\d{1,3}", "a number")
        )
        if int(made) % 2 != int(seat) - 1 or int(made) > MOST_ACTIONS:
            raise BadPosition("made: expected an even number for seat 1, an odd one for seat 2")
        return Position(cells, int(seat), int(made))

    def occupancy(self, position: Position) -> Occupancy:
        return {node: (sign,) for node, sign in zip(NODES, position.cells, strict=True) if sign != "."}

    def turn(self, position: Position) -> int:
        return position.made + 1

    def legal(self, position: Position) -> Iterator[str]:
        lying, own = self.occupancy(position), self.plays(position)[position.seat]
        for source, target in self._first_parts(position, own):
            rest = {node for node, stack in lying.items() if stack == (own,)} - {source} | {target}
            first = f"{source}-{target}" if source else target
            closed = any(target in mill and rest.issuperset(mill) for mill in MILLS)
            takable = self._takable(position) if closed else ()
            yield from [f"{first}x{node}" for node in takable] or [first]

    def _first_parts(self, position: Position, own: str) -> Iterable[tuple[str | None, str]]:
        lying = self.occupancy(position)
        free = [node for node in NODES if node not in lying]
        if position.made < 2 * STONES:
            return [(None, node) for node in free]
        ways = [way for line in LINES for way in (line, line[::-1])]
        return [(one, two) for one, two in ways if lying.get(one) == (own,) and two in free]

    def _takable(self, position: Position) -> Iterable[str]:
        """Return the opponent's stones outside of mills; all if all are in mills."""
        theirs = self.plays(position)[other(position.seat)]
        nodes = {node for node, stack in self.occupancy(position).items() if stack == (theirs,)}
        closed = {node for mill in MILLS if nodes.issuperset(mill) for node in mill}
        return sorted(nodes - closed or nodes)

    def moves(self, position: Position, action: str) -> tuple[PieceMove, ...]:
        first, _, taken = action.partition("x")
        source, _, target = first.rpartition("-")
        own, theirs = self.stack(position, position.seat), self.stack(position, other(position.seat))
        put = PieceMove(own, source or None, target)
        return (put, PieceMove(theirs, taken, None)) if taken else (put,)

    def after(self, position: Position, action: str) -> Position:
        cells = dict(zip(NODES, position.cells, strict=True))
        for move in self.moves(position, action):
            if move.source:
                cells[move.source] = "."
            if move.target:
                cells[move.target] = move.pieces[0]
        return replace(position, cells="".join(cells.values()), seat=other(position.seat), made=position.made + 1)

    def result(self, position: Position) -> Status | None:
        own = self.plays(position)[position.seat]
        if position.made >= 2 * STONES and position.cells.count(own) < 3:
            return Status(over=True, reason="few", winners=(other(position.seat),))
        if position.made >= MOST_ACTIONS:
            return Status(over=True, reason="long")
        if not any(True for _ in self._first_parts(position, own)):
            return Status(over=True, reason="stuck", winners=(other(position.seat),))
        return None

    def prompt(self, position: Position) -> str:
        return super().prompt(position) if position.made < 2 * STONES else "move a stone along a line"


MILLS_GAME = Mills()

"""Three in a row: two players put stones on nine places; whoever has three of them in line wins."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from firmware_host.games.game import BadPosition, Layout, Occupancy, Status
from firmware_host.games.plain import Plain, read_fields

NODES = [f"{letter}{number}" for letter in "ABC" for number in (1, 2, 3)]
ROWS = [
    *([f"{letter}{number}" for number in (1, 2, 3)] for letter in "ABC"),
    *([f"{letter}{number}" for letter in "ABC"] for number in (1, 2, 3)),
    ["A1", "B2", "C3"],
    ["A3", "B2", "C1"],
]


@dataclass(frozen=True)
class Position:
    """The stones, a sign a node (``.``, ``b``, ``w``). Seat 1 plays Black and begins."""

    cells: str = "." * len(NODES)
    resigned: int = 0
    mode = "2"

    @property
    def seat(self) -> int:
        """Return the seat to act."""
        return 1 if self.cells.count("b") == self.cells.count("w") else 2


class Row(Plain[Position]):
    """The game."""

    name = "row"
    title = "Three in a row"
    endings: Mapping[str, str] = {
        "row": "Three stones stand in a row.",
        "full": "All places are taken, and nobody has three in a row.",
        "resigned": "The other player has resigned.",
    }

    def layout(self) -> Layout:
        """Return the drawing: rows one unit apart; the middle is (0, 0)."""
        nodes = {node: (float(at % 3 - 1), float(1 - at // 3)) for at, node in enumerate(NODES)}
        lines = tuple(line for one, two, three in ROWS[:6] for line in ((one, two), (two, three)))
        return Layout(nodes, lines)

    def start(self, mode: str) -> Position:
        """Return the empty board."""
        self.seats(mode)
        return Position()

    def text(self, position: Position) -> str:
        """Return the nine signs."""
        return position.cells

    def parse(self, text: str) -> Position:
        """Return the position of a text. Raise BadPosition."""
        (cells,) = read_fields(text, cells=("[.bw]{9}", "nine signs '.', 'b' or 'w'"))
        if cells.count("b") - cells.count("w") not in {0, 1}:
            raise BadPosition("cells: expected as many black stones as white ones, or one more")
        return Position(cells)

    def occupancy(self, position: Position) -> Occupancy:
        """Return the stones."""
        return {node: (sign,) for node, sign in zip(NODES, position.cells, strict=True) if sign != "."}

    def legal(self, position: Position) -> Iterable[str]:
        """Return the empty nodes."""
        return [node for node, sign in zip(NODES, position.cells, strict=True) if sign == "."]

    def after(self, position: Position, action: str) -> Position:
        """Return the position with one more stone."""
        at, sign = NODES.index(action), self.plays(position)[position.seat]
        return replace(position, cells=position.cells[:at] + sign + position.cells[at + 1 :])

    def decisive(self, position: Position) -> Sequence[str]:
        """Return the nodes of the row, if there is one."""
        sign = dict(zip(NODES, position.cells, strict=True))
        return next((row for row in ROWS if sign[row[0]] != "." and len({sign[node] for node in row}) == 1), [])

    def result(self, position: Position) -> Status | None:
        """Return who has a row; a draw where no place is left."""
        row = self.decisive(position)
        if row:
            sign = position.cells[NODES.index(row[0])]
            return Status(over=True, reason="row", winners=(1 if sign == "b" else 2,))
        return None if "." in position.cells else Status(over=True, reason="full", winners=())

    def prompt(self, position: Position) -> str:
        """Say what to do."""
        return f"put a {self.pieces[self.plays(position)[position.seat]]} stone on an empty place"


GAME = Row()

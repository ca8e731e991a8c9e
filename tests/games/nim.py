"""A tiny game that thinks: players take one to three stones from the end of a row, the last stone wins.

It stands for any game that fulfils ComputerPlayer. Its search is exact, so that what it must find is known: leave a
multiple of four.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random

from firmware_host.games.game import Layout, Occupancy, PieceMove, Removal, Status
from firmware_host.games.plain import Plain, other, read_fields
from firmware_host.games.thinking import Budget, Choice, Strength, Thought
from firmware_host.text.words import say

LENGTH = 12
NODES = [f"A{number}" for number in range(1, LENGTH + 1)]


@dataclass(frozen=True)
class Row:
    """So many stones lie in the row."""

    left: int = LENGTH
    seat: int = 1
    resigned: int = 0
    mode = "2"


class Nim(Plain[Row]):
    """The game."""

    name = "nim"
    title = "Nim"
    pieces: Mapping[str, str] = {"w": "white"}
    poles: Mapping[str, str] = {"w": "N"}
    endings: Mapping[str, str] = {
        "last": "The last stone is taken.",
        "resigned": "The other player has resigned.",
    }
    removal: Removal | None = None
    strengths: Sequence[Strength] = (
        Strength(Budget(4, depth=1), spread=1.0),
        Strength(Budget(16, depth=3), spread=0.5),
        Strength(Budget(1_000)),
    )

    def layout(self) -> Layout:
        """Return a row."""
        return Layout({node: (float(at), 0.0) for at, node in enumerate(NODES)}, tuple(pairwise(NODES)))

    def plays(self, position: Row) -> Mapping[int, str]:
        """Return nothing: the stones are nobody's."""
        return {}

    def start(self, mode: str) -> Row:
        """Return the full row."""
        self.seats(mode)
        return Row()

    def text(self, position: Row) -> str:
        """Return the number of stones and the seat."""
        return f"{position.left} {position.seat}"

    def parse(self, text: str) -> Row:
        """Return the row of a text. Raise BadPosition."""
        numbers = "|".join(map(str, range(LENGTH + 1)))
        left, seat = read_fields(text, stones=(numbers, f"0 to {LENGTH}"), seat=("[12]", "1 or 2"))
        return Row(int(left), int(seat))

    def occupancy(self, position: Row) -> Occupancy:
        """Return the stones."""
        return dict.fromkeys(NODES[: position.left], ("w",))

    def legal(self, position: Row) -> Iterable[str]:
        """Return what can be taken."""
        return [f"take{number}" for number in (1, 2, 3) if number <= position.left]

    def after(self, position: Row, action: str) -> Row:
        """Return the shorter row."""
        return replace(position, left=position.left - int(action[-1]), seat=other(position.seat))

    def turn(self, position: Row) -> int:
        """Return one more for each stone that is taken: the default counts stones on the board, which only fall."""
        return LENGTH - position.left + 1

    def moves(self, position: Row, action: str) -> Sequence[PieceMove]:
        """Return the stones that go."""
        gone = NODES[position.left - int(action[-1]) : position.left]
        return tuple(PieceMove(("w",), node, None) for node in gone)

    def result(self, position: Row) -> Status | None:
        """Return who took the last one."""
        if position.left:
            return None
        return Status(over=True, reason="last", winners=(other(position.seat),))

    def prompt(self, position: Row) -> str:
        """Say what to do."""
        return "take one to three stones from the end of the row"

    def think(self, position: Row, seat: int, budget: Budget, rng: Random) -> Thought:
        """Rank by an exact search, as far as depth and nodes go."""
        self.check_turn(position, (seat,))
        search = _Search(budget)
        offered = [
            (search.worth(position.left - take, 1), f"take{take}") for take in (1, 2, 3) if take <= position.left
        ]
        order = [(1.0 - worth, rng.random(), action) for worth, action in offered]
        reasons = (say("It leaves a multiple of four."),)
        choices = [
            Choice(action, value, reasons=reasons if value == 1.0 else ())
            for value, _, action in sorted(order, reverse=True)
        ]
        return Thought(tuple(choices), search.nodes, choices[0].value in {0.0, 1.0})


class _Search:
    """What a row is worth for the player to move: 1 won, 0 lost, 0.5 where the budget ends."""

    def __init__(self, budget: Budget) -> None:
        self.nodes, self._budget = 0, budget

    def worth(self, left: int, depth: int) -> float:
        self.nodes += 1
        if left == 0:
            return 0.0
        stopped = self.nodes >= self._budget.nodes or self._budget.out_of_time()
        if stopped or (self._budget.depth and depth >= self._budget.depth):
            return 0.5
        best = 0.0
        for take in (1, 2, 3):
            if take <= left and best < 1.0:
                best = max(best, 1.0 - self.worth(left - take, depth + 1))
        return best

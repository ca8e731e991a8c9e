"""Coil as the table and the engine see it: :class:`firmware_host.games.game.Game` over the pure rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random

from firmware_host.games import naming
from firmware_host.games.capabilities import Attempt, Facts
from firmware_host.games.coil import rules
from firmware_host.games.coil.board import SIZE, SIZES, board
from firmware_host.games.coil.flat import COIL, FULL, FlatCoil
from firmware_host.games.coil.how_to_play import HOW_TO_PLAY
from firmware_host.games.coil.lessons import CONDITIONS, LESSONS
from firmware_host.games.coil.player import thinking
from firmware_host.games.coil.rules import MODE, PASS, SEATS, Options, Position, other
from firmware_host.games.game import (
    BadAction,
    Decision,
    GameError,
    Layout,
    Occupancy,
    PieceMove,
    ScoreLine,
    Stack,
    Status,
    Transition,
    bounded_cache,
)
from firmware_host.games.plain import PlainWithOptions
from firmware_host.games.thinking import Budget, Strength, Thought
from firmware_host.text.words import fill, say

_PLAYED: Mapping[int, Mapping[int, str]] = {
    0: {},
    **{holder: {seat: "b" if seat == holder else "w" for seat in SEATS} for holder in SEATS},
}
"""Black's seat → the pieces of both seats; before the first pass (0) nobody is Black or White."""
_ROLES: Mapping[int, Mapping[int, str]] = {
    holder: {seat: say("closes a coil") if seat == holder else say("prevents a coil") for seat in SEATS if holder}
    for holder in (0, *SEATS)
}
"""Black's seat, 0 in phase I → what both seats are after."""
_OF_THIS_COLOUR = {
    "b": say("the stone on {node} is white, and it is Black's turn"),
    "w": say("the stone on {node} is black, and it is White's turn"),
}


def _no_action(given: str) -> BadAction:
    words = say(
        "action: expected a cell such as {example} or {none}, got {given}",
        example="g7", none=PASS, given=repr(given[:20]),
    )  # fmt: skip
    return BadAction(words)


class Coil(PlainWithOptions[Position, Options]):
    """The game under some options of its rules; it has no state."""

    name = "coil"
    title: str = say("Coil")
    modes: tuple[str, ...] = (MODE,)
    endings: Mapping[str, str] = {
        "coil": say("Black stones have closed a coil."),
        "full": say("The board is full, and no coil has formed."),
        "decided": say("White can't lose any more: no coil is possible in the black and the empty cells."),
        "resigned": say("The other player has resigned."),
    }
    how_to_play = HOW_TO_PLAY
    lessons, conditions = LESSONS, CONDITIONS
    start_options: Sequence[str] = ("size",)
    max_filled = 1
    strengths: Sequence[Strength] = thinking.STRENGTHS
    first_steps: Strength | None = thinking.FIRST_STEPS

    def __init__(self, options: Options = rules.PLAIN) -> None:
        """Take the options under which games begin, and texts of positions are read."""
        super().__init__(options)

    # -- what it is ----------------------------------------------------------------------------------------------

    def layout(self) -> Layout:
        """Return the drawing of the table's board."""
        return board(SIZE).layout()

    def on_board(self, position: Position) -> bool:
        """Return whether a position is one of the table's board."""
        return position.size == SIZE

    def start(self, mode: str) -> Position:
        """Return the empty board of the default size."""
        return self.start_with(mode, {})

    def start_with(self, mode: str, options: Mapping[str, object]) -> Position:
        """Return the empty board of a ``size``. Raise GameError for another size."""
        self.seats(mode)
        size = options.get("size", SIZE)
        if not isinstance(size, int) or isinstance(size, bool) or size not in SIZES:
            raise GameError(f"size: expected a whole number from {SIZES[0]} to {SIZES[-1]}, got {str(size)[:20]!r}")
        return rules.start(size, self.chosen)

    def parse(self, text: str) -> Position:
        """Return the position of a text. Raise BadPosition."""
        return rules.parse(text, self.chosen)

    def text(self, position: Position) -> str:
        """Return a position's text."""
        return rules.text(position)

    def turn(self, position: Position) -> int:
        """Return the turn, from 1: one for each stone and for the pass; after the end the last turn."""
        stones = (position.black | position.white).bit_count()
        ended = position.ending in {"coil", "full"}
        return max(1, stones + (position.phase == "main") + (not ended))

    # -- actions -------------------------------------------------------------------------------------------------

    def legal(self, position: Position) -> Sequence[str]:
        """Return every empty cell, and pass in phase I."""
        cells = board(position.size)
        offered = [cells.names[cell] for cell in cells.members(position.empty)]
        return [*offered, PASS] if position.phase == "contract" else offered

    def check(self, position: Position, seat: int, action: str) -> None:
        """Raise GameOver or BadAction (saying why) unless the action is legal for the seat now."""
        self.check_turn(position, (seat,))
        if action == PASS:
            if position.phase != "contract":
                raise BadAction(say("pass: you can pass only while both put black stones"))
            return
        cell = board(position.size).numbers.get(action)
        if cell is None:
            raise _no_action(action)
        reason = self.why_not(position, Attempt(None, action))
        if reason is not None:
            raise BadAction(say("action: {reason}", reason=reason))

    def why_not(self, position: Position, attempt: Attempt, done: Sequence[str] = ()) -> str | None:  # noqa: ARG002
        """Return why this stone can't be put down; None if it can."""
        if attempt.source is not None:
            return say("stones are never moved")
        if attempt.target is not None and not position.empty >> board(position.size).numbers[attempt.target] & 1:
            return say("{node} is not empty", node=attempt.target)
        if attempt.piece in {None, position.colour}:
            return None
        if position.phase == "contract":
            return say("the stone on {node} is white: all are black until somebody passes", node=attempt.target)
        return fill(_OF_THIS_COLOUR[position.colour], node=attempt.target)

    def after(self, position: Position, action: str) -> Position:
        """Return the position after one stone, or after the pass that ends phase I."""
        return (
            rules.after_pass(position)
            if action == PASS
            else rules.after_stone(position, board(position.size).numbers[action])
        )

    def after_resignation(self, position: Position, seat: int) -> Position:
        """Return the position in which a seat has resigned."""
        return replace(position, ending="resigned", resigned=seat)

    # -- results -------------------------------------------------------------------------------------------------

    def result(self, position: Position) -> Status | None:
        """Return the status if the game is over."""
        if position.ending is None:
            return None
        return Status(over=True, reason=position.ending, winners=(position.winner,))

    def explain(self, position: Position) -> Sequence[ScoreLine]:
        """Return a score of 1 for the winner, with the stones of the deciding coil, and 0 for the loser."""
        stones = dict.fromkeys(self.coil(position), 1) if position.ending == "coil" else {}
        won = position.winner
        return [ScoreLine((seat,), int(seat == won), 0, stones if seat == won else {}) for seat in SEATS]

    def coil(self, position: Position) -> Sequence[str]:
        """Return the stones of a shortest coil in circular order; nothing if there is no coil."""
        cells = board(position.size)
        return tuple(cells.names[cell] for cell in rules.coil(cells, position.black))

    def decision(self, position: Position) -> Decision | None:
        """Return that White wins if even black stones on all empty cells would make no coil; else None."""
        if position.ending or position.phase != "main":
            return None
        if rules.has_coil(board(position.size), position.black | position.empty):
            return None
        return Decision(other(position.holder), say("White can't lose any more: no coil is possible"))

    def settle(self, position: Position) -> Transition[Position]:
        """End a decided game: White wins. Raise BadAction if a coil is still possible."""
        if self.decision(position) is None:
            raise BadAction(say("the game is not decided: a coil is still possible"))
        after = replace(position, ending="decided")
        return Transition(after, self.status(after), self.occupancy(after))

    # -- for hands and sensors -----------------------------------------------------------------------------------

    def occupancy(self, position: Position) -> Occupancy:
        """Return the stones."""
        return _occupancy(position)

    def moves(self, position: Position, action: str) -> tuple[PieceMove, ...]:
        """Return the stone to be put down, of the acting seat's colour; nothing for the pass."""
        return () if action == PASS else super().moves(position, action)

    def words(self, action: str) -> str:
        """Return an action in words, whatever the board's size. Raise BadAction for other text."""
        if action != PASS and action not in board(SIZES[-1]).numbers:
            raise _no_action(action)
        return say("pass, and play Black from now on") if action == PASS else say("a stone on {node}", node=action)

    def prompt(self, position: Position) -> str:
        """Return the task: in phase I both put black stones, and the first to pass plays Black."""
        if position.phase == "contract":
            return say("put a black stone on any empty cell, or pass and play Black from then on")
        return say("put {piece} on any empty cell", piece=naming.forms(self.pieces[position.colour]).a)

    def plays(self, position: Position) -> Mapping[int, str]:
        """Return each seat's colour; nothing in phase I: all stones are black there, and nobody is Black yet."""
        return _PLAYED[position.holder]

    def stack(self, position: Position, seat: int) -> Stack:
        """Return one stone of a seat."""
        return (self.plays(position).get(seat, "b"),)

    def facts(self, position: Position) -> Facts:
        """Return who closes a coil and who prevents it, once that is settled."""
        return Facts(roles=_ROLES[position.holder])

    def decisive(self, position: Position) -> Sequence[str]:
        """Return the coil in circular order."""
        return self.coil(position) if position.ending == "coil" else ()

    def playout(self, position: Position, rng: Random) -> Status:
        """Play random actions to the end and return the status."""
        if position.ending is not None:
            return self.status(position)
        flat = _flat(position)
        flat.reset()
        flat.seed(rng.getrandbits(32))
        flat.playout()
        return _ENDED[flat.ending, flat.winner]

    def perft(self, position: Position, depth: int, out_of_time: Callable[[], bool]) -> int:
        """Return the number of sequences of so many actions. Raise OverBudget when time is out."""
        return 1 if position.ending is not None else _flat(position).perft([], depth, out_of_time)

    def think(self, position: Position, seat: int, budget: Budget, rng: Random) -> Thought:
        """Rank a seat's actions. Raise BadAction if it does not act now, GameOver if the game is over.

        Nodes of the budget are random games of the main phase.
        """
        self.check_turn(position, (seat,))
        return thinking.think(position, budget, rng)


GAME = Coil()


_ENDED = {
    (ending, winner): Status(over=True, reason=reason, winners=(winner,))
    for ending, reason in ((COIL, "coil"), (FULL, "full"))
    for winner in SEATS
}


@bounded_cache(8)
def _flat(position: Position) -> FlatCoil:
    """Return the flat form of a position that goes on, as its root."""
    flat = FlatCoil(position.size)
    flat.begin(position)
    return flat


@bounded_cache(8)
def _occupancy(position: Position) -> Occupancy:
    cells = board(position.size)
    return {
        cells.names[cell]: ("b",) if position.black >> cell & 1 else ("w",)
        for cell in cells.members(position.black | position.white)
    }

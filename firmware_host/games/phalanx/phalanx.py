"""Phalanx as the table and the engine see it: :class:`firmware_host.games.game.Game` over the pure rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from firmware_host.games.game import (
    BadAction,
    GameError,
    GameOver,
    Layout,
    Occupancy,
    PieceMove,
    Removal,
    ScoreLine,
    Scoring,
    Status,
    Step,
    Transition,
)
from firmware_host.games.phalanx import board, notation, rules, turns
from firmware_host.games.phalanx import position as positions
from firmware_host.games.phalanx.playout import playout
from firmware_host.games.phalanx.position import Position

BONUS = "second_player_bonus"


class Phalanx:
    """The game under some rules. It keeps nothing."""

    name = "phalanx"
    title = "Phalanx"
    modes = ("2",)
    pieces: Mapping[str, str] = {"w": "white", "b": "black"}
    poles: Mapping[str, str] = {"w": "N", "b": "S"}
    endings: Mapping[str, str] = turns.WORDS
    removal: Removal | None = Removal(
        meaning="remove",
        message="Hoplites that stand alone are dead: take those that the lights show off the board.",
        node="take the hoplite on {node} off: it stands alone",
        event="Dead, as they stand alone: {nodes}.",
    )
    scoring: Scoring | None = Scoring(
        score="Hoplites on the board",
        tiebreak="",
        line="{score} hoplites on the board",
        hint="Hoplites don't count for the result: reaching the goal does, or leaving the other side without any.",
        tied="",
    )
    options: Mapping[str, str] = {BONUS: "White's first turn has four actions"}

    def __init__(self, *, bonus: bool = False) -> None:
        """Take the options; ``bonus`` is ``second_player_bonus`` (R3)."""
        self._bonus = bonus
        self.rules: Mapping[str, bool] = {BONUS: True} if bonus else {}
        self._layout = Layout(board.coordinates(), board.lines(), placeable=frozenset(board.names(board.PLAYABLE)))

    def with_rules(self, rules: Mapping[str, bool]) -> Phalanx:
        """Return the game under these options; those not named are off."""
        return Phalanx(bonus=rules.get(BONUS, False))

    # -- what it is ----------------------------------------------------------------------------------------------

    def layout(self) -> Layout:
        """Return the board's drawing."""
        return self._layout

    def seats(self, mode: str) -> tuple[int, ...]:
        """Return the seats: 1 plays Black, 2 White. Raise GameError for an unknown mode."""
        if mode not in self.modes:
            raise GameError(f"mode: expected one of {', '.join(self.modes)}, got {mode!r}")
        return 1, 2

    def teams(self, mode: str) -> tuple[tuple[int, ...], ...]:
        """Return one tuple a player."""
        return tuple((seat,) for seat in self.seats(mode))

    def homes(self, mode: str, seat: int) -> tuple[str, ...]:
        """Return a seat's goal."""
        return (board.GOAL[board.SIDES[self.seats(mode).index(seat)]],)

    def start(self, mode: str) -> Position:
        """Return the set-up."""
        self.seats(mode)
        return positions.start()

    def parse(self, text: str) -> Position:
        """Return the position that a text stands for, of an unknown past. Raise BadPosition."""
        return positions.parse(text, bonus=self._bonus)

    def text(self, position: Position) -> str:
        """Return a position's text."""
        return positions.text(position)

    def turn(self, position: Position) -> int:
        """Return the turn, from 1."""
        return position.turn

    def actor(self, position: Position) -> int | None:
        """Return the seat whose turn it is."""
        return None if self.status(position).over else position.seat

    def simultaneous(self, position: Position) -> bool:  # noqa: ARG002 - other games need it
        """Tell that nobody acts together with others."""
        return False

    # -- actions -------------------------------------------------------------------------------------------------

    def actions(self, position: Position) -> Mapping[int, Sequence[str]]:
        """Return the legal actions of the side whose turn it is."""
        if self.status(position).over:
            return {}
        return {position.seat: notation.texts(rules.offer(*turns.sides(position)))}

    def check(self, position: Position, seat: int, action: str) -> None:
        """Raise GameOver or BadAction (saying why) unless the action is legal for the seat now."""
        self._check_turn(position, (seat,))
        notation.deed(*turns.sides(position), action)

    def apply(self, position: Position, actions: Mapping[int, str]) -> Transition[Position]:
        """Apply the action of the side whose turn it is."""
        self._check_turn(position, tuple(actions))
        action = actions[position.seat]
        deed = notation.deed(*turns.sides(position), action)
        if action == notation.END:
            arrival = turns.ended(position, bonus=self._bonus)
        else:
            arrival = turns.acted(position, deed.own, deed.other, bonus=self._bonus)
        placed = _occupancy(turns.board_of(position.side, deed.own, deed.other))
        return Transition(arrival.position, arrival.status, placed, board.names(arrival.dead))

    def resign(self, position: Position, seat: int) -> Transition[Position]:
        """Let a seat resign: the other wins."""
        if self.status(position).over:
            raise GameOver("the game is over")
        if seat not in self.seats(position.mode):
            raise BadAction(f"seat: expected 1 or 2, got {seat}")
        over = replace(position, resigned=seat)
        return Transition(over, self.status(over), self.occupancy(position))

    def _check_turn(self, position: Position, seats: tuple[int, ...]) -> None:
        if self.status(position).over:
            raise GameOver("the game is over")
        if seats != (position.seat,):
            raise BadAction(f"actions: expected one action of seat {position.seat}, got seats {sorted(seats)}")

    # -- results -------------------------------------------------------------------------------------------------

    def status(self, position: Position) -> Status:
        """Return the status, with its reason."""
        return turns.status(position)

    def explain(self, position: Position) -> Sequence[ScoreLine]:
        """Return the hoplites of each player on the board."""
        return [
            ScoreLine((seat,), points.bit_count(), 0, dict.fromkeys(board.names(points), 1))
            for seat, points in enumerate(position.board, 1)
        ]

    # -- for hands and eyes --------------------------------------------------------------------------------------

    def occupancy(self, position: Position) -> Occupancy:
        """Return the hoplite on each point."""
        return _occupancy(position.board)

    def steps(self, position: Position) -> Sequence[Step]:
        """Return what the hands do for each action: nothing for the end of the turn, several moves for a push."""
        return [
            _step(position, action, notation.deed(*turns.sides(position), action))
            for offered in self.actions(position).values()
            for action in offered
        ]

    def placements(
        self,
        position: Position,  # noqa: ARG002 - other games need it
        actions: Mapping[int, str],  # noqa: ARG002
    ) -> Sequence[tuple[int, PieceMove]]:
        """Return nothing: nobody acts together with others."""
        return ()

    def words(self, action: str) -> str:
        """Say an action in English. Raise BadAction for what is none."""
        return notation.words(action)

    def prompt(self, position: Position) -> str:
        """Say how many actions are left of the turn."""
        most = positions.allowance(position.turn, bonus=self._bonus)
        return f"has {position.left} of {most} actions left in turn {position.turn}"

    def plays(self, position: Position) -> Mapping[int, str]:  # noqa: ARG002 - other games need it
        """Return the side of each seat."""
        return dict(enumerate(board.SIDES, 1))

    def decisive(self, position: Position) -> Sequence[str]:
        """Return the winner's hoplites next to its goal, and the goal; none where the goal did not decide."""
        status = self.status(position)
        if status.reason != "goal":
            return ()
        side = board.SIDES[status.winners[0] - 1]
        return *board.names(position.hoplites(side) & board.NEAR_GOAL[side]), board.GOAL[side]

    # -- chance --------------------------------------------------------------------------------------------------

    def random_action(self, position: Position, seat: int, rng: Random) -> str:
        """Return a random legal action of a seat."""
        offered = self.actions(position).get(seat)
        if not offered:
            raise BadAction(f"seat {seat} does not act now")
        return rng.choice(offered)

    def playout(self, position: Position, rng: Random) -> Status:
        """Play at random to the end and return the result."""
        return playout(position, rng, bonus=self._bonus)


def _occupancy(hoplites: positions.Board) -> Occupancy:
    black, white = hoplites
    return {board.NODE[bit]: ("b",) if bit & black else ("w",) for bit in board.members(black | white)}


def _step(position: Position, action: str, deed: notation.Deed) -> Step:
    other = board.OTHER[position.side]
    own_points, _ = turns.sides(position)
    moves = tuple(
        PieceMove((position.side if one.own else other,), board.NODE.get(one.source), board.NODE.get(one.target))
        for one in deed.carried
    )
    touches = frozenset(node for move in moves for node in (move.source, move.target) if node is not None)
    after = _occupancy(turns.board_of(position.side, deed.own, deed.other))
    lonely = deed.own & ~rules.alive(deed.own) | deed.other & ~rules.alive(deed.other)
    return Step(
        action,
        notation.words(action),
        moves,
        after,
        touches,
        line=_line(moves) if len(moves) > 1 else (),
        removed=frozenset(board.names(lonely)),
        tap_twice=frozenset(board.names(own_points)) if action == notation.END else frozenset(),
    )


def _line(moves: Sequence[PieceMove]) -> tuple[str, ...]:
    """Return the points of a pushed line from the rear to where its front lands (moves go front first)."""
    nodes = [move.source for move in reversed(moves)] + [moves[0].target]
    return tuple(node for node in nodes if node is not None)


GAME = Phalanx()

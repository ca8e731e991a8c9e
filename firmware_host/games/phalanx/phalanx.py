"""Phalanx as the table and the engine see it: :class:`firmware_host.games.game.Game` over the pure rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from firmware_host.games.capabilities import Attempt, Facts
from firmware_host.games.game import (
    Layout,
    Occupancy,
    OverBudget,
    PieceMove,
    Removal,
    ScoreLine,
    Scoring,
    Status,
    Step,
    Transition,
)
from firmware_host.games.naming import Forms, Noun, Piece
from firmware_host.games.phalanx import board, notation, reasons, rules
from firmware_host.games.phalanx.board import SIDES
from firmware_host.games.phalanx.flat import DRAWN, MOST, POINTS, RUNS, PhalanxLine, Worths
from firmware_host.games.phalanx.how_to_play import HOW_TO_PLAY
from firmware_host.games.phalanx.lessons import CONDITIONS, LESSONS
from firmware_host.games.phalanx.player import thinking
from firmware_host.games.phalanx.rules import Options, Position
from firmware_host.games.plain import PlainWithOptions
from firmware_host.games.thinking import Budget, Strength, Thought
from firmware_host.searching.alpha_beta import MOVE_BITS
from firmware_host.searching.vectors import zeros
from firmware_host.text.words import say, say_in

HOPLITE = Noun(
    a=say_in("accusative", "a hoplite"),
    the=say_in("accusative", "the hoplite"),
    subject=say_in("nominative", "the hoplite"),
    no=say("no hoplite"),
    those=say("the hoplites from {nodes}"),
)
PIECES: Mapping[str, Piece] = {
    "b": Piece(
        say_in("piece", "black"),
        Forms(
            a=say_in("accusative", "a black hoplite"),
            the=say_in("accusative", "the black hoplite"),
            subject=say_in("nominative", "the black hoplite"),
        ),
        noun=HOPLITE,
        tint="black",
    ),
    "w": Piece(
        say_in("piece", "white"),
        Forms(
            a=say_in("accusative", "a white hoplite"),
            the=say_in("accusative", "the white hoplite"),
            subject=say_in("nominative", "the white hoplite"),
        ),
        noun=HOPLITE,
        tint="white",
    ),
}

NOBODY: frozenset[str] = frozenset()


class Phalanx(PlainWithOptions[Position, Options]):
    """The game under some options of its rules; it has no state."""

    name = "phalanx"
    title: str = say("Phalanx")
    pieces: Mapping[str, str] = PIECES
    endings: Mapping[str, str] = rules.WORDS
    removal: Removal | None = Removal(
        meaning="remove",
        message=say("Hoplites that stand alone are dead."),
        node=say("take the hoplite on {node} off: it stands alone"),
        event=say("Dead, because they stand alone: {nodes}."),
    )
    scoring: Scoring | None = Scoring(
        score=say("Hoplites on the board"),
        tiebreak="",
        line=say("{score} hoplites on the board"),
        hint=say(
            "Hoplites don't count for the result: a player wins by reaching the goal, or by leaving the other side "
            "without hoplites."
        ),
        tied="",
        decides=False,
    )
    how_to_play = HOW_TO_PLAY
    lessons, conditions = LESSONS, CONDITIONS
    goals = True
    max_filled = 1
    strengths: Sequence[Strength] = thinking.LEVELS
    first_steps: Strength | None = thinking.FIRST_STEPS

    def __init__(self, options: Options = rules.PLAIN) -> None:
        """Take the options under which games begin, and texts of positions are read."""
        super().__init__(options)
        placeable = frozenset(board.names(board.PLAYABLE))
        self._layout = Layout(board.coordinates(), board.lines(), placeable=placeable, style="crossings")

    # -- what it is ----------------------------------------------------------------------------------------------

    def layout(self) -> Layout:
        """Return the board's drawing."""
        return self._layout

    def homes(self, mode: str, seat: int) -> tuple[str, ...]:
        """Return a seat's goal."""
        return (board.GOAL[board.SIDES[self.seats(mode).index(seat)]],)

    def start(self, mode: str) -> Position:
        """Return the set-up."""
        self.seats(mode)
        return rules.start(self.chosen)

    def parse(self, text: str) -> Position:
        """Return the position of a text; its past is unknown. Raise BadPosition."""
        return notation.parse(text, self.chosen)

    def text(self, position: Position) -> str:
        """Return a position's text."""
        return notation.text(position)

    def turn(self, position: Position) -> int:
        """Return the turn, from 1."""
        return position.turn

    # -- actions -------------------------------------------------------------------------------------------------

    def legal(self, position: Position) -> Sequence[str]:
        """Return the legal actions of the side whose turn it is."""
        return notation.texts(rules.legal_actions(*rules.sides(position)))

    def check(self, position: Position, seat: int, action: str) -> None:
        """Raise GameOver or BadAction (saying why) unless the action is legal for the seat now."""
        self.check_turn(position, (seat,))
        notation.effect(*rules.sides(position), action)

    def why_not(self, position: Position, attempt: Attempt, done: Sequence[str] = ()) -> str | None:  # noqa: ARG002
        """Return the rule that forbids an attempt; None if it is part of an add, a move or a push."""
        return reasons.why_not(position, attempt)

    def after(self, position: Position, action: str) -> Position:
        """Return the position after an action of the side whose turn it is."""
        return self._arrival(position, action, notation.effect(*rules.sides(position), action)).position

    def apply(self, position: Position, actions: Mapping[int, str]) -> Transition[Position]:
        """Apply the action of the side whose turn it is."""
        self.check_turn(position, tuple(actions))
        action = actions[position.seat]
        effect = notation.effect(*rules.sides(position), action)
        arrival = self._arrival(position, action, effect)
        placed = _occupancy(rules.board_of(position.side, effect.own, effect.other))
        return Transition(arrival.position, arrival.status, placed, board.names(arrival.dead))

    def _arrival(self, position: Position, action: str, effect: rules.Effect) -> rules.Arrival:
        if action == rules.END:
            return rules.after_turn(position)
        return rules.after_action(position, effect.own, effect.other)

    # -- results -------------------------------------------------------------------------------------------------

    def result(self, position: Position) -> Status | None:
        """Return the status if the game is over."""
        status = rules.status(position)
        return status if status.over else None

    def explain(self, position: Position) -> Sequence[ScoreLine]:
        """Return the hoplites of each player on the board."""
        return [
            ScoreLine((seat,), points.bit_count(), 0, dict.fromkeys(board.names(points), 1))
            for seat, points in enumerate(position.board, 1)
        ]

    # -- for hands and sensors -----------------------------------------------------------------------------------

    def occupancy(self, position: Position) -> Occupancy:
        """Return the hoplite on each point."""
        return _occupancy(position.board)

    def step(self, position: Position, action: str, lying: Occupancy) -> Step:
        """Return the hands' work: no move for the end of the turn, several for a push."""
        return _step(position, action, lying)

    def words(self, action: str) -> str:
        """Return an action in words. Raise BadAction for other text."""
        return notation.words(action)

    def prompt(self, position: Position) -> str:
        """Return the task, with the number of actions left in the turn."""
        return say("move, add or push; {left} of {most} actions left", left=position.left, most=position.allowance)

    def facts(self, position: Position) -> Facts:
        """Return the actions left in the turn."""
        return Facts(actions=(position.left, position.allowance))

    def decisive(self, position: Position) -> Sequence[str]:
        """Return the winner's hoplites next to its goal, and the goal; nothing if the goal did not decide."""
        status = self.status(position)
        if status.reason != "goal":
            return ()
        side = board.SIDES[status.winners[0] - 1]
        return *board.names(position.hoplites(side) & board.NEAR_GOAL[side]), board.GOAL[side]

    # -- for computers -------------------------------------------------------------------------------------------

    def think(self, position: Position, seat: int, budget: Budget, rng: Random) -> Thought:
        """Rank the actions of the side whose turn it is; only a budget's margin takes random numbers."""
        self.check_turn(position, (seat,))
        return thinking.think(position, budget, rng)

    def playout(self, position: Position, rng: Random) -> Status:
        """Play random actions to the end and return the status."""
        return playout(position, rng)

    def perft(self, position: Position, depth: int, out_of_time: Callable[[], bool]) -> int:
        """Return the number of sequences of so many actions. Raise OverBudget when time is out."""
        return perft(position, depth, out_of_time)


def _occupancy(hoplites: rules.Board) -> Occupancy:
    black, white = hoplites
    return {board.NODE[bit]: ("b",) if bit & black else ("w",) for bit in board.members(black | white)}


def _step(position: Position, action: str, lying: Occupancy) -> Step:
    """Return the step of a legal action; legality is not checked again, because a position may have hundreds."""
    effect = notation.effect_of_legal(*rules.sides(position), action)
    own, other = effect.own, effect.other
    mine, theirs = (position.side,), (board.OTHER[position.side],)
    moves = tuple(
        [
            PieceMove(mine if own_one else theirs, board.NODE.get(source), board.NODE.get(target))
            for own_one, source, target in effect.hand_moves
        ]
    )
    after = dict(lying)
    for move in moves:
        if move.source is not None:
            del after[move.source]
        if move.target is not None:
            after[move.target] = move.pieces
    dead = own & ~rules.survivors(own) | other & ~rules.survivors(other)
    if len(moves) > 1:
        dead |= effect.hand_moves[0][2] & ~board.PLAYABLE  # R2: the front hoplite of a push
    return Step(
        action,
        notation.words(action),
        moves,
        after,
        frozenset([node for move in moves for node in (move.source, move.target) if node is not None]),
        line=_line(moves) if len(moves) > 1 else (),
        removed=frozenset(board.names(dead)) if dead else NOBODY,
        tap_twice=NOBODY if moves else frozenset(board.names(own)),
    )


def _line(moves: Sequence[PieceMove]) -> tuple[str, ...]:
    """Return the points of a pushed line from its rear to the landing point of its front; moves go front first."""
    nodes = [move.source for move in reversed(moves)] + [moves[0].target]
    return tuple(node for node in nodes if node is not None)


GAME = Phalanx()


LONGEST = 1000
"""Number of turns after which a playout counts as a draw; most games are far shorter."""
_MOVE = (1 << MOVE_BITS) - 1
_WORTHS = Worths(zeros(2 * POINTS), zeros(MOST + 1), 0)


def playout(position: Position, rng: Random) -> Status:
    """Play random legal actions, all equally likely, to the end and return the status."""
    status = rules.status(position)
    if status.over:
        return status
    line = PhalanxLine(_WORTHS, 1)
    line.begin(position)
    while line.spot(0).turn <= position.turn + LONGEST:
        line.play(0, rng.choice(line.move_list[: line.expand(0)]) & _MOVE)
        line.go_on()
        spot = line.spot(0)
        if spot.outcome == DRAWN:
            return rules.DRAW
        if spot.outcome != RUNS:
            # Whoever has won has done so at the end of this turn of ``side``, and the reference names the reason.
            side = SIDES[spot.side]
            return rules.status(Position(line.board(0), side, spot.left, spot.turn))
    return rules.DRAW


def perft(position: Position, depth: int, out_of_time: Callable[[], bool]) -> int:
    """Return the number of sequences of so many actions; the end of the game ends one. Raise OverBudget."""
    if rules.status(position).over:
        return 1
    line = PhalanxLine(_WORTHS, 1)
    line.begin(position)
    return _count(line, 0, depth, out_of_time)


def _count(line: PhalanxLine, ply: int, depth: int, out_of_time: Callable[[], bool]) -> int:
    if out_of_time():
        raise OverBudget("depth: not all sequences could be counted in the time (seconds)")
    if depth == 0 or line.spot(ply).outcome != RUNS:
        return 1
    most = line.expand(ply)
    if depth == 1:
        return most
    total = 0
    for code in line.move_list[:most]:
        line.play(ply, code & _MOVE)
        total += _count(line, ply + 1, depth - 1, out_of_time)
    return total

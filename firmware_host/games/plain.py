"""The common part of games for two players who take turns.

:class:`Plain` is a :class:`firmware_host.games.game.Game` except for eleven members: its abstract methods, and
``name``, ``title`` and ``endings``, which are only declared. A game overrides other members as needed;
docs/adding-a-game.md has an example.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import Field, field, fields, replace
from random import Random
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from firmware_host.games import naming
from firmware_host.games.game import (
    BadAction,
    BadPosition,
    Defaults,
    GameError,
    GameOver,
    Layout,
    Occupancy,
    PieceMove,
    Removal,
    ScoreLine,
    Scoring,
    Stack,
    Status,
    Step,
    Transition,
    bounded_cache,
)
from firmware_host.text.words import one_of, say

SEATS = (1, 2)
RUNNING = Status(over=False)


class PlainPosition(Hashable, Protocol):
    """The position of a plain game: a frozen dataclass with at least these three fields."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def mode(self) -> str:
        """Return the mode."""
        ...

    @property
    def seat(self) -> int:
        """Return the seat to act; either seat if the game is over."""
        ...

    @property
    def resigned(self) -> int:
        """Return the seat that has resigned, 0 for none."""
        ...


P = TypeVar("P", bound=PlainPosition)
O = TypeVar("O")  # noqa: E741 - the class of a game's options


def other(seat: int) -> int:
    """Return the opponent's seat."""
    return 3 - seat


def read_fields(text: str, **expected: tuple[str, str]) -> list[str]:
    """Return the fields of a position's text, separated by one space.

    ``expected`` maps their names, in order, to a pattern (for the whole field) and its description in words. Raise
    BadPosition naming the field and what was expected.
    """
    words = text.split(" ")
    if len(words) != len(expected):
        raise BadPosition(
            f"position: expected {len(expected)} fields ({' '.join(expected)}) separated by one space, got {len(words)}"
        )
    for word, (name, (pattern, said)) in zip(words, expected.items(), strict=True):
        if not re.fullmatch(pattern, word, re.ASCII):
            raise BadPosition(f"{name}: expected {said}, got {word[:40]!r}")
    return words


class Plain(Defaults[P], ABC):
    """A game for two seats that take turns, each with its own pieces, one action at a time.

    A subclass must define ``name``, ``title``, ``endings`` and the abstract methods. The defaults of the others: an
    action is the name of the node on which the seat puts one of its pieces from the supply; seat 1 plays the first of
    ``pieces``; there are no scores; a seat that resigns loses. A game whose :meth:`after` removes pieces that no hand
    has moved must set ``removal``.
    """

    name: str
    title: str
    endings: Mapping[str, str]
    modes: tuple[str, ...] = ("2",)
    pieces: Mapping[str, str] = {"b": naming.BLACK, "w": naming.WHITE}
    poles: Mapping[str, str] = {"b": "S", "w": "N"}
    removal: Removal | None = None
    scoring: Scoring | None = None
    goals: bool = False

    # -- to be defined by the game -------------------------------------------------------------------------------

    @abstractmethod
    def layout(self) -> Layout:
        """Return the board's drawing."""

    @abstractmethod
    def start(self, mode: str) -> P:
        """Return the starting position; begin with ``self.seats(mode)``, which refuses an unknown mode."""

    @abstractmethod
    def parse(self, text: str) -> P:
        """Return the position of a text. Raise BadPosition naming the field and what was expected."""

    @abstractmethod
    def text(self, position: P) -> str:
        """Return a position's text: ASCII, fields separated by one space; a resignation need not be included."""

    @abstractmethod
    def occupancy(self, position: P) -> Occupancy:
        """Return node → stack, for the nodes that carry one."""

    @abstractmethod
    def legal(self, position: P) -> Iterable[str]:
        """Yield the legal actions, in any order, of the seat to act in a position that is not over."""

    @abstractmethod
    def after(self, position: P, action: str) -> P:
        """Return the position after a legal action of the seat to act."""

    @abstractmethod
    def result(self, position: P) -> Status | None:
        """Return the status if the pieces have ended the game, else None; resignations are handled elsewhere."""

    # -- moves and words -----------------------------------------------------------------------------------------

    def moves(self, position: P, action: str) -> tuple[PieceMove, ...]:
        """Return the hands' moves for a legal action, in order; empty for a pass."""
        return _put(self.stack(position, position.seat), action)

    def stack(self, position: P, seat: int) -> Stack:
        """Return one piece of a seat (see :meth:`plays`) as a stack."""
        return (self.plays(position)[seat],)

    def plays(self, position: P) -> Mapping[int, str]:  # noqa: ARG002 - where players swap sides it depends on it
        """Return the piece letter of each seat: the first of ``pieces`` for seat 1."""
        return dict(zip(SEATS, self.pieces, strict=False))

    def words(self, action: str) -> str:
        """Return an action in words: "a stone on NODE" for a node's name, else its own text."""
        return say("a stone on {node}", node=action) if action in self.layout().nodes else action

    def prompt(self, position: P) -> str:
        """Return the acting seat's task in words that follow a name."""
        piece = naming.forms(self.pieces[self.plays(position)[position.seat]]).a
        return say("put {piece} on an empty node", piece=piece)

    # -- seats and turns -----------------------------------------------------------------------------------------

    def seats(self, mode: str) -> tuple[int, ...]:
        """Return both seats. Raise GameError for an unknown mode."""
        if mode not in self.modes:
            known = one_of(self.modes)
            raise GameError(say("mode: expected {known}, got {given}", known=known, given=repr(mode[:20])))
        return SEATS

    def teams(self, mode: str) -> tuple[tuple[int, ...], ...]:
        """Return one tuple for each player."""
        return tuple((seat,) for seat in self.seats(mode))

    def homes(self, mode: str, seat: int) -> tuple[str, ...]:  # noqa: ARG002 - where there are homes they matter
        """Return no nodes: the board is everybody's."""
        return ()

    def simultaneous(self, position: P) -> bool:  # noqa: ARG002
        """Return False: players take turns."""
        return False

    def placements(self, position: P, actions: Mapping[int, str]) -> Sequence[tuple[int, PieceMove]]:  # noqa: ARG002
        """Return nothing: no actions are simultaneous."""
        return ()

    def turn(self, position: P) -> int:
        """Return the turn, from 1: one for each piece on the board; after the end the last turn.

        A game in which pieces move, or leave the board, counts in its position and overrides this: it must never fall.
        """
        pieces = sum(map(len, self.occupancy(position).values()))
        return max(1, pieces + (not self.status(position).over))

    def actor(self, position: P) -> int | None:
        """Return the seat to act."""
        return None if self.status(position).over else position.seat

    # -- actions -------------------------------------------------------------------------------------------------

    def actions(self, position: P) -> Mapping[int, Sequence[str]]:
        """Return the sorted legal actions of the seat to act; empty if the game is over."""
        return {} if self.status(position).over else {position.seat: sorted(self.legal(position))}

    def check(self, position: P, seat: int, action: str) -> None:
        """Raise GameOver or BadAction (saying why) unless the action is legal for the seat now."""
        self.check_turn(position, (seat,))
        if action not in self.legal(position):
            raise BadAction(say("action: {action} is not possible now", action=repr(action[:20])))

    def check_turn(self, position: P, seats: Sequence[int]) -> None:
        """Raise GameOver, or BadAction unless ``seats`` is exactly the seat to act."""
        if self.status(position).over:
            raise GameOver(say("the game is over"))
        if len(seats) == 1 and seats[0] != position.seat:
            raise BadAction(say("seat {seat}: it is the turn of seat {other}", seat=seats[0], other=position.seat))
        if tuple(seats) != (position.seat,):
            wrong = say(
                "actions: expected one action of seat {seat}, got seats {given}",
                seat=position.seat,
                given=sorted(seats),
            )
            raise BadAction(wrong)

    def apply(self, position: P, actions: Mapping[int, str]) -> Transition[P]:
        """Apply the action of the seat to act."""
        self.check_turn(position, tuple(actions))
        action = actions[position.seat]
        self.check(position, position.seat, action)
        after = self.after(position, action)
        if self.removal is None:
            return Transition(after, self.status(after), self.occupancy(after))
        placed = after_moves(self.occupancy(position), self.moves(position, action))
        return Transition(after, self.status(after), placed, self._cleared_nodes(placed, after))

    def resign(self, position: P, seat: int) -> Transition[P]:
        """Let a seat resign; the other one wins."""
        if self.status(position).over:
            raise GameOver(say("the game is over"))
        if seat not in SEATS:
            raise BadAction(say("seat: expected {known}, got {given}", known=one_of(("1", "2")), given=seat))
        over = self.after_resignation(position, seat)
        return Transition(over, self.status(over), self.occupancy(over))

    def after_resignation(self, position: P, seat: int) -> P:
        """Return the position in which a seat has resigned."""
        return replace(position, resigned=seat)

    def steps(self, position: P) -> Sequence[Step]:
        """Return the hands' work for each legal action."""
        lying = self.occupancy(position)
        return [self.step(position, action, lying) for action in self.actions(position).get(position.seat, ())]

    def step(self, position: P, action: str, lying: Occupancy) -> Step:
        """Return the hands' work for one legal action, from :meth:`moves`; ``lying`` is the position's occupancy."""
        moves = self.moves(position, action)
        placed = after_moves(lying, moves)
        removed = self._cleared_nodes(placed, self.after(position, action)) if self.removal else ()
        touches = frozenset([node for move in moves for node in (move.source, move.target) if node is not None])
        return Step(action, self._step_words(action, moves), moves, placed, touches, removed=frozenset(removed))

    def _step_words(self, action: str, moves: Sequence[PieceMove]) -> str:
        """Return a step's words: "PIECE on NODE" for one piece from the supply, else the action's words."""
        if len(moves) == 1 and moves[0].target == action and moves[0].source is None:
            return naming.put_on(self.pieces[moves[0].pieces[0]], action)
        return self.words(action)

    def _cleared_nodes(self, placed: Occupancy, after: P) -> tuple[str, ...]:
        """Return the nodes that the rules clear after the hands' moves, in the layout's order."""
        staying = self.occupancy(after)
        return tuple(node for node in self.layout().nodes if node in placed and node not in staying)

    # -- results -------------------------------------------------------------------------------------------------

    def status(self, position: P) -> Status:
        """Return the status, with its reason."""
        if position.resigned:
            return Status(over=True, reason="resigned", winners=(other(position.resigned),))
        return self.result(position) or RUNNING

    def explain(self, position: P) -> Sequence[ScoreLine]:
        """Return a score of 1 for the winner, else 0."""
        winners = self.status(position).winners
        return [ScoreLine((seat,), int(seat in winners), 0) for seat in SEATS]

    # -- chance --------------------------------------------------------------------------------------------------

    def playout(self, position: P, rng: Random) -> Status:
        """Play random actions to the end and return the status."""
        while not (status := self.status(position)).over:
            position = self.after(position, self.random_action(position, position.seat, rng))
        return status


def option(words: str) -> bool:
    """Return the default of an option's field: off; ``words`` say its effect."""
    found: bool = field(default=False, metadata={"words": words})
    return found


class PlainWithOptions(Plain[P], Generic[P, O]):
    """A plain game whose rules have options: the fields of a frozen dataclass, each with :func:`option` as default.

    Positions hold the options under which they are played, and rules and flat form read them there: a further option
    is its field and its effect. The game passes ``chosen`` to every position that it begins or reads.
    """

    def __init__(self, chosen: O) -> None:
        """Take the options under which games begin, and texts of positions are read."""
        self.chosen = chosen
        self.options: Mapping[str, str] = {one.name: one.metadata["words"] for one in fields(chosen)}  # type: ignore[arg-type]
        self.rules: Mapping[str, bool] = {name: True for name in self.options if getattr(chosen, name)}

    def with_rules(self, rules: Mapping[str, bool]) -> Self:
        """Return the game under these options; those not named are off."""
        return type(self)(type(self.chosen)(**{name: rules.get(name, False) for name in self.options}))


@bounded_cache(256)
def _put(pieces: Stack, node: str) -> tuple[PieceMove, ...]:
    """Return the move from the supply to a node; kept, as every empty node is offered turn after turn."""
    return (PieceMove(pieces, None, node),)


def after_moves(lying: Occupancy, moves: Iterable[PieceMove]) -> Occupancy:
    """Return the occupancy after some moves: these pieces leave their stacks, and are put on top of others.

    Raise ValueError if a piece does not lie on its source.
    """
    after = dict(lying)
    for move in moves:
        if move.source is not None:
            stack = list(after.pop(move.source, ()))
            for piece in move.pieces:
                stack.remove(piece)
            if stack:
                after[move.source] = tuple(stack)
        if move.target is not None:
            after[move.target] = (*after[move.target], *move.pieces) if move.target in after else move.pieces
    return after

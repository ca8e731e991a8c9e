"""Hints: who may ask for one, its words (which piece, which actions, what they lead to), and what is recorded.

Their content comes from a search, and is for the phone that asked. The request is journalled before the answer. A hint
chooses nothing: only what the player chooses is lit, and followed by hands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, TypedDict

from firmware_host.games.drawing import ways_of
from firmware_host.games.game import Game, PieceMove
from firmware_host.games.positions import whole
from firmware_host.games.thinking import Choice
from firmware_host.table.change import Change
from firmware_host.table.errors import TableError
from firmware_host.table.events import BOUNDS, PLAYING, Event, Seat, event, post
from firmware_host.table.ledger import Ledger
from firmware_host.table.pieces import a_piece, the_piece
from firmware_host.table.state import Table
from firmware_host.table.subject import Entry, Subject, SubjectState
from firmware_host.table.subjects.seats import check_seat
from firmware_host.table.view_form import Count
from firmware_host.text.words import Text, capital, fill, join_sentences, one_of, say

MOST = 3
"""Highest level of a hint: 1 which piece, 2 which actions, 3 drawn as well."""
BEST = 3
"""Maximum number of actions that a hint ranks."""
LOOKS_AHEAD = 3
"""Maximum number of expected next actions in a hint."""
FAR = 0.25
"""An action whose expected score is lower than the best one's by more than this is no hint."""
NEAR = 0.05
"""Places of a first tap are those of actions that are worse than the best one by at most this,"""
CLOSE = 1.5
"""and whose odds are lower by at most this factor: where much is lost or won already, all scores lie close together."""
HintLevel = Annotated[int, (*BOUNDS, ("description", "1, 2 or 3"))]


@event(PLAYING, say("asking for a hint"), by_player=True, line="hint seat level")
class HintTaken(Event):
    """A seat asks for a hint about its next action. ``level``: 1 which piece, 2 which actions, 3 drawn as well.

    A hint chooses nothing: no event contains it, and neither lights nor hands follow it.
    """

    seat: Seat
    level: HintLevel

    def happen(self, change: Change) -> None:
        table = change.table
        if not 1 <= self.level <= MOST:
            raise TableError("bad_hint", say("level: expected 1 to {most}, got {level}", most=MOST, level=self.level))
        check_hint(table, self.seat)
        if self.level == MOST and table.phase != "resolving":
            raise TableError("bad_hint", say("a hint about something that is sealed is shown on the phone alone"))
        if self.level > KEPT.of(table.ledger).levels.get(self.seat, 0):
            change.enter("hint", {"seat": self.seat, "told": self.level})


@post("/api/host/hints", "Allow a seat, or without `seat` all of them, to ask for hints, or not", "on seat")
@event(PLAYING | {"lobby", "clearing"}, say("allowing hints"), line="hints seat on")
class HintsAllowed(Event):
    """The host allows or forbids a seat to ask for hints; None: every seat."""

    on: bool
    seat: Seat | None = None

    def happen(self, change: Change) -> None:
        ledger = change.table.ledger
        if self.seat is not None:
            check_seat(ledger, self.seat)
        for seat in ledger.all_seats if self.seat is None else (self.seat,):
            if self.on == (seat in KEPT.of(ledger).barred):
                change.enter("hints", {"seat": seat, "on": self.on})


@dataclass(frozen=True)
class HintState:
    """The seats that may not ask, the highest level per seat at this moment, and for how many moments each has asked.

    Those moments count that have been taken back, too.
    """

    barred: frozenset[int] = frozenset()
    levels: Mapping[int, int] = field(default_factory=dict)
    asked: Mapping[int, int] = field(default_factory=dict)


KEPT = SubjectState(HintState())


class HintsOfSeat(TypedDict):
    hints: bool
    hinted: Count


def check_hint(table: Table, seat: int) -> None:
    """Raise TableError with the reason if a seat can't ask for a hint now."""
    ledger = table.ledger
    if seat not in ledger.sittings or table.is_computer(seat):
        raise TableError("bad_seat", say("no person sits on seat {seat}", seat=seat))
    if seat in KEPT.of(ledger).barred:
        raise TableError("no_hints", say("the host has switched hints off for you"))
    if table.phase == "sealing":
        sealing = ledger.round
        if sealing is not None and seat in sealing.seats and seat not in sealing.commitments:
            return
        raise TableError("not_your_turn", say("you have nothing to seal now: ask for a hint when you choose"))
    if table.phase != "resolving" or seat != table.actor:
        raise TableError("not_your_turn", say("it is not your turn: only the player whose turn it is gets a hint"))


def hint_view(game: Game[Any], position: Any, seat: int, choices: Sequence[Choice], level: int) -> dict[str, Any]:
    """Return a hint for the phone that asked: ``words``, ``nodes``, ``choices`` (from the second tap on), ``drawn``.

    ``drawn``: a third tap shows the best action on the phone's drawing: ``ways`` of pieces on the board, and ``puts``
    of new ones.
    """
    best = choices[0]
    moves = moves_of(game, position, seat, best.action)
    hidden = game.simultaneous(position)
    first = _first(moves)
    places = _places(game, position, seat, choices, first)
    found: dict[str, Any] = {
        "level": level,
        "drawn": not hidden and bool(moves),
        "nodes": [first.source] if first is not None and first.source else places,
        "words": _first_words(game, best, first, places),
        "choices": [],
        "ways": [],
        "puts": [],
    }
    if level > 1:
        good = [one for one in choices[:BEST] if one.value >= best.value - FAR]
        found["choices"] = [_choice(game, position, seat, one) for one in good]
        found["nodes"] = [node for move in moves for node in (move.source, move.target) if node]
    if level == MOST and found["drawn"]:
        step = whole(game, position, best.action)
        found["ways"] = [list(way) for way in ways_of(step)] if step is not None else []
        puts = [move for move in moves if move.source is None and move.target]
        found["puts"] = [{"node": move.target, "piece": piece} for move in puts for piece in move.pieces]
    return found


def verdict(value: float) -> Text:
    """Return the words for a seat's expected score (0 to 1)."""
    return next(words for least, words in _VERDICTS if value >= least)


_VERDICTS = (
    (1.0, say("it wins")),
    (0.8, say("you are close to winning then")),
    (0.6, say("you are ahead then")),
    (0.4, say("it stays about even")),
    (0.2, say("you are behind then, but can still win")),
    (1e-9, say("you are in trouble then")),
    (-1.0, say("you lose then if the others play well")),
)


def _choice(game: Game[Any], position: Any, seat: int, choice: Choice) -> dict[str, Any]:
    return {
        "action": choice.action,
        "words": capital(game.words(choice.action)),
        "leads": leads(game, choice),
        "nodes": [n for move in moves_of(game, position, seat, choice.action) for n in (move.source, move.target) if n],
    }


def leads(game: Game[Any], choice: Choice) -> Text:
    """Return an action's consequences in words: the seat's expected score, the reason, the expected next actions."""
    words: list[str] = [fill(say("{verdict}."), verdict=capital(verdict(choice.value))), *choice.reasons[:2]]
    if choice.line:
        line = join_sentences([game.words(action) for action in choice.line[:LOOKS_AHEAD]], "; ")
        words.append(say("Then perhaps: {line}.", line=line))
    return join_sentences(words, " ")


def moves_of(game: Game[Any], position: Any, seat: int, action: str) -> Sequence[PieceMove]:
    """Return the moves of hands for an action, in order."""
    if game.simultaneous(position):
        return [move for _, move in game.placements(position, {seat: action})]
    step = whole(game, position, action)
    return step.moves if step is not None else ()


def _first(moves: Sequence[PieceMove]) -> PieceMove | None:
    """Return the move that best shows which piece is meant: one on the board before one from the supply."""
    return min(moves, key=lambda move: (move.source is None) + (move.target is None), default=None)


def _places(game: Game[Any], position: Any, seat: int, choices: Sequence[Choice], first: PieceMove | None) -> list[str]:
    """Return where a new piece of this kind is put by one of the good actions, in the order of the board; nothing if
    the best action moves a piece that lies, or is secret."""
    if first is None or first.source is not None or game.simultaneous(position):
        return []
    best = choices[0].value
    near = [one for one in choices[:BEST] if _is_near(one.value, best)]
    firsts = [_first(moves_of(game, position, seat, one.action)) for one in near]
    like = {move.target for move in firsts if move and move.source is None and move.pieces == first.pieces}
    return [node for node in game.layout().nodes if node in like]


def _is_near(value: float, best: float) -> bool:
    return value >= best - NEAR and best * (1 - value) <= CLOSE * value * (1 - best)


def _first_words(game: Game[Any], best: Choice, first: PieceMove | None, places: Sequence[str]) -> Text:
    """Return which piece to take, or where one could be put, in words; if there is none, what to do without."""
    if first is None:
        return say("No piece is needed now: {action}.", action=game.words(best.action))
    if places:
        return say("Put {piece} on {nodes}.", piece=a_piece(game, first.pieces[0]), nodes=one_of(places))
    if first.source is None:
        return say("Look at where you could put {piece}.", piece=a_piece(game, first.pieces[0]))
    lying = the_piece(game, first.source, "", first.pieces).the
    return say("Look at {piece} on {node}.", piece=lying, node=first.source)


def _fold_allowed(ledger: Ledger, data: Mapping[str, Any]) -> None:
    now = KEPT.of(ledger)
    others = now.barred - {data["seat"]}
    KEPT.put(ledger, replace(now, barred=others if data["on"] else others | {data["seat"]}))


def _fold_taken(ledger: Ledger, data: Mapping[str, Any]) -> None:
    seat, level, now = data["seat"], data["told"], KEPT.of(ledger)
    asked = now.asked
    if seat not in now.levels:
        asked = {**asked, seat: asked.get(seat, 0) + 1}
        ledger.tell(say("{name} asks for a hint.", name=ledger.name(seat)))
    levels = {**now.levels, seat: max(level, now.levels.get(seat, 0))}
    KEPT.put(ledger, replace(now, asked=asked, levels=levels))


def _next_game(ledger: Ledger, goes: Mapping[int, int]) -> Iterator[Entry]:
    for seat in sorted(goes[seat] for seat in KEPT.of(ledger).barred if seat in goes):
        yield "hints", {"seat": seat, "on": False}


def _seat_view(table: Table, seat: int) -> HintsOfSeat:
    now = KEPT.of(table.ledger)
    return {"hints": seat not in now.barred, "hinted": now.asked.get(seat, 0)}


SUBJECT = Subject(
    entries={
        "hints": _fold_allowed,
        "hint": _fold_taken,
        "guidance": lambda _ledger, _data: None,  # Older journals: who wanted to see the best path all the time.
    },
    moved=lambda ledger: KEPT.put(ledger, replace(KEPT.of(ledger), levels={})),
    next_game=_next_game,
    seat_view=_seat_view,
)

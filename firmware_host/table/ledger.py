"""The durable state of a game in progress: a fold over the entries of the journal.

Live play and resuming use the same code: the table checks an event, makes an entry of it and applies it here; a
restart applies the journal's entries again. Nothing here waits, asks or looks at sensors. What a seal is, and why it
binds and hides, is in :mod:`firmware_host.games.seals`.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random
from typing import Any

from firmware_host.games.capabilities import CIRCLED, ENDLESS, capabilities_of
from firmware_host.games.clocks import Clocks, ClockSetting, Out, Stint, standings_after
from firmware_host.games.drawing import COLOURS, own_colours
from firmware_host.games.game import Game, Occupancy, Status, Transition
from firmware_host.games.levels import NO_LEVEL, Level, default_level, levels, lowest_level
from firmware_host.games.positions import SEED, Seed, is_dealt, starting
from firmware_host.games.seals import (
    FIRST_HISTORY,
    HASH,
    HEX,
    commitment,
    deal_seal,
    is_link,
    link_before,
    lot_of,
    next_history,
    shown_short,
)
from firmware_host.searching.playouts import computer_player_of
from firmware_host.table.errors import TableError
from firmware_host.table.subject import OTHERS, SubjectState, subjects
from firmware_host.text.words import Text, fill, join_sentences, say


@dataclass(frozen=True)
class Sitting:
    """The player of a seat. ``claim`` is the word in the phone's signed cookie; a computer has none.

    ``level`` is a computer's level, NO_LEVEL if none was chosen (older journals have none).
    """

    name: str
    claim: str
    computer: bool = False
    level: int = NO_LEVEL
    away: Sitting | None = None
    """The person for whom a computer plays on in this game: in the next one the seat is that person's again."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The game after an event that moved it on: a correction can go back to it."""

    position: Hashable
    status: Status
    placed: Occupancy
    removed: tuple[str, ...]
    kind: str
    """``start``, ``reveal``, ``action``, ``loop``, ``decided``, ``draw`` or ``resign``."""
    seat: int | None = None
    actions: Mapping[int, str] = field(default_factory=dict)


VOID = {
    "agreement": say("All seals of this turn are void; everybody seals again."),
    "host": say("The host has declared this turn void; everybody seals again."),
}
LOOP = {
    "proof": say("A search has proved that this is a loop."),
    ENDLESS: say("No rest can be reached any more: the stones that could still move are removed."),
    CIRCLED: say("No rest can be reached any more, and the stones only circle: this ends like a loop."),
    "agreement": say("All players agree that nothing leads out of this loop."),
}
TAKEN_BACK = {
    "hand": say("Taken back by hand."),
    "agreement": say("Taken back by agreement."),
    "host": say("Taken back by the host."),
}
TAKEN_BACK_ALONE = say("{name} takes back.")
"""What is told where nobody else was there to agree."""
LOG_LINES = 60
"""So many of the lines that were told last are kept for phones."""
LOT_FIRST = say("the tables draw the next piece of the stack first")
TIME_IS_UP = {
    None: say("{name}'s time is up; the game goes on."),
    "seal": say("{name}'s time is up: a placement drawn by lot is sealed."),
    "act": say("{name}'s time is up: what is done in this turn is drawn by lot."),
}
RESIGNED = {
    None: say("{name} resigns."),
    "time": say("{name}'s time is up: the game is lost for {name}."),
}


LOST_ON_TIME, AGREED = "time", "agreed"
"""Reasons of an end that no game's rules know: a strict clock, and a draw on which all have agreed."""


def ending_words(endings: Mapping[str, str], reason: str | None, late: str) -> Text:
    """Return how a game has ended, in a sentence, by the ``endings`` of its rules.

    ``late`` is the name of who has run out of time.
    """
    if reason == LOST_ON_TIME:
        return say("{name} has run out of time.", name=late)
    if reason == AGREED:
        return say("All have agreed on a draw.")
    return fill(endings.get(reason or "", say("The game is over.")))


def levels_of(game: Game[Any]) -> Sequence[Level]:
    """Return the levels at which computers play a game, the weakest first."""
    computer = computer_player_of(game)
    return levels(len(computer.strengths), lowest_level(computer))


def level_of(game: Game[Any], sitting: Sitting) -> Level:
    """Return the level of a computer: the chosen one if the game has it, else the game's usual one."""
    known = levels_of(game)
    number = default_level(known[-1].number) if sitting.level == NO_LEVEL else sitting.level
    return next((one for one in known if one.number >= number), known[-1])


def checked_level(game: Game[Any], level: int | None) -> int:
    """Return the number of a level, the usual one for None. Raise TableError if the game does not have the level."""
    known = [one.number for one in levels_of(game)]
    if level is None:
        return default_level(known[-1])
    if level not in known:
        expected = say("level: expected {least} to {most}, got {level}", least=known[0], most=known[-1], level=level)
        raise TableError("bad_level", expected)
    return level


# -- the ledger --------------------------------------------------------------------------------------------------------


TAKEN_UP = "taken-up"
"""The kind of entry for a suspended game that is at the table again; records leave it out."""
TIME = "time"
"""The kind of entry for the state of the clocks while somebody thinks; records leave it out, too."""
PAUSE, RESUME = "pause", "resume"
"""The kinds of entry for a pause and its end; records leave them out, too."""
_BESIDE = frozenset({TAKEN_UP, TIME, PAUSE, RESUME})


def is_beside(kind: str) -> bool:
    """Tell whether a kind of entry is about the table, not about the game, or of an extension."""
    return kind in _BESIDE or kind.startswith(OTHERS)


class LedgerError(ValueError):
    """An entry that does not follow from the entries before it: the journal and the rules disagree."""


class Ledger:
    """The state of one game that survives a power cut.

    ``moments[0]`` is the start; ``moments[-1]`` is now.
    """

    def __init__(self, game: Game[Any], game_id: str, mode: str) -> None:
        """Open an empty ledger in the lobby. Raise GameError for an unknown mode."""
        self.game = game
        self.game_id = game_id
        self.mode = mode
        self.all_seats = game.seats(mode)
        self.own_colours = own_colours(game, mode)
        """The colours of seats whose pieces can shine; if there are any, nobody chooses a colour."""
        self.sittings: Mapping[int, Sitting] = {}
        self.chosen_colours: Mapping[int, int] = {}
        """The colours that were chosen for seats of this mode; other seats get the remaining ones."""
        self.moments: Sequence[Moment] = ()
        self.round: Round | None = None
        self.history = FIRST_HISTORY
        self.deal: str | None = None
        """The seal of the deal at the game's start; None if nothing was dealt, or in journals older than deal seals."""
        self.lots: Mapping[int, str] = {}
        """First seat of each table → the last of the table's secret numbers that counts for a lot; at first its
        commitment to all of them. Empty in a game that does not draw its stack by lots."""
        self.opened: Mapping[int, str] = {}
        """First seat of each table that has opened its secret number for the next lot → the number."""
        self.drawn = 0
        """How many lots have been drawn. None is drawn twice: what was taken back comes again in the same order."""
        self.resigned: frozenset[int] = frozenset()
        self.late: frozenset[int] = frozenset()
        """Seats that have resigned because their time was up."""
        self.states: Mapping[SubjectState[Any], Any] = {}
        """What else the entries say: each subject's own."""
        self.log: Sequence[str] = ()
        """The last lines of what has been told of the game: a long one has thousands."""
        self.told = 0
        """How many lines have been told."""
        self.clock_setting: ClockSetting | None = None
        """The time control; None for a game without clocks."""
        self.clocks: Clocks | None = None
        """The clocks of a started game, None without any; the table lets them run."""
        self.clocks_at: Sequence[Clocks] = ()
        """The clocks at each moment."""
        self.paused = False
        """Whether the host, or the program for it, has paused the game; a restart does not end a pause."""
        self.ended = False
        """Whether the result has been written (or the game was abandoned)."""

    @property
    def started(self) -> bool:
        """Whether the lobby is over."""
        return bool(self.moments)

    @property
    def now(self) -> Moment:
        """Return the present moment of a started game."""
        return self.moments[-1]

    @property
    def over(self) -> bool:
        """Whether the rules have ended the game."""
        return bool(self.moments) and self.moments[-1].status.over

    @property
    def lot_due(self) -> int | None:
        """Return the first seat of the table that has to open its number for the next lot; None if no lot is due."""
        stack = capabilities_of(self.game).stack if self.lots and not self.over else None
        if stack is None or stack.lots_needed(self.now.position) <= self.drawn:
            return None
        return next(seat for seat in sorted(self.lots) if seat not in self.opened)

    @property
    def prompt(self) -> str:
        """Return what is to be done now, in words: the game's own, or that a lot is to be drawn first."""
        due = self.lot_due
        if due is None:
            return self.game.prompt(self.now.position)
        return say("all tables draw the next piece of the stack together, and the table of {name} has not drawn yet",
                   name=self.name(due))  # fmt: skip

    def name(self, seat: int) -> str:
        """Return the name of a seat's player."""
        sitting = self.sittings.get(seat)
        return sitting.name if sitting else say("Player {seat}", seat=seat)

    @property
    def reason(self) -> str | None:
        """Return why a finished game has ended: the rules' reason, ``time`` (a loss on time) or ``agreed`` (a draw)."""
        late = self.now.kind == "resign" and self.now.seat in self.late
        return LOST_ON_TIME if late else self.now.status.reason

    @property
    def ending(self) -> str:
        """Return a sentence that says how a finished game has ended."""
        return ending_words(self.game.endings, self.reason, self.name(self.now.seat or 0))

    @property
    def colours(self) -> dict[int, int]:
        """Return the colour of each seat's lights: its pieces', or the chosen one, or its own number's if free."""
        left = [colour for colour in range(1, COLOURS + 1) if colour not in self.chosen_colours.values()]
        found = {}
        for seat in self.all_seats:
            own = self.chosen_colours.get(seat) or (seat if seat in left else (left or [COLOURS])[0])
            found[seat] = own
            left = [colour for colour in left if colour != own]
        return {**found, **self.own_colours}

    def seat_entry(self, seat: int, **changes: Any) -> dict[str, Any]:
        """Return the entry that seats the present player of a seat again, with some changes."""
        sitting = replace(self.sittings[seat], **changes)
        return self._sitting_entry(seat, sitting)

    def next_seat_entry(self, seat: int) -> dict[str, Any]:
        """Return the entry that seats a seat's player in the next game: a computer that has taken over goes."""
        sitting = self.sittings[seat]
        return self._sitting_entry(seat, sitting.away or sitting)

    def _sitting_entry(self, seat: int, sitting: Sitting) -> dict[str, Any]:
        data = {"seat": seat, "name": sitting.name, "claim": sitting.claim, "computer": sitting.computer}
        return {**data, "level": sitting.level} if sitting.level != NO_LEVEL else data

    def apply(self, kind: str, data: Mapping[str, Any]) -> None:
        """Apply one entry. Raise LedgerError (or GameError) if it does not follow."""
        handler = _handlers().get(kind)
        if handler is None:
            if kind.startswith(OTHERS):  # Of an extension that is not here.
                return
            raise LedgerError(f"unknown entry kind {kind!r}")
        if kind in {"action", "reveal"} and self.lot_due is not None:
            raise LedgerError(LOT_FIRST)
        handler(self, data)
        if self.clock_setting is not None and self.started:
            now = self.clocks or Clocks.fresh(self.clock_setting, self.all_seats)
            try:
                stand = standings_after(self.clocks_at, now, len(self.moments), self.due(), data)
            except ValueError as error:
                raise LedgerError(str(error)) from error
            self.clocks, self.clocks_at = stand

    def due(self) -> dict[int, Stint]:
        """Return the seats that have to think now, each with its stint."""
        if self.over:
            return {}
        turn = self.game.turn(self.now.position)
        if self.round is not None:
            return {seat: (turn, "seal") for seat in self.round.seats if seat not in self.round.commitments}
        actor = self.game.actor(self.now.position)
        return {} if actor is None else {actor: (turn, "act")}

    # -- lobby ---------------------------------------------------------------------------------------------------

    def _game(self, data: Mapping[str, Any]) -> None:
        if (data["id"], data["game"], data["mode"]) != (self.game_id, self.game.name, self.mode):
            raise LedgerError(f"entry of another game: {data['id']}")

    def _mode(self, data: Mapping[str, Any]) -> None:
        self.all_seats = self.game.seats(data["mode"])
        self.own_colours = own_colours(self.game, data["mode"])
        self.mode = data["mode"]
        self.sittings = {seat: sitting for seat, sitting in self.sittings.items() if seat in self.all_seats}
        self.chosen_colours = {seat: one for seat, one in self.chosen_colours.items() if seat in self.all_seats}

    def _colour(self, data: Mapping[str, Any]) -> None:
        seat, colour, before = data["seat"], data["colour"], self.colours
        if seat not in before or not 1 <= colour <= COLOURS:
            raise LedgerError(f"colour {colour} of seat {seat}: there is no such seat or colour")
        exchanged = {other: before[seat] for other, one in before.items() if one == colour and other != seat}
        self.chosen_colours = {**self.chosen_colours, seat: colour, **exchanged}

    def _clocks(self, data: Mapping[str, Any]) -> None:
        """Start clocks with the game; without data, have none."""
        self.clock_setting = ClockSetting.from_dict(data) if data else None

    def _flag(self, data: Mapping[str, Any]) -> None:
        seat, clocks = data["seat"], self.clocks
        if clocks is None or seat not in clocks.used:
            raise LedgerError(f"the time of seat {seat} is up, but it has no clock")
        out = Out((data["turn"], data["stint"]), data.get("seed", "")) if "stint" in data else None
        self.clocks = clocks.with_out(seat, out) if out else clocks.flag(seat)
        self.tell(fill(TIME_IS_UP[data.get("stint")], name=self.name(seat)))

    def _seat(self, data: Mapping[str, Any]) -> None:
        level = data.get("level", NO_LEVEL) if data["computer"] else NO_LEVEL
        before = self.sittings.get(data["seat"])
        away = before if before is not None and not before.computer else before.away if before is not None else None
        sitting = Sitting(
            data["name"], data["claim"], data["computer"], level, away if self.started and data["computer"] else None
        )
        self.sittings = {**self.sittings, data["seat"]: sitting}
        if self.started and data["computer"] and before is not None:
            named = {"name": data["name"], "level": level_of(self.game, sitting).name}
            other = say("{name} is a computer and plays at another level from now on: {level}.", **named)
            stands_in = say("A computer plays for {name} from now on: {level}.", **named)
            self.tell(other if before.computer else stands_in)

    def _leave_seat(self, data: Mapping[str, Any]) -> None:
        self.sittings = {seat: sitting for seat, sitting in self.sittings.items() if seat != data["seat"]}

    def _move_seat(self, data: Mapping[str, Any]) -> None:
        seat = data["seat"]
        before = self.sittings.get(seat)
        if before is None or (before.computer and not self.started):
            raise LedgerError(f"seat {seat} moves to another phone, but no person sits there")
        self.sittings = {**self.sittings, seat: Sitting(self.name(seat), data["claim"])}
        instead = say("{name} is played by a person from now on.", name=self.name(seat))
        self.tell(instead if before.computer else say("{name} continues on another phone.", name=self.name(seat)))

    def _start(self, data: Mapping[str, Any]) -> None:
        position = starting(self.game, self.mode, data)
        self._agree(position, data)
        self.deal = data.get("deal")
        if self.deal is not None:
            if self.deal != deal_seal(self.game_id, data[SEED], data["position"]):
                raise LedgerError("deal: not the seal of this seed and this position")
            self.tell(say("The stack is shuffled. Its seal: {seal}.", seal=shown_short(self.deal)))
        if "lots" in data:
            self.lots = {int(seat): commitment for seat, commitment in data["lots"].items()}
            sealed = set(self.lots.values())
            if data.get("given") or not sealed or not all(map(is_link, sealed)) or set(self.lots) - set(self.all_seats):
                raise LedgerError(say("the lots of the tables are not sealed as they have to be"))
            if len(sealed) < len(self.lots):  # Whoever has sealed so first would know what two tables draw.
                raise LedgerError(say("two tables have sealed the same lots"))
            self.tell(say("The stack is drawn by all tables together: nobody knows a piece before it comes."))
        self.moments = (self._first_moment(position),)
        self._open_round()

    def _first_moment(self, position: Hashable) -> Moment:
        return Moment(position, self.game.status(position), self.game.occupancy(position), (), "start")

    def _lot(self, data: Mapping[str, Any]) -> None:
        """Open a table's number for the next lot; with the last table's the lot is drawn."""
        opened, moments = self.after_opening(data["seat"], data["number"])
        if len(opened) == len(self.lots):
            self.lots, opened, self.drawn = opened, {}, self.drawn + 1
        self.opened, self.moments = opened, moments
        self._agree(self.now.position, data)

    def after_opening(self, seat: int, number: str) -> tuple[Mapping[int, str], Sequence[Moment]]:
        """Return the numbers opened for the next lot once a table opens its own, and the moments then.

        The piece that a lot draws is known in all moments, so that actions lead from each of them to the next. Raise
        LedgerError if the table has not sealed this number, or another table's turn it is.
        """
        stack, known = capabilities_of(self.game).stack, self.lots.get(seat)
        if stack is None or known is None or seat != self.lot_due:
            raise LedgerError(say("the table of {name} has no lot to draw now", name=self.name(seat)))
        if not is_link(number) or link_before(self.game_id, number) != known:
            raise LedgerError(say("the lot that the table of {name} opens is not the one that it has sealed",
                                  name=self.name(seat)))  # fmt: skip
        opened = {**self.opened, seat: number}
        if len(opened) < len(self.lots):
            return opened, self.moments
        lot = lot_of(self.game_id, self.drawn + 1, opened)
        drawn = [stack.with_lot(moment.position, self.drawn + 1, lot) for moment in self.moments]
        if len(drawn) == 1:  # What lies before play may have come from the stack, too.
            return opened, (self._first_moment(drawn[0]),)
        moments = zip(self.moments, drawn, strict=True)
        return opened, tuple(replace(moment, position=position) for moment, position in moments)

    # -- turns ---------------------------------------------------------------------------------------------------

    def _seal(self, data: Mapping[str, Any]) -> None:
        self.round = self._running_round().with_commitment(data["seat"], data["commitment"])

    def _opens(self, _data: Mapping[str, Any]) -> None:
        self.round = replace(self._running_round(), begun=True)

    def _opening(self, data: Mapping[str, Any]) -> None:
        self.round = self._running_round().with_opening(data["seat"], data["action"], data["nonce"])

    def _reseal(self, data: Mapping[str, Any]) -> None:
        if "seat" in data:
            self.round = self._running_round().without_seal(data["seat"])
            if "past" in data:
                return  # What takes its place follows at once.
            name = self.name(data["seat"])
            self.tell(say("{name} seals this turn again; all other seals stay valid.", name=name))
            return
        self._open_round()
        self.tell(VOID[data.get("by", "agreement")])

    def _reveal(self, data: Mapping[str, Any]) -> None:
        sealed = self._running_round()
        actions = {int(seat): action for seat, action in data["actions"].items()}
        transition = self.game.apply(self.now.position, actions)  # Only a legal action has words.
        self.history = next_history(self.history, sealed.turn, actions, sealed.nonces)
        placed = join_sentences(
            join_sentences((self.name(seat), self.game.words(action)), " ") for seat, action in sorted(actions.items())
        )
        self.tell(say("Turn {turn}: {placements}.", turn=sealed.turn, placements=placed))
        self._advance(transition, data, "reveal", None, actions)

    def _action(self, data: Mapping[str, Any]) -> None:
        seat, action = data["seat"], data["action"]
        transition = self.game.apply(self.now.position, {seat: action})
        self.tell(say("{name}: {words}.", name=self.name(seat), words=self.game.words(action)))
        self._advance(transition, data, "action", seat, {seat: action})

    def _loop(self, data: Mapping[str, Any]) -> None:
        search = capabilities_of(self.game).analysis
        if search is None:
            raise LedgerError(f"a loop is called, but {self.game.title} knows none")
        self.tell(LOOP[data["by"]])
        self._advance(search.call_loop(self.now.position, data["nodes"]), data, "loop", None, {})

    def _settle(self, data: Mapping[str, Any]) -> None:
        decisions = capabilities_of(self.game).decisions
        found = decisions.decision(self.now.position) if decisions else None
        if decisions is None or found is None or found.winner != data["winner"]:
            raise LedgerError(f"the game is recorded as decided for seat {data['winner']}, but by the rules it is not")
        self.tell(say("All players agree: {words}.", words=found.words))
        self._advance(decisions.settle(self.now.position), data, "decided", None, {})

    def _draw(self, data: Mapping[str, Any]) -> None:
        """End the game without a winner: nothing on the board changes, and no game's rules are asked."""
        if not self.started or self.over:
            raise LedgerError("a draw is agreed on, but no game is being played")
        self.tell(say("All players agree on a draw."))
        self._advance(agree_draw(self.game, self.now), data, "draw", None, {})

    def _resign(self, data: Mapping[str, Any]) -> None:
        seat = data["seat"]
        self.tell(fill(RESIGNED[data.get("by")], name=self.name(seat)))
        before = self.round
        self._advance(self.game.resign(self.now.position, seat), data, "resign", seat, {})
        self.resigned |= {seat}
        self.late |= {seat} if data.get("by") == "time" else frozenset()
        if before and self.round and before.turn == self.round.turn:
            self.round = before.without(seat)

    def _correction(self, data: Mapping[str, Any]) -> None:
        keep = data["to"] + 1
        if not 1 <= keep < len(self.moments):
            raise LedgerError(f"correction to {data['to']}, but {len(self.moments) - 1} moments are in force")
        gone = self.moments[keep:]
        words = self.taken_back_words(data.get("by", "agreement"))
        self.moments = self.moments[:keep]
        back = {moment.seat for moment in gone if moment.kind == "resign" and moment.seat is not None}
        if self.clocks_at and self.late & back:  # Who had no time left then would lose again in the same instant.
            stood = self.clocks_at[keep - 1].with_last(self.late & back)
            self.clocks_at = (*self.clocks_at[: keep - 1], stood, *self.clocks_at[keep:])
        self.resigned, self.late = self.resigned - back, self.late - back
        self._move()
        self.ended = False
        self._agree(self.now.position, data)
        self.tell(words)
        self._open_round()

    def taken_back_words(self, by: str) -> Text:
        """Return by whom the last moment is taken back: a person among computers has nobody to agree with."""
        out = self.resigned - {self.now.seat} if self.now.kind == "resign" else self.resigned
        people = [seat for seat, one in self.sittings.items() if not one.computer and seat not in out]
        alone = by == "agreement" and len(people) == 1
        return fill(TAKEN_BACK_ALONE, name=self.name(people[0])) if alone else TAKEN_BACK[by]

    # -- the rest ------------------------------------------------------------------------------------------------

    def _taken_up(self, _data: Mapping[str, Any]) -> None:
        """Put the game at the table again: nothing else changes, except that it is no longer abandoned."""
        self.ended = self.ended and self.over

    def tell(self, line: str) -> None:
        """Add a line to what has been told of the game."""
        self.log = (*self.log, line)[-LOG_LINES:]
        self.told += 1

    def _advance(
        self,
        transition: Transition[Any],
        data: Mapping[str, Any],
        kind: str,
        seat: int | None,
        actions: Mapping[int, str],
    ) -> None:
        self._agree(transition.position, data)
        if list(transition.removed) != list(data.get("removed", transition.removed)):
            raise LedgerError(f"removed nodes {data['removed']} recorded, {list(transition.removed)} by the rules")
        after = Moment(
            transition.position, transition.status, transition.placed, transition.removed, kind, seat, actions
        )
        self.moments = (*self.moments, after)
        self._move()
        if transition.removed and self.game.removal:
            self.tell(fill(self.game.removal.event, nodes=", ".join(transition.removed)))
        self._open_round()

    def _move(self) -> None:
        """Let all subjects note that the game has moved on, or back."""
        for subject in subjects():
            subject.moved(self)

    def _open_round(self) -> None:
        position = self.now.position
        if self.over or not self.game.simultaneous(position):
            self.round = None
            return
        seats = tuple(sorted(self.game.actions(position)))
        self.round = Round(self.game_id, self.game.turn(position), seats, self.history)

    def _running_round(self) -> Round:
        if self.round is None:
            raise LedgerError("a seal outside of a placement")
        return self.round

    def _agree(self, position: Hashable, data: Mapping[str, Any]) -> None:
        text = self.game.text(position)
        if data["position"] != text:
            if is_dealt(self.game):  # Its text contains the order of the stack, and this message may come to a page.
                raise LedgerError("position: the one recorded is not that of the rules")
            raise LedgerError(f"position {data['position']!r} recorded, {text!r} by the rules")


def agree_draw(game: Game[Any], moment: Moment) -> Transition[Any]:
    """Return the end of a game on whose draw all have agreed, with the score as it stands."""
    position = moment.position
    lines = game.explain(position) if game.scoring else ()
    scores, tiebreak = tuple(line.score for line in lines), tuple(line.tiebreak for line in lines)
    return Transition(position, Status(True, AGREED, (), scores, tiebreak), game.occupancy(position))


def result_entry(status: Status) -> dict[str, Any]:
    """Return the data of the entry that ends a game."""
    return {
        "reason": status.reason,
        "winners": list(status.winners),
        "scores": list(status.scores),
        "tiebreak": list(status.tiebreak),
    }


def _sets(**values: bool) -> Callable[[Ledger, Mapping[str, Any]], None]:
    return lambda ledger, _data: vars(ledger).update(values)


_OWN: Mapping[str, Callable[[Ledger, Mapping[str, Any]], None]] = {
    "game": Ledger._game,
    "mode": Ledger._mode,
    "seat": Ledger._seat,
    "left": Ledger._leave_seat,
    "colour": Ledger._colour,
    "moved": Ledger._move_seat,
    TAKEN_UP: Ledger._taken_up,
    PAUSE: _sets(paused=True),
    RESUME: _sets(paused=False),
    "clocks": Ledger._clocks,
    TIME: _sets(),  # Only time has passed.
    "flag": Ledger._flag,
    "start": Ledger._start,
    "lot": Ledger._lot,
    "seal": Ledger._seal,
    "opens": Ledger._opens,
    "opening": Ledger._opening,
    "reseal": Ledger._reseal,
    "reveal": Ledger._reveal,
    "action": Ledger._action,
    "loop": Ledger._loop,
    "decided": Ledger._settle,
    "draw": Ledger._draw,
    "resign": Ledger._resign,
    "correction": Ledger._correction,
    "result": _sets(ended=True),
    "abandoned": _sets(ended=True),
}


@cache
def _handlers() -> Mapping[str, Callable[[Ledger, Mapping[str, Any]], None]]:
    """Return how each kind of entry is folded."""
    return {**_OWN, **{kind: fold for subject in subjects() for kind, fold in subject.entries.items()}}


# -- what is chosen at random for a seat whose time is up: it follows from a seed, so that all can find it again --


def time_up_seed(table_seed: Seed, game_id: str, stint: Stint, seat: int, number: int) -> str:
    """Return the seed of the seat's random choices, 32 hex digits: it can't be guessed without the table's own seed."""
    fields = ("lodestone-lot-v1", str(table_seed), game_id, *map(str, stint), str(seat), str(number))
    return hashlib.sha256("\n".join(fields).encode("ascii")).hexdigest()[:32]


def random_placement(ledger: Ledger, seat: int, seed: str) -> Opening:
    """Return the placement to seal for a seat, and the nonce of its seal."""
    action = ledger.game.random_action(ledger.now.position, seat, Random(seed))
    return Opening(action, hashlib.sha256(f"nonce {seed}".encode("ascii")).hexdigest()[:32])


def random_step(ledger: Ledger, seat: int, seed: str) -> str:
    """Return a random action for a seat."""
    return ledger.game.random_action(ledger.now.position, seat, Random(f"{seed} {len(ledger.moments)}"))


# -- the round of seals of one turn ------------------------------------------------------------------------------------


OPENING_BEGUN = say("phones have begun to open their seals: only all together can seal again")


def why_not_resealed(sealing: Round, seat: int) -> str | None:
    """Return why a seat can't seal again, in words; None if it can."""
    if seat not in sealing.seats or seat not in sealing.commitments:
        return say("nothing is sealed for this seat in this turn")
    if seat in sealing.actions:
        return say("the seal is open already: nothing is lost")
    return OPENING_BEGUN if sealing.begun else None


@dataclass(frozen=True)
class Round:
    """The seals of one turn: the seats that must seal, those that have, and the openings once they are journalled.

    ``begun`` means that an opening has left its phone: no single seat can seal again. Until the last one arrives,
    openings are in memory only (:mod:`firmware_host.table.subjects.rounds`).
    """

    game: str
    turn: int
    seats: tuple[int, ...]
    history: str
    commitments: Mapping[int, str] = field(default_factory=dict)
    actions: Mapping[int, str] = field(default_factory=dict)
    nonces: Mapping[int, str] = field(default_factory=dict)
    begun: bool = False

    @property
    def is_sealed(self) -> bool:
        """Whether every seat has committed."""
        return len(self.commitments) == len(self.seats)

    def check_commitment(self, seat: int, turn: int, digest: str) -> bool:
        """Raise TableError unless the seat may commit to ``digest`` now; return False for a harmless repetition."""
        self.check_turn(seat, turn)
        if not HASH.fullmatch(digest):
            given = repr(digest[:80])
            raise TableError("bad_seal", say("commitment: expected 64 lower-case hex digits, got {given}", given=given))
        mine = self.commitments.get(seat)
        if mine is not None:
            if hmac.compare_digest(mine, digest):
                return False
            words = say("seat {seat} has sealed turn {turn} already; a seal is final", seat=seat, turn=turn)
            raise TableError("already_sealed", words)
        if digest in self.commitments.values():
            raise TableError("bad_seal", say("this commitment is another seat's; seal your own placement"))
        return True

    def check_opening(self, seat: int, turn: int, action: str, nonce: str) -> bool:
        """Raise TableError unless the opening matches the seat's seal; return False for a harmless repetition."""
        self.check_turn(seat, turn)
        if not self.is_sealed:
            raise TableError("wrong_phase", say("not everybody has sealed yet; keep your placement to yourself"))
        if not HEX.fullmatch(nonce):
            raise TableError("bad_seal", say("nonce: expected 32 lower-case hex digits"))
        if not action.isascii() or len(action) > 16 or "\n" in action:
            given = repr(action[:40])
            raise TableError("bad_seal", say("action: expected at most 16 ASCII characters, got {given}", given=given))
        digest = commitment(self.game, self.turn, seat, self.history, action, nonce)
        if not hmac.compare_digest(digest, self.commitments[seat]):
            words = say("this is not what seat {seat} sealed in turn {turn}", seat=seat, turn=turn)
            raise TableError("seal_mismatch", words)
        return seat not in self.actions

    def with_commitment(self, seat: int, digest: str) -> Round:
        """Return the round with one more seal."""
        return replace(self, commitments={**self.commitments, seat: digest})

    def with_opening(self, seat: int, action: str, nonce: str) -> Round:
        """Return the round with one more opening."""
        actions, nonces = {**self.actions, seat: action}, {**self.nonces, seat: nonce}
        return replace(self, actions=actions, nonces=nonces, begun=True)

    def without_seal(self, seat: int) -> Round:
        """Return the round without one seal, that of a lost phone; what others have opened stays hidden."""
        return replace(self, commitments={other: d for other, d in self.commitments.items() if other != seat})

    def without(self, seat: int) -> Round:
        """Return the round without a seat that has resigned."""
        seats = tuple(other for other in self.seats if other != seat)
        by_seat = (self.commitments, self.actions, self.nonces)
        commitments, actions, nonces = ({other: by[other] for other in by if other != seat} for by in by_seat)
        return replace(self, seats=seats, commitments=commitments, actions=actions, nonces=nonces)

    def check_turn(self, seat: int, turn: int) -> None:
        """Raise TableError unless the seat takes part in this round, and the turn is the present one."""
        if seat not in self.seats:
            raise TableError("bad_seat", say("seat {seat} does not place in this turn", seat=seat))
        if turn != self.turn:
            words = say("turn: expected {turn}, got {given}: that seal is of another turn", turn=self.turn, given=turn)
            raise TableError("bad_seal", words)


@dataclass(frozen=True)
class Opening:
    """The data with which a phone opens a seal: the placement and the nonce."""

    action: str
    nonce: str

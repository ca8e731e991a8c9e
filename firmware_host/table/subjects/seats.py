"""Seats and who sits there: names, the lobby, seats that computers play, that move to other phones, that people keep.

Names have visible characters only, no change of writing direction and no piles of combining marks, and no two look
alike. A seat belongs to the phone whose signed cookie carries its *claim*. Requests of phones for a seat are not
journalled: after a restart phones ask again.
"""

from __future__ import annotations

import hmac
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import Annotated, Any, NamedTuple, TypedDict

from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.drawing import COLOURS
from firmware_host.games.game import GameError
from firmware_host.games.positions import Seed, is_dealt, starting
from firmware_host.games.seals import deal_seal
from firmware_host.table.change import Change
from firmware_host.table.errors import TableError
from firmware_host.table.events import ANY, LOBBY, PLAYING, Colour, Event, Seat, Word, event, post
from firmware_host.table.ledger import Ledger, Sitting, checked_level, why_not_resealed
from firmware_host.table.state import Table, choose, wish_to_begin
from firmware_host.table.subject import Subject, SubjectState, subjects
from firmware_host.table.subjects.rounds import mark_not_ready
from firmware_host.text.words import say, say_many

MAX_NAME = 24
SHAPELESS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Characters that count as printable and show nothing."""
MAX_MARKS = 3
"""Maximum number of marks on one letter; no language has more, and a pile of them covers the lines above."""
_MARKS = re.compile(
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\U000e0100-\U000e01ef]"
)
"""Marks of no particular language, after normalisation: a letter and its mark that form one character are one."""
_LIKE_LATIN = str.maketrans(
    "авеѕіјкмнорстухԍԛԝαβεζηικμνορτυχԁһ",
    "abesijkmhopctyxgqwabezhikmnoptyxdh",
)
"""Letters of two other alphabets that look like Latin ones, or whose capitals do."""


def is_name(name: str) -> bool:
    """Return whether people can read this as a name: in the lobby, in records, and everywhere else."""
    fits = 0 < len(name) <= MAX_NAME and name == name.strip() and name.isprintable()
    return fits and not SHAPELESS & set(name) and name_key(name) != "" and not _piles(name)


def name_key(name: str) -> str:
    """Return a name as the eye compares it: without case, blanks and the difference between alphabets.

    Names that differ in their case only have one key.
    """
    plain = unicodedata.normalize("NFKC", name.casefold()).casefold().translate(_LIKE_LATIN)
    return "".join(_MARKS.sub("", plain).split())


def _piles(name: str) -> bool:
    marks = 0
    for letter in name:
        marks = marks + 1 if unicodedata.category(letter) in {"Mn", "Me"} else 0
        if marks > MAX_MARKS:
            return True
    return False


def sitting_down(ledger: Ledger, event: SeatTaken) -> dict[str, Any]:
    """Return the entry for taking a seat. Raise TableError: no such seat, taken, or not a name."""
    check_seat(ledger, event.seat)
    sitting = ledger.sittings.get(event.seat)
    if sitting is not None and (event.computer or not same_claim(sitting.claim, event.claim)):
        words = say("seat {seat} is taken by {name}; choose another", seat=event.seat, name=sitting.name)
        raise TableError("seat_taken", words)
    wish = free_name(ledger, event.seat, event.name) if event.computer else event.name
    name = checked_name(ledger, event.seat, wish)
    level = {"level": event.level} if event.computer and event.level is not None else {}
    return {"seat": event.seat, "name": name, "claim": event.claim, "computer": event.computer, **level}


def free_name(ledger: Ledger, seat: int, wish: str) -> str:
    """Return the name of a computer, or of a player at another table, as names never keep it off a seat."""
    return name_beside(wish, (sitting.name for other, sitting in ledger.sittings.items() if other != seat))


def name_beside(wish: str, others: Iterable[str]) -> str:
    """Return a name, with a number if one of the others looks like it."""
    taken = set(map(name_key, others))
    numbers = (f" ({number})" for number in count(2))
    numbered = (f"{wish[: MAX_NAME - len(number)].rstrip()}{number}" for number in numbers)
    return next(name for name in chain([wish], numbered) if name_key(name) not in taken)


def _is_taken(ledger: Ledger, seat: int, name: str, key: Callable[[str], str]) -> bool:
    """Return whether another player has the same name by a key."""
    return any(key(sitting.name) == key(name) for other, sitting in ledger.sittings.items() if other != seat)


def check_name(name: str) -> None:
    """Raise TableError for an unreadable name."""
    if not is_name(name):
        raise TableError("bad_name", say("a name has 1 to {longest} letters, digits or symbols", longest=MAX_NAME))


def checked_name(ledger: Ledger, seat: int, wish: str, key: Callable[[str], str] = name_key) -> str:
    """Return the name that a seat's player may use. Raise TableError: not a name, or another player's by ``key``."""
    name = wish.strip()
    check_name(name)
    if _is_taken(ledger, seat, name, key):
        raise TableError("bad_name", say("somebody is already called {name}; choose another name", name=name))
    return name


def same_claim(one: str, other: str) -> bool:
    """Return whether two claims are the same, in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())


class SeatClaim(NamedTuple):
    """A seat, and the claim by which a phone holds it: in whose name a request acts."""

    seat: int
    claim: str


def check_claim(ledger: Ledger, by: SeatClaim) -> None:
    """Raise TableError unless the phone with this claim holds this very seat now.

    A request is admitted when it comes, and done later. In between seats may rotate, move to other phones or be given
    up: then what was meant for one person's seat would be done for another's.
    """
    sitting = ledger.sittings.get(by.seat)
    if sitting is None or not by.claim or not same_claim(sitting.claim, by.claim):
        words = say("the seats have just changed: look which one is yours now, and try again")
        raise TableError("not_seated", words)


def check_seat(ledger: Ledger, seat: int) -> None:
    """Raise TableError if the mode has no such seat."""
    if seat not in ledger.all_seats:
        seats = ", ".join(map(str, ledger.all_seats))
        raise TableError("bad_seat", say("seat: expected one of [{seats}], got {seat}", seats=seats, seat=seat))


def sitting_on(ledger: Ledger, seat: int) -> Sitting:
    """Return the player of a seat. Raise TableError if it is free."""
    sitting = ledger.sittings.get(seat)
    if sitting is None:
        raise TableError("bad_seat", say("nobody sits on seat {seat}", seat=seat))
    return sitting


def seat_entries(before: Ledger, now: Ledger, *, turned: bool = False) -> list[tuple[str, dict[str, Any]]]:
    """Return the entries by which people keep seats, colours and clocks in the next game, if it has them.

    ``turned``: everybody moves on by one seat, the last one to the first, if the game has that number of seats.
    """
    seats = before.all_seats
    goes = dict(zip(seats, (*seats[1:], seats[0]) if turned and seats == now.all_seats else seats, strict=True))
    entries: list[tuple[str, dict[str, Any]]] = [
        ("seat", {**before.next_seat_entry(seat), "seat": goes[seat]})
        for seat in sorted(before.sittings, key=lambda seat: goes[seat])
        if goes[seat] in now.all_seats
    ]
    colours = Ledger(now.game, now.game_id, now.mode)
    for seat, colour in sorted((goes[seat], colour) for seat, colour in before.chosen_colours.items() if seat in goes):
        if seat in now.all_seats and not now.own_colours and colours.colours[seat] != colour:
            data = {"seat": seat, "colour": colour}
            colours.apply("colour", data)
            entries.append(("colour", data))
    if before.clock_setting is not None:
        odds = {goes[seat]: main for seat, main in before.clock_setting.odds.items() if goes.get(seat) in now.all_seats}
        entries.append(("clocks", replace(before.clock_setting, odds=odds).to_dict()))
    there = {seat: to for seat, to in goes.items() if to in now.all_seats}
    return [*entries, *(entry for subject in subjects() for entry in subject.next_game(before, there))]


def moved_seat_entries(ledger: Ledger, moved: Mapping[str, str]) -> list[tuple[str, dict[str, Any]]]:
    """Return the entries that give seats to the phones to which they have moved meanwhile, in other games."""
    entries = []
    for seat, sitting in ledger.sittings.items():
        claim, seen = sitting.claim, set[str]()
        while claim in moved and claim not in seen:
            seen.add(claim)
            claim = moved[claim]
        if claim != sitting.claim and not sitting.computer:
            entries.append(("moved", {"seat": seat, "claim": claim}))
    return entries


@post("/api/host/mode", "Choose another mode in the lobby", "mode")
@event(LOBBY, say("choosing a mode"))
class ModeChosen(Event):
    """In the lobby: the game's mode changes. Seats that the mode does not have are vacated."""

    mode: Word

    def happen(self, change: Change) -> None:
        table = change.table
        if self.mode not in table.game.modes:
            modes = ", ".join(table.game.modes)
            words = say("mode: expected one of {modes}, got {mode!r}", modes=modes, mode=self.mode)
            raise TableError("bad_mode", words)
        change.enter("mode", {"mode": self.mode})
        _keep_requests(table, lambda _, seat: seat in table.ledger.sittings)


@event(LOBBY, say("taking a seat"))
class SeatTaken(Event):
    """In the lobby a person (or ``computer``) takes a seat.

    ``claim`` is a random word that only this phone's signed cookie carries; it is new each time a seat is taken.
    ``level`` is a computer's level (:mod:`firmware_host.games.levels`); None: the game's usual level. ``leaves`` is the
    seat that the person gives up for it; who is refused keeps it.
    """

    seat: int
    name: str
    claim: str
    computer: bool = False
    level: int | None = None
    leaves: int | None = None

    def happen(self, change: Change) -> None:
        table = change.table
        if self.leaves is not None:
            SeatLeft(at=self.at, seat=self.leaves).happen(change)
        level = checked_level(table.game, self.level) if self.computer else self.level
        change.enter("seat", sitting_down(table.ledger, replace(self, level=level)))


@post("/api/host/dismiss", "The seat's player leaves the seat, in the lobby", "seat")
@event(LOBBY, say("leaving a seat"))
class SeatLeft(Event):
    """In the lobby: a seat is vacated."""

    seat: Seat

    def happen(self, change: Change) -> None:
        table = change.table
        sitting_on(table.ledger, self.seat)
        change.enter("left", {"seat": self.seat})
        _drop_requests(table, self.seat)


@event(LOBBY, say("choosing a name"))
class SeatNamed(Event):
    """In the lobby: the seat's player changes its name."""

    seat: Seat
    name: Word

    def happen(self, change: Change) -> None:
        table = change.table
        sitting = sitting_on(table.ledger, self.seat)
        name = checked_name(table.ledger, self.seat, self.name)
        if name != sitting.name:
            change.enter("seat", table.ledger.seat_entry(self.seat, name=name))


@post("/api/colour", "Choose the colour of your lights, in the lobby", "colour")
@post("/api/host/colour", "Give a seat a colour, in the lobby", "seat colour")
@event(LOBBY, say("choosing a colour"))
class SeatColoured(Event):
    """In the lobby: a seat's lights get this colour (1 to 8); a seat that has it gets the first one's in exchange."""

    seat: Seat
    colour: Colour

    def happen(self, change: Change) -> None:
        table = change.table
        check_seat(table.ledger, self.seat)
        if not 1 <= self.colour <= COLOURS:
            words = say("colour: expected 1 to {most}, got {colour}", most=COLOURS, colour=self.colour)
            raise TableError("bad_colour", words)
        if table.ledger.own_colours:
            raise TableError("bad_colour", say("here the colours of the pieces tell the players apart"))
        if table.ledger.colours[self.seat] != self.colour:
            change.enter("colour", {"seat": self.seat, "colour": self.colour})


@event(LOBBY, say("starting"))
class GameStarted(Event):
    """All seats are taken and somebody pressed start.

    ``seed`` deals a shuffled game; None: the seed that the table has drawn, and sealed, in the lobby. ``lots`` are the
    commitments of all tables of a room (first seat → commitment) to the lots that draw a shuffled stack instead.
    ``position`` is the text of a starting position that replaces the game's own. ``together``: all tables of the room
    are ready; else the wish is passed on to them.
    """

    together: bool = False
    seat: int | None = None
    seed: Seed | None = None
    lots: Mapping[int, str] | None = None
    position: str | None = None

    def happen(self, change: Change) -> None:
        table = change.table
        check_seated(table, table.ledger.all_seats)
        far, game = table.far, table.game
        if far is not None and table.ledger.clock_setting is not None:
            raise TableError("bad_clock", say("clocks can't run at several tables: switch them off"))
        if far is not None and self.position is not None and not self.together:
            raise TableError("not_here", say("a game of several tables begins as its rules say"))
        if far is not None and far.seats and is_dealt(game) and capabilities_of(game).stack is None:
            words = say("in {game} one table deals everything: several tables can't play it together", game=game.title)
            raise TableError("not_here", words)
        if far is not None and not self.together:
            wish_to_begin(table)
            return
        try:
            entry = _start_entry(table, self)
        except GameError as error:
            raise TableError(error.code, error.message) from error
        change.enter("start", entry)
        change.set_up()


def _start_entry(table: Table, event: GameStarted) -> dict[str, Any]:
    game, mode = table.game, table.ledger.mode
    if event.position is not None:
        given = {"given": True, "position": event.position}
        return {**given, "position": game.text(starting(game, mode, given))}
    if event.lots is not None:
        lots = {"lots": {str(seat): commitment for seat, commitment in sorted(event.lots.items())}}
        return {"position": game.text(starting(game, mode, lots)), **lots}
    seed = table.seed if event.seed is None else event.seed
    dealt = {"seed": seed} if is_dealt(game) else {}
    position = game.text(starting(game, mode, dealt))
    sealed = {"deal": deal_seal(table.ledger.game_id, seed, position)} if dealt else {}
    return {"position": position, **dealt, **sealed}


def check_seated(table: Table, seats: Iterable[int]) -> None:
    """Raise TableError while one of these seats, those of a mode, is open."""
    missing = [seat for seat in seats if seat not in table.ledger.sittings]
    if missing:
        raise TableError("wrong_phase", say("seats still open: {seats}", seats=", ".join(map(str, missing))))


def unseal(change: Change, seat: int) -> None:
    """Let the next player of a seat seal again: the present seal can't be opened any more.

    Raise TableError once phones have begun to open: then only the whole turn can be void.
    """
    sealing = change.table.ledger.round
    if sealing is None or seat not in sealing.commitments:
        return
    reason = why_not_resealed(sealing, seat)
    if reason is not None:
        raise TableError("wrong_phase", reason)
    if change.table.far is not None:
        raise TableError("wrong_phase", say("other tables know this seal: wait until the turn is over"))
    change.enter("reseal", {"turn": sealing.turn, "seat": seat})


@event(PLAYING | {"lobby", "clearing"}, say("giving a seat to a computer"))
class ComputerSeated(Event):
    """The host lets a computer play a seat from now on: at another level, or in place of an absent person."""

    seat: int
    level: int | None = None

    def happen(self, change: Change) -> None:
        """Let a computer play a seat at a level: a computer's seat, or in a running game that of an absent person."""
        table = change.table
        sitting = sitting_on(table.ledger, self.seat)
        level = checked_level(table.game, self.level)
        _check_here(table, self.seat)
        if not table.ledger.started and not sitting.computer:
            words = say("seat {seat} is taken by {name}; choose another", seat=self.seat, name=sitting.name)
            raise TableError("seat_taken", words)
        if not sitting.computer:
            unseal(change, self.seat)
        change.enter("seat", table.ledger.seat_entry(self.seat, claim="", computer=True, level=level))
        _drop_requests(table, self.seat)
        if not sitting.computer and table.phase == "resolving":
            choose(table, None)
            change.follow_position(table.done_stages)


MAX_REQUESTS = 8
"""Maximum number of phones that ask for a seat at the same time: more could not be kept apart."""
MAX_CODE = 12
REQUESTS: SubjectState[Mapping[str, int]] = SubjectState({})
"""Requests of phones for a seat: code → seat. After a restart phones ask again."""


@event(ANY)
class SeatAsked(Event):
    """A phone without a seat asks the host for one that a person holds; ``code`` names it to people."""

    seat: int
    code: str

    def happen(self, change: Change) -> None:
        table = change.table
        _check_person(table, self.seat)
        if not self.code or len(self.code) > MAX_CODE or not self.code.isalnum():
            raise TableError("bad_code", say("code: expected 1 to {longest} letters and digits", longest=MAX_CODE))
        if self.code in REQUESTS.of(table):
            raise TableError("bad_code", say("another phone is already asking with this code"))
        if len(REQUESTS.of(table)) >= MAX_REQUESTS:
            raise TableError("too_many", say("too many phones are asking for a seat; the host has to answer first"))
        REQUESTS.put(table, {**REQUESTS.of(table), self.code: self.seat})


@post("/api/host/refuse", "Refuse the phone that shows this code", "code")
@event(ANY)
class AskRefused(Event):
    """The host refuses the phone that shows this code, or that phone withdraws its request."""

    code: Word

    def happen(self, change: Change) -> None:
        table = change.table
        _check_asks(table, self.code)
        _keep_requests(table, lambda code, _: code != self.code)


@event(ANY)
class SeatMoved(Event):
    """The host gives a person's seat to another phone: from now on its signed cookie carries this ``claim``.

    ``code`` names the request that the host allows; it must still be open, and ask for this seat.
    """

    seat: int
    claim: str
    code: str | None = None

    def happen(self, change: Change) -> None:
        table = change.table
        if self.code is not None:
            _check_asks(table, self.code, self.seat)
        _check_person(table, self.seat)
        if not self.claim or same_claim(table.ledger.sittings[self.seat].claim, self.claim):
            raise TableError("bad_claim", say("seat {seat}: the other phone needs a claim of its own", seat=self.seat))
        was_computer = table.is_computer(self.seat)
        if was_computer:
            unseal(change, self.seat)  # The phone does not hold what the computer has sealed.
        change.enter("moved", {"seat": self.seat, "claim": self.claim})
        _drop_requests(table, self.seat)
        if was_computer and table.phase == "resolving":
            change.follow_position(
                table.done_stages
            )  # Hands are bound to what a computer names, and to nothing else now.
        mark_not_ready(change, self.seat)  # Its seal is on the other phone, which can't open anything any more.


def _check_asks(table: Table, code: str, seat: int | None = None) -> None:
    """Raise TableError unless a phone asks with this code, for this seat if one is given."""
    asked = REQUESTS.of(table).get(code)
    if asked is None or seat not in {None, asked}:
        raise TableError("bad_code", say("no phone is asking with the code {code!r} now", code=code[:MAX_CODE]))


def _drop_requests(table: Table, seat: int) -> None:
    """Forget which phones ask for a seat: somebody has it, or nobody any more."""
    _keep_requests(table, lambda _, asked: asked != seat)


def _keep_requests(table: Table, keeps: Callable[[str, int], bool]) -> None:
    REQUESTS.put(table, {code: seat for code, seat in REQUESTS.of(table).items() if keeps(code, seat)})


class SeatRequest(TypedDict):
    seat: Annotated[int, "Seat"]
    code: str
    name: str


class SeatsPart(TypedDict):
    asks: Sequence[SeatRequest]


def _view(table: Table) -> SeatsPart:
    ledger = table.ledger
    return {"asks": [{"seat": s, "code": c, "name": ledger.name(s)} for c, s in REQUESTS.of(table).items()]}


def _check_person(table: Table, seat: int) -> None:
    check_seat(table.ledger, seat)
    if sitting_on(table.ledger, seat).computer and not table.ledger.started:
        raise TableError("bad_seat", say("a computer sits on seat {seat}", seat=seat))
    _check_here(table, seat)


def _check_here(table: Table, seat: int) -> None:
    """Raise TableError for a seat that is played at another table."""
    if table.far is not None and table.is_far(seat):
        words = say("seat {seat} is played at the table {table}", seat=seat, table=table.far.seats[seat])
        raise TableError("bad_seat", words)


def lobby_sentence(table: Table) -> str:
    """Return what the lobby waits for."""
    waiting = [seat for seat in table.ledger.all_seats if seat not in table.ledger.sittings]
    if waiting:
        return say_many("Waiting for {count} more player.", "Waiting for {count} more players.", len(waiting))
    return say("All seats are taken. The host starts the game.")


SUBJECT = Subject(view=_view)

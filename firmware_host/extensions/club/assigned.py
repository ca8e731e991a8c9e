"""The boards of a club's rounds that are to be played at this table: shown between games, begun with one tap.

The club says which boards they are. Here they only help: nobody is kept from playing something else, and
what counts in the tournament is for the club to say, when it has the record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from firmware_host.games.capabilities import rules_of
from firmware_host.games.game import Game, GameError
from firmware_host.games.registry import game as find_game
from firmware_host.table.change import Change
from firmware_host.table.errors import TableError
from firmware_host.table.events import ANY, BETWEEN_GAMES, Event, event
from firmware_host.table.state import Table
from firmware_host.table.subject import Subject, SubjectState
from firmware_host.table.subjects.seats import SeatLeft, name_key
from firmware_host.table.view_form import Count, Seat
from firmware_host.text.words import say

if TYPE_CHECKING:
    from firmware_host.session.host import Host
    from firmware_host.session.runtime import Runtime


@dataclass(frozen=True)
class Pairing:
    """A board of a club's round that is to be played at this table. ``first`` is the name of who has the first seat."""

    tournament: int
    name: str
    """The tournament's."""
    round: int
    board: int
    game: str
    rules: tuple[str, ...]
    """The options that are on."""
    mode: str
    first: str
    second: str


@event(ANY)
class PairingsChanged(Event):
    """The table's club has assigned other boards to it. Not journalled: the club says it again."""

    pairings: Sequence[Pairing]

    def happen(self, change: Change) -> None:
        STATE.put(change.table, self.pairings)


STATE: SubjectState[Sequence[Pairing]] = SubjectState(())
"""The boards that the table's club has assigned to it."""


class PairedSeat(TypedDict):
    seat: Seat
    name: str
    here: bool


class PairingView(TypedDict):
    tournament: Count
    name: str
    round: Count
    board: Count
    title: str
    words: str
    ready: bool
    seats: Sequence[PairedSeat]


class PairingsPart(TypedDict):
    pairings: Sequence[PairingView]


def game_of(pairing: Pairing) -> Game[Any]:
    """Return a pairing's game with its options. Raise GameError for one that this program does not have."""
    return find_game(pairing.game, dict.fromkeys(pairing.rules, True))


def seats_of(pairing: Pairing) -> dict[int, str]:
    """Return seat → name of both players. Raise GameError as :func:`game_of` does, or for an unknown mode."""
    return dict(zip(game_of(pairing).seats(pairing.mode), (pairing.first, pairing.second), strict=False))


def pairing_views(table: Table) -> list[PairingView]:
    """Return what is to be played at this table, as long as nothing is being played."""
    if table.lesson is not None or table.phase not in BETWEEN_GAMES:
        return []
    views = (_view(table, pairing) for pairing in STATE.of(table))
    # A game that has just ended here counts as soon as the club has its record.
    return [
        one for one in views if not (table.phase == "over" and one["ready"] and all(s["here"] for s in one["seats"]))
    ]


def _view(table: Table, pairing: Pairing) -> PairingView:
    ledger = table.ledger
    try:
        title, places = game_of(pairing).title, seats_of(pairing)
    except GameError:  # The club has a newer program.
        title, places = pairing.game, {}
    is_game = (table.game.name, ledger.mode, set(rules_of(table.game))) == (
        pairing.game,
        pairing.mode,
        set(pairing.rules),
    )
    seats: Sequence[PairedSeat] = [
        {
            "seat": seat,
            "name": name,
            "here": is_game
            and seat in ledger.sittings
            and not ledger.sittings[seat].computer
            and name_key(ledger.name(seat)) == name_key(name),
        }
        for seat, name in places.items()
    ]
    others = ledger.sittings.keys() - {one["seat"] for one in seats if one["here"]}
    return {
        "tournament": pairing.tournament,
        "name": pairing.name,
        "round": pairing.round,
        "board": pairing.board,
        "title": title,
        "words": say(
            "Round {round}, board {board}: {first} – {second} play here.",
            round=pairing.round,
            board=pairing.board,
            first=pairing.first,
            second=pairing.second,
        ),
        "ready": is_game and not others,
        "seats": seats,
    }


def _part(table: Table) -> PairingsPart:
    return {"pairings": pairing_views(table)}


SUBJECT = Subject(view=_part)


class AssignedBoards:
    """The boards that a club has assigned to a running table, and how one of them is begun."""

    def __init__(self, runtime: Runtime) -> None:
        """There are none until :attr:`pairings` is set."""
        self.pairings: Sequence[Pairing] = ()
        """Any thread may set it; the loop takes it up, for each table anew."""
        self._runtime = runtime
        runtime.hear(self._news)

    def _news(self, table: Table, at: float) -> Iterator[Event]:
        if STATE.of(table) != self.pairings:
            yield PairingsChanged(at=at, pairings=self.pairings)

    def begin(self, host: Host, tournament: int, round_: int, board: int) -> None:
        """Open the lobby of one of the boards, with the seats free for its players. Raise TableError."""
        wanted = (tournament, round_, board)
        pairing = next((p for p in self.pairings if (p.tournament, p.round, p.board) == wanted), None)
        if pairing is None:
            raise TableError("no_pairing", say("the club has assigned this board to another table, or it has a result"))
        runtime = self._runtime
        view = runtime.view(None)[1]
        if view["phase"] not in BETWEEN_GAMES or view["lesson"]:
            raise TableError("wrong_phase", say("a game is still being played"))
        if runtime.room is not None:
            raise TableError("wrong_phase", say("this table is in a room already: leave it first"))
        try:
            seats = seats_of(pairing)
        except GameError as error:
            raise TableError("bad_game", error.args[0]) from error
        offer = host.board_for(pairing.game, game_of(pairing).title)
        host.new_game(offer.key, pairing.mode, pairing.rules)
        for one in runtime.view(None)[1]["seats"]:
            stays = not one["computer"] and name_key(one["name"]) == name_key(seats.get(one["seat"], ""))
            if one["taken"] and not stays:
                runtime.submit(SeatLeft(at=runtime.now(), seat=one["seat"]))

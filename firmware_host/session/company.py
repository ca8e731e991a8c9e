"""What computers do as company: they say a word, offer or refuse an end, and resign a game that is lost.

All of it follows from what a computer expects by its own searches for its steps, of which nothing is kept on the disk;
after a restart it has to see some turns again. Nothing depends on a placement that is still sealed: a computer judges
where it acts, with all on the board.

**Resigning.** Only among two players, and only where nothing is left to luck: neither where placements are sealed nor
where a stack is shuffled. A computer resigns after :data:`LONG` turns of its own in a row in which it expected next to
nothing.

**A draw** is accepted after as many turns in which it never expected to be clearly better, and refused at once before.

**An end without change.** Where the rules know the winner (:class:`firmware_host.games.capabilities.HasDecisions`) a
computer proposes the end, once a game; among computers alone it then ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from firmware_host.archive.data_folder import unwritable
from firmware_host.archive.files import read_small, write_whole
from firmware_host.games.positions import is_dealt
from firmware_host.table.events import Event
from firmware_host.table.state import Table
from firmware_host.table.subjects import proposals
from firmware_host.table.subjects.company import Spoken
from firmware_host.table.subjects.proposals import Agreed, Declined, Proposed, can_propose, waiting
from firmware_host.text.json_reader import InvalidJson, read_object
from firmware_host.text.words import Text, fill, say

LONG = 4
"""In how many turns of its own a computer has to expect the same."""
LOST = 0.06
"""A score up to which a game is lost, of 1. In trials of a game without draws 35 of 50 games would have been resigned,
mostly 25 to 50 turns before the board was full; whoever would have resigned has won none of them."""
EVEN = 0.55
"""A score up to which a draw is welcome."""
FALL = 0.25
"""By how much a computer's expectation falls after a fine move."""
REST = 6
"""Number of its turns between two words of praise."""
ANSWER_S = 1.5
"""Time until a computer answers an offer: people have to see that there was one, seconds."""

FILE = "company.json"
"""The host's setting, in the data folder."""

WORDS: Mapping[str, Sequence[str]] = {
    "start": (say("Good luck!"), say("Have a good game!"), say("I am looking forward to this.")),
    "fine": (say("A fine move, {name}."), say("Well seen, {name}."), say("I did not expect that, {name}.")),
    "won": (say("Thank you for the game!"), say("That was a good fight. Thank you!")),
    "lost": (say("Well played, congratulations!"), say("You were better today. Well played!")),
    "drawn": (say("Nobody won, and it was a pleasure."),),
    "resign": (say("I can't turn this any more. Well played!"),),
    "decline": (say("No draw yet: I would like to play on."),),
}
"""Occasion → what is said."""


@dataclass(frozen=True)
class _Expected:
    """What a computer expected at its last step of a turn; ``moments`` is the number of moments before that step."""

    turn: int
    moments: int
    value: float


@dataclass(frozen=True)
class CompanySetting:
    """What the host allows: the ``words`` of computers, the ``signs`` of people."""

    words: bool = True
    signs: bool = True

    def to_dict(self) -> dict[str, bool]:
        """Return the setting for the host's page and the data folder."""
        return {"words": self.words, "signs": self.signs}


def read_company(data: Path) -> CompanySetting:
    """Return the host's setting; the default without one or if the file is unreadable."""
    try:
        saved = read_object(read_small(data / FILE))
        return CompanySetting(words=saved["words"] is not False, signs=saved["signs"] is not False)
    except (OSError, InvalidJson, KeyError):
        return CompanySetting()


def save_company(data: Path, setting: CompanySetting) -> CompanySetting:
    """Save the host's setting and return it. Raise TableError if the data folder can't be written."""
    try:
        write_whole(data / FILE, json.dumps(setting.to_dict()))
    except OSError as error:
        raise unwritable(error) from error
    return setting


class Company:
    """The manners of a table's computers."""

    def __init__(self) -> None:
        """Know nothing of any game."""
        self._begin("")

    def _begin(self, game: str) -> None:
        self._game = game
        self._expected: dict[int, tuple[_Expected, ...]] = {}
        self._praised: dict[int, int] = {}
        """Seat → the number of turns that it had expected something of when it last praised a move."""
        self._said: set[str] = set()
        """The occasions at which something was said or offered, once each."""
        self._offer: tuple[object, float] | None = None
        """The open offer, and since when it is open."""

    def act(self, table: Table, at: float) -> Iterator[Event]:
        """Yield what computers say, offer and answer now."""
        if self._game != table.ledger.game_id:
            self._begin(table.ledger.game_id)
        computers = [seat for seat in table.ledger.all_seats if table.is_computer(seat)]
        if not computers or not table.ledger.started or table.paused:
            return
        if table.ledger.over:
            yield from self._at_end(table, computers, at)
            return
        self._said.discard("end")
        if len(table.ledger.moments) == 1 and "start" not in self._said:
            self._said.add("start")
            yield from self.say(table, computers[0], "start", at)
        yield from self._answer(table, computers, at)
        ends = table.phase == "resolving" and proposals.current(table) is None and "decided" not in self._said
        if ends and can_propose(table, "decided") is None:
            self._said.add("decided")
            yield Proposed(at=at, seat=computers[0], what="decided")

    def expect(self, table: Table, seat: int, value: float | None) -> bool:
        """Note what a computer expects where it acts; return whether it resigns."""
        if value is None:
            return False
        moments, turn = len(table.ledger.moments), table.game.turn(table.ledger.now.position)
        before = tuple(one for one in self._expected.get(seat, ()) if one.moments < moments and one.turn != turn)
        self._expected[seat] = (*before[-2 * REST :], _Expected(turn, moments, value))
        return _is_plain(table) and self._always(seat, LOST)

    def praise(self, table: Table, seat: int, at: float) -> Iterator[Event]:
        """Yield a word about what a person has done since a computer's last turn, if it was unexpectedly good."""
        known = self._expected.get(seat, ())
        if len(known) < 2 or len(table.ledger.all_seats) != 2 or known[-2].value - known[-1].value < FALL:
            return
        since = table.ledger.moments[known[-2].moments :]
        people = [one.seat for one in since if one.kind == "action" and not table.is_computer(one.seat)]
        if people and known[-1].turn >= self._praised.get(seat, -REST) + REST:
            self._praised[seat] = known[-1].turn
            yield from self.say(table, seat, "fine", at, name=table.ledger.name(people[-1] or 0))

    def say(self, table: Table, seat: int, occasion: str, at: float, **values: str) -> Iterator[Event]:
        """Yield a computer's words; none where no person plays."""
        if all(sitting.computer for sitting in table.ledger.sittings.values()):
            return
        rng = Random(f"{table.ledger.game_id} {len(table.ledger.moments)} {occasion}")
        text: Text = fill(rng.choice(WORDS[occasion]), **values)
        yield Spoken(at=at, seat=seat, text=text)

    def _always(self, seat: int, most: float) -> bool:
        """Return whether a seat has expected at most this for long."""
        known = self._expected.get(seat, ())[-LONG:]
        return len(known) == LONG and all(one.value <= most for one in known)

    def _answer(self, table: Table, computers: Sequence[int], at: float) -> Iterator[Event]:
        offer = proposals.current(table)
        if offer is None or offer.what != "draw":
            self._offer = None
            return
        if self._offer is None or self._offer[0] is not offer.moment:
            self._offer = (offer.moment, at)
        asked = [seat for seat in waiting(table, offer) if seat in computers]
        if not asked or at < self._offer[1] + ANSWER_S or table.phase not in {"sealing", "revealing", "resolving"}:
            return
        if self._always(asked[0], EVEN):
            yield Agreed(at=at, seat=asked[0], what="draw")
            return
        yield Declined(at=at, seat=asked[0], what="draw")
        yield from self.say(table, asked[0], "decline", at)

    def _at_end(self, table: Table, computers: Sequence[int], at: float) -> Iterator[Event]:
        status = table.ledger.now.status
        if "end" in self._said:
            return
        self._said.add("end")
        if table.ledger.now.kind == "resign" and table.is_computer(table.ledger.now.seat):
            return  # It has said what there was to say.
        seat = next((seat for seat in computers if seat in status.winners), computers[0])
        occasion = "drawn" if not status.winners else "won" if seat in status.winners else "lost"
        yield from self.say(table, seat, occasion, at)


def _is_plain(table: Table) -> bool:
    """Return whether two play, and nothing is hidden or left to luck: then what is lost stays lost."""
    start = table.ledger.moments[0].position
    return len(table.ledger.all_seats) == 2 and not table.game.simultaneous(start) and not is_dealt(table.game)

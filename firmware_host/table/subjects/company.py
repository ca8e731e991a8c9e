"""Signs that people give to each other, and what computers show of themselves; written down nowhere.

Computers say words, as people give signs: both are shown for some seconds. While one thinks for long, that is shown;
after its action the reason is, until another seat has acted.

A sign is one of a fixed set, never a text of its own: nobody can say anything with it that a family would not want on
its big screen. The host can switch off signs, and the words of computers. How often somebody gives a sign is limited,
so that it stays one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, TypedDict

from firmware_host.table.change import Change
from firmware_host.table.errors import TableError
from firmware_host.table.events import ANY, Event, Seat, Word, event, post
from firmware_host.table.state import Table
from firmware_host.table.subject import Subject, SubjectState
from firmware_host.text.json_reader import limits
from firmware_host.text.words import fill, say

SHOWN_S = 8.0
"""How long a sign, or a computer's word, is shown, seconds."""
MOST, WITHIN_S = 4, 20.0
"""Maximum number of signs that one seat may give, and within how many seconds."""

SIGNS: Mapping[str, str] = {
    "wave": say("{name} waves."),
    "luck": say("{name} wishes good luck."),
    "like": say("{name} likes that."),
    "clap": say("{name} claps."),
    "wow": say("{name} is amazed."),
    "laugh": say("{name} laughs."),
    "oops": say("{name} says: oops!"),
    "think": say("{name} is thinking."),
    "moment": say("{name} asks for a moment."),
    "break": say("{name} would like a break."),
    "thanks": say("{name} says thank you."),
    "sorry": say("{name} says sorry."),
}
"""Each sign, and how it is told."""


@post("/api/greet", "Give the others a sign", "sign")
@event(ANY)
class Greeted(Event):
    """A person gives the others one of :data:`SIGNS`. Not journalled."""

    seat: Seat
    sign: Word

    def happen(self, change: Change) -> None:
        table, now = change.table, STATE.of(change.table)
        if self.sign not in SIGNS:
            known = ", ".join(SIGNS)
            words = say("sign: expected one of {known}, got {given}", known=known, given=repr(self.sign[:20]))
            raise TableError("bad_sign", words)
        if not now.signs:
            raise TableError("no_signs", say("the host has switched signs off"))
        sitting = table.ledger.sittings.get(self.seat)
        if sitting is None or sitting.computer:
            raise TableError("bad_seat", say("nobody sits on seat {seat}", seat=self.seat))
        if sum(seat == self.seat and table.at < at + WITHIN_S for seat, at in now.signed) >= MOST:
            raise TableError("too_soon", say("wait a moment before the next sign"))
        STATE.put(table, replace(now, signed=(*now.signed, (self.seat, table.at))))
        _show(table, Said(self.seat, self.sign, fill(SIGNS[self.sign], name=sitting.name), table.at + SHOWN_S))


@event(ANY)
class Spoken(Event):
    """A computer says something, a sentence of the program's own. Not journalled."""

    seat: int
    text: str

    def happen(self, change: Change) -> None:
        if STATE.of(change.table).words:
            _show(change.table, Said(self.seat, None, self.text, change.table.at + SHOWN_S))


@event(ANY)
class Thinking(Event):
    """A computer has been thinking about a seat's action for a while; None: it has found one. Not journalled."""

    seat: int | None

    def happen(self, change: Change) -> None:
        STATE.put(change.table, replace(STATE.of(change.table), thinking=self.seat))


@event(ANY)
class CompanyChosen(Event):
    """The host allows, or forbids, the ``words`` of computers and the ``signs`` of people, at this table at all times.

    Not journalled: the host's page keeps it.
    """

    words: bool
    signs: bool

    def happen(self, change: Change) -> None:
        allow(change.table, words=self.words, signs=self.signs)


@dataclass(frozen=True)
class Said:
    """What is shown of a seat: a person's ``sign``, or a computer's words (then ``sign`` is None), ``until`` a time."""

    seat: int
    sign: str | None
    words: str
    until: float


@dataclass(frozen=True)
class CompanyState:
    """What people and computers have ``said`` just now, and which seats have ``signed`` lately, each with the time.

    ``words`` and ``signs``: whether the host lets computers say something, and people give signs. ``thinking`` is the
    seat for which a computer thinks, ``reason`` a computer's seat and why it has chosen its action.
    """

    said: tuple[Said, ...] = ()
    signed: tuple[tuple[int, float], ...] = ()
    words: bool = True
    signs: bool = True
    thinking: int | None = None
    reason: tuple[int, str] | None = None


STATE = SubjectState(CompanyState())


class SaidView(TypedDict):
    seat: Annotated[int, "Seat"]
    sign: Annotated[str, limits(enum=tuple(SIGNS))] | None
    words: str


class CompanyView(TypedDict):
    words: bool
    signs: bool


class Reason(TypedDict):
    seat: Annotated[int, "Seat"]
    text: str


class CompanyPart(TypedDict):
    said: Sequence[SaidView]
    company: CompanyView
    thinking: Annotated[int, "Seat"] | None
    reason: Reason | None


def _view(table: Table) -> CompanyPart:
    now = STATE.of(table)
    said: list[SaidView] = [{"seat": one.seat, "sign": one.sign, "words": one.words} for one in now.said]
    return {
        "said": said,
        "company": {"words": now.words, "signs": now.signs},
        "thinking": now.thinking,
        "reason": {"seat": now.reason[0], "text": now.reason[1]} if now.reason else None,
    }


def explain(table: Table, seat: int, reason: str | None) -> None:
    """Show the reason for a seat's choice; None: it has none."""
    STATE.put(table, replace(STATE.of(table), reason=None if reason is None else (seat, reason)))


def _forget_reason(change: Change, kind: str) -> None:
    """Forget the reason once what a computer foresaw has come, or is off: after a round, an end, another's action."""
    table, reason = change.table, STATE.of(change.table).reason
    if reason is not None:
        by_other = kind == "action" and table.ledger.now.seat != reason[0]
        if by_other or kind in {"reveal", "result", "correction"}:
            explain(table, reason[0], None)


def _on_time(change: Change) -> None:
    """Forget what has been shown for long enough, and who gave signs long ago."""
    table, now = change.table, STATE.of(change.table)
    said = tuple(one for one in now.said if table.at < one.until)
    if said != now.said:
        signed = tuple(one for one in now.signed if table.at < one[1] + WITHIN_S)
        STATE.put(table, replace(now, said=said, signed=signed))


def _show(table: Table, said: Said) -> None:
    """Show something; it replaces what the same seat has said before."""
    now = STATE.of(table)
    STATE.put(table, replace(now, said=(*(one for one in now.said if one.seat != said.seat), said)))


def allow(table: Table, *, words: bool, signs: bool) -> None:
    """Let computers say something, and people give signs, or not."""
    now = STATE.of(table)
    said = tuple(one for one in now.said if (words if one.sign is None else signs))
    STATE.put(table, replace(now, said=said, words=words, signs=signs))


SUBJECT = Subject(
    entered=_forget_reason,
    waits=lambda table: STATE.of(table).said,
    on_time=_on_time,
    pictured=lambda table: STATE.of(table).said,
    view=_view,
)

"""Signs that people give to each other, and words that computers say: shown for some seconds, written down nowhere.

A sign is one of a fixed set, never a text of its own: nobody can say anything with it that a family would not want on
its big screen. The host can switch off signs, and the words of computers. How often somebody gives a sign is limited,
so that it stays one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from firmware_host.table import events as ev
from firmware_host.table.change import Change
from firmware_host.table.errors import TableError
from firmware_host.table.state import Said, Table
from firmware_host.table.view_form import SIGNS as NAMES
from firmware_host.text.words import fill, say

SHOWN_S = 8.0
"""How long a sign, or a computer's word, is shown, seconds."""
MOST, WITHIN_S = 4, 20.0
"""How many signs one seat may give within so many seconds."""

SIGNS: Mapping[str, str] = dict(
    zip(
        NAMES,
        (
            say("{name} waves."),
            say("{name} wishes good luck."),
            say("{name} likes that."),
            say("{name} claps."),
            say("{name} is amazed."),
            say("{name} laughs."),
            say("{name} says: oops!"),
            say("{name} is thinking."),
            say("{name} asks for a moment."),
            say("{name} would like a break."),
            say("{name} says thank you."),
            say("{name} says sorry."),
        ),
        strict=True,
    )
)
"""Each sign, and how it is told."""


def on_time(change: Change) -> None:
    """Forget what has been shown for long enough, and who gave signs long ago."""
    table, now = change.table, change.table.company
    said = tuple(one for one in now.said if table.at < one.until)
    if said != now.said:
        signed = tuple(one for one in now.signed if table.at < one[1] + WITHIN_S)
        table.company = replace(now, said=said, signed=signed)


def _greet(change: Change, event: ev.Greeted) -> None:
    table = change.table
    if event.sign not in SIGNS:
        known = ", ".join(SIGNS)
        raise TableError(
            "bad_sign", say("sign: expected one of {known}, got {given}", known=known, given=repr(event.sign[:20]))
        )
    if not table.company.signs:
        raise TableError("no_signs", say("the host has switched signs off"))
    sitting = table.ledger.sittings.get(event.seat)
    if sitting is None or sitting.computer:
        raise TableError("bad_seat", say("nobody sits on seat {seat}", seat=event.seat))
    if sum(seat == event.seat and table.at < at + WITHIN_S for seat, at in table.company.signed) >= MOST:
        raise TableError("too_soon", say("wait a moment before the next sign"))
    table.company = replace(table.company, signed=(*table.company.signed, (event.seat, table.at)))
    _show(table, Said(event.seat, event.sign, fill(SIGNS[event.sign], name=sitting.name), table.at + SHOWN_S))


def _speak(change: Change, event: ev.Spoken) -> None:
    if change.table.company.words:
        _show(change.table, Said(event.seat, None, event.text, change.table.at + SHOWN_S))


def _show(table: Table, said: Said) -> None:
    """Show something; it replaces what the same seat has said before."""
    others = (one for one in table.company.said if one.seat != said.seat)
    table.company = replace(table.company, said=(*others, said))


def _choose(change: Change, event: ev.CompanyChosen) -> None:
    now = change.table.company
    said = tuple(one for one in now.said if (event.words if one.sign is None else event.signs))
    change.table.company = replace(now, said=said, words=event.words, signs=event.signs)


HANDLERS: Mapping[type[ev.Event], Callable[[Change, Any], None]] = {
    ev.Greeted: _greet,
    ev.Spoken: _speak,
    ev.CompanyChosen: _choose,
}

"""Taking seats, names, and keeping seats from game to game."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, count
from typing import Any

from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.ledger import Ledger
from firmware_host.table.moments import Sitting
from firmware_host.table.names import LONGEST_NAME, is_name
from firmware_host.text.words import say


def sitting_down(ledger: Ledger, event: ev.SeatTaken) -> dict[str, Any]:
    """Return the entry for taking a seat. Raise TableError: no such seat, taken, or not a name."""
    check_seat(ledger, event.seat)
    sitting = ledger.sittings.get(event.seat)
    if sitting is not None and (event.computer or not same_claim(sitting.claim, event.claim)):
        raise TableError(
            "seat_taken", say("seat {seat} is taken by {name}; choose another", seat=event.seat, name=sitting.name)
        )
    wish = free_name(ledger, event.seat, event.name) if event.computer else event.name
    name = called(ledger, event.seat, wish)
    level = {"level": event.level} if event.computer and event.level is not None else {}
    return {"seat": event.seat, "name": name, "claim": event.claim, "computer": event.computer, **level}


def free_name(ledger: Ledger, seat: int, wish: str) -> str:
    """Return a computer's name, with a number if a player has the same name: names never keep it off a seat."""
    taken = _others(ledger, seat)
    numbered = (f"{wish} ({number})" for number in count(2))
    return next(name for name in chain([wish], numbered) if name.casefold() not in taken)


def _others(ledger: Ledger, seat: int) -> set[str]:
    """Return the names of all other players, case-folded."""
    return {sitting.name.casefold() for other, sitting in ledger.sittings.items() if other != seat}


def check_name(name: str) -> None:
    """Raise TableError for an unreadable name."""
    if not is_name(name):
        raise TableError("bad_name", say("name: expected 1 to {longest} printable characters", longest=LONGEST_NAME))


def called(ledger: Ledger, seat: int, wish: str) -> str:
    """Return the name that a seat's player may use. Raise TableError: not a name, or another player's."""
    name = wish.strip()
    check_name(name)
    if name.casefold() in _others(ledger, seat):
        raise TableError("bad_name", say("somebody is already called {name}; choose another name", name=name))
    return name


def same_claim(one: str, other: str) -> bool:
    """Return whether two claims are the same, in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())


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


def kept_seats(before: Ledger, now: Ledger, *, turned: bool = False) -> list[tuple[str, dict[str, Any]]]:
    """Return the entries by which people keep seats, colours and clocks in the next game, if it has them.

    ``turned``: everybody moves on by one seat, the last one to the first, if the game has that number of seats.
    """
    seats = before.all_seats
    goes = dict(zip(seats, (*seats[1:], seats[0]) if turned and seats == now.all_seats else seats, strict=True))
    entries: list[tuple[str, dict[str, Any]]] = [
        ("seat", {**before.seat_entry(seat), "seat": goes[seat]})
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
        entries.append(("clocks", replace(before.clock_setting, odds=odds).told()))
    barred = sorted(goes[seat] for seat in before.without_hints if goes.get(seat) in now.all_seats)
    return [*entries, *(("hints", {"seat": seat, "on": False}) for seat in barred)]


def moved_since(ledger: Ledger, moved: Mapping[str, str]) -> list[tuple[str, dict[str, Any]]]:
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

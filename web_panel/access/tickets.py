"""Tickets for free seats: a code to scan (or a link) by which one person takes the seat, once."""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from firmware_host.table.errors import TableError
from firmware_host.table.service import HostService, TableService, View
from firmware_host.text.words import say
from web_panel.text.denied import Denied


class Tickets:
    """One live ticket for each free seat of this lobby, in memory only. Thread-safe.

    A ticket is void when its seat is taken in any way, and when its lobby ends.
    """

    def __init__(self, door: TableService, host: HostService | None = None) -> None:
        """Begin without tickets; they are made on demand."""
        self._door = door
        self._host = host
        self._lock = threading.Lock()
        self._game = ""
        self._live: dict[int, str] = {}
        self._in_use: set[int] = set()
        """Seats that are being taken by a request now running."""

    def shown(self) -> bool:
        """Tell whether everybody in the room sees the tickets, or the host alone."""
        return self._host is None or self._host.codes_shown()

    def live(self) -> Mapping[int, str]:
        """Return the ticket of each free seat."""
        with self._lock:
            self._look()
            return dict(self._live)

    def is_live(self, seat: int, ticket: str) -> bool:
        """Tell whether a ticket is good for a seat."""
        return _same(self.live().get(seat, ""), ticket)

    @contextmanager
    def used(self, seat: int, ticket: str) -> Iterator[None]:
        """Take a seat with a ticket in the body of the ``with``: the ticket is used up, valid again if the body raises.

        Raise TableError if the seat is not free, Denied if the ticket is not valid for it.
        """
        with self._lock:
            view = self._look()
            _check_free(view, seat)
            if not _same(self._live.get(seat, ""), ticket):
                raise Denied(403, "bad_ticket", say("this code is used up or too old: scan the seat's new one"))
            kept, game = self._live.pop(seat), self._game
            self._in_use.add(seat)
        sat = False
        try:
            yield
            sat = True
        finally:
            with self._lock:
                self._in_use.discard(seat)
                if not sat and self._game == game:
                    self._live[seat] = kept

    def _look(self) -> View:
        """Drop void tickets, make missing ones; return the view that they follow from."""
        _, view = self._door.view(None)
        if view["game"]["id"] != self._game:
            self._game = view["game"]["id"]
            self._live.clear()
        free = [seat["seat"] for seat in view["seats"] if not seat["taken"]] if view["phase"] == "lobby" else []
        self._live = {
            seat: self._live.get(seat) or secrets.token_urlsafe(16) for seat in free if seat not in self._in_use
        }
        return view


def _same(live: str, ticket: str) -> bool:
    return bool(live) and hmac.compare_digest(live.encode(), ticket.encode())


def _check_free(view: View, number: int) -> None:
    """Raise TableError if the seat is not free: that helps a person more than "this code is used up"."""
    if view["phase"] != "lobby":
        raise TableError("wrong_phase", say("the game has begun: watch it, or wait for the next one"))
    seats = {seat["seat"]: seat for seat in view["seats"]}
    if number not in seats:
        known = ", ".join(map(str, seats))
        raise TableError("bad_seat", say("seat: expected one of [{seats}], got {seat}", seats=known, seat=number))
    if seats[number]["taken"]:
        name = seats[number]["name"]
        raise TableError("seat_taken", say("seat {seat} is taken by {name}; choose another", seat=number, name=name))

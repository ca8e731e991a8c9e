"""Seat requests: a phone asks the host for a seat that another phone holds, and shows a code to compare.

The asking phone keeps its future claim to the seat in a signed cookie. When the host allows the request, this claim
becomes the seat's, and the phone collects the seat with it. The code, which everybody sees, gives no right.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from flask import Response, request
from itsdangerous import URLSafeSerializer

from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.service import TableService
from firmware_host.text.words import say
from web_panel.access.signed import said
from web_panel.server.limits import owner
from web_panel.text.denied import Denied

COOKIE = "lodestone-ask"
COOKIE_DAYS = 1
ASKS_A_SEAT = 3
ASKS_AN_ADDRESS = 2
"""Maximum number of open requests of one address, so that others have room."""
REMEMBERED = 512


@dataclass(frozen=True)
class Ask:
    """A phone that asks for a seat."""

    code: str
    seat: int
    claim: str
    """The claim that becomes the seat's if the host allows the request."""
    address: str | None = field(default=None, compare=False)
    """Address of the phone; not in the cookie."""


class Asks:
    """Takes seat requests, allows them for the host, and hands seats over. Thread-safe."""

    def __init__(self, door: TableService, secret: bytes) -> None:
        """Begin without requests. ``secret`` signs the cookies."""
        self._door = door
        self._signer = URLSafeSerializer(secret, salt="lodestone-ask-v1")
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Ask] = OrderedDict()
        self._collected: dict[int, str] = {}
        """Seat → the claim of the phone that has collected it last; earlier ones hold nothing any more."""

    def ask(self, seat: int) -> Ask:
        """Return a new request of this phone for a seat.

        Raise TableError if the seat can't be asked for or too many requests are open, Denied if this phone has one.
        """
        with self._lock:
            _, view = self._door.view(None)
            codes = {ask["code"] for ask in view["asks"]}
            mine = self.cookie()
            if mine is not None and mine.code in codes and self._known.get(mine.code) == mine:
                raise Denied(409, "asked", say("this phone is already asking; the host has to answer first"))
            if sum(ask["seat"] == seat for ask in view["asks"]) >= ASKS_A_SEAT:
                raise TableError(
                    "too_many", say("too many phones are asking for this seat; the host has to answer first")
                )
            address = owner(request.remote_addr)
            theirs = sum(code in self._known and self._known[code].address == address for code in codes)
            if address is not None and theirs >= ASKS_AN_ADDRESS:
                words = say("too many phones are asking for a seat; the host has to answer first")
                raise TableError("too_many", words)
            ask = Ask(self._code(codes), seat, secrets.token_urlsafe(16), address)
            self._door.submit(ev.SeatAsked(at=self._door.now(), seat=seat, code=ask.code))
            self._known[ask.code] = ask
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
            return ask

    def _code(self, taken: set[str]) -> str:
        """Return four digits that no phone shows now or has recently shown."""
        while True:
            code = f"{secrets.randbelow(10_000):04}"
            if code not in taken and code not in self._known:
                return code

    def allow(self, code: str) -> None:
        """Give the seat to the phone that shows this code. Raise TableError if no phone does."""
        with self._lock:
            ask = self._known.get(code)
            if ask is None or not self._is_open(code):
                raise TableError("bad_code", say("no phone is asking with the code {code!r} now", code=code[:12]))
            self._door.submit(ev.SeatMoved(at=self._door.now(), seat=ask.seat, claim=ask.claim))

    def collect(self) -> Ask:
        """Return this phone's request, once, if the host has allowed it. Raise Denied if not."""
        ask = self.cookie()
        if ask is None:
            raise Denied(409, "refused", say("this phone has not asked for a seat"))
        with self._lock:
            if self._collected.get(ask.seat) == ask.claim:
                raise Denied(409, "refused", say("this phone already has its seat"))
            known = self._known.get(ask.code) == ask
            held = self._door.claim(ask.seat)
            if held and hmac.compare_digest(held.encode(), ask.claim.encode()):
                self._collected[ask.seat] = ask.claim
                return ask
            if known and self._is_open(ask.code):
                raise Denied(409, "undecided", say("the host has not answered yet"))
        raise Denied(409, "refused", say("the host has not given this phone the seat"))

    def _is_open(self, code: str) -> bool:
        _, view = self._door.view(None)
        return any(ask["code"] == code for ask in view["asks"])

    def cookie(self) -> Ask | None:
        """Return the request in the phone's cookie, None without a genuine one. Its ``address`` is None."""
        match said(self._signer, COOKIE):
            case [str(code), int(seat), str(claim)] if type(seat) is int and claim:
                return Ask(code, seat, claim)
        return None

    def give(self, response: Response, ask: Ask) -> None:
        """Set the cookie with a phone's request."""
        said = str(self._signer.dumps([ask.code, ask.seat, ask.claim]))
        response.set_cookie(COOKIE, said, max_age=COOKIE_DAYS * 86400, httponly=True, samesite="Strict")

    def take(self, response: Response) -> None:
        """Delete the cookie."""
        response.delete_cookie(COOKIE, httponly=True, samesite="Strict")

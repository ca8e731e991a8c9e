"""Who may do what at a table: seats, the host, tickets of free seats, and what phones ask the host for.

A phone's right is a signed cookie. It is no session: what it says is checked against the table each time, so it ends
with what it stands for.

- **Seat** (:class:`Seats`): seat and claim, valid while the table holds this claim.
- **Host** (:class:`HostAccess`): a hash of the token that ``lodestone play`` prints; void once the token has changed.
- **Ticket** (:class:`Tickets`): a code to scan (or a link) by which one person takes a free seat, once.
- **Request for a seat** (:class:`Asks`): a phone asks the host for a seat that another phone holds, and shows a code to
  compare. The asking phone keeps its future claim in its cookie. When the host allows the request, this claim becomes
  the seat's, and the phone collects the seat with it. The code, which everybody sees, gives no right.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flask import Response, request
from itsdangerous import BadData, URLSafeSerializer

from firmware_host.table.errors import TableError
from firmware_host.table.subjects.seats import SeatAsked, SeatClaim, SeatMoved
from firmware_host.text.words import say
from web_panel.limits import owner
from web_panel.refusals import Denied
from web_panel.streams import Shown

if TYPE_CHECKING:
    from firmware_host.session.host import Host
    from firmware_host.session.runtime import Runtime

SEAT_COOKIE = "lodestone-seat"
LESSON_COOKIE = "lodestone-lesson"
"""Cookie of the learner's seat; the seat in the waiting game stays in ``SEAT_COOKIE``."""
HOST_COOKIE = "lodestone-host"
ASK_COOKIE = "lodestone-ask"
COOKIE_DAYS = 30


def read_cookie(signer: URLSafeSerializer, cookie: str) -> Any:
    """Return the content of the request's cookie; None if it is missing or its signature is wrong."""
    content = request.cookies.get(_full_name(cookie))
    if content is None:
        return None
    try:
        return signer.loads(content)
    except BadData as error:
        # The signer's frames refer to their own error: this cycle would keep the request (an opening, say) in memory.
        traceback.clear_frames(error.__traceback__)
        return None


def full_name(cookie: str, *, secure: bool) -> str:
    """Return a cookie's name, over HTTPS one that browsers send and take over HTTPS alone (RFC 6265bis, 4.1.3.2).

    Two names: under one, what was given over HTTPS would keep the phone from sitting down once the table speaks HTTP.
    """
    return f"__Host-{cookie}" if secure else cookie


def _full_name(cookie: str) -> str:
    return full_name(cookie, secure=request.is_secure)


def _give_cookie(response: Response, cookie: str, signer: URLSafeSerializer, content: object, days: int) -> None:
    """Set a signed cookie."""
    signed, secure = str(signer.dumps(content)), request.is_secure
    response.set_cookie(
        _full_name(cookie), signed, max_age=days * 86400, secure=secure, httponly=True, samesite="Strict"
    )


def _take_cookie(response: Response, cookie: str) -> None:
    response.delete_cookie(_full_name(cookie), secure=request.is_secure, httponly=True, samesite="Strict")


def _same(known: str | None, given: str) -> bool:
    """Compare two secrets without telling by the time where they differ; nothing equals an empty one."""
    return bool(known) and hmac.compare_digest(str(known).encode(), given.encode())


# -- seats and the host ----------------------------------------------------------------------------------------------


def present(table: Shown, held: SeatClaim) -> SeatClaim | None:
    """Return the same claim with the seat that it holds now, None if it holds none.

    The claim decides: seats may rotate between two games, and then the number is the former one.
    """

    def holds(seat: int) -> bool:
        return _same(table.claim(seat), held.claim)

    if holds(held.seat):
        return held
    others = (one["seat"] for one in table.view(None)[1]["seats"])
    return next((SeatClaim(other, held.claim) for other in others if holds(other)), None)


class Seats:
    """Signs and reads seat cookies."""

    def __init__(self, table: Shown, secret: bytes) -> None:
        """``secret`` signs the cookies; phones keep their seats over restarts as long as it is the same."""
        self._table = table
        self._signer = URLSafeSerializer(secret, salt="lodestone-seat-v1")

    def cookie(self) -> SeatClaim | None:
        """Return what a genuine cookie holds, valid or not; in a lesson the learner's. None without one."""
        learner = self.learner()
        return learner if self.present(learner) is not None else self._read(SEAT_COOKIE)

    def learner(self) -> SeatClaim | None:
        """Return what the cookie of the last lesson holds, None without one."""
        return self._read(LESSON_COOKIE)

    def _read(self, cookie: str) -> SeatClaim | None:
        match read_cookie(self._signer, cookie):
            case [int(seat), str(claim)] if type(seat) is int:
                return SeatClaim(seat, claim)
        return None

    def present(self, held: SeatClaim | None) -> SeatClaim | None:
        """Return the same claim with the seat that it holds now, None for a spectator."""
        return None if held is None else present(self._table, held)

    def seat_of(self, held: SeatClaim | None) -> int | None:
        """Return the seat that a claim holds now, None for a spectator."""
        now = self.present(held)
        return None if now is None else now.seat

    def held(self) -> SeatClaim | None:
        """Return the seat that the requesting phone holds now, and its claim, None for a spectator."""
        return self.present(self.cookie())

    def mine(self) -> int | None:
        """Return the seat of the requesting phone, None for a spectator."""
        return self.seat_of(self.cookie())

    def give(self, response: Response, held: SeatClaim, *, lesson: bool = False) -> None:
        """Set the cookie of a phone's seat."""
        _give_cookie(response, LESSON_COOKIE if lesson else SEAT_COOKIE, self._signer, list(held), COOKIE_DAYS)

    def take(self, response: Response) -> None:
        """Delete the cookie of a phone's seat."""
        _take_cookie(response, SEAT_COOKIE)


class HostAccess:
    """Signs and reads the host's cookie. It holds a hash of the token, and is void after the token has changed."""

    def __init__(self, token: Callable[[], str] | None, secret: bytes) -> None:
        """``token`` returns the present token, and is called for each check; None: nobody is the host."""
        self._token = token
        self._signer = URLSafeSerializer(secret, salt="lodestone-host-v1")

    def is_token(self, token: str) -> bool:
        """Tell whether this is the host's token."""
        return self.holds(_digest(token))

    def cookie(self) -> str | None:
        """Return the token's hash in a genuine cookie, valid or not; None without one."""
        found = read_cookie(self._signer, HOST_COOKIE)
        return found if isinstance(found, str) else None

    def holds(self, digest: str | None) -> bool:
        """Tell whether a cookie's hash is that of the present token."""
        if digest is None or self._token is None:
            return False
        try:
            word = self._token()
        except TableError:  # The token's file can't be read: nobody is the host, and the others play on.
            return False
        return _same(_digest(word), digest)

    def here(self) -> bool:
        """Tell whether the request comes from the host's phone."""
        return self.holds(self.cookie())

    def give(self, response: Response, token: str) -> None:
        """Set the host's cookie for the token that the phone has shown, even if it has changed meanwhile."""
        _give_cookie(response, HOST_COOKIE, self._signer, _digest(token), COOKIE_DAYS)

    def take(self, response: Response) -> None:
        """Delete the host's cookie."""
        _take_cookie(response, HOST_COOKIE)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


# -- tickets ---------------------------------------------------------------------------------------------------------


class Tickets:
    """One live ticket for each free seat of this lobby, in memory only. Thread-safe.

    A ticket is void when its seat is taken in any way, and when its lobby ends.
    """

    def __init__(self, table: Shown, host: Host | None = None) -> None:
        """Begin without tickets; they are made on demand."""
        self._table = table
        self._host = host
        self._lock = threading.Lock()
        self._game = ""
        self._live: dict[int, str] = {}
        self._in_use: set[int] = set()
        """Seats that are being taken by a request now running."""

    def are_shown(self) -> bool:
        """Tell whether everybody in the room sees the tickets, or the host alone."""
        return self._host is None or self._host.are_codes_shown()

    def live(self) -> Mapping[int, str]:
        """Return the ticket of each free seat."""
        with self._lock:
            self._look()
            return dict(self._live)

    def is_live(self, seat: int, ticket: str) -> bool:
        """Tell whether a ticket is good for a seat."""
        return _same(self.live().get(seat, ""), ticket)

    @contextmanager
    def using(self, seat: int, ticket: str) -> Iterator[None]:
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
        taken = False
        try:
            yield
            taken = True
        finally:
            with self._lock:
                self._in_use.discard(seat)
                if not taken and self._game == game:
                    self._live[seat] = kept

    def _look(self) -> Mapping[str, Any]:
        """Drop void tickets, make missing ones; return the view that they follow from."""
        _, view = self._table.view(None)
        if view["game"]["id"] != self._game:
            self._game = view["game"]["id"]
            self._live.clear()
        free = [seat["seat"] for seat in view["seats"] if not seat["taken"]] if view["phase"] == "lobby" else []
        self._live = {
            seat: self._live.get(seat) or secrets.token_urlsafe(16) for seat in free if seat not in self._in_use
        }
        return view


def _check_free(view: Mapping[str, Any], number: int) -> None:
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


# -- requests for a seat ---------------------------------------------------------------------------------------------


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

    def __init__(self, table: Runtime, secret: bytes) -> None:
        """Begin without requests. ``secret`` signs the cookies."""
        self._table = table
        self._signer = URLSafeSerializer(secret, salt="lodestone-ask-v1")
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Ask] = OrderedDict()
        self._collected: OrderedDict[str, None] = OrderedDict()
        """The claims of the phones that have collected their seats: a copy of their cookies is good for nothing."""

    def ask(self, seat: int) -> Ask:
        """Return a new request of this phone for a seat.

        Raise TableError if the seat can't be asked for or too many requests are open, Denied if this phone has one.
        """
        with self._lock:
            _, view = self._table.view(None)
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
            self._table.submit(SeatAsked(at=self._table.now(), seat=seat, code=ask.code))
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
            if ask is None:
                raise TableError("bad_code", say("no phone is asking with the code {code!r} now", code=code[:12]))
            self._table.submit(SeatMoved(at=self._table.now(), seat=ask.seat, claim=ask.claim, code=code))

    def collect(self) -> SeatClaim:
        """Return the seat that the host has given to this phone, as its number is now, once. Raise Denied if not."""
        ask = self.cookie()
        if ask is None:
            raise Denied(409, "refused", say("this phone has not asked for a seat"))
        with self._lock:
            if ask.claim in self._collected:
                raise Denied(409, "refused", say("this phone already has its seat"))
            held = present(self._table, SeatClaim(ask.seat, ask.claim))
            if held is not None:
                self._collected[ask.claim] = None
                if len(self._collected) > REMEMBERED:
                    self._collected.popitem(last=False)
                return held
            if self._known.get(ask.code) == ask and self._is_open(ask.code):
                raise Denied(409, "undecided", say("the host has not answered yet"))
        raise Denied(409, "refused", say("the host has not given this phone the seat"))

    def _is_open(self, code: str) -> bool:
        _, view = self._table.view(None)
        return any(ask["code"] == code for ask in view["asks"])

    def cookie(self) -> Ask | None:
        """Return the request in the phone's cookie, None without a genuine one. Its ``address`` is None."""
        match read_cookie(self._signer, ASK_COOKIE):
            case [str(code), int(seat), str(claim)] if type(seat) is int and claim:
                return Ask(code, seat, claim)
        return None

    def give(self, response: Response, ask: Ask) -> None:
        """Set the cookie with a phone's request."""
        _give_cookie(response, ASK_COOKIE, self._signer, [ask.code, ask.seat, ask.claim], 1)

    def take(self, response: Response) -> None:
        """Delete the cookie."""
        _take_cookie(response, ASK_COOKIE)

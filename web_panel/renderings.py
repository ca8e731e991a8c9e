"""What is made once for all who ask for it: the view as bytes, records as films, the household's book as pages."""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from firmware_host.archive.format import RecordError
from firmware_host.replay.scenes import Film, film, unreadable
from firmware_host.table.errors import TableError
from firmware_host.text.words import say, translate_all
from web_panel.languages import ENGLISH, Language
from web_panel.refusals import Denied
from web_panel.streams import Broadcaster, Places, Viewed

T = TypeVar("T")
WAITING = 4
"""Number of requests that may wait for films at once: others are told to ask again, and no thread waits with them."""
FILMS = 3
"""Maximum number of games kept as scenes; the least recently viewed one is dropped first."""
ViewerKey = tuple[int | None, str, bool]
"""The viewer: seat (None: a spectator), language code, and whether it is the host."""


@dataclass(frozen=True)
class Frame:
    """The view of one seat, or of spectators, at one moment."""

    seq: int
    id: str
    """Identifies this state for this viewer in this run of the program: equal ids mean equal content."""
    body: bytes
    """The view as JSON."""
    event: bytes
    """The view as a server-sent event."""


@dataclass(frozen=True)
class _Moment:
    """One state: the JSON that all viewers share, by language code, and the finished frames by viewer."""

    seq: int
    rests: dict[str, str] = field(default_factory=dict)
    made: dict[ViewerKey, Frame] = field(default_factory=dict)


class Frames:
    """Keeps the newest view as bytes. Viewers' views differ in ``you`` and ``host`` only: the rest is shared."""

    def __init__(self, table: Viewed) -> None:
        """Views are serialised on demand."""
        self._table = table
        self._life = secrets.token_hex(4)
        self._lock = threading.Lock()
        self._now = _Moment(-1)

    def of(
        self, seat: int | None, seq: int | None = None, language: Language = ENGLISH, *, host: bool = False
    ) -> Frame:
        """Return the newest frame of a seat (None: of spectators) in a language, for the host or not.

        A caller that knows the newest number passes it as ``seq``: then a finished frame is returned without a lock,
        so that 200 viewers woken at once do not wait for one another.
        """
        now = self._now
        found = now.made.get((seat, language.code, host)) if seq == now.seq else None
        return found or self._look(seat, language, host)

    def _look(self, seat: int | None, language: Language, host: bool) -> Frame:
        seq, view = self._table.view(seat)
        with self._lock:
            now = self._now
            if seq < now.seq:  # Another thread has stored a newer state: keep that.
                return self._frame(seq, view, _in(language, view), language, host)
            if seq > now.seq:
                now = self._now = _Moment(seq)
            found = now.made.get((seat, language.code, host))
            if found is None:
                rest = now.rests.get(language.code)
                if rest is None:
                    rest = now.rests[language.code] = _in(language, view)
                found = now.made[(seat, language.code, host)] = self._frame(seq, view, rest, language, host)
            return found

    def _frame(self, seq: int, view: Any, rest: str, language: Language, host: bool) -> Frame:
        you = view["you"]
        body = f'{{"seq":{seq},"you":{_text(you)},"host":{_text(host)},{rest}'.encode("ascii")
        name = f"{self._life}-{seq}-{you['seat'] if you else 0}{'h' if host else ''}"
        if language is not ENGLISH:
            name += f"-{language.code}"
        return Frame(seq, name, body, b"id: %b\ndata: %b\n\n" % (name.encode("ascii"), body))


def _in(language: Language, view: Any) -> str:
    """Return the rest of a view in a language. English needs no translation."""
    return _rest(view if language is ENGLISH else translate_all(view, language))


def _rest(view: Any) -> str:
    """Return the part of a view's JSON after ``seq`` and ``you``, with the closing brace."""
    return _text({name: value for name, value in view.items() if name not in {"seq", "you"}})[1:]


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


class Live:
    """The streams of all screens."""

    def __init__(self, table: Viewed) -> None:
        """Begin without streams."""
        self.frames = Frames(table)
        self.broadcaster = Broadcaster(table)
        self.places = Places()


class Lives:
    """The streams of each table that a phone has for itself, as long as it goes on. Thread-safe."""

    def __init__(self) -> None:
        """Begin without any."""
        self._lock = threading.Lock()
        self._of: dict[Viewed, Live] = {}

    def of(self, table: Viewed) -> Live:
        """Return the streams of a table; with those of a new one, those of all that have ended are dropped."""
        with self._lock:
            if table not in self._of:
                self._of = {one: live for one, live in self._of.items() if not one.closing()}
                self._of[table] = Live(table)
            return self._of[table]


class Records(Protocol):
    """The source of the games' records (:class:`firmware_host.session.host.Host`)."""

    def is_over(self, game_id: str) -> bool:
        """Tell whether this game is over, without reading its record. Raise TableError for an unknown one."""
        ...

    def whole_record(self, game_id: str) -> Sequence[str]:
        """Return the lines of a game's record. Raise TableError for an unknown game.

        They may hold secrets of a running game: only scenes made of them may leave the program.
        """
        ...


@dataclass(frozen=True)
class Kept:
    """A film, and the ``version`` of its record: the beginning of the lines' SHA-256."""

    version: str
    film: Film


class Films:
    """Games as scenes, made on demand, one at a time; the last few are kept. Thread-safe."""

    def __init__(self, host: Records, most: int = FILMS) -> None:
        """Keep at most ``most`` games."""
        self._host = host
        self._most = most
        self._making = threading.Lock()
        self._waiting = threading.BoundedSemaphore(WAITING)
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Kept] = OrderedDict()

    def is_over(self, game_id: str) -> bool:
        """Tell whether a game has been played to its end. Raise Denied for an unknown one."""
        try:
            return self._host.is_over(game_id)
        except TableError as error:
            raise Denied(404, "no_game", error.args[0]) from error

    def newest(self, game_id: str) -> Kept:
        """Return the film of a game's present record. Raise Denied if it is missing or unreadable."""
        return self.read(game_id)[1]

    def read(self, game_id: str) -> tuple[Sequence[str], Kept]:
        """Return the lines of a game's present record, and its film. Raise Denied as :meth:`newest` does."""
        with self._place(), self._making:  # A record is not verified twice for two screens that ask at the same time.
            try:
                lines = list(self._host.whole_record(game_id))
            except TableError as error:
                raise Denied(404, "no_game", error.args[0]) from error
            except RecordError as error:
                raise Denied(409, "bad_record", unreadable((), error)) from error
            version = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
            known = self._look_up(game_id)
            return lines, known if known and known.version == version else self._make(game_id, version, lines)

    @contextmanager
    def _place(self) -> Iterator[None]:
        """Take one of the places of requests that wait for a film. Raise TimeoutError if there is none."""
        if not self._waiting.acquire(blocking=False):
            raise TimeoutError
        try:
            yield
        finally:
            self._waiting.release()

    def of(self, game_id: str, version: str) -> Film:
        """Return the film of this version of the record. Raise Denied if the record has changed since."""
        kept = self._look_up(game_id)
        if kept is None or kept.version != version:
            kept = self.newest(game_id)
        if kept.version != version:
            words = say("the game has gone on meanwhile: its record has changed")
            raise Denied(409, "gone_on", words)
        return kept.film

    def count(self) -> int:
        """Return how many games are kept."""
        return len(self._kept)

    def _look_up(self, game_id: str) -> Kept | None:
        with self._lock:
            kept = self._kept.get(game_id)
            if kept is not None:
                self._kept.move_to_end(game_id)
            return kept

    def _make(self, game_id: str, version: str, lines: Sequence[str]) -> Kept:
        try:
            kept = Kept(version, film(lines))
        except RecordError as error:
            raise Denied(409, "bad_record", unreadable(lines, error)) from error
        with self._lock:
            self._kept[game_id] = kept
            self._kept.move_to_end(game_id)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return kept

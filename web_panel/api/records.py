"""Replays of recorded games at a running table: each browser steps by itself, and the table goes on.

The host may view any game, everybody a game that is over; for that the table makes a review on request. A record is
verified and made into scenes once; browsers fetch some moments at a time.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from flask import Blueprint, Response, jsonify, render_template, request

from firmware_host.archive.format import RecordError
from firmware_host.replay.scenes import Film, film, film_view, moment_view, unreadable
from firmware_host.table.errors import TableError
from firmware_host.table.service import ReviewService
from firmware_host.text.words import say
from web_panel.api.bodies import Body, add_routes, as_download, done
from web_panel.text.denied import Denied, not_host
from web_panel.text.wording import in_words

GAME_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
CHUNK = 32
"""Number of moments in one answer: about 30 kB."""
FILMS = 3
"""Maximum number of games kept as scenes; the least recently viewed one is dropped first."""


class Recorded(Protocol):
    """The source of the games' records (:class:`firmware_host.table.service.HostService`)."""

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

    def __init__(self, host: Recorded, most: int = FILMS) -> None:
        """Keep at most ``most`` games."""
        self._host = host
        self._most = most
        self._making = threading.Lock()
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
        with self._making:  # A record is not verified twice for two screens that ask at the same time.
            try:
                lines = list(self._host.whole_record(game_id))
            except TableError as error:
                raise Denied(404, "no_game", error.args[0]) from error
            except RecordError as error:
                raise Denied(409, "bad_record", unreadable((), error)) from error
            version = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
            known = self._look_up(game_id)
            return lines, known if known and known.version == version else self._make(game_id, version, lines)

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


def as_file(game_id: str, lines: Sequence[str]) -> Response:
    """Return a record as a download."""
    response = Response("".join(f"{line}\n" for line in lines), mimetype="application/x-ndjson")
    return as_download(response, f"{game_id}.jsonl")


def blueprint(host: Recorded, is_host: Callable[[], bool], reviews: ReviewService) -> Blueprint:
    """Return ``/host/replay/<id>`` and its data, and the same without ``/host`` for everybody."""
    pages = Blueprint("records", __name__)
    films = Films(host)

    def check(game_id: str) -> None:
        """Raise Denied for an invalid id, and for a host page if the phone is not the host's."""
        if request.path.startswith(("/host/", "/api/host/")) and not is_host():
            raise not_host()
        if not GAME_ID.fullmatch(game_id):
            raise Denied(404, "no_game", say("there is no such game"))

    def check_open(game_id: str) -> None:
        """Raise Denied if the game is not over, except for the host. The record is not read."""
        check(game_id)
        if not is_host() and not films.is_over(game_id):
            raise Denied(403, "not_over", say("this game is not over: only the host can look at it before"))

    @pages.get("/host/replay/<game_id>")
    @pages.get("/replay/<game_id>")
    def page(game_id: str) -> tuple[str, int]:
        hosting = request.path.startswith("/host/")
        try:
            check(game_id)
        except Denied as denied:
            refused = in_words(denied.message)
            return render_template("replay.html", record=game_id, refused=refused, host=hosting), denied.status
        return render_template("replay.html", record=game_id, refused=None, host=hosting), 200

    @pages.get("/api/host/replay/<game_id>")
    @pages.get("/api/replay/<game_id>")
    def whole(game_id: str) -> Response:
        check_open(game_id)
        kept = films.newest(game_id)
        more = {"version": kept.version, "chunk": CHUNK, "reviews": kept.film.over and reviews.possible}
        return jsonify(in_words({**film_view(kept.film), **more}))

    @pages.get("/api/records/<game_id>.jsonl")
    def download(game_id: str) -> Response:
        """Return the record of a game that is over; before, it would reveal hidden stacks even to the host."""
        check(game_id)
        if not films.is_over(game_id):
            raise Denied(403, "not_over", say("this game is not over: its record can be downloaded then"))
        return as_file(game_id, films.read(game_id)[0])

    @pages.get("/api/host/replay/<game_id>/<version>/<int:first>")
    @pages.get("/api/replay/<game_id>/<version>/<int:first>")
    def moments(game_id: str, version: str, first: int) -> Response:
        check_open(game_id)
        shown = films.of(game_id, version)
        if first >= len(shown.scenes):
            raise Denied(404, "no_moment", say("this game has no moment {number}", number=first + 1))
        last = min(first + CHUNK, len(shown.scenes))
        return jsonify(in_words({"first": first, "moments": [moment_view(shown, at) for at in range(first, last)]}))

    _add_reviews(pages, films, check, reviews)
    del page, whole, download, moments
    return pages


def _add_reviews(pages: Blueprint, films: Films, check: Callable[[str], None], reviews: ReviewService) -> None:
    """Add the review of a game that is over, and the request that has it made."""

    @pages.get("/api/replay/<game_id>/review")
    def review(game_id: str) -> Response:
        """Tell everybody how a game that is over went, or how far its review is; nothing before somebody has asked."""
        check(game_id)
        return jsonify(in_words(reviews.of(game_id)))

    def begin(body: Body) -> Response:
        try:
            check(body["game"])
            film = films.newest(body["game"]).film
        except Denied as denied:  # As every refusal of what somebody wants to be done.
            raise TableError(denied.code, denied.message) from denied
        if not film.over:
            raise TableError("wrong_phase", say("this game is not over: it can be reviewed then"))
        reviews.begin(body["game"], film.game, film.header["mode"], film.moments)
        return done()

    add_routes(pages, {"begin": begin}, "review/")
    del review

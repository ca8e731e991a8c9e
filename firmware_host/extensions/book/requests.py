"""The household's game book: a page for everybody, its data as files, and the host's request to forget a name."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

from flask import Response, render_template

from firmware_host.archive.summary import full_title
from firmware_host.extensions.book.book import (
    ENOUGH,
    Book,
    GameLine,
    GameTally,
    Person,
    as_csv,
    as_data,
    book_of,
    standing,
)
from firmware_host.extensions.book.household import Household
from firmware_host.link.solved import Solver, clock
from firmware_host.table.errors import TableError
from firmware_host.table.events import Word
from firmware_host.table.subjects.seats import name_key
from firmware_host.text.json_reader import COUNT, SEAT, TIME, choice, maybe, part, record, rows, table_of
from firmware_host.text.words import Text, join_sentences, say, say_many
from web_panel.languages import in_words, language
from web_panel.panel import PanelContext
from web_panel.routes import Routes, as_download

T = TypeVar("T")
DAYS = 3
"""Number of days, the latest ones, whose solved puzzles the host may remove at once."""


_TALLY = {"won": COUNT, "drawn": COUNT, "lost": COUNT}
_SITTING = record(
    seat=SEAT, side=COUNT, name=str, computer=bool, level=maybe(COUNT), result=choice("won", "drawn", "lost")
)
routes = Routes("book", {
    "BookLine": record(
        game=str, title=str, **_TALLY, rating=maybe(record(points=float, deviation=float, volatility=float)),
        modes=rows(record(mode=str, **_TALLY)), opponents=rows(record(name=str, **_TALLY)),
    ),
    "BookGame": record(id=str, game=str, mode=str, started=TIME, ended=TIME, seats=rows(_SITTING)),
    "Book": record(
        book=COUNT,
        people=rows(record(name=str, last=TIME, games=rows(part("BookLine")))),
        games=rows(part("BookGame")),
        puzzles=rows(record(name=str, solved=COUNT, streak=COUNT, best=table_of(COUNT))),
    ),
}, static="/static/book")  # fmt: skip


class Written:
    """What was written of the present book. Everybody may ask for it: each form is made once."""

    def __init__(self) -> None:
        """Begin without a book."""
        self._lock = threading.Lock()
        self._book: Book | None = None
        self._made: dict[object, Any] = {}

    def of(self, book: Book, form: object, make: Callable[[], T]) -> T:
        """Return a book in a form; ``make`` is called if this form of it was not made before."""
        with self._lock:  # Requests that come together wait for the first.
            if book is not self._book:
                self._book, self._made = book, {}
            if form not in self._made:
                self._made[form] = make()
            made: T = self._made[form]
            return made


@dataclass(frozen=True)
class Books(PanelContext):
    """What the requests are given (:class:`web_panel.routes.Context`)."""

    household: Household
    written: Written


def _readable(here: Books) -> tuple[Book, str]:
    """Return the present book and no refusal; if it can't be read, an empty book and the reason."""
    try:
        return here.household.book(), ""
    except TableError as error:
        return book_of([]), error.message


@routes.get("/book")
def page(here: Books) -> str:
    """The household's book."""
    book, refused = _readable(here)
    hosting = here.panel.hosting.here()
    today = date.today().isoformat()
    days = list(here.household.solved.days().items())[:DAYS] if book.solvers and hosting else []
    return here.written.of(
        book,
        ("page", language().code, hosting, today, tuple(days)),
        lambda: render_template(
            "book.html",
            series=in_words(standing(book.series)) if book.series else [],
            people=in_words([_person(one) for one in book.people]),
            solvers=in_words([_solver(one, {known.name for known in book.people}) for one in book.solvers]),
            refused=in_words(refused),
            enough=ENOUGH,
            hosting=hosting,
            today=today,
            days=days,
        ),
    )


@routes.get("/api/standing", record(game=maybe(str), words=rows(str)))
def stands(here: Books) -> Mapping[str, Any]:
    """How those stand who have met last, and the game by which they do; null where it is none of two sides."""
    book, _ = _readable(here)
    if book.series is None:
        return {"game": None, "words": []}
    return {"game": book.games[-1].id, "words": standing(book.series)}


@routes.get("/api/book.json", part("Book"), _409="Conflict")
def data(here: Books) -> Response:
    """The whole book."""
    book = here.household.book()
    content = here.written.of(book, "json", lambda: json.dumps(as_data(book), separators=(",", ":")).encode())
    return as_download(Response(content, mimetype="application/json"), "lodestone-book.json")


@routes.get("/api/book.csv", str, kind="text/csv", _409="Conflict")
def table(here: Books) -> Response:
    """A row for each seat of each game."""
    book = here.household.book()
    content = here.written.of(book, "csv", lambda: as_csv(book).encode())
    return as_download(Response(content, mimetype="text/csv"), "lodestone-book.csv")


@routes.post("/api/host/forget", "host")
def forget(here: Books, name: Word) -> None:
    """Show somebody as somebody in the book, in all games until now."""
    here.household.forget(name)


@routes.post("/api/host/remove-solved", "host")
def remove(here: Books, day: Word) -> None:
    """Remove from the book all puzzles solved on a day."""
    if not here.household.solved.remove(day):
        raise TableError("bad_puzzle", say("nobody has solved a puzzle on {day}", day=day[:40]))


def _person(person: Person) -> Mapping[str, Any]:
    return {
        "name": person.name,
        "words": say_many(
            "{count} game, on {day}.", "{count} games, the last on {day}.", person.total, day=person.last[:10]
        ),
        "games": [_line(line) for _, line in sorted(person.games.items())],
    }


def _solver(one: Solver, people: Collection[str]) -> Mapping[str, Any]:
    """Return a row of the puzzles; ``alone``: nothing else in the book has this name."""
    best = [join_sentences([full_title(game, {}), clock(seconds)], " ") for game, seconds in sorted(one.best.items())]
    row = {"name": one.name, "solved": one.solved, "streak": one.streak, "best": join_sentences(best)}
    return {**row, "alone": name_key(one.name) not in {name_key(name) for name in people}}


def _line(line: GameLine) -> Mapping[str, Any]:
    """Return the table of one game: all games, by mode if there are several, by opponent."""
    modes = sorted(line.modes.items()) if len(line.modes) > 1 else []
    rating = line.rating
    return {
        "title": line.title,
        "rating": rating and {"points": round(rating.points), "within": round(2 * rating.deviation)},
        "rows": [
            _row(say("In all modes"), line.tally),
            *(_row(_mode(mode), tally) for mode, tally in modes),
            *(_row(say("against {name}", name=name), tally) for name, tally in sorted(line.opponents.items())),
        ],
    }


def _row(words: str, tally: GameTally) -> Mapping[str, Any]:
    return {"words": words, "won": tally.won, "drawn": tally.drawn, "lost": tally.lost}


def _mode(mode: str) -> Text | str:
    """Return a mode in the lobby's words: ``3`` → "3 players"."""
    one, against, other = mode.partition("v")
    if against:
        return say("{one} against {other}", one=one, other=other)
    return say_many("{count} player", "{count} players", int(mode)) if mode.isdecimal() else mode

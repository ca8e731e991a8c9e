"""Puzzles: a page for each game, its list, and the position after tried actions. The server keeps no state of it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Protocol

from flask import Blueprint, Response, abort, jsonify, render_template, request

from firmware_host.archive.solved import Solved, Solver
from firmware_host.games.game import Game, GameError
from firmware_host.games.puzzles import Puzzle, kinds_of
from firmware_host.games.registry import GAMES
from firmware_host.puzzles import store
from firmware_host.puzzles.view import least_seconds, puzzle_view, solution, summary
from firmware_host.table.errors import TableError
from firmware_host.table.seats import check_name
from firmware_host.table.service import TableService
from firmware_host.text.refusal import Refused
from firmware_host.text.words import say
from web_panel.api.bodies import Body, add_routes, done
from web_panel.server.limits import PUZZLES_NOTED, Guesses
from web_panel.text.denied import Denied
from web_panel.text.wording import in_words

LONGEST_S = 86_400
"""Seconds that solving a puzzle may take."""

_log = logging.getLogger(__name__)


class SolvedService(Protocol):
    """What the household's book knows of puzzles. Thread-safe; refusals are TableErrors."""

    def solvers(self) -> Sequence[Solver]:
        """Return who has solved puzzles."""
        ...

    def days(self) -> Mapping[str, int]:
        """Return day → number of puzzles solved on it, the latest first."""
        ...

    def note(self, one: Solved) -> None:
        """Write down that somebody has solved a puzzle."""
        ...

    def remove(self, day: str) -> int:
        """Delete all that was solved on a day; return how many."""
        ...


def blueprint(
    door: TableService, guesses: Guesses, data: Path | None = None, book: SolvedService | None = None
) -> Blueprint:
    """Return ``/puzzles`` (of the game at the table), that of each game, its JSON, and what notes a solved one.

    ``guesses`` counts what an address notes. ``data`` is the folder with the puzzles that the household has made; None:
    there are none. ``book`` is the household's, None: there is none.
    """
    pages = Blueprint("puzzles", __name__)

    @pages.get("/puzzles")
    def here() -> str:
        return _page(str(door.view(None)[1]["game"]["name"]))

    @pages.get("/puzzles/<name>")
    def of_game(name: str) -> str:
        return _page(name)

    @pages.get("/api/puzzles/<name>")
    def all_of_them(name: str) -> Response:
        game = _known(name)
        day = date.today()
        today = store.today(game, day)
        listed = [summary(game, puzzle) for puzzle in known_puzzles(game, data)]
        told = {"today": summary(game, today) if today else None, "day": day.isoformat(), "puzzles": listed}
        return jsonify(in_words({**told, "today_by": _today_by(book, name)}))

    @pages.get("/api/puzzles/<name>/<puzzle>")
    def tried(name: str, puzzle: str) -> Response:
        game = _known(name)
        actions, stage = request.args.getlist("do"), request.args.getlist("stage")
        try:
            told = puzzle_view(game, find_puzzle(game, data, puzzle) or abort(404), actions, stage)
        except GameError as error:
            raise Denied(409, "bad_action", error.message) from error
        return jsonify(in_words(told))

    @pages.get("/api/puzzles/<name>/<puzzle>/solution")
    def solved(name: str, puzzle: str) -> Response:
        game = _known(name)
        return jsonify(in_words(solution(game, find_puzzle(game, data, puzzle) or abort(404))))

    def note(body: Body) -> Response:
        if book is None:
            raise TableError("no_book", say("no book is kept at this table"))
        one = _solved(body, data)
        guesses.limited("puzzles", PUZZLES_NOTED)
        book.note(one)
        return done()

    add_routes(pages, {"solved": note}, "puzzle/")
    del here, of_game, all_of_them, tried, solved
    return pages


def _solved(body: Body, data: Path | None) -> Solved:
    """Return what a phone says that somebody has solved. Raise TableError for what can't be."""
    game, name, seconds = GAMES.get(body["game"]), body["name"].strip(), body["seconds"]
    puzzle = find_puzzle(game, data, body["puzzle"]) if game is not None else None
    if game is None or puzzle is None:
        raise TableError("bad_puzzle", say("there is no such puzzle"))
    check_name(name)
    least = least_seconds(puzzle)
    if not least <= seconds <= LONGEST_S:
        form = say("seconds: expected {least} to {most}, got {got}", least=least, most=LONGEST_S, got=seconds)
        raise TableError("bad_puzzle", form)
    today = date.today()
    daily = store.today(game, today)
    is_daily = daily is not None and daily.id == body["puzzle"]
    return Solved(name, game.name, body["puzzle"], today.isoformat(), seconds, is_daily)


def _today_by(book: SolvedService | None, game: str) -> list[dict[str, Any]]:
    """Return who has solved today's puzzle of a game, the quickest first; nobody where the book can't be read."""
    try:
        found = book.solvers() if book else ()
    except TableError as error:
        _log.warning("who has solved puzzles is left out: %s", error)
        return []
    some = [{"name": one.name, "seconds": one.today[game]} for one in found if game in one.today]
    return sorted(some, key=lambda one: one["seconds"])


def _known(name: str) -> Game[Any]:
    if name not in GAMES:
        abort(404)
    return GAMES[name]


def known_puzzles(game: Game[Any], data: Path | None) -> Sequence[Puzzle]:
    """Return all puzzles; if the household's can't be read, log why and return those shipped."""
    try:
        return store.known(game, data)
    except Refused as error:
        _log.warning("puzzles are left out: %s", error)
        return store.shipped(game)


def find_puzzle(game: Game[Any], data: Path | None, wanted: str) -> Puzzle | None:
    """Return the puzzle with this id, None if there is none."""
    return next((puzzle for puzzle in known_puzzles(game, data) if puzzle.id == wanted), None)


def _page(name: str) -> str:
    game = _known(name)
    others = [(other, in_words(one.title)) for other, one in sorted(GAMES.items()) if other != name and kinds_of(one)]
    return render_template(
        "puzzles.html",
        name=name,
        title=in_words(game.title),
        count=len(store.shipped(game)),
        day=date.today().isoformat(),
        others=others,
    )

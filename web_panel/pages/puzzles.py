"""Puzzles: a page for each game, its list, and the position after tried actions. The server keeps no state of it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, abort, jsonify, render_template, request

from firmware_host.games.game import Game, GameError
from firmware_host.games.puzzles import Puzzle, kinds_of
from firmware_host.games.registry import GAMES
from firmware_host.puzzles import store
from firmware_host.puzzles.view import puzzle_view, solution, summary
from firmware_host.table.service import TableService
from firmware_host.text.refusal import Refused
from web_panel.text.denied import Denied
from web_panel.text.wording import in_words

_log = logging.getLogger(__name__)


def blueprint(door: TableService, data: Path | None = None) -> Blueprint:
    """Return ``/puzzles`` (the game at the table), ``/puzzles/<name>``, and their JSON.

    ``data`` is the folder with the household's own puzzles; None: there are none.
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
        today = store.today(game, date.today())
        listed = [summary(game, puzzle) for puzzle in _all(game, data)]
        return jsonify(in_words({"today": summary(game, today) if today else None, "puzzles": listed}))

    @pages.get("/api/puzzles/<name>/<puzzle>")
    def tried(name: str, puzzle: str) -> Response:
        game = _known(name)
        actions, stage = request.args.getlist("do"), request.args.getlist("stage")
        try:
            told = puzzle_view(game, _puzzle(_all(game, data), puzzle), actions, stage)
        except GameError as error:
            raise Denied(409, "bad_action", error.message) from error
        return jsonify(in_words(told))

    @pages.get("/api/puzzles/<name>/<puzzle>/solution")
    def solved(name: str, puzzle: str) -> Response:
        game = _known(name)
        return jsonify(in_words(solution(game, _puzzle(_all(game, data), puzzle))))

    del here, of_game, all_of_them, tried, solved
    return pages


def _known(name: str) -> Game[Any]:
    if name not in GAMES:
        abort(404)
    return GAMES[name]


def _all(game: Game[Any], data: Path | None) -> Sequence[Puzzle]:
    """Return all puzzles; if the household's can't be read, log why and return those shipped."""
    try:
        return store.known(game, data)
    except Refused as error:
        _log.warning("puzzles are left out: %s", error)
        return store.shipped(game)


def _puzzle(known: Sequence[Puzzle], wanted: str) -> Puzzle:
    found = next((puzzle for puzzle in known if puzzle.id == wanted), None)
    if found is None:
        abort(404)
    return found


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

"""How to play: a page for each game, with pictures that the board's own drawing code draws, and their JSON."""

from __future__ import annotations

from functools import cache
from typing import Any

from flask import Blueprint, Response, abort, current_app, jsonify, render_template

from firmware_host.games.puzzles import kinds_of
from firmware_host.games.registry import GAMES
from firmware_host.table.how_to_play import cover_view, sheet_view
from firmware_host.table.service import TableService
from web_panel.text.wording import in_words


def blueprint(door: TableService) -> Blueprint:
    """Return ``/how-to-play`` (the game at the table or in the replay), ``/how-to-play/<name>``, and their pictures."""
    pages = Blueprint("how_to_play", __name__)

    @pages.get("/how-to-play")
    def here() -> str:
        return _page(str(door.view(None)[1]["game"]["name"]))

    @pages.get("/how-to-play/<name>")
    def of_game(name: str) -> str:
        return _page(name)

    @pages.get("/api/how-to-play/<name>")
    def pictures(name: str) -> Response:
        return jsonify(in_words(_sheet(_known(name))))

    @pages.get("/api/how-to-play/<name>/cover")
    def cover(name: str) -> Response:
        return jsonify(in_words(_cover(_known(name))))

    @pages.get("/api/how-to-play/<name>/terms")
    def terms(name: str) -> Response:
        return jsonify(in_words({"terms": _sheet(_known(name))["terms"]}))

    del here, of_game, pictures, cover, terms
    return pages


def _known(name: str) -> str:
    if name not in GAMES:
        abort(404)
    return name


@cache
def _sheet(name: str) -> dict[str, Any]:
    """Return a game's sheet. It never changes, and finding its pictures' steps takes longer than any page."""
    return sheet_view(GAMES[name])


@cache
def _cover(name: str) -> dict[str, Any]:
    """Return the picture that represents a game; it never changes either."""
    return cover_view(GAMES[name])


def _page(name: str) -> str:
    sheet = in_words(_sheet(_known(name)))
    others = [(other, in_words(game.title)) for other, game in sorted(GAMES.items()) if other != name]
    puzzles = "puzzles" in current_app.blueprints and bool(kinds_of(GAMES[name]))
    return render_template("how_to_play.html", sheet=sheet, others=others, puzzles=puzzles)

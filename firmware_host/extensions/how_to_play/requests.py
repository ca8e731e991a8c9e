"""How to play: a page for each game, with pictures that the board's own drawing code draws, and their JSON."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from flask import abort, render_template

from firmware_host.extensions.how_to_play.sheet import cover_view, sheet_view
from firmware_host.games.registry import GAMES
from firmware_host.text.json_reader import COUNT, NODE, SEAT, maybe, part, record, rows, table_of
from web_panel.languages import in_words
from web_panel.panel import Screens
from web_panel.routes import Routes

Name = Annotated[str, (("minLength", 1),)]
_COLOUR = {"type": "integer", "minimum": 1, "maximum": 8}
_SEATS = rows(record(seat=SEAT, homes=rows(NODE), colour=_COLOUR, plays=maybe(str)))
_TERMS = rows(record(term=str, words=str))
_PICTURE = {
    "board": table_of(rows(str)), "lights": table_of(part("Light")), "arrows": rows(part("Arrow")), "seats": _SEATS,
}  # fmt: skip
routes = Routes("how_to_play", {
    "Terms": record(terms=_TERMS),
    "Cover": record(pieces=table_of(str), tints=table_of(str), layout=part("LayoutView"), **_PICTURE),
    "HowToPlay": record(
        name=str, title=str, aim=maybe(str), minutes=maybe(rows(COUNT)), players=rows(COUNT),
        pictures=rows(record(words=str, layout=maybe(part("LayoutView")), **_PICTURE)), terms=_TERMS, endings=rows(str),
        scoring=maybe(str), pieces=table_of(str), tints=table_of(str), layout=part("LayoutView"),
    ),
}, static="/static/how_to_play")  # fmt: skip


@routes.get("/how-to-play")
def page_here(screens: Screens) -> str:
    """How the game at the table is played."""
    return _page(str(screens.table.view(None)[1]["game"]["name"]))


@routes.get("/how-to-play/<name>", _404="Missing")
def page_of_game(_screens: Screens, name: Name) -> str:
    """How a game is played."""
    return _page(name)


@routes.get("/api/how-to-play/<name>", part("HowToPlay"), _404="Missing")
def pictures(_screens: Screens, name: Name) -> Mapping[str, Any]:
    """The pictures of how a game is played."""
    return _sheet(_check_known(name))


@routes.get("/api/how-to-play/<name>/cover", part("Cover"), _404="Missing")
def cover(_screens: Screens, name: Name) -> Mapping[str, Any]:
    """The picture that stands for a game."""
    return _cover(_check_known(name))


@routes.get("/api/how-to-play/<name>/terms", part("Terms"), _404="Missing")
def terms(_screens: Screens, name: Name) -> Mapping[str, Any]:
    """What a game's words mean."""
    return {"terms": _sheet(_check_known(name))["terms"]}


def _check_known(name: str) -> str:
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
    sheet = in_words(_sheet(_check_known(name)))
    others = [(other, in_words(game.title)) for other, game in sorted(GAMES.items()) if other != name]
    return render_template("how_to_play.html", sheet=sheet, others=others)

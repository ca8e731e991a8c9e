"""How a game is played, ready for JSON: its aim, pictures that the board's own drawing code draws, and its terms."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from firmware_host.games import naming
from firmware_host.games.capabilities import RulesPicture, card_view, how_to_play_of
from firmware_host.games.drawing import ASKED, MADE, arrows_along, drawing, layout_view, own_colours, ways_of
from firmware_host.games.game import Game, GameError
from firmware_host.games.positions import whole
from firmware_host.text.words import say

_log = logging.getLogger(__name__)

LIT = say("pointed out in this picture")


def sheet_view(game: Game[Any]) -> dict[str, Any]:
    """Return the whole sheet; a game without one gives only its basic data."""
    sheet = how_to_play_of(game)
    drawn = [] if sheet is None else [_draw(game, picture) for picture in sheet.pictures]
    return {
        "name": game.name,
        "title": game.title,
        **card_view(game),
        "pictures": [picture for picture in drawn if picture is not None],
        "terms": [{"term": term, "words": words} for term, words in (sheet.terms if sheet else {}).items()],
        "endings": list(game.endings.values()),
        "scoring": game.scoring.hint if game.scoring else None,
        "pieces": dict(game.pieces),
        "tints": naming.tints(game.pieces),
        "layout": layout_view(game),
    }


def cover_view(game: Game[Any]) -> dict[str, Any]:
    """Return the picture of a game for the choice of games; without a sheet its empty board."""
    sheet = how_to_play_of(game)
    shown = [] if sheet is None else [sheet.cover, *sheet.pictures] if sheet.cover else sheet.pictures
    drawn = _draw(game, shown[0]) if shown else None
    empty: dict[str, Any] = {"layout": None, "board": {}, "lights": {}, "arrows": [], "seats": []}
    picture = empty if drawn is None else {**drawn, "lights": {}, "arrows": []}
    return {
        "pieces": dict(game.pieces),
        "tints": naming.tints(game.pieces),
        **{name: picture[name] for name in empty},
        "layout": picture["layout"] or layout_view(game),
    }


def _draw(game: Game[Any], picture: RulesPicture) -> dict[str, Any] | None:
    """Return a picture; None, with a log entry, if the game can't draw it."""
    try:
        return picture_view(game, picture)
    except GameError as error:
        _log.warning("a picture of how %s is played is left out: %s", game.name, error)
        return None


def picture_view(game: Game[Any], picture: RulesPicture) -> dict[str, Any]:
    """Return one picture. Raise GameError for an invalid position or action."""
    position = game.parse(picture.position)
    lying, ways = game.occupancy(position), []
    if picture.action is not None:
        step = whole(game, position, picture.action)
        if step is None:
            raise GameError(f"action: {picture.action} is not legal in {picture.position}")
        lying, ways = (step.after if picture.done else lying), ways_of(step)
    winners = game.status(position).winners
    plays, own = game.plays(position), own_colours(game, position.mode)
    return {
        "words": picture.words,
        "layout": drawing(game, picture.layout) if picture.layout else None,
        "board": {node: list(stack) for node, stack in lying.items()},
        "lights": {node: _light(lit, winners) for node, lit in picture.lit.items()},
        "arrows": arrows_along(MADE if picture.done else ASKED, ways),
        "seats": [
            {
                "seat": seat,
                "homes": list(game.homes(position.mode, seat)),
                "colour": own.get(seat, seat),
                "plays": plays.get(seat),
            }
            for seat in game.seats(position.mode)
        ],
    }


def _light(lit: str | int, winners: Sequence[int]) -> dict[str, Any]:
    """Return a light; a winning line shines in the winner's colour."""
    if isinstance(lit, int):
        return {"meaning": "put", "words": LIT, "seat": lit}
    return {"meaning": lit, "words": LIT, "seat": winners[0] if lit == "won" and winners else None}

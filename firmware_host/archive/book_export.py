"""The household's book as data: JSON with the page's tables and every game, CSV with a row for each seat of a game."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from firmware_host.archive.book import Book, GameLine, Played, Player, Tally
from firmware_host.archive.glicko import Rating

FORM = 1
RESULTS = {1.0: "won", 0.5: "drawn", 0.0: "lost"}
COLUMNS = ("game_id", "game", "mode", "started", "ended", "seat", "side", "name", "computer", "level", "result")
_FORMULA = ("=", "+", "-", "@")
"""First characters of cells that a spreadsheet would compute as formulas."""


def as_data(book: Book) -> dict[str, Any]:
    """Return the book ready for JSON; times are UTC, ratings in points, best times in seconds."""
    people = [
        {"name": one.name, "last": one.last, "games": [_line(line) for line in one.games.values()]}
        for one in book.people
    ]
    puzzles = [
        {"name": one.name, "solved": one.solved, "streak": one.streak, "best": dict(one.best)} for one in book.solvers
    ]
    return {"book": FORM, "people": people, "games": [_game(game) for game in book.games], "puzzles": puzzles}


def as_csv(book: Book) -> str:
    """Return CSV (RFC 4180) with a header and a row for every seat of every game."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(COLUMNS)
    for game in book.games:
        told = _game(game)
        head = [told[name] for name in ("id", "game", "mode", "started", "ended")]
        for seat in told["seats"]:
            row = [seat["seat"], seat["side"], _cell(seat["name"]), seat["computer"], seat["level"], seat["result"]]
            table.writerow([*head, *row])
    return out.getvalue()


def _cell(name: str) -> str:
    return f"'{name}" if name.startswith(_FORMULA) else name


def _game(game: Played) -> dict[str, Any]:
    seats = [
        {
            "seat": seat,
            "side": side + 1,
            "name": _name(player),
            "computer": player.level is not None,
            "level": player.level or None,
            "result": RESULTS[game.score(side)],
        }
        for side, seat, player in game.players
    ]
    kept = {name: getattr(game, name) for name in ("id", "game", "mode", "started", "ended")}
    return {**kept, "seats": sorted(seats, key=lambda one: one["seat"])}


def _name(player: Player) -> str:
    return player.name if player.level is not None and not player.forgotten else str(player.words)


def _line(line: GameLine) -> dict[str, Any]:
    return {
        "game": line.game,
        "title": line.title,
        **_tally(line.tally),
        "rating": _rating(line.rating),
        "modes": [{"mode": mode, **_tally(tally)} for mode, tally in sorted(line.modes.items())],
        "opponents": [{"name": str(name), **_tally(tally)} for name, tally in sorted(line.opponents.items())],
    }


def _tally(tally: Tally) -> Mapping[str, int]:
    return {"won": tally.won, "drawn": tally.drawn, "lost": tally.lost}


def _rating(rating: Rating | None) -> dict[str, float] | None:
    return None if rating is None else {name: round(value, 4) for name, value in vars(rating).items()}

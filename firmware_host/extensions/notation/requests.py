"""Games as text for whoever downloads one, or follows the one at the table."""

from __future__ import annotations

from flask import Response, jsonify

from firmware_host.extensions.notation import notation
from firmware_host.games.positions import is_dealt
from firmware_host.text.json_reader import SEAT, Schema, maybe, part, record, rows, table_of
from firmware_host.text.words import say
from web_panel.api.records import CHANGED, MISSING, NOT_OVER, GameId, record_that_is_over
from web_panel.languages import in_words
from web_panel.panel import Panel
from web_panel.refusals import Denied
from web_panel.routes import Routes, as_download, unless_known

routes = Routes("notation", {
    "RunningGame": record(
        id=str, game=str, title=str, mode=str, rules=rows(str), players=table_of(str), phase=str, turn=maybe(int),
        acts=maybe(SEAT), turns=rows(record(turn=int, done=rows(str))), board=table_of(rows(str)), result=maybe(str),
    ),
})  # fmt: skip
_SAME: Schema = {"description": "Nothing has changed since this `ETag`"}


@routes.get(
    "/api/records/<game_id>.txt", str,
    kind="text/plain", _403=NOT_OVER, _404=MISSING, _409=CHANGED, _503="Busy",
)  # fmt: skip
def as_text(panel: Panel, game_id: GameId) -> Response:
    """Download a game that is over in notation: a line a turn."""
    text = notation.write(notation.of_record(record_that_is_over(panel, game_id)))
    return as_download(Response(text, mimetype="text/plain"), f"{game_id}.txt")


@routes.get("/api/game.txt", str, kind="text/plain", _304=_SAME, _404=MISSING, _503="Busy")
def running_text(panel: Panel) -> Response:
    """The game at the table in notation, as far as it is played, for whoever follows it: nothing that is sealed."""
    return _of_now(Response(notation.write(_running(panel)), mimetype="text/plain"))


@routes.get("/api/game.json", part("RunningGame"), _304=_SAME, _404=MISSING, _503="Busy")
def running_json(panel: Panel) -> Response:
    """The same, a turn an object, with what lies and who acts, for broadcasters."""
    game, view = _running(panel), panel.view
    turns: dict[int, list[str]] = {}
    for act, turn in zip(game.acts, game.turns, strict=True):
        turns.setdefault(turn, []).append(notation.token(act))
    shown = {
        "id": view["game"]["id"],
        "game": game.game,
        "title": in_words(view["game"]["title"]),
        "mode": game.mode,
        "rules": list(game.rules),
        "players": {str(seat): name for seat, name in game.players.items()},
        "phase": view["phase"],
        "turn": view["turn"],
        "acts": view["resolver"],
        "turns": [{"turn": turn, "done": done} for turn, done in turns.items()],
        "board": view["board"],
        "result": game.result or None,
    }
    return _of_now(jsonify(shown))


def _running(panel: Panel) -> notation.WrittenGame:
    """Return the game at the table. Raise Denied before one has begun; a lesson is none."""

    def look() -> notation.WrittenGame | None:
        table = panel.table.table()
        if table.lesson is not None or not table.ledger.started:
            return None
        return notation.of_ledger(table.ledger, hidden=is_dealt(table.game) and not table.ledger.over)

    found = panel.table.ask(look)
    if found is None:
        raise Denied(404, "no_game", say("no game has begun at this table"))
    return found


def _of_now(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-cache"
    return unless_known(response)

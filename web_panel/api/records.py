"""Replays of recorded games at a running table: each browser steps by itself, and the table goes on.

The host may view any game, everybody a game that is over. A record is verified and made into scenes once; browsers
fetch some moments at a time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from flask import Response, render_template

from firmware_host.plug import added_fields, added_values
from firmware_host.replay.scenes import film_view, moment_view
from firmware_host.replay.view_form import Moments, RecordedFilm
from firmware_host.text.json_reader import TEXT, Schema, components, part, record
from firmware_host.text.words import say
from web_panel.languages import in_words
from web_panel.openapi import refusal_of
from web_panel.panel import Panel
from web_panel.refusals import Denied, not_host
from web_panel.routes import Routes, as_download

GAME_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
CHUNK = 32
"""Number of moments in one answer: about 30 kB."""


def as_file(game_id: str, lines: Sequence[str]) -> Response:
    """Return a record as a download."""
    response = Response("".join(f"{line}\n" for line in lines), mimetype="application/x-ndjson")
    return as_download(response, f"{game_id}.jsonl")


# -- routes -----------------------------------------------------------------------------------------------------------

GameId = Annotated[str, (("pattern", "^[A-Za-z0-9_-]{1,64}$"),)]
Version = Annotated[str, (("minLength", 1), ("pattern", "^[0-9a-f]+$"))]
First = Annotated[int, (("minimum", 0),)]

routes = Routes("records", {
    **components(RecordedFilm, Moments),
    "RecordedFilm": record(**components(RecordedFilm)["RecordedFilm"]["properties"],
                           **added_fields(lambda one: one.film_fields)),
})  # fmt: skip


MISSING = refusal_of("There is no such game or moment", "no_game", "no_moment", "http")
CHANGED = refusal_of("The record can't be read, or the game has been played on", "bad_record", "gone_on")
NOT_OVER = refusal_of("The game is not over", "not_over")
_NOT_HOST = refusal_of("Not the host's phone", "not_host")


def check_id(game_id: str) -> None:
    """Raise Denied for what is the name of no game."""
    if not GAME_ID.fullmatch(game_id):
        raise Denied(404, "no_game", say("there is no such game"))


def _check_open(panel: Panel, game_id: str) -> None:
    """Raise Denied if the game is not over, except for the host. The record is not read."""
    check_id(game_id)
    if not panel.hosting.here() and not panel.films.is_over(game_id):
        raise Denied(403, "not_over", say("this game is not over: only the host can look at it before"))


def _page(words: str) -> Schema:
    return {"description": words, "content": {"text/html": {"schema": TEXT}}}


@routes.get("/replay/<game_id>", _404=_page("There is no such game"))
def page(panel: Panel, game_id: GameId) -> tuple[str, int]:
    """A recorded game, stepped through."""
    return _replay(panel, game_id, hosting=False)


@routes.get(
    "/host/replay/<game_id>", more={"security": [{"host": []}]},
    _403=_page("Not the host's phone"), _404=_page("There is no such game"),
)  # fmt: skip
def host_page(panel: Panel, game_id: GameId) -> tuple[str, int]:
    """A recorded game, stepped through by the host."""
    return _replay(panel, game_id, hosting=True)


def _replay(panel: Panel, game_id: str, *, hosting: bool) -> tuple[str, int]:
    refused, status = None, 200
    try:
        if hosting and not panel.hosting.here():
            raise not_host()
        check_id(game_id)
    except Denied as denied:
        refused, status = in_words(denied.message), denied.status
    return render_template("replay.html", record=game_id, refused=refused, host=hosting), status


@routes.get(
    "/api/host/replay/<game_id>",
    part("RecordedFilm"),
    "host",
    _403=_NOT_HOST,
    _404=MISSING,
    _409=CHANGED,
    _503="Busy",
)
@routes.get("/api/replay/<game_id>", part("RecordedFilm"), _403=NOT_OVER, _404=MISSING, _409=CHANGED, _503="Busy")
def whole(panel: Panel, game_id: GameId) -> Mapping[str, Any]:
    """What is the same at all its moments."""
    _check_open(panel, game_id)
    kept = panel.films.newest(game_id)
    return {
        **film_view(kept.film),
        "version": kept.version,
        "chunk": CHUNK,
        **added_values(lambda one: one.film_fields, panel.attached, lambda one: one.film_state(kept.film)),
    }


@routes.get(
    "/api/host/replay/<game_id>/<version>/<int:first>", part("Moments"), "host",
    _403=_NOT_HOST, _404=MISSING, _409=CHANGED, _503="Busy",
)  # fmt: skip
@routes.get(
    "/api/replay/<game_id>/<version>/<int:first>", part("Moments"),
    _403=NOT_OVER, _404=MISSING, _409=CHANGED, _503="Busy",
)  # fmt: skip
def moments(panel: Panel, game_id: GameId, version: Version, first: First) -> Mapping[str, Any]:
    """Some moments, from this one on."""
    _check_open(panel, game_id)
    shown = panel.films.of(game_id, version)
    if first >= len(shown.scenes):
        raise Denied(404, "no_moment", say("this game has no moment {number}", number=first + 1))
    last = min(first + CHUNK, len(shown.scenes))
    return {"first": first, "moments": [moment_view(shown, at) for at in range(first, last)]}


@routes.get(
    "/api/records/<game_id>.jsonl", str,
    kind="application/x-ndjson", _403=NOT_OVER, _404=MISSING, _409=CHANGED, _503="Busy",
)  # fmt: skip
def download(panel: Panel, game_id: GameId) -> Response:
    """Download the record of a game that is over."""
    return as_file(game_id, record_that_is_over(panel, game_id))


def record_that_is_over(panel: Panel, game_id: str) -> Sequence[str]:
    """Return the record of a game that is over. Raise Denied for another."""
    check_id(game_id)  # Before its end it would reveal hidden stacks even to the host.
    if not panel.films.is_over(game_id):
        raise Denied(403, "not_over", say("this game is not over: its record can be downloaded once it is"))
    return panel.films.read(game_id)[0]

"""Lessons at the table: the list, beginning one, and the buttons of the learner's phone."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any

from flask import Response, request

from firmware_host.games.lessons import lessons_of
from firmware_host.plug import added_fields, added_values
from firmware_host.table.errors import TableError
from firmware_host.table.events import BETWEEN_GAMES, Word
from firmware_host.table.subjects.seats import SeatClaim
from firmware_host.text.json_reader import part, record, rows
from firmware_host.text.words import list_of, say, say_many
from web_panel.api.live import OF_ALONE
from web_panel.limits import owner
from web_panel.panel import Panel
from web_panel.routes import Routes, success

routes = Routes("lessons", {
    "Lessons": record(
        game=str, title=str, first=bool, lessons=rows(record(name=str, title=str)),
        **added_fields(lambda one: one.lesson_fields),
    ),
})  # fmt: skip


@routes.get("/api/lessons", part("Lessons"), more={"parameters": [OF_ALONE]}, _503="Busy")
def lessons(panel: Panel) -> Mapping[str, Any]:
    """Lessons of the game at the table; `first`: nobody has played this game here yet.

    With `alone` of the game that the phone learns.
    """
    lesson = panel.lesson_alone()
    game = lesson.view(None)[1]["game"] if lesson else panel.view["game"]
    played = lesson.game if lesson else panel.table.setting.game
    return {
        "game": game["name"],
        "title": game["title"],
        "first": panel.host_service is not None and not panel.host_service.has_played(game["name"]),
        "lessons": [{"name": one.name, "title": one.title} for one in lessons_of(played)],
        **added_values(lambda one: one.lesson_fields, panel.attached, lambda one: one.lesson_state(game["name"])),
    }


@routes.post("/api/lesson/begin", "guest")
def begin(panel: Panel, name: Word, phone: bool = False, sure: bool = False) -> Response:
    """Begin a lesson of the game at the table; `sure`: although other people sit in the lobby, who wait meanwhile.

    The answer sets the cookie that holds the learner's seat. With `phone` on this phone alone: the table has no part in
    it, what is chosen lies at once, and the page says `alone` with each request.
    """
    lessons = panel.table.lessons
    if phone:
        _check_idle(panel)
        return begin_for(panel, lambda claim: lessons.alone.begin(name, claim, owner(request.remote_addr)).seat)
    check_lobby(panel, sure)
    return begin_for(panel, lambda claim: lessons.begin(name, claim, host=panel.hosting.here()))


def _check_idle(panel: Panel) -> None:
    """Raise TableError where the phone's player has a seat in a game that is being played."""
    view = panel.view
    if view["lesson"] is None and view["phase"] not in BETWEEN_GAMES and panel.seats.mine() is not None:
        raise TableError("wrong_phase", say("you play at the table now: the lesson is there after the game"))


def check_lobby(panel: Panel, sure: bool) -> None:
    """Raise TableError where a guest who is not sure would take the table from people who sit in the lobby."""
    view = panel.view
    mine = panel.seats.mine()
    others = [
        seat["name"]
        for seat in view["seats"]
        if view["phase"] == "lobby" and seat["taken"] and not seat["computer"] and seat["seat"] != mine
    ]
    if others and not sure and not panel.hosting.here():
        words = say_many(
            "{names} waits in the lobby and keeps the seat, and the lesson takes the table",
            "{names} wait in the lobby: they keep their seats, and the lesson takes the table",
            len(others),
            names=list_of(others),
        )
        raise TableError("people_wait", words)


def begin_for(panel: Panel, begin: Callable[[str], int]) -> Response:
    """Begin an exercise with the claim of the phone's last one, or a new one; ``begin`` returns the learner's seat."""
    mine = panel.seats.learner()
    claim = mine.claim if mine else secrets.token_urlsafe(16)
    response = success()
    panel.seats.give(response, SeatClaim(begin(claim), claim), lesson=True)
    return response


@routes.post("/api/lesson/next", "learner")
def go_on(panel: Panel, by: SeatClaim | None) -> None:
    """Go on to the next exercise once this one is done."""
    panel.lesson.next(by)


@routes.post("/api/lesson/back", "learner")
def go_back(panel: Panel, by: SeatClaim | None) -> None:
    """Begin this exercise anew, or go back to the one before."""
    panel.lesson.back(by)


@routes.post("/api/lesson/show", "learner")
def show(panel: Panel, by: SeatClaim | None) -> None:
    """Show the answer."""
    panel.lesson.show(by)


@routes.post("/api/lesson/stop", "learner")
def stop(panel: Panel, by: SeatClaim | None) -> None:
    """End the lesson.

    The game that waited goes on. Where the host ends somebody's, only the host begins another until a game has
    begun.
    """
    if panel.place is panel.table:
        panel.table.lessons.stop(by, by_host=by is None)
    elif by is not None:
        panel.table.lessons.alone.stop(by.claim)

"""Lessons and puzzles at the table: the list, beginning one, and the buttons of the learner's phone."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import date
from typing import Any

from flask import Response

from firmware_host.games.lessons import lessons_of
from firmware_host.games.registry import GAMES
from firmware_host.puzzles import store
from firmware_host.puzzles.view import summary
from firmware_host.table.errors import TableError
from firmware_host.table.events import Word
from firmware_host.text.json_reader import maybe, part, record, rows
from firmware_host.text.words import say
from web_panel.api.live import OF_ALONE
from web_panel.pages.puzzles import find_puzzle
from web_panel.panel import Panel
from web_panel.routes import Routes, success

routes = Routes("lessons", {
    "Lessons": record(
        game=str, title=str, first=bool, lessons=rows(record(name=str, title=str)),
        puzzle=maybe(part("PuzzleInList")),
    ),
})  # fmt: skip


@routes.get("/api/lessons", part("Lessons"), more={"parameters": [OF_ALONE]}, _503="Busy")
def lessons(panel: Panel) -> Mapping[str, Any]:
    """Lessons and today's puzzle of the game at the table; `first`: nobody has played this game here yet.

    With `alone` of the game that the phone learns.
    """
    lesson = panel.lesson_alone()
    game = lesson.view(None)[1]["game"] if lesson else panel.view["game"]
    played = lesson.game if lesson else panel.table.setting.game
    rules = GAMES.get(game["name"])
    today = store.today(rules, date.today()) if rules else None
    return {
        "game": game["name"],
        "title": game["title"],
        "first": panel.host_service is not None and not panel.host_service.has_played(game["name"]),
        "lessons": [{"name": one.name, "title": one.title} for one in lessons_of(played)],
        "puzzle": summary(rules, today) if rules and today else None,
    }


@routes.post("/api/lesson/begin", "guest")
def begin(panel: Panel, name: Word, phone: bool = False, sure: bool = False) -> Response:
    """Begin a lesson of the game at the table; `sure`: although other people sit in the lobby, who wait meanwhile.

    The answer sets the cookie that holds the learner's seat. With `phone` on this phone alone: the table has no part in
    it, what is chosen lies at once, and the page says `alone` with each request.
    """
    claim = _claim(panel)
    lessons = panel.table.lessons
    if phone:
        _check_idle(panel)
        return _with_seat(panel, lessons.alone.begin(name, claim).seat, claim)
    _check_lobby(panel, sure)
    return _with_seat(panel, lessons.begin(name, claim, host=panel.hosting.here()), claim)


@routes.post("/api/puzzle/begin", "guest")
def pose(panel: Panel, puzzle: Word, sure: bool = False) -> Response:
    """Set a puzzle of the game at the table up on its board; its cookie and further requests are those of a lesson."""
    rules = GAMES.get(panel.view["game"]["name"])
    found = find_puzzle(rules, panel.data, puzzle) if rules else None
    if found is None:
        raise TableError("bad_puzzle", say("the game at the table has no such puzzle"))
    _check_lobby(panel, sure)
    claim = _claim(panel)
    return _with_seat(panel, panel.table.lessons.begin_puzzle(found, claim, host=panel.hosting.here()), claim)


def _check_idle(panel: Panel) -> None:
    """Raise TableError where the phone's player has a seat in a game that is being played."""
    view = panel.view
    if view["lesson"] is None and view["phase"] not in {"lobby", "over"} and panel.seats.mine() is not None:
        raise TableError("wrong_phase", say("you play at the table now: the lesson is there after the game"))


def _check_lobby(panel: Panel, sure: bool) -> None:
    """Raise TableError where a guest who is not sure would take the table from people who sit in the lobby."""
    view = panel.view
    mine = panel.seats.mine()
    others = [
        seat["name"]
        for seat in view["seats"]
        if view["phase"] == "lobby" and seat["taken"] and not seat["computer"] and seat["seat"] != mine
    ]
    if others and not sure and not panel.hosting.here():
        names = ", ".join(others)
        words = say("{names} wait in the lobby: they keep their seats, and the lesson takes the table", names=names)
        raise TableError("people_wait", words)


def _claim(panel: Panel) -> str:
    """Return the claim of the phone's last lesson, or a new one."""
    mine = panel.seats.learner()
    return mine[1] if mine else secrets.token_urlsafe(16)


def _with_seat(panel: Panel, seat: int, claim: str) -> Response:
    response = success()
    panel.seats.give(response, (seat, claim), lesson=True)
    return response


@routes.post("/api/lesson/next", "learner")
def go_on(panel: Panel) -> None:
    """Go on to the next exercise once this one is done."""
    panel.lesson.next()


@routes.post("/api/lesson/back", "learner")
def go_back(panel: Panel) -> None:
    """Begin this exercise anew, or go back to the one before."""
    panel.lesson.back()


@routes.post("/api/lesson/show", "learner")
def show(panel: Panel) -> None:
    """Show the answer."""
    panel.lesson.show()


@routes.post("/api/lesson/stop", "learner")
def stop(panel: Panel) -> None:
    """End the lesson.

    The game that waited goes on. Where the host ends somebody's, only the host begins another until a game has
    begun.
    """
    mine = panel.seats.learner()
    if panel.place is panel.table:
        panel.table.lessons.stop(by_host=not panel.learns())
    elif mine is not None:
        panel.table.lessons.alone.stop(mine[1])

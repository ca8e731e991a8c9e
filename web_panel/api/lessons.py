"""Lessons and puzzles at the table: the list, beginning one, and the buttons of the learner's phone."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from flask import Blueprint, Response, jsonify

from firmware_host.games.registry import GAMES
from firmware_host.puzzles import store
from firmware_host.puzzles.view import summary
from firmware_host.table.errors import TableError
from firmware_host.table.service import ProofService
from firmware_host.text.words import say
from web_panel.access.keys import Keys
from web_panel.api.bodies import Body, Deed, add_routes, done
from web_panel.pages.puzzles import find_puzzle
from web_panel.text.denied import not_seated
from web_panel.text.wording import in_words

if TYPE_CHECKING:
    from firmware_host.table.service import HostService


def blueprint(door: ProofService, host: HostService | None, keys: Keys, data: Path | None = None) -> Blueprint:
    """Return ``/api/lessons``, ``/api/lesson/…`` and ``/api/puzzle/begin``; ``data`` is the folder with own puzzles."""
    api = Blueprint("lessons", __name__, url_prefix="/api")

    @api.get("/lessons")
    def offered() -> Response:
        """Return lessons and today's puzzle of the game at the table; ``first``: no game has been played here yet."""
        game = door.view(None)[1]["game"]
        rules = GAMES.get(game["name"])
        today = store.today(rules, date.today()) if rules else None
        first = host is not None and not host.games(0, 1)["in_all"]
        told = {"game": game["name"], "title": game["title"], "first": first, "lessons": door.lessons.offered()}
        return jsonify(in_words({**told, "puzzle": summary(rules, today) if rules and today else None}))

    def learner() -> str:
        mine = keys.seats.learner()
        return mine[1] if mine else secrets.token_urlsafe(16)

    def seated(seat: int, claim: str) -> Response:
        response = done()
        keys.seats.give(response, (seat, claim), lesson=True)
        return response

    def begin(body: Body) -> Response:
        claim, phone = learner(), body.get("phone", False)
        return seated(door.lessons.begin(body["name"], claim, host=keys.host.here(), phone=phone), claim)

    def pose(body: Body) -> Response:
        rules = GAMES.get(door.view(None)[1]["game"]["name"])
        puzzle = find_puzzle(rules, data, body["puzzle"]) if rules else None
        if puzzle is None:
            raise TableError("bad_puzzle", say("the game at the table has no such puzzle"))
        claim = learner()
        return seated(door.lessons.begin_puzzle(puzzle, claim, host=keys.host.here()), claim)

    def learns() -> bool:
        return keys.seats.held(keys.seats.learner()) is not None

    def turn(deed: Callable[[], None]) -> Deed:
        def answer(_body: Body) -> Response:
            if not (learns() or keys.host.here()):
                raise not_seated()
            deed()
            return done()

        return answer

    lessons = door.lessons
    actions = {
        "next": lessons.next,
        "back": lessons.back,
        "show": lessons.show,
        "stop": lambda: lessons.stop(by_host=not learns()),
    }
    add_routes(
        api,
        {
            "lesson/begin": begin,
            "puzzle/begin": pose,
            **{f"lesson/{name}": turn(deed) for name, deed in actions.items()},
        },
    )
    del offered
    return api

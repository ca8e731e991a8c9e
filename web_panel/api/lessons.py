"""Lessons: the list, beginning one, and the buttons of the learner's phone."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING

from flask import Blueprint, Response, jsonify

from firmware_host.table.service import ProofService
from web_panel.access.keys import Keys
from web_panel.api.bodies import Body, Deed, add_routes, done
from web_panel.text.denied import not_seated
from web_panel.text.wording import in_words

if TYPE_CHECKING:
    from firmware_host.table.service import HostService


def blueprint(door: ProofService, host: HostService | None, keys: Keys) -> Blueprint:
    """Return ``/api/lessons`` and ``/api/lesson/…``."""
    api = Blueprint("lessons", __name__, url_prefix="/api")

    @api.get("/lessons")
    def offered() -> Response:
        """Return the lessons of the game at the table; ``first``: no game has been played here yet."""
        game = door.view(None)[1]["game"]
        first = host is not None and not host.games(0, 1)["in_all"]
        told = {"game": game["name"], "title": game["title"], "first": first, "lessons": door.lessons.offered()}
        return jsonify(in_words(told))

    def begin(body: Body) -> Response:
        mine = keys.seats.learner()
        claim = mine[1] if mine else secrets.token_urlsafe(16)
        host_here, phone = keys.host.here(), body.get("phone", False)
        seat = door.lessons.begin(body["name"], claim, host=host_here, phone=phone)
        response = done()
        keys.seats.give(response, (seat, claim), lesson=True)
        return response

    def turn(deed: Callable[[], None]) -> Deed:
        def answer(_body: Body) -> Response:
            if keys.seats.held(keys.seats.learner()) is None and not keys.host.here():
                raise not_seated()
            deed()
            return done()

        return answer

    lessons = door.lessons
    deeds = {"next": lessons.next, "back": lessons.back, "show": lessons.show, "stop": lessons.stop}
    add_routes(api, {"lesson/begin": begin, **{f"lesson/{name}": turn(deed) for name, deed in deeds.items()}})
    del offered
    return api

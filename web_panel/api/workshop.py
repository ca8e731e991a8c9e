"""The host's check of the board: the present step, and its buttons."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from firmware_host.table.service import WorkshopService
from web_panel.access.keys import Keys
from web_panel.api.bodies import Body, add_routes, done
from web_panel.text.denied import not_host
from web_panel.text.wording import in_words


def blueprint(workshop: WorkshopService | None, keys: Keys) -> Blueprint:
    """Return ``/api/host/workshop/…``; without a workshop every request is refused."""
    api = Blueprint("workshop", __name__, url_prefix="/api/host/workshop")

    def ruled() -> WorkshopService:
        if workshop is None or not keys.host.here():
            raise not_host()
        return workshop

    @api.get("")
    def state() -> Response:
        return jsonify(in_words(ruled().state()))

    def begin(body: Body) -> Response:
        ruled().begin(body["what"], pause=body["pause"])
        return done()

    def answer(body: Body) -> Response:
        ruled().answer(body["choice"])
        return done()

    def stop(_body: Body) -> Response:
        ruled().stop()
        return done()

    add_routes(api, {"begin": begin, "answer": answer, "stop": stop}, "host/workshop/", is_host=keys.host.here)
    del state
    return api

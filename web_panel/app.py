"""The panel as an app factory: pages for the lobby, the phones and the big screen, and the JSON that they speak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flask import Blueprint, Flask

from firmware_host.table.door import ProvingDoor
from web_panel import api, live, openapi, pages, proof
from web_panel.guard import LARGEST_BODY, LONGEST_URL, guard
from web_panel.limits import Buckets
from web_panel.seats import Seats
from web_panel.wording import speak

__all__ = ["LARGEST_BODY", "LONGEST_URL", "create_app"]


def create_app(
    door: ProvingDoor,
    *,
    secret: bytes,
    addresses: Sequence[str],
    extra: Sequence[Blueprint] = (),
    links: Mapping[str, str] | None = None,
    buckets: Buckets | None = None,
) -> Flask:
    """Return the panel over a table's door.

    ``addresses`` are its base URLs, the first for QR codes; ``extra`` blueprints are mounted as they are (the virtual
    board); ``links`` (label → path) are offered in the lobby. Hosts not among the addresses are refused (rebinding).
    ``buckets`` count who asks how often.
    """
    app = Flask(__name__)
    seats = Seats(door, secret)
    app.register_blueprint(pages.blueprint(door, seats, addresses, links or {}))
    app.register_blueprint(api.blueprint(door, seats))
    app.register_blueprint(live.blueprint(door, seats, live.Streams()))
    app.register_blueprint(proof.blueprint(door))
    app.register_blueprint(openapi.blueprint())
    for more in extra:
        app.register_blueprint(more)
    speak(app)
    guard(app, seats, addresses, Buckets() if buckets is None else buckets)
    return app

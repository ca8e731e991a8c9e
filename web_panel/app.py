"""The panel as an app factory: pages for the lobby, the phones and the big screen, and their JSON API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flask import Blueprint, Flask

from firmware_host.table.service import ProofService, WorkshopService
from web_panel.access.asks import Asks
from web_panel.access.host import Host
from web_panel.access.keys import Keys
from web_panel.access.networks import NetworkAsks
from web_panel.access.seats import Seats
from web_panel.access.tickets import Tickets
from web_panel.api import care as care_api
from web_panel.api import host as host_api
from web_panel.api import lessons, network, proof, records, workshop
from web_panel.api import play as api
from web_panel.openapi import document as openapi
from web_panel.pages import book as book_page
from web_panel.pages import how_to_play, icons, pages, puzzles, scripts
from web_panel.server import live
from web_panel.server.guard import LARGEST_BODY, LONGEST_URL, guard
from web_panel.server.lean import send_lean
from web_panel.server.limits import Buckets, Guesses
from web_panel.text.wording import speak

if TYPE_CHECKING:
    from firmware_host.table.service import HostService
    from firmware_host.upkeep.care import Care

__all__ = ["LARGEST_BODY", "LONGEST_URL", "create_app"]


def create_app(
    door: ProofService,
    *,
    secret: bytes,
    addresses: Sequence[str],
    extra: Sequence[Blueprint] = (),
    links: Mapping[str, str] | None = None,
    buckets: Buckets | None = None,
    host: HostService | None = None,
    data: Path | None = None,
    book: book_page.BookService | None = None,
    bench: WorkshopService | None = None,
    care: Care | None = None,
) -> Flask:
    """Return the panel of a table.

    ``door`` is the table's service. ``addresses`` are the base URLs, the first for QR codes; requests to other host
    names are refused (DNS rebinding). ``extra`` blueprints are added unchanged (the virtual board). ``links``
    (label → path) are shown in the lobby. ``buckets`` limit the rate of requests. ``host`` holds the host's actions;
    without it nobody is the host. ``data`` is the folder of the household's own puzzles, ``book`` the household's
    game book, ``bench`` the board check, ``care`` the machine's upkeep; None switches the part off.
    """
    app = Flask("web_panel")
    counters = Buckets() if buckets is None else buckets
    hosting = Host(None if host is None else host.token, secret)
    asks = Asks(door, secret), NetworkAsks(counters.clock)
    keys = Keys(Seats(door, secret), hosting, Tickets(door, host), *asks, Guesses(counters))
    app.register_blueprint(pages.blueprint(door, keys.tickets, addresses, links or {}))
    app.register_blueprint(api.blueprint(door, keys))
    app.register_blueprint(host_api.blueprint(door, host, keys, addresses[0]))
    app.register_blueprint(workshop.blueprint(bench, keys))
    app.register_blueprint(
        care_api.blueprint(care, host, hosting.here, lambda: door.view(None)[1]["phase"] not in {"lobby", "over"})
    )
    app.register_blueprint(network.blueprint(care.wifi if care else None, host, keys))
    app.register_blueprint(lessons.blueprint(door, host, keys, data))
    app.register_blueprint(live.blueprint(door, keys.seats, live.Streams(), hosting))
    app.register_blueprint(proof.blueprint(door))
    app.register_blueprint(icons.blueprint())
    app.register_blueprint(scripts.blueprint())
    app.register_blueprint(how_to_play.blueprint(door))
    app.register_blueprint(puzzles.blueprint(door, keys.guesses, data, book.solved if book else None))
    app.register_blueprint(book_page.blueprint(book, hosting.here))
    app.register_blueprint(openapi.blueprint())
    if host is not None:
        app.register_blueprint(records.blueprint(host, hosting.here, door.reviews))
    for more in extra:
        app.register_blueprint(more)
    speak(app)
    send_lean(app)
    guard(app, keys.seats, addresses, counters)
    return app

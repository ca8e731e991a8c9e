"""The panel as an app factory: pages for the lobby, the phones and the big screen, and their JSON API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from flask import Blueprint, Flask

from firmware_host.plug import PLAIN_HTTP, Attached, Extension, Transport, extensions
from firmware_host.table.subject import events
from web_panel.access import Asks, HostAccess, Seats, Tickets
from web_panel.api import host as host_api
from web_panel.api import lessons, live, play, records
from web_panel.guard import guard
from web_panel.languages import speak
from web_panel.limits import Buckets, Guesses
from web_panel.pages import assets, pages
from web_panel.panel import Panel, Reach
from web_panel.renderings import Films, Live
from web_panel.routes import Routes

if TYPE_CHECKING:
    from firmware_host.session.host import Host
    from firmware_host.session.runtime import Runtime

EVENTS = Routes("events")
"""Requests that are nothing but an event of the table."""
for _event in events():
    for _request in _event.requests:
        EVENTS.event(_event, _request)
OF_HOST = (records.routes,)
"""Routes that need the host's services."""
OF_TABLE = (
    pages.routes, play.routes, host_api.routes, EVENTS, lessons.routes, live.routes, live.game_routes, assets.routes,
)  # fmt: skip
ROUTES: Sequence[Routes] = (
    *OF_TABLE,
    *OF_HOST,
    *(more for one in extensions() for more in one.routes),
)
"""All routes of a panel."""


def create_app(
    table: Runtime,
    *,
    secret: bytes,
    addresses: Sequence[str],
    extra: Sequence[Blueprint] = (),
    links: Mapping[str, str] | None = None,
    buckets: Buckets | None = None,
    host: Host | None = None,
    attached: Mapping[Extension, Attached] | None = None,
    transport: Transport = PLAIN_HTTP,
) -> Flask:
    """Return the panel of a table.

    ``addresses`` are the base URLs, the first for QR codes; requests to other host names are refused (DNS rebinding).
    ``extra`` blueprints are added unchanged. ``links`` (label → path) are shown in the lobby.
    ``buckets`` limit the rate of requests. ``host`` holds the host's actions; without it nobody is the host.
    ``attached`` is what extensions add; ``transport`` how pages reach phones.
    """
    app = Flask("web_panel")
    reach = Reach(addresses)
    counters = Buckets() if buckets is None else buckets
    panel = Panel(
        table=table,
        seats=Seats(table, secret),
        hosting=HostAccess(None if host is None else host.token, secret),
        live=Live(table),
        host_service=host,
        tickets=Tickets(table, host),
        asks=Asks(table, secret),
        guesses=Guesses(counters),
        film_store=Films(host) if host is not None else None,
        addresses=reach,
        links={**(links or {}), **transport.links},
        attached=list((attached or {}).values()),
    )
    for routes in (*OF_TABLE, *(OF_HOST if host is not None else ())):
        app.register_blueprint(routes.blueprint(panel))
    assets.add_extensions(app, panel, attached or {}, lambda extension: extension.routes)
    for more in extra:
        app.register_blueprint(more)
    speak(app)
    guard(app, panel.seats.mine, reach, counters)
    for more in transport.pages(reach):  # After the guard: nobody is led anywhere whom it refuses.
        app.register_blueprint(more)
    return app

"""The panel of a replay: one page for phones and big screens, its stream, and the screens' commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, redirect, render_template
from werkzeug.wrappers import Response as AnyResponse

from firmware_host.plug import PLAIN_HTTP, Extension, Transport, extensions
from firmware_host.replay.cursor import MAX_S, SHORTEST_S
from firmware_host.replay.view_form import Moments, RecordedFilm, ReplayView
from firmware_host.table.view import view_form
from firmware_host.text.json_reader import COUNT, Schema, choice, components, part, record
from web_panel.access import HostAccess, Seats
from web_panel.api import live
from web_panel.guard import guard
from web_panel.languages import speak
from web_panel.limits import Buckets
from web_panel.pages import assets
from web_panel.panel import Screens
from web_panel.refusals import Denied
from web_panel.renderings import Live
from web_panel.routes import Routes

if TYPE_CHECKING:
    from firmware_host.replay.player import ReplaySession


@dataclass(frozen=True)
class Replay(Screens):
    """What the handlers of a replay are given."""

    table: ReplaySession


_PLAIN = ("first", "back", "play", "pause", "on", "last")
ORDER: Schema = {
    "oneOf": [
        record(do=choice(*_PLAIN)),
        record(do=choice("to"), moment=COUNT),
        record(do=choice("pace"), seconds={"type": "number", "minimum": SHORTEST_S, "maximum": MAX_S}),
    ]
}
"""A screen's command."""
SHOWN = components(ReplayView)["ReplayView"]
"""What every screen sees."""
routes = Routes(
    "replay",
    {
        **components(view_form()),
        **components(RecordedFilm, Moments),
        "ReplayView": SHOWN,
        "View": SHOWN,
    },
)
OWN = (routes, assets.routes)
ROUTES: Sequence[Routes] = (*OWN, *(more for one in extensions() for more in one.replay_routes))
"""All routes of a replay."""
routes.get("/api/events", str, kind="text/event-stream", more=live.STREAM_WORDS, _503="Busy")(live.events)


@routes.get("/api/state", part("ReplayView"), _304=live.NOT_CHANGED)
def state(replay: Replay) -> Response:
    """The moment that is shown."""
    return live.state(replay)


@routes.get(
    "/", _200=None,
    _302={"description": "To the page", "headers": {"Location": {"schema": {"type": "string"}}}},
)  # fmt: skip
def begin(_replay: Replay) -> AnyResponse:
    """To the page."""
    return redirect("/replay")


@routes.get("/replay")
def page(_replay: Replay) -> str:
    """The page of all screens."""
    return render_template("replay.html")


@routes.post(
    "/api/replay", "guest", _409=None, _503=None,
    more={"requestBody": {"required": True, "content": {"application/json": {"schema": ORDER}}}},
)  # fmt: skip
def order(replay: Replay, body: Mapping[str, Any]) -> None:
    """Move the replay: for all screens."""
    try:
        replay.table.order(body)
    except ValueError as error:
        raise Denied(400, "bad_request", error.args[0]) from error


def create_replay_app(
    table: ReplaySession,
    *,
    secret: bytes,
    addresses: Sequence[str],
    buckets: Buckets | None = None,
    joining: Iterable[Extension] = (),
    transport: Transport = PLAIN_HTTP,
) -> Flask:
    """Return the panel of a replay, which extensions join; other parameters are as in :func:`web_panel.app.create_app`.

    Call it before the replay is started.
    """
    app = Flask("web_panel")
    # A replay has no seats. A cookie of a table on the same host may arrive: it is read, but opens no seat.
    replay = Replay(table, Seats(table, secret), HostAccess(None, secret), Live(table))
    for some in OWN:
        app.register_blueprint(some.blueprint(replay))
    attached = {one: joined for one in joining if (joined := one.attach_replay(table)) is not None}
    assets.add_extensions(app, replay, attached, lambda extension: extension.replay_routes)
    speak(app)
    guard(app, replay.seats.mine, addresses, Buckets() if buckets is None else buckets, what="replay")
    for more in transport.pages(addresses):
        app.register_blueprint(more)
    return app

"""The pages: lobby, joining, the phone, the host; and QR codes."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Annotated

import segno
from flask import Response, abort, render_template

from web_panel.panel import Panel
from web_panel.routes import Routes

SeatInPath = Annotated[int, (("minimum", 0),)]
routes = Routes("pages")


@routes.get("/")
def lobby(panel: Panel) -> str:
    """The lobby."""
    return render_template("lobby.html", links=panel.links, address=panel.addresses[0])


@routes.get("/join/<int:seat>", _404="Missing")
def join(panel: Panel, seat: SeatInPath) -> str:
    """Taking a seat."""
    if seat not in [known["seat"] for known in panel.view["seats"]]:
        abort(404)
    return render_template("join.html", seat=seat)


@routes.get("/host")
def host(panel: Panel) -> str:
    """The host's page."""
    return render_template("host.html", links=panel.links, address=panel.addresses[0])


@routes.get("/play")
def play(_panel: Panel) -> str:
    """The phone's page."""
    return render_template("play.html")


@routes.get("/qr/seat/<int:seat>/<ticket>.svg", kind="image/svg+xml", _404="Missing")
def seat_code(panel: Panel, seat: SeatInPath, ticket: str) -> Response:
    """A code to scan that leads to a seat with its ticket."""
    if not panel.tickets.is_live(seat, ticket):
        abort(404)
    return code(f"{panel.addresses[0]}/join/{seat}#{ticket}")


@routes.get("/qr/lobby.svg", kind="image/svg+xml")
def lobby_code(panel: Panel) -> Response:
    """A code to scan that leads to the lobby."""
    return code(f"{panel.addresses[0]}/")


def code(url: str) -> Response:
    """Return a QR code as a picture."""
    return Response(_qr_svg(url), mimetype="image/svg+xml")


@lru_cache(maxsize=32)
def _qr_svg(url: str) -> bytes:
    """Return a QR code as SVG. It is cached: drawing takes longer than any page."""
    image = io.BytesIO()
    segno.make(url, error="m").save(image, kind="svg", scale=4, border=3, dark="#111", light="#fff")
    return image.getvalue()

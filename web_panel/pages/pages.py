"""The pages: lobby, joining, the phone, the host, the big screen; and QR codes."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import lru_cache

import segno
from flask import Blueprint, Response, abort, render_template

from firmware_host.table.service import TableService
from web_panel.access.tickets import Tickets


def blueprint(door: TableService, tickets: Tickets, addresses: Sequence[str], links: Mapping[str, str]) -> Blueprint:
    """Return all pages. QR codes use ``addresses[0]``; the lobby shows ``links`` (label → path)."""
    pages = Blueprint("pages", __name__)

    @pages.get("/")
    def lobby() -> str:
        return render_template("lobby.html", links=links, address=addresses[0])

    @pages.get("/join/<int:seat>")
    def join(seat: int) -> str:
        _check_seat(door, seat)
        return render_template("join.html", seat=seat)

    @pages.get("/host")
    def host() -> str:
        return render_template("host.html", links=links, address=addresses[0])

    @pages.get("/play")
    def play() -> str:
        return render_template("play.html")

    @pages.get("/tv")
    def tv() -> str:
        return render_template("tv.html", address=addresses[0])

    @pages.get("/qr/seat/<int:seat>/<ticket>.svg")
    def seat_code(seat: int, ticket: str) -> Response:
        if not tickets.is_live(seat, ticket):
            abort(404)
        return _code(f"{addresses[0]}/join/{seat}#{ticket}")

    @pages.get("/qr/lobby.svg")
    def lobby_code() -> Response:
        return _code(f"{addresses[0]}/")

    @pages.get("/favicon.ico")
    def icon() -> Response:
        return Response(status=204)

    del lobby, join, host, play, tv, seat_code, lobby_code, icon
    return pages


def _check_seat(door: TableService, seat: int) -> None:
    _, view = door.view(None)
    if seat not in [known["seat"] for known in view["seats"]]:
        abort(404)


def _code(url: str) -> Response:
    return Response(_drawn(url), mimetype="image/svg+xml")


@lru_cache(maxsize=32)
def _drawn(url: str) -> bytes:
    """Return a QR code as SVG. It is cached: drawing takes longer than any page."""
    image = io.BytesIO()
    segno.make(url, error="m").save(image, kind="svg", scale=4, border=3, dark="#111", light="#fff")
    return image.getvalue()

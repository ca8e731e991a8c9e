"""The sensors' readings while the table runs: a page for finding a loose wire, and its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from flask import Response, jsonify, render_template

from firmware_host.text.json_reader import COUNT, NODE, maybe, part, record, rows
from web_panel.languages import in_words
from web_panel.routes import Routes

routes = Routes("hardware", {
    "Readings": record(
        board=str, scheme=str, kind=str, scans=COUNT, rate=maybe(float), age=maybe(float), error=maybe(str),
        line=maybe(record(good=COUNT, damaged=COUNT, missing=COUNT)),
        nodes=rows(record(node=NODE, channel=int, pixel=int, x=float, y=float, reading=maybe(float))),
    ),
}, static="/static/workshop")  # fmt: skip


class Sensors(Protocol):
    """What is shown: the table's own scans; the sensors are never read for it."""

    def last_scan(self) -> Mapping[str, Any]:
        """Return the last scan (``snapshot`` of :class:`firmware_host.link.tap.Tap`)."""


@routes.get("/hardware")
def page(_sensors: Sensors) -> str:
    """The sensors' page."""
    return render_template("hardware.html")


@routes.get("/api/hardware", part("Readings"))
def readings(sensors: Sensors) -> Response:
    """What the sensors read last."""
    answer = jsonify(in_words(sensors.last_scan()))
    answer.headers["Cache-Control"] = "no-store"
    return answer

"""The sensors' readings while the table runs: a page for finding a loose wire, and its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Protocol

from flask import Response, jsonify, render_template

from firmware_host.session.tap import Tap
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
        """Return the last scan (:func:`scan_of`)."""


def scan_of(tap: Tap) -> Mapping[str, Any]:
    """Return a tap's last scan, ready for JSON: sensors with channel, pixel, place (mm), reading; rate (Hz), age (s).

    ``line`` counts the frames of a scanner: ``good``, ``damaged``, ``missing``; None for sensors without one.

    Each of a well's nine sensors has its own entry: ``b3, ring sensor 4``. ``kind`` is the kind of each channel.
    """
    board, last, line = tap.description, tap.last, tap.line
    at, readings, error = (None, (), None) if last is None else last
    return {
        "board": board.name,
        "scheme": board.scheme,
        "kind": board.channel_kind,
        "scans": tap.scans,
        "rate": tap.rate,
        "age": None if at is None else round(tap.clock() - at, 3),
        "error": error,
        "line": None if line is None else asdict(line),
        "nodes": [
            {
                "node": board.sensor_words(channel),
                "channel": channel,
                "pixel": node.pixel,
                "x": node.x,
                "y": node.y,
                "reading": readings[channel] if channel < len(readings) else None,
            }
            for node in board.nodes.values()
            for channel in node.channels
        ],
    }


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

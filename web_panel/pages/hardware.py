"""The sensors' readings while the table runs: a page for finding a loose wire, and its JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, jsonify, render_template

from firmware_host.text.json_reader import COUNT, NODE, maybe, part, record, rows
from web_panel.languages import in_words
from web_panel.routes import Routes, Sender

routes = Routes("hardware", {
    "Readings": record(
        board=str, scheme=str, kind=str, scans=COUNT, rate=maybe(float), age=maybe(float), error=maybe(str),
        line=maybe(record(good=COUNT, damaged=COUNT, missing=COUNT)),
        nodes=rows(record(node=NODE, channel=int, pixel=int, x=float, y=float, reading=maybe(float))),
    ),
})  # fmt: skip


@dataclass(frozen=True)
class Sensors:
    """What is shown: the table's own scans; the sensors are never read for it."""

    snapshot: Callable[[], Mapping[str, Any]]
    """Returns the last scan: ``board``, ``kind``, ``scheme``, ``scans``, ``rate``, ``age``, ``error``, ``line``, and
    ``nodes``."""

    def admit(self, sender: Sender) -> nullcontext[Mapping[str, Any]]:  # noqa: ARG002 - everybody may look
        """Admit everybody (:class:`web_panel.routes.Context`)."""
        return nullcontext({})


def blueprint(snapshot: Callable[[], Mapping[str, Any]]) -> Blueprint:
    """Return ``/hardware`` and ``/api/hardware``."""
    return routes.blueprint(Sensors(snapshot))


@routes.get("/hardware")
def page(_sensors: Sensors) -> str:
    """The sensors' page."""
    return render_template("hardware.html")


@routes.get("/api/hardware", part("Readings"))
def readings(sensors: Sensors) -> Response:
    """What the sensors read last."""
    answer = jsonify(in_words(sensors.snapshot()))
    answer.headers["Cache-Control"] = "no-store"
    return answer

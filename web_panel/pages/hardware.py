"""The sensors' readings while the table runs: a page for finding a loose wire, and its JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, render_template

from web_panel.text.wording import in_words

Snapshot = Callable[[], Mapping[str, Any]]
"""Returns the last scan: ``board``, ``kind``, ``scheme``, ``scans``, ``rate``, ``age``, ``error``, ``line``,
and ``nodes``."""


def blueprint(snapshot: Snapshot) -> Blueprint:
    """Return ``/hardware`` and ``/api/hardware``. They show the table's own scans and never read the sensors."""
    pages = Blueprint("hardware", __name__)

    @pages.get("/hardware")
    def page() -> str:
        return render_template("hardware.html")

    @pages.get("/api/hardware")
    def readings() -> Response:
        answer = jsonify(in_words(snapshot()))
        answer.headers["Cache-Control"] = "no-store"
        return answer

    del page, readings
    return pages

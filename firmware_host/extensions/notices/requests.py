"""The service worker of notifications."""

from __future__ import annotations

from pathlib import Path

from flask import Response

from web_panel.panel import Panel
from web_panel.routes import Routes, unless_known

WORKER = Path(__file__).parent / "static/notices_worker.js"
routes = Routes("notices")


@routes.get("/static/shared/notices_worker.js", kind="text/javascript", _304={"description": "Not changed"})
def worker(_panel: Panel) -> Response:
    """The service worker that shows notifications.

    Phones that have it ask for its newest form at the address by which they registered it.
    """
    response = Response(WORKER.read_bytes(), mimetype="text/javascript")
    response.headers["Cache-Control"] = "no-cache"
    return unless_known(response)

"""The page of the big screen."""

from __future__ import annotations

from flask import render_template

from web_panel.panel import Panel
from web_panel.routes import Routes

routes = Routes("tv", static="/static/tv")


@routes.get("/tv")
def tv(panel: Panel) -> str:
    """The big screen."""
    return render_template("tv.html", address=panel.addresses[0])

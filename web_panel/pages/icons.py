"""The panel as an app on a phone's home screen: its manifest. ``python -m tools.icons`` draws the icons."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, json, url_for

from firmware_host.text.words import say
from web_panel.text.wording import in_words, language

GROUND = "#14171a"
"""Background colour of the opening app and its bars: the pages' own dark."""
KIND = "application/manifest+json"


def manifest() -> dict[str, Any]:
    """Return the web app manifest, in the language of the request."""
    drawn = {"type": "image/png", "purpose": "any"}
    return {
        "id": "/",
        "name": in_words(say("Lodestone: the table")),
        "short_name": "Lodestone",
        "description": in_words(say("Your place at the table: the board, your turn, what you seal.")),
        "lang": language().tag,
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": GROUND,
        "theme_color": GROUND,
        "icons": [
            {**drawn, "src": _file("icon-192.png"), "sizes": "192x192"},
            {**drawn, "src": _file("icon-512.png"), "sizes": "512x512"},
            {**drawn, "src": _file("maskable-512.png"), "sizes": "512x512", "purpose": "maskable"},
            {"src": _file("lodestone.svg"), "sizes": "any", "type": "image/svg+xml", "purpose": "any"},
        ],
    }


def blueprint() -> Blueprint:
    """Return ``/app.webmanifest``."""
    pages = Blueprint("icons", __name__)

    @pages.get("/app.webmanifest")
    def app() -> Response:
        return Response(json.dumps(manifest(), indent=1), mimetype=KIND)

    del app
    return pages


def _file(name: str) -> str:
    return url_for("static", filename=f"icons/{name}")

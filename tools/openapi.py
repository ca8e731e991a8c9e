"""What follows from the declared requests: docs/openapi.json, and the table of phases in docs/view.md.

``python -m tools.openapi > docs/openapi.json``; ``python -m tools.openapi phases`` prints the table.
"""

from __future__ import annotations

import json
import sys

from firmware_host.table.events import ANY
from firmware_host.text.json_schema import Schema
from simulator import server
from web_panel import openapi, replay_app
from web_panel.app import ROUTES
from web_panel.panel import Panel, Screens

ORDER = ("lobby", "setup", "sealing", "revealing", "placing", "resolving", "clearing", "over")
"""The phases as a game goes through them."""


def panel_document() -> Schema:
    """Return the description of all that a panel may serve."""
    return openapi.document((*ROUTES, server.routes), *Panel.about)


def replay_document() -> Schema:
    """Return the description of a replay's panel."""
    return openapi.document((*replay_app.ROUTES, server.routes), *Screens.about)


def phases() -> list[str]:
    """Return the lines of the table of phases: which requests the table takes in which of its phases."""
    order = [phase for phase in ORDER if phase in ANY]
    requests: dict[str, list[str]] = {}
    for route in sorted((route for some in ROUTES for route in some), key=lambda route: route.path):
        event = route.event
        if event is None:
            continue
        allowed = event.phases
        words = "any" if allowed == ANY else ", ".join(f"`{phase}`" for phase in order if phase in allowed)
        requests.setdefault(words, []).append(f"`{route.path.removeprefix('/api/')}`")
    return ["| phase | requests |", "|---|---|", *(f"| {words} | {', '.join(of)} |" for words, of in requests.items())]


if __name__ == "__main__":
    print("\n".join(phases()) if sys.argv[1:] == ["phases"] else json.dumps(panel_document(), indent=1))

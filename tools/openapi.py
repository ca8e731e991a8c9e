"""The description of the panel with the virtual board: ``python -m tools.openapi > docs/openapi.json``."""

from __future__ import annotations

import json

from firmware_host.text.json_schema import Schema
from simulator import server
from web_panel import openapi, replay_app
from web_panel.app import ROUTES
from web_panel.panel import Panel, Screens


def panel_document() -> Schema:
    """Return the description of all that a panel may serve."""
    return openapi.document((*ROUTES, server.routes), *Panel.about)


def replay_document() -> Schema:
    """Return the description of a replay's panel."""
    return openapi.document((*replay_app.ROUTES, server.routes), *Screens.about)


if __name__ == "__main__":
    print(json.dumps(panel_document(), indent=1))

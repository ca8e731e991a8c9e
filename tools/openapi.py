"""Writes what follows from declared requests and events: ``python -m tools.openapi``.

That is docs/openapi.json, the table of requests by phase in docs/view.md, and the drawing of which phase leads to which
in docs/architecture.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from firmware_host.table.events import ANY
from firmware_host.table.table import TRANSITIONS
from firmware_host.text.json_reader import Schema
from web_panel import openapi, replay_app
from web_panel.app import ROUTES
from web_panel.panel import Panel, Screens

DOCS = Path(__file__).parents[1] / "docs"
BEGIN = 16
"""Number of letters of a table's or a drawing's first line by which it is found in its page."""
ORDER = ("lobby", "setup", "sealing", "revealing", "placing", "resolving", "clearing", "over")
"""The phases as a game goes through them."""


def panel_document() -> Schema:
    """Return the description of all that a panel may serve."""
    return openapi.document(ROUTES, *Panel.about)


def replay_document() -> Schema:
    """Return the description of a replay's panel."""
    return openapi.document(replay_app.ROUTES, *Screens.about)


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


def transitions() -> list[str]:
    """Return the lines of the drawing of the phases: from which to which, by which events."""
    lines = []
    for phase in ORDER:
        name = phase
        for after in ORDER:
            leads = (event.__name__ for event, ways in TRANSITIONS.items() if after in ways.get(phase, "").split())
            causes = ", ".join(sorted(leads))
            if causes and after != phase:
                lines.append(f"    {name:<10}→ {after:<10} {causes}")
                name = ""
    return lines


def documents() -> Iterator[tuple[Path, str]]:
    """Yield each file that follows, with its text."""
    yield DOCS / "openapi.json", json.dumps(panel_document(), indent=1) + "\n"
    for name, lines in (("view.md", phases()), ("architecture.md", transitions())):
        page = (DOCS / name).read_text(encoding="utf-8")
        yield DOCS / name, with_lines(page, lines)


def with_lines(page: str, new: list[str]) -> str:
    """Return a page with new lines in place of its paragraph that begins like them."""
    lines, begin = page.splitlines(), new[0][:BEGIN]
    start = next(at for at, line in enumerate(lines) if line.startswith(begin))
    end = lines.index("", start)
    return "\n".join([*lines[:start], *new, *lines[end:]]) + "\n"


if __name__ == "__main__":
    for path, text in documents():
        path.write_text(text, encoding="utf-8")

"""One moment of the running game, for a phone that steps back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from firmware_host.replay.scenes import scene_view, shots_so_far
from firmware_host.replay.view_form import SceneView
from firmware_host.table.ledger import Ledger
from firmware_host.table.view_form import Count
from firmware_host.text.json_reader import components, part
from firmware_host.text.words import say
from web_panel.openapi import refusal_of
from web_panel.panel import Panel
from web_panel.refusals import Denied
from web_panel.routes import Routes


class PastMoment(SceneView):
    """One moment of the running game, of ``in_all``: what everybody has seen by now."""

    at: Count
    in_all: Count


First = Annotated[int, (("minimum", 0),)]
MISSING = refusal_of("There is no such game or moment", "no_game", "no_moment", "http")
routes = Routes("look_back", components(PastMoment), static="/static/look_back")


@routes.get("/api/past/<int:at>", part("PastMoment"), _404=MISSING, _503="Busy")
def past(panel: Panel, at: First) -> Mapping[str, Any]:
    """One moment of the game at the table so far, from 0, or the newest one: for a phone that steps back."""
    ledger = panel.table.ask(lambda: panel.table.table().ledger)
    if not ledger.started:
        raise Denied(404, "no_moment", say("this game has no moment {number}", number=at + 1))
    return panel.table.ask(lambda: past_moment(ledger, at))


def past_moment(ledger: Ledger, at: int) -> PastMoment:
    """Return one moment of a running game, from 0; the newest one for a later number."""
    shots = shots_so_far(ledger)
    at = min(at, len(shots) - 1)
    return {**scene_view(shots[at]()), "at": at, "in_all": len(shots)}

"""Positions set up by hand: what lies on the board, whether it is a position, and what can be done with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import render_template

from firmware_host.extensions.positions.positions import Positions
from firmware_host.link.laid import LAID, read_laid
from firmware_host.text.json_reader import NODE, maybe, part, record, rows, table_of
from web_panel.limits import Rate
from web_panel.panel import PanelContext
from web_panel.routes import Routes

SEARCHES = Rate(60, 1)
"""Looks into a position that is set up by hand: a page asks once a second until its search has ended."""
_BEST = record(action=str, words=str, leads=str, nodes=rows(NODE))
routes = Routes("positions", {
    "SetUp": record(
        game=str, title=str, layout=part("LayoutView"), pieces=table_of(str), tints=table_of(str), tiles=rows(str),
        mode=str, highest=int, modes=table_of(rows(record(name=str, words=str, options=table_of(str)))),
        starts=table_of(table_of(rows(str))), searches=bool,
    ),
    "Lying": record(board=table_of(maybe(rows(str)))),
    "Best": record(ok={"const": True}, best=maybe(rows(_BEST))),
}, static="/static/positions")  # fmt: skip


@dataclass(frozen=True)
class SetUp(PanelContext):
    """What the requests are given (:class:`web_panel.routes.Context`)."""

    positions: Positions


@routes.get("/position")
def page(_here: SetUp) -> str:
    """Setting up a position."""
    return render_template("position.html")


@routes.get("/api/position", part("SetUp"), _409="Conflict", _503="Busy")
def choices(here: SetUp) -> Mapping[str, Any]:
    """What can be set up at the table: the game's board, its pieces, and what is chosen beside them."""
    return here.positions.choices()


@routes.get("/api/position/lying", part("Lying"), _409="Conflict", _503="Busy")
def lying(here: SetUp) -> Mapping[str, Any]:
    """What lies on the board between games; null where its sensor can't tell the piece."""
    return {"board": here.positions.lying()}


@routes.post("/api/position/check", "guest", more=LAID)
def check(here: SetUp, body: Mapping[str, Any]) -> None:
    """Check what is set up; what no position looks like is refused, and told why."""
    here.positions.check(*read_laid(body))


@routes.post("/api/position/play", "host", more=LAID)
def play(here: SetUp, body: Mapping[str, Any]) -> None:
    """Begin a game in this position, with those who sit at the table."""
    here.positions.play(*read_laid(body), here.panel.seats.mine())


@routes.post("/api/position/best", "guest", answer="Best", more=LAID)
def best(here: SetUp, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The best actions of the seat that acts; null while they are searched: ask again."""
    laid = read_laid(body)
    here.panel.guesses.limit("positions", SEARCHES)
    found = here.positions.look_into(*laid)
    return {"best": found and found["choices"]}

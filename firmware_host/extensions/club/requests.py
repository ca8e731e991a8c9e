"""The request of a table's phones: a board that the club has assigned to this table is to be played now."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.extensions.club.assigned import AssignedBoards
from firmware_host.table.events import Whole
from web_panel.panel import PanelContext
from web_panel.refusals import not_host
from web_panel.routes import Routes

routes = Routes("assigned")


@dataclass(frozen=True)
class BoardRequests(PanelContext):
    """What the request is given (:class:`web_panel.routes.Context`)."""

    assigned: AssignedBoards


@routes.post("/api/pairing", "guest", _403="NotHost")
def pairing(here: BoardRequests, tournament: Whole, round_: Whole, board: Whole) -> None:
    """Open the lobby of a board of the club's round that is assigned to this table; where seats are for all to take."""
    panel = here.panel
    if not (panel.tickets.are_shown() or panel.hosting.here()) and panel.seats.mine() is None:
        raise not_host()
    here.assigned.begin(panel.host, tournament, round_, board)
    panel.tickets.live()  # A seat may have been freed: its ticket is void from now on.

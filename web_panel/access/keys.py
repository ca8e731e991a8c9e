"""All access rights at a table: seats, the host's token, tickets, requests for seats and for a network."""

from __future__ import annotations

from dataclasses import dataclass

from web_panel.access.asks import Asks
from web_panel.access.host import Host
from web_panel.access.networks import NetworkAsks
from web_panel.access.seats import Seats
from web_panel.access.tickets import Tickets
from web_panel.server.limits import Guesses


@dataclass(frozen=True)
class Keys:
    """All access rights, and the counter of wrong guesses."""

    seats: Seats
    host: Host
    tickets: Tickets
    asks: Asks
    networks: NetworkAsks
    guesses: Guesses

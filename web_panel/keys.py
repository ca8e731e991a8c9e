"""All that opens something at a table: seats, the host's token, tickets."""

from __future__ import annotations

from dataclasses import dataclass

from web_panel.asks import Asks
from web_panel.host import Host
from web_panel.limits import Guesses
from web_panel.seats import Seats
from web_panel.tickets import Tickets


@dataclass(frozen=True)
class Keys:
    """Who may do what, and what counts wrong guesses."""

    seats: Seats
    host: Host
    tickets: Tickets
    asks: Asks
    guesses: Guesses

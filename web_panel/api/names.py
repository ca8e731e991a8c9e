"""Names of players must be distinguishable."""

from __future__ import annotations

from firmware_host.table.errors import TableError
from firmware_host.table.seats import looks
from firmware_host.table.service import View
from firmware_host.text.words import say


def check_name(view: View, seat: int, name: str) -> None:
    """Raise TableError if the name for a seat looks like another player's. The table itself checks the rest."""
    for one in view["seats"]:
        if one["taken"] and one["seat"] != seat and looks(one["name"]) == looks(name):
            taken = say("somebody is already called {name}; choose another name", name=one["name"])
            raise TableError("bad_name", taken)

"""Names that can be told apart: none that looks like somebody else's."""

from __future__ import annotations

from firmware_host.table.errors import TableError
from firmware_host.table.names import looks
from firmware_host.table.service import View
from firmware_host.text.words import say


def check_name(view: View, seat: int, name: str) -> None:
    """Raise TableError for a name on a seat that looks like another one's at the table.

    What else a name has to be the table itself says.
    """
    for one in view["seats"]:
        if one["taken"] and one["seat"] != seat and looks(one["name"]) == looks(name):
            taken = say("somebody is already called {name}; choose another name", name=one["name"])
            raise TableError("bad_name", taken)

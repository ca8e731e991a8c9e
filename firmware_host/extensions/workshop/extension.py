"""What the workshop adds to the program: ``lodestone hardware``, its card on the host's page, the sensors' page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from firmware_host.extensions.workshop.own_file import own_file
from firmware_host.link.tap import with_taps
from firmware_host.plug import Attached, Extension, Parts, Verbs
from firmware_host.text.words import say

if TYPE_CHECKING:
    from firmware_host.extensions.workshop.service import Workshop
    from hw.ports import OpenBoard
    from web_panel.panel import Panel
    from web_panel.routes import Context, Routes


class WorkshopExtension(Extension):
    """A built board is checked, mapped, calibrated, watched, measured and proved."""

    name = "workshop"
    is_portable = True
    scripts = {"host/host.js": "workshop.js"}  # noqa: RUF012 - read only
    links = {say("Sensors"): "/hardware"}  # noqa: RUF012

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the requests of the host, and the sensors' page."""
        from firmware_host.extensions.workshop import requests, sensors  # noqa: PLC0415 - of the panel

        return (requests.routes, sensors.routes)

    def add_verbs(self, verbs: Verbs) -> None:
        """Add ``lodestone hardware``."""
        from firmware_host.extensions.workshop.commands import add_hardware  # noqa: PLC0415 - a panel needs none of it

        add_hardware(verbs)

    def wrap_board(self, board: OpenBoard, clock: Callable[[], float]) -> OpenBoard:
        """Have its sensors looked at, and both lent to a wizard."""
        return with_taps(board, clock)

    def attach(self, parts: Parts) -> Attached:
        """Let the host's page take the table's board."""
        from firmware_host.extensions.workshop.service import Workshop  # noqa: PLC0415 - as in add_verbs

        return attach_workshop(Workshop(parts.runtime, own_file(parts.host.request, parts.data)))


def attach_workshop(workshop: Workshop) -> Attached:
    """Return what is added to a table for its workshop."""

    def context(panel: Panel) -> Context:
        from firmware_host.extensions.workshop.requests import Bench  # noqa: PLC0415 - of the panel

        return Bench(panel, workshop)

    return Attached(context)


EXTENSION = WorkshopExtension()

"""What the handlers of all requests and pages are given: the table's services, and who is asking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from flask import request

from firmware_host.table.events import Event
from firmware_host.table.service import HostService, Shown
from web_panel.access import Asks, HostAccess, NetworkAsks, Seats, Tickets
from web_panel.limits import Guesses
from web_panel.refusals import not_host, not_seated
from web_panel.routes import Sender

if TYPE_CHECKING:
    from firmware_host.session.far_tables import FarTablesService
    from firmware_host.session.household import Household
    from firmware_host.session.runtime import Runtime
    from firmware_host.session.workshop import Workshop
    from firmware_host.upkeep.care import Care
    from web_panel.api.live import Live
    from web_panel.api.records import Films
    from web_panel.pages.book import Written


@dataclass(frozen=True)
class Screens:
    """What pages need that a replay has, too."""

    about: ClassVar = (
        "Lodestone's replay",
        "A recorded game, shown to all screens at once. Any screen may give orders.",
    )
    """Title and first words of the description."""
    table: Shown
    seats: Seats
    hosting: HostAccess
    live: Live

    @contextmanager
    def admit(self, sender: Sender) -> Iterator[Mapping[str, Any]]:  # noqa: ARG002 - a replay knows no senders
        """Admit everybody (:class:`web_panel.routes.Context`)."""
        yield {}


@dataclass(frozen=True)
class Panel(Screens):
    """A table's panel: services, access rights, and what was set when it was made.

    None switches a part off: without ``host_service`` nobody is the host.
    """

    about: ClassVar = (
        "Lodestone's panel",
        "How phones and screens speak to a table. docs/view.md tells what the view means. Other methods than the ones "
        "named are answered 405, other paths 404, in the form of a refusal under /api/.",
    )
    table: Runtime
    host_service: HostService | None
    tickets: Tickets
    asks: Asks
    networks: NetworkAsks
    guesses: Guesses
    film_store: Films | None
    written: Written
    addresses: Sequence[str]
    """Base URLs, the first for codes and links."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Label → path, shown in the lobby."""
    data: Path | None = None
    """The folder of the household's own puzzles."""
    book: Household | None = None
    workshop: Workshop | None = None
    care: Care | None = None
    far_tables: FarTablesService | None = None

    @contextmanager
    def admit(self, sender: Sender) -> Iterator[Mapping[str, Any]]:
        """Admit the sender of a request, a player with the ``seat``. Raise Denied for anybody else."""
        if sender == "player":
            seat = self.seats.mine()
            if seat is None:
                raise not_seated()
            yield {"seat": seat}
            return
        if sender == "host" and not self.hosting.here():
            raise not_host()
        if sender == "learner" and not (self.learns() or self.hosting.here()):
            raise not_seated()
        if sender == "hotspot" and not (self.hosting.here() or self._in_hotspot()):
            raise not_host()
        yield {}
        if sender == "host" and request.method == "POST":
            self.tickets.live()  # A seat may have been taken or freed: its ticket is void from now on.

    def learns(self) -> bool:
        """Tell whether the requesting phone began the lesson at the table."""
        return self.seats.of_sitting(self.seats.learner()) is not None

    def _in_hotspot(self) -> bool:
        return bool(self.care and self.care.wifi and self.care.wifi.is_guest(request.remote_addr))

    @property
    def host(self) -> HostService:
        """Return what only the host may do. Raise Denied where nobody is the host."""
        if self.host_service is None:
            raise not_host()
        return self.host_service

    @property
    def films(self) -> Films:
        """Return the records of all games as films. Raise Denied where nobody is the host, who has them."""
        if self.film_store is None:
            raise not_host()
        return self.film_store

    @property
    def view(self) -> Mapping[str, Any]:
        """Return the view of people without a seat."""
        return self.table.view(None)[1]

    def now(self) -> float:
        """Return the time to stamp on events, seconds."""
        return self.table.now()

    def submit(self, event: Event) -> None:
        """Hand an event to the table. Raise TableError when the table refuses it."""
        self.table.submit(event)

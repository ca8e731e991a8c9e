"""What the handlers of all requests and pages are given: the table's services, and who is asking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, cast, overload
from urllib.parse import urlsplit

from flask import request

from firmware_host.plug import Attached
from firmware_host.table.errors import TableError
from firmware_host.table.events import Event
from firmware_host.table.subjects.seats import SeatClaim
from firmware_host.text.words import say
from web_panel.access import Asks, HostAccess, Seats, Tickets
from web_panel.limits import Guesses
from web_panel.refusals import not_host, not_seated
from web_panel.renderings import Films, Live, Lives
from web_panel.routes import Sender
from web_panel.streams import Shown

if TYPE_CHECKING:
    from firmware_host.session.host import Host
    from firmware_host.session.lessons import LessonAlone, Lessons
    from firmware_host.session.runtime import Runtime


ALONE = "alone"
"""Query parameter of the requests of a page that shows a lesson on its phone alone."""


def is_alone() -> bool:
    """Tell whether the present request is of a page that shows a lesson on its phone alone."""
    return ALONE in request.args


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

    def lesson_alone(self) -> LessonAlone | None:
        """Return the lesson on the requesting phone alone; None if the request is of the table."""
        return None

    def live_of(self, lesson: LessonAlone | None) -> Live:
        """Return the streams of the table, or of a lesson on a phone alone."""
        del lesson
        return self.live


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
    host_service: Host | None
    tickets: Tickets
    asks: Asks
    guesses: Guesses
    film_store: Films | None
    addresses: Reach
    """Base URLs, the first for codes and links."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Label → path, shown in the lobby."""
    attached: Sequence[Attached] = ()
    """What extensions add."""
    lives: Lives = field(default_factory=Lives)

    def lesson_alone(self) -> LessonAlone | None:
        """Return the lesson on the requesting phone alone; None if the request is of the table, or it takes none."""
        mine = self.seats.learner() if is_alone() else None
        return self.table.lessons.alone.of(mine[1]) if mine else None

    def live_of(self, lesson: LessonAlone | None) -> Live:
        """Return the streams of the table, or of a lesson on a phone alone."""
        return self.live if lesson is None else self.lives.of(lesson)

    @property
    def lesson(self) -> Lessons | LessonAlone:
        """Return the lesson that the request is for: the one at the table, or that on the phone alone."""
        place = self.place
        return self.table.lessons if place is self.table else cast("LessonAlone", place)

    @property
    def place(self) -> Runtime | LessonAlone:
        """Return what the request is for: the table, or the lesson on the phone alone that the request names.

        Raise TableError where that has ended: what was meant for it must never reach the table.
        """
        lesson = self.lesson_alone()
        if lesson is None and is_alone():
            raise TableError("wrong_phase", say("the lesson on this phone is over: begin it again"))
        return lesson or self.table

    @contextmanager
    def admit(self, sender: Sender) -> Iterator[Mapping[str, Any]]:
        """Admit the sender of a request. Raise Denied for anybody else.

        Of a seat's phone, and of a learner's, handlers get ``by``: in whose name it acts. They pass it on with what is
        to be done, for it may be void by then; that of the host, in a lesson of somebody else, is None. The learner's
        seat of a lesson on a phone alone is none of the table's.
        """
        if sender in {"player", "seated", "learner"}:
            by = self._named(sender)
            if by is None and not (sender == "learner" and self.hosting.here()):
                raise not_seated()
            yield {"by": by}
            return
        if sender == "host" and not self.hosting.here():
            raise not_host()
        yield {}
        if sender == "host" and request.method == "POST":
            self.tickets.live()  # A seat may have been taken or freed: its ticket is void from now on.

    def _named(self, sender: Sender) -> SeatClaim | None:
        """Return the seat that the requesting phone holds, of the table or of the lesson, None for a spectator."""
        place, learner = self.place, self.seats.learner()
        if place is self.table:
            return self.seats.present(learner) if sender == "learner" else self.seats.held()
        if sender == "seated" or learner is None:
            return None
        return SeatClaim(cast("LessonAlone", place).seat, learner.claim)

    @property
    def host(self) -> Host:
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

    def submit(self, event: Event, by: SeatClaim | None = None) -> None:
        """Hand an event to the table, or the lesson, that the request is for. Raise TableError when it refuses it.

        ``by``: in whose name, as :meth:`admit` gives it.
        """
        self.place.submit(event, by)


class Reach(Sequence[str]):
    """The base addresses of the pages, the one for codes first: what the host has chosen, as long as it leads here."""

    def __init__(self, addresses: Sequence[str]) -> None:
        """``addresses`` may change at any time: they are asked for anew whenever one is needed."""
        self._addresses = addresses
        self._chosen: str | None = None

    def _now(self) -> list[str]:
        return sorted(self._addresses, key=lambda one: one != self._chosen)

    def choices(self) -> list[str]:
        """Return the addresses by which another machine may reach this one, the likeliest first."""
        return [one for one in self._addresses if urlsplit(one).hostname not in {"127.0.0.1", "localhost", "::1"}]

    def choose(self, address: str) -> None:
        """Lead phones to one of :meth:`choices` from now on. Raise TableError."""
        if address not in self.choices():
            raise TableError("bad_address", say("this table has no such address any more"))
        self._chosen = address

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        """Return one of them, or some."""
        return self._now()[index]

    def __len__(self) -> int:
        """Return how many there are now."""
        return len(self._addresses)


@dataclass(frozen=True)
class PanelContext:
    """What the requests of an extension are given (:class:`web_panel.routes.Context`): the panel, and what it adds."""

    panel: Panel

    def admit(self, sender: Sender) -> AbstractContextManager[Mapping[str, Any]]:
        """Admit whom the panel admits."""
        return self.panel.admit(sender)

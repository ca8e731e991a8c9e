"""What can happen to a table, when, and what the world must do about it.

Every event carries ``at``, seconds on the runtime's monotonic clock. Events from people carry the seat that sends them.
Each event says at its class which phases take it, and how it is called where it is refused; that is the caller's error
(:class:`firmware_host.table.errors.TableError`) and changes nothing. After the events come the effects that the caller
carries out.

What a request may put into an event is declared by the types of the event's fields: ``Annotated`` adds the keywords of
JSON Schema (:mod:`firmware_host.text.json_reader`) by which the panel and the table service check it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeVar, cast, dataclass_transform

from firmware_host.text.words import Text, say, say_in

BOUNDS = (("minimum", -1_000_000), ("maximum", 1_000_000))
Whole = Annotated[int, BOUNDS]
Seat = Annotated[int, "Seat"]
Colour = Annotated[int, (*BOUNDS, ("description", "1 to 8"))]
ComputerLevel = Annotated[int, (*BOUNDS, ("description", "0, First steps, to 5, the strongest"))]
_WORD = (("maxLength", 200), ("description", "Printable characters only"))
Word = Annotated[str, _WORD]
What = Annotated[str, (_WORD[0], ("description", "take-back, reseal, void, loop, decided or draw"))]


# -- phases ------------------------------------------------------------------------------------------------------------

LOBBY, SEALING, REVEALING, RESOLVING = (frozenset({one}) for one in ("lobby", "sealing", "revealing", "resolving"))
PLAYING = frozenset({"setup", "sealing", "revealing", "placing", "resolving"})
BEGUN = PLAYING | {"clearing", "over"}
"""Until the next game is chosen: the last action of a game can be taken back, too."""
BETWEEN_GAMES = LOBBY | {"over"}
"""While nobody plays: the next game can be chosen."""
ANY = BEGUN | LOBBY

_PHASES: Mapping[str, Text] = {
    "lobby": say_in("phase", "the game has not begun"),
    "setup": say_in("phase", "the board is being set up"),
    "sealing": say_in("phase", "all are choosing a placement"),
    "revealing": say_in("phase", "the seals are being opened"),
    "placing": say_in("phase", "the stones are being put down"),
    "resolving": say_in("phase", "one player acts"),
    "clearing": say_in("phase", "pieces are being taken off the board"),
    "over": say_in("phase", "the game is over"),
}


@dataclass(frozen=True)
class Request:
    """A request of the panel that is nothing but an event: its path, what it does, the event's fields that it has.

    Paths below ``/api/host/`` are the host's, others a player's: the seat of a player's event is the player's own.
    """

    path: str
    summary: str
    fields: str


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened at a time."""

    phases: ClassVar[frozenset[str]]
    """The phases that take it."""
    title: ClassVar[str] = ""
    """What it does, in the message of a phase that refuses it."""
    by_player: ClassVar[bool] = False
    """Whether a player of a game sends it: refused while the host pauses the table."""
    quiet: ClassVar[bool] = False
    """Whether it comes often and mostly changes nothing that people see."""
    requests: ClassVar[Sequence[Request]] = ()
    """The panel's requests that are nothing but this event."""
    line: ClassVar[str] = ""
    """Its request in the table service's protocol (docs/table-protocol.md), and the fields that the line has."""
    verb: ClassVar[str] = ""
    """Its own verb there, where it is no request of a person, and the fields of such a line."""
    always: ClassVar[Mapping[str, object]] = {}
    """What an event of such a line always has."""

    at: float

    def happen(self, change: Any) -> None:
        """Change the table, within a :class:`firmware_host.table.change.Change`. Raise TableError to refuse."""
        raise NotImplementedError


EVENTS: list[type[Event]] = []
"""All that have been declared."""
E = TypeVar("E", bound=type[Event])


@dataclass_transform(frozen_default=True, kw_only_default=True)
def event(
    phases: frozenset[str],
    title: str = "",
    *,
    by_player: bool = False,
    quiet: bool = False,
    line: str = "",
    verb: str = "",
    always: Mapping[str, object] | None = None,
) -> Callable[[E], E]:
    """Return a decorator that makes a class an event, as in :class:`Event`. What may be refused needs a ``title``."""

    def declare(of: E) -> E:
        if phases != ANY and not title:
            raise TypeError(f"{of.__name__}: a phase may refuse it, so it needs a name for people")
        of.phases, of.title, of.by_player, of.quiet = phases, title, by_player, quiet
        of.line, of.verb, of.always = line, verb, always or {}
        made = cast("E", dataclass(frozen=True, kw_only=True)(of))
        EVENTS.append(made)
        return made

    return declare


def post(path: str, summary: str, fields: str = "") -> Callable[[E], E]:
    """Return a decorator: the event is a :class:`Request` by itself."""

    def declare(of: E) -> E:
        of.requests = (Request(path, summary, fields), *of.requests)
        return of

    return declare


def not_now(event: type[Event], phase: str) -> Text:
    """Return why a phase refuses an event."""
    return say("{action} is not possible now: {phase}", action=event.title, phase=_PHASES[phase])


@event(ANY, quiet=True)
class Tick(Event):
    """Time has passed: settling, waiting times and motions are checked, and each subject does what is due."""

    def happen(self, change: Any) -> None:
        """Change nothing by itself."""


# -- effects: what the caller does after an event, in order ------------------------------------------------------------


@dataclass(frozen=True)
class AppendEntry:
    """Append this entry to the journal, durably, before anything after it is shown."""

    kind: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class ShowView:
    """Something that people see has changed: draw lights and views again."""


@dataclass(frozen=True)
class Failed:
    """An unexpected error while the board was judged: log it. What the judgement would have changed stays as it was."""

    error: BaseException


Effect = AppendEntry | ShowView | Failed

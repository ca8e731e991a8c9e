"""What a table of a room tells the others about itself: one message, kept by the broker, read strictly.

It is the whole of what the others need besides the entries of the log, so a message that is lost, repeated or late does
no harm: the next one says all again. Everything in it that belongs to a place of the log names that place (``number``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from firmware_host.games.seals import is_link
from firmware_host.table.subjects.seats import is_name

Seat = int
MAX_SEATS = 16
MAX_NODES = 400
MAX_HEIRS = 64
_KEY = re.compile(r"[0-9a-f]{64}")
_GAME_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
LONGEST = 200
"""Maximum length of a text, characters."""


class Unreadable(ValueError):
    """A message that this version does not understand."""


@dataclass(frozen=True)
class Announcement:
    """The state of one table of a room."""

    name: str
    """The table's name, as its people have chosen it."""
    ticket: str
    """The code by which it shows that it was invited."""
    version: str
    session: int
    """The number of its connection: its will names the connection that has ended."""
    game: str
    """The name of the game, with the options of its rules."""
    game_id: str
    mode: str
    head: str
    number: int
    """How many entries of the common log lie on its board; ``head`` is the log's hash there."""
    lies: bool
    """Whether its board is in order."""
    seats: Mapping[Seat, str] = field(default_factory=dict)
    """The seats of its own people and computers, with their names."""
    computers: Mapping[Seat, int] = field(default_factory=dict)
    """Those of its seats that computers play, with their levels: should a table go on alone, they do there, too."""
    lobby: Mapping[Seat, tuple[str, str]] | None = None
    """In the lobby, of the table that has opened the room: the table (public key) and the name of each taken seat."""
    lots: str = ""
    """In the lobby of a game with a shuffled stack: this table's commitment to its lots, 64 hex digits."""
    begins: bool = False
    """Whether somebody here wants the game to begin, or at the table that has opened the room: it does."""
    seals: Mapping[Seat, str] = field(default_factory=dict)
    ready: tuple[Seat, ...] = ()
    openings: Mapping[Seat, tuple[str, str]] = field(default_factory=dict)
    """Actions and nonces; a table sends them when the tables before it have."""
    proposal: tuple[int, str, Seat, Seat | None, tuple[str, ...]] | None = None
    """The proposal of a seat here: its number, what is proposed, by whom, about whom, and the nodes of a loop."""
    votes: Mapping[str, tuple[int, tuple[Seat, ...], bool]] = field(default_factory=dict)
    """Table (public key) → the number of its proposal, the seats here that agree, and whether one declines."""
    resigning: tuple[Seat, ...] = ()
    sign: tuple[int, Seat, str] | None = None
    """The last sign that somebody here has given: its number, the seat and the sign."""
    stopped: str = ""
    """Why the game can't go on between the tables."""
    heirs: Mapping[str, str] = field(default_factory=dict)
    """Table (public key) → the table that plays on for it, since it is lost, as the host here has said."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as it is sent."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Announcement:
        """Return what another table has sent. Raise Unreadable."""
        if set(fields) != set(_READERS):
            raise Unreadable("other fields than those of this version")
        try:
            return cls(**{name: read(fields[name]) for name, read in _READERS.items()})
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise Unreadable(str(error)) from error


def read_text(value: Any) -> str:
    """Return a short printable text. Raise ValueError."""
    if not isinstance(value, str) or len(value) > LONGEST or not value.isprintable():
        raise ValueError("expected a short text")
    return value


def read_key(value: Any) -> str:
    """Return a table's public key. Raise ValueError for anything else than 64 hex digits in lower case."""
    if not is_key(value):
        raise ValueError("expected a public key")
    return str(value)


def is_key(value: Any) -> bool:
    """Return whether a value names a table: 64 hex digits in lower case."""
    return isinstance(value, str) and _KEY.fullmatch(value) is not None


def is_signature(value: Any) -> bool:
    """Return whether a value can be a signature: 128 hex digits in lower case."""
    return isinstance(value, str) and len(value) == 128 and is_key(value[:64]) and is_key(value[64:])


def read_name(value: Any) -> str:
    """Return a name that people can read. Raise ValueError."""
    if not isinstance(value, str) or not is_name(value):
        raise ValueError("expected a name")
    return value


def read_whole(value: Any) -> int:
    """Return a whole number of at most 53 bits. Raise ValueError."""
    if type(value) is not int or not 0 <= value < 1 << 53:
        raise ValueError("expected a whole number")
    return value


def read_flag(value: Any) -> bool:
    """Return true or false. Raise TypeError."""
    if not isinstance(value, bool):
        raise TypeError("expected true or false")
    return value


def _by_seat(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def read_all(value: Any) -> dict[int, Any]:
        if not isinstance(value, dict) or len(value) > MAX_SEATS:
            raise ValueError("expected an object by seats")
        return {read_whole(int(seat)): read(one) for seat, one in value.items()}

    return read_all


def _seats(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) > MAX_SEATS:
        raise ValueError("expected a list of seats")
    return tuple(map(read_whole, value))


def _nodes(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MAX_NODES:
        raise ValueError("expected a list of nodes")
    return tuple(map(read_text, value))


def read_game_id(value: Any) -> str:
    """Return a game's id as records have it (docs/records.md): it stands in the journals of all tables."""
    text = read_text(value)
    if not _GAME_ID.fullmatch(text):
        raise ValueError("expected the id of a game")
    return text


def _lots(value: Any) -> str:
    text = read_text(value)
    if text and not is_link(text):
        raise ValueError("expected a commitment to lots, or nothing")
    return text


def read_row(*readers: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a reader of a list whose items have a reader each."""

    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) != len(readers):
            raise ValueError(f"expected {len(readers)} values")
        return tuple(one(item) for one, item in zip(readers, value, strict=True))

    return read


def _maybe(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


def _votes(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or len(value) > MAX_SEATS:
        raise ValueError("expected an object of votes")
    vote = read_row(read_whole, _seats, read_flag)
    return {read_text(table): vote(one) for table, one in value.items()}


def _heirs(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or len(value) > MAX_HEIRS:
        raise ValueError("expected an object of tables")
    return {read_key(lost): read_key(heir) for lost, heir in value.items()}


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "name": read_name,
    "ticket": read_text,
    "version": read_text,
    "session": read_whole,
    "game": read_text,
    "game_id": read_game_id,
    "mode": read_text,
    "head": read_text,
    "number": read_whole,
    "lies": read_flag,
    "seats": _by_seat(read_name),
    "computers": _by_seat(read_whole),
    "lobby": _maybe(_by_seat(read_row(read_text, read_name))),
    "lots": _lots,
    "begins": read_flag,
    "seals": _by_seat(read_text),
    "ready": _seats,
    "openings": _by_seat(read_row(read_text, read_text)),
    "proposal": _maybe(read_row(read_whole, read_text, read_whole, _maybe(read_whole), _nodes)),
    "votes": _votes,
    "resigning": _seats,
    "sign": _maybe(read_row(read_whole, read_whole, read_text)),
    "stopped": read_text,
    "heirs": _heirs,
}

"""What a club and its tables tell each other through the broker, read strictly; and the club's invitation.

A club's invitation is made like a room's (:mod:`firmware_host.link.trust`): it names the broker, the club's public key
and a secret. Messages are sealed with keys that follow from the secret, and signed by their sender. So only invited
tables are seen, no table can speak for another one, and only the club can ask for records.

========================================== ======== ==============================================================
topic, after ``lodestone/1/club/<club>/``  retained content
========================================== ======== ==============================================================
``table/<table>/state``                    yes      :class:`TableState`: all that the page shows, nothing secret
``table/<table>/gone``                     yes      the last will: the number of the connection that has ended
``table/<table>/lease``                    yes      which program speaks for the table (:mod:`firmware_host.link.lease`)
``table/<table>/record``                   no       :class:`RecordPart`: a part of a finished game's record
``table/<table>/ask``                      no       from the club: which finished game it lacks
``table/<table>/boards``                   yes      from the club: the open boards that are assigned to the table
========================================== ======== ==============================================================

``<club>`` is derived from the invitation, ``<table>`` are the first 16 hex digits of the table's public key. A table
says all of its state again every minute, and names its last finished games; the club asks for those that it lacks,
until it has them. So it does not matter which message is lost, which of them was away, and for how long.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from firmware_host.extensions.club.assigned import Pairing
from firmware_host.link.announcement import Unreadable, read_flag, read_name, read_row, read_text, read_whole
from firmware_host.link.trust import Invitation

SCHEME = "lodestone-club"
PHASES = frozenset(
    {"lobby", "setup", "sealing", "revealing", "placing", "resolving", "clearing", "over", "paused", "still"}
)
"""A table's phases (docs/view.md); ``still``: the board is lost, or can't be believed."""
MAX_NODES, MAX_PIECES, MAX_SEATS, MAX_RULES = 400, 60, 16, 40
FINISHED = 20
"""Number of its last finished games that a table names."""
MAX_BOARDS = 20
"""Maximum number of open boards that a table names: one of each tournament."""
PART = 40 * 1024
"""Maximum length of a part of a packed record, bytes."""
MAX_PARTS = 64
MAX_RECORD = 16 << 20
"""Maximum length of a record, bytes."""

Finished = tuple[str, int]
"""A finished game: its id, and the number of its entries, which has grown if its end was taken back and played anew."""


def place(invitation: Invitation) -> str:
    """Return the beginning of all topics of a club."""
    return f"lodestone/1/club/{invitation.room}"


def table_topic(invitation: Invitation, public: str, what: str) -> str:
    """Return a topic of a table."""
    return f"{place(invitation)}/table/{public[:16]}/{what}"


@dataclass(frozen=True)
class SeatState:
    """A taken seat; ``colour`` is 1 to 8."""

    seat: int
    name: str
    computer: bool
    colour: int


@dataclass(frozen=True)
class TableState:
    """What a club's page shows of a table."""

    name: str
    ticket: str
    """The code by which it shows that it was invited."""
    version: str
    session: int
    """The number of its connection."""
    game: str
    rules: tuple[str, ...]
    """The options of the rules that are on."""
    mode: str
    game_id: str
    phase: str
    turn: int
    whose: int
    """The seat that acts, 0 for none."""
    seats: tuple[SeatState, ...]
    board: Mapping[str, tuple[str, ...]]
    finished: tuple[Finished, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as it is sent."""
        seats = [[one.seat, one.name, one.computer, one.colour] for one in self.seats]
        return {**asdict(self), "seats": seats}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> TableState:
        """Return what a table has sent. Raise Unreadable."""
        return cls(**_read(fields, _STATE))


@dataclass(frozen=True)
class RecordPart:
    """A part of a record, which is packed by zlib: part ``number`` of ``count``, from 0."""

    game_id: str
    entries: int
    number: int
    count: int
    data: bytes

    def to_dict(self) -> dict[str, Any]:
        """Return it as it is sent."""
        return {**asdict(self), "data": base64.b64encode(self.data).decode()}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> RecordPart:
        """Return what a table has sent. Raise Unreadable."""
        return cls(**_read(fields, _PART))


def boards_message(pairings: Iterable[Pairing]) -> dict[str, Any]:
    """Return what tells a table its open boards."""
    return {"boards": [asdict(one) for one in pairings][:MAX_BOARDS]}


def read_boards(fields: Mapping[str, Any]) -> tuple[Pairing, ...]:
    """Return a table's open boards, as the club has sent them. Raise Unreadable."""
    boards: tuple[Pairing, ...] = _read(
        fields, {"boards": _list(lambda one: Pairing(**_read(one, _PAIRING)), MAX_BOARDS)}
    )["boards"]
    return boards


def parts_of(game: Finished, text: str) -> list[RecordPart]:
    """Return a record's parts. Raise ValueError for one that is too long."""
    packed = zlib.compress(text.encode())
    pieces = [packed[at : at + PART] for at in range(0, len(packed), PART)]
    if len(pieces) > MAX_PARTS:
        raise ValueError(f"a record of {len(packed)} bytes, packed; expected at most {MAX_PARTS * PART}")
    return [RecordPart(*game, number, len(pieces), piece) for number, piece in enumerate(pieces)]


def unpack_record(packed: bytes) -> str:
    """Return a record's text. Raise Unreadable."""
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(packed, MAX_RECORD)
        if not unpacker.eof or unpacker.unconsumed_tail:
            raise Unreadable("a record that is cut off, or too long")
        return text.decode("ascii")
    except (zlib.error, UnicodeDecodeError) as error:
        raise Unreadable(str(error)) from error


def _read(fields: Mapping[str, Any], readers: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    if set(fields) != set(readers):
        raise Unreadable("other fields than those of this version")
    try:
        return {name: read(fields[name]) for name, read in readers.items()}
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise Unreadable(str(error)) from error


def _list(read: Callable[[Any], Any], most: int) -> Callable[[Any], Any]:
    def read_all(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) > most:
            raise ValueError(f"expected a list of at most {most}")
        return tuple(map(read, value))

    return read_all


def _phase(value: Any) -> str:
    if value not in PHASES:
        raise ValueError("expected a phase")
    return str(value)


def _colour(value: Any) -> int:
    if type(value) is not int or not 1 <= value <= 8:
        raise ValueError("expected a colour")
    return value


def _seat(value: Any) -> SeatState:
    return SeatState(*read_row(read_whole, read_name, read_flag, _colour)(value))


def _short(value: Any) -> str:
    text: str = read_text(value)
    if not 0 < len(text) <= 16:
        raise ValueError("expected a name of a node or a piece")
    return text


def _board(value: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict) or len(value) > MAX_NODES:
        raise ValueError("expected an object by nodes")
    pieces = _list(_short, MAX_PIECES)
    return {_short(node): pieces(stack) for node, stack in value.items()}


def _bytes(value: Any) -> bytes:
    if not isinstance(value, str):
        raise TypeError("expected bytes in Base64")
    return base64.b64decode(value, validate=True)


_STATE: Mapping[str, Callable[[Any], Any]] = {
    "name": read_name,
    "ticket": read_text,
    "version": read_text,
    "session": read_whole,
    "game": read_text,
    "rules": _list(read_text, MAX_RULES),
    "mode": read_text,
    "game_id": read_text,
    "phase": _phase,
    "turn": read_whole,
    "whose": read_whole,
    "seats": _list(_seat, MAX_SEATS),
    "board": _board,
    "finished": _list(read_row(read_text, read_whole), FINISHED),
}
_PART: Mapping[str, Callable[[Any], Any]] = {
    "game_id": read_text,
    "entries": read_whole,
    "number": read_whole,
    "count": read_whole,
    "data": _bytes,
}
_PAIRING: Mapping[str, Callable[[Any], Any]] = {
    "tournament": read_whole,
    "name": read_name,
    "round": read_whole,
    "board": read_whole,
    "game": read_text,
    "rules": _list(read_text, MAX_RULES),
    "mode": read_text,
    "first": read_name,
    "second": read_name,
}

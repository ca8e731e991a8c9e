"""The view as bytes: written once for each change, however many look at it."""

from __future__ import annotations

import json
import secrets
import threading
from dataclasses import dataclass, field
from typing import Any

from firmware_host.table.door import Door


@dataclass(frozen=True)
class Frame:
    """What one seat (or anybody) sees at one moment."""

    seq: int
    id: str
    """Names exactly this state for exactly this beholder, in this run of the program: an equal one need not be sent."""
    body: bytes
    """The view as JSON."""
    event: bytes
    """The view as a server-sent event."""


@dataclass(frozen=True)
class _Moment:
    """One state: the part that all see alike, and what has been made of it for some."""

    seq: int
    rest: str
    made: dict[int | None, Frame] = field(default_factory=dict)


class Frames:
    """Keeps the newest view as bytes. Views of seats differ in ``you`` alone, so that all share the long rest."""

    def __init__(self, door: Door) -> None:
        """Nothing is written before somebody looks."""
        self._door = door
        self._life = secrets.token_hex(4)
        self._lock = threading.Lock()
        self._now = _Moment(-1, "")

    def of(self, seat: int | None, seq: int | None = None) -> Frame:
        """Return the frame of a seat or of anybody (None): the newest there is.

        Whoever knows the newest number gives it as ``seq``: what is made already for that is there without any lock,
        so that 200 who are woken at once do not stand in line.
        """
        now = self._now
        found = now.made.get(seat) if seq == now.seq else None
        return found or self._look(seat)

    def _look(self, seat: int | None) -> Frame:
        seq, view = self._door.view(seat)
        with self._lock:
            now = self._now
            if seq < now.seq:  # Another thread has seen a newer one: leave that.
                return self._frame(seq, view, _rest(view))
            if seq > now.seq:
                now = self._now = _Moment(seq, _rest(view))
            found = now.made.get(seat)
            if found is None:
                found = now.made[seat] = self._frame(seq, view, now.rest)
            return found

    def _frame(self, seq: int, view: Any, rest: str) -> Frame:
        you = view["you"]
        body = f'{{"seq":{seq},"you":{_text(you)},{rest}'.encode("ascii")
        name = f"{self._life}-{seq}-{you['seat'] if you else 0}"
        return Frame(seq, name, body, b"id: %b\ndata: %b\n\n" % (name.encode("ascii"), body))


def _rest(view: Any) -> str:
    """Return the part of a view's JSON after ``seq`` and ``you``, with the closing brace."""
    return _text({name: value for name, value in view.items() if name not in {"seq", "you"}})[1:]


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))

"""The view as bytes: written once for each change, however many look at it."""

from __future__ import annotations

import json
import secrets
import threading
from dataclasses import dataclass
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


class Frames:
    """Keeps the newest view as bytes. Views of seats differ in ``you`` alone, so that all share the long rest."""

    def __init__(self, door: Door) -> None:
        """Nothing is written before somebody looks."""
        self._door = door
        self._life = secrets.token_hex(4)
        self._lock = threading.Lock()
        self._seq: int | None = None
        self._rest = ""
        self._made: dict[str, Frame] = {}

    def of(self, seat: int | None) -> Frame:
        """Return the frame of a seat or of anybody (None): the newest there is."""
        seq, view = self._door.view(seat)
        you = _text(view["you"])
        with self._lock:
            if self._seq is not None and seq < self._seq:
                return self._frame(seq, you, _rest(view))  # Another thread has seen a newer one: leave that.
            if seq != self._seq:
                self._seq, self._rest, self._made = seq, _rest(view), {}
            found = self._made.get(you)
            if found is None:
                found = self._made[you] = self._frame(seq, you, self._rest)
            return found

    def _frame(self, seq: int, you: str, rest: str) -> Frame:
        body = f'{{"seq":{seq},"you":{you},{rest}'.encode("ascii")
        who = json.loads(you)
        name = f"{self._life}-{seq}-{who['seat'] if who else 0}"
        return Frame(seq, name, body, b"id: %b\ndata: %b\n\n" % (name.encode("ascii"), body))


def _rest(view: Any) -> str:
    """Return the part of a view's JSON after ``seq`` and ``you``, with the closing brace."""
    return _text({name: value for name, value in view.items() if name not in {"seq", "you"}})[1:]


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))

"""The view as bytes: serialised once for each change, not once for each viewer."""

from __future__ import annotations

import json
import secrets
import threading
from dataclasses import dataclass, field
from typing import Any

from firmware_host.table.service import TableService
from firmware_host.text.words import translated
from web_panel.languages import ENGLISH, Language

ViewerKey = tuple[int | None, str, bool]
"""The viewer: seat (None: a spectator), language code, and whether it is the host."""


@dataclass(frozen=True)
class Frame:
    """The view of one seat, or of spectators, at one moment."""

    seq: int
    id: str
    """Identifies this state for this viewer in this run of the program: equal ids mean equal content."""
    body: bytes
    """The view as JSON."""
    event: bytes
    """The view as a server-sent event."""


@dataclass(frozen=True)
class _Moment:
    """One state: the JSON that all viewers share, by language code, and the finished frames by viewer."""

    seq: int
    rests: dict[str, str] = field(default_factory=dict)
    made: dict[ViewerKey, Frame] = field(default_factory=dict)


class Frames:
    """Keeps the newest view as bytes. Viewers' views differ in ``you`` and ``host`` only: the rest is shared."""

    def __init__(self, door: TableService) -> None:
        """Views are serialised on demand."""
        self._door = door
        self._life = secrets.token_hex(4)
        self._lock = threading.Lock()
        self._now = _Moment(-1)

    def of(
        self, seat: int | None, seq: int | None = None, language: Language = ENGLISH, *, host: bool = False
    ) -> Frame:
        """Return the newest frame of a seat (None: of spectators) in a language, for the host or not.

        A caller that knows the newest number passes it as ``seq``: then a finished frame is returned without a lock,
        so that 200 viewers woken at once do not wait for one another.
        """
        now = self._now
        found = now.made.get((seat, language.code, host)) if seq == now.seq else None
        return found or self._look(seat, language, host)

    def _look(self, seat: int | None, language: Language, host: bool) -> Frame:
        seq, view = self._door.view(seat)
        with self._lock:
            now = self._now
            if seq < now.seq:  # Another thread has stored a newer state: keep that.
                return self._frame(seq, view, _in(language, view), language, host)
            if seq > now.seq:
                now = self._now = _Moment(seq)
            found = now.made.get((seat, language.code, host))
            if found is None:
                rest = now.rests.get(language.code)
                if rest is None:
                    rest = now.rests[language.code] = _in(language, view)
                found = now.made[(seat, language.code, host)] = self._frame(seq, view, rest, language, host)
            return found

    def _frame(self, seq: int, view: Any, rest: str, language: Language, host: bool) -> Frame:
        you = view["you"]
        body = f'{{"seq":{seq},"you":{_text(you)},"host":{_text(host)},{rest}'.encode("ascii")
        name = f"{self._life}-{seq}-{you['seat'] if you else 0}{'h' if host else ''}"
        if language is not ENGLISH:
            name += f"-{language.code}"
        return Frame(seq, name, body, b"id: %b\ndata: %b\n\n" % (name.encode("ascii"), body))


def _in(language: Language, view: Any) -> str:
    """Return the rest of a view in a language. English needs no translation."""
    return _rest(view if language is ENGLISH else translated(view, language))


def _rest(view: Any) -> str:
    """Return the part of a view's JSON after ``seq`` and ``you``, with the closing brace."""
    return _text({name: value for name, value in view.items() if name not in {"seq", "you"}})[1:]


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))

"""What is sent to everybody who watches a club's page: changes, gathered for a moment and written down once for all.

A page fetches the whole state with its number, and then follows the changes from there on (server-sent events). What
has changed is kept as long as all of it is shorter than the whole; a page that asks for more is told to fetch the whole
anew. Every event is the same bytes for every watcher, in no language: pages say things in their reader's own.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from firmware_host.extensions.club.club import Changed

GATHER_S = 0.2
"""Changes are gathered for so long: a table's changes may come in bursts, and each is written to each watcher."""
BEAT_S = 10.0
"""If nothing changes for so long, watchers are told that the club is still there."""
KEPT = 600
"""Maximum number of changes that are kept for pages that come back."""
LEAST_KEPT = 256 << 10
"""Changes of so many bytes are kept even if the whole state is shorter."""
SNAPSHOT_S = 1.0
"""The whole state may be so old: a page gets what has changed since as changes."""
ANEW = b"event: anew\ndata: {}\n\n"


class Feed:
    """The state for watchers. :meth:`note` may be called on any thread, all else on the loop's."""

    def __init__(self, name: str, loop: asyncio.AbstractEventLoop) -> None:
        """Begin with a club without tables."""
        self.run = secrets.token_hex(4)
        """Names this run of the program: numbers of another one mean nothing."""
        self.number = 0
        self._name, self._loop = name, loop
        self._lock = threading.Lock()
        self._new: dict[str, Any] = {}
        self._tables: dict[str, Mapping[str, Any]] = {}
        self._tournaments: Sequence[Mapping[str, Any]] = ()
        self._records = 0
        self._connected = False
        self._kept: deque[bytes] = deque()
        self._kept_bytes = 0
        self._changed = asyncio.Event()
        self._due: asyncio.TimerHandle | None = None
        self._snapshot = (0.0, b"")

    def note(self, changed: Changed) -> None:
        """Take up a change."""
        with self._lock:
            first = not self._new
            self._new.setdefault("tables", {}).update(changed.tables)
            if changed.tournaments is not None:
                self._new["tournaments"] = changed.tournaments
            if changed.results:
                self._new["results"] = [*self._new.get("results", ()), *changed.results]
            if changed.connected is not None:
                self._new["connected"] = changed.connected
            if changed.records:
                self._new["records"] = self._new.get("records", 0) + 1
        if first and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._schedule, GATHER_S)

    def _schedule(self, after: float) -> None:
        if self._due is not None:
            self._due.cancel()
        self._due = self._loop.call_later(after, self.flush)

    def flush(self) -> None:
        """Write down what has changed, and wake all watchers; without any change as a sign of life."""
        with self._lock:
            new, self._new = self._new, {}
        self._tables.update(new.get("tables", {}))
        self._tournaments = new.get("tournaments", self._tournaments)
        self._connected = new.get("connected", self._connected)
        if "records" in new:
            self._records += new["records"]
            new["records"] = self._records
        self.number += 1
        self._keep(b"id: %s\ndata: %s\n\n" % (self.name_of(self.number), _json(new)))
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
        self._schedule(BEAT_S)

    def _keep(self, event: bytes) -> None:
        self._kept.append(event)
        self._kept_bytes += len(event)
        most = max(LEAST_KEPT, len(self._snapshot[1]))
        while len(self._kept) > KEPT or (self._kept_bytes > most and len(self._kept) > 1):
            self._kept_bytes -= len(self._kept.popleft())

    def name_of(self, number: int) -> bytes:
        """Return the name of a state in this run."""
        return f"{self.run}.{number}".encode()

    def number_of(self, name: str) -> int | None:
        """Return the number that a page names, None if it can't go on from there."""
        run, _, digits = name.partition(".")
        number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else -1
        return number if run == self.run and self.number - len(self._kept) <= number <= self.number else None

    def after(self, number: int | None) -> bytes:
        """Return the one change after a state that is not the present one; ``ANEW`` if it is forgotten or unknown."""
        behind = len(self._kept) + 1 if number is None else self.number - number
        return ANEW if behind > len(self._kept) else self._kept[-behind]

    async def wait(self, number: int) -> None:
        """Return once there is a state after this one."""
        while self.number == number:
            await self._changed.wait()

    def snapshot(self) -> bytes:
        """Return the whole state as JSON, at most ``SNAPSHOT_S`` old."""
        made, text = self._snapshot
        if not text or time.monotonic() > made + SNAPSHOT_S:
            whole = {
                "state": self.name_of(self.number).decode(),
                "club": self._name,
                "tables": self._tables,
                "tournaments": self._tournaments,
                "records": self._records,
                "connected": self._connected,
            }
            text = _json(whole)
            self._snapshot = (time.monotonic(), text)
        return text

    def close(self) -> None:
        """Stop the clock."""
        if self._due is not None:
            self._due.cancel()


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

"""What screens see: the last view that the loop's thread has published; any thread reads it, or waits for the next."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from firmware_host import platform
from firmware_host.session.loop import LoopFaults
from firmware_host.table.state import Table
from firmware_host.table.view import public_view
from firmware_host.text.words import say

View = Mapping[str, Any]
"""What one phone may see, ready for JSON: docs/view.md."""
STALE = say("An error in the program: what is shown here may be out of date. The program's log names the error.")


class PublishedView:
    """The last view, with a number that grows with each, and the seats' claims; written by the loop's thread alone.

    Any thread reads it and waits for the next one.
    """

    def __init__(self) -> None:
        """Begin with nothing published."""
        self.view: View = {}
        self.claims: Mapping[int, str] = {}
        self._seq = 0
        self._changed = threading.Condition()

    def view_of(self, table: Table, faults: LoopFaults, at: float) -> View:
        """Return the view; after an unexpected error the last view of this game, with a notice."""
        try:
            return public_view(table)
        except Exception as error:
            if not self.view or self.view["game"]["id"] != table.ledger.game_id:
                raise  # Nothing of this game has been seen: it does not come to the table.
            faults.note("the view", error, at)
            return {**self.view, "notices": [*(one for one in self.view["notices"] if one != STALE), STALE]}

    def show(self, view: View, claims: Mapping[int, str]) -> None:
        """Publish a view; ``claims`` are the seats' claims."""
        with self._changed:
            self._seq += 1
            self.view, self.claims = view, claims
            self._changed.notify_all()

    def of(self, seat: int | None) -> tuple[int, View]:
        """Return (sequence number, view) for a seat or, with None, for people without one."""
        with self._changed:
            you = None if seat is None else {"seat": seat, "claim_ok": True}
            return self._seq, {"seq": self._seq, "you": you, **self.view}

    def wait(self, after: int, timeout: float, closing: Callable[[], bool]) -> int:
        """Block until the number is above ``after``, for ``timeout`` seconds, or until ``closing``; return it."""
        with self._changed:
            self._changed.wait_for(lambda: self._seq > after or closing(), platform.patience(timeout))
            return self._seq

    def wake(self) -> None:
        """Wake all waiting threads."""
        with self._changed:
            self._changed.notify_all()

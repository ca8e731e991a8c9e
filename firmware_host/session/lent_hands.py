"""Whose pieces the simulated hand moves: nobody's, the computers' or everybody's. The host may change it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from firmware_host.session.runtime import Runtime

NOBODY, COMPUTERS, EVERYBODY = "none", "computer", "all"


class LentHands:
    """Forwards the tasks of some seats to the simulated hand of the open board."""

    def __init__(self, runtime: Runtime, whose: str) -> None:
        """Follow the views of a table. ``whose`` is one of these words."""
        self.whose = whose
        self._usual = COMPUTERS if whose == EVERYBODY else whose
        self._runtime = runtime
        self._lock = threading.Lock()
        runtime.follow(lambda _view: self._look())

    @property
    def there(self) -> bool:
        """Whether the open board has a simulated hand."""
        return self._runtime.setting.board.attend is not None

    def lend(self, *, everybody: bool) -> None:
        """Move everybody's pieces from now on, or only the usual ones; from any thread."""
        self.whose = EVERYBODY if everybody else self._usual
        self._look()

    def _look(self) -> None:
        with self._lock:  # The hand must not get an older view after a newer one.
            attend = self._runtime.setting.board.attend
            if attend is not None:
                attend(tasks_for(self.whose, self._runtime.view(None)[1]))


def tasks_for(whose: str, view: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tasks of a view that the simulated hand does.

    For the computers it also sets up and clears the board, and mends it while one of them acts. ``step`` separates
    the tasks of one step of a player from those of the next.
    """
    lesson = view.get("lesson")
    if whose == NOBODY or (lesson and lesson["phone"]):
        return []
    tasks = [task if task["seat"] is None else {**task, "step": _step(view)} for task in view["tasks"]]
    if whose == EVERYBODY:
        return tasks
    computers = {seat["seat"] for seat in view["seats"] if seat["computer"]}
    ours = view["phase"] in {"setup", "clearing"} or view["resolver"] in computers
    return [task for task in tasks if task["seat"] in computers or (ours and task["seat"] is None)]


def _step(view: Mapping[str, Any]) -> str:
    """Return a name for the step in progress: two in a row never have the same position and choice."""
    return repr([view[field] for field in ("turn", "resolver", "board", "wanted", "stage")])

"""A helpful person who does what the table asks: in simulation, whoever moves the computer's stones."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simulator.hand import Hand
from simulator.stones import Impossible

AGAIN_S = 4.0
"""After so long with the same list the helper looks again: what it did may not have been noticed."""

Tasks = Sequence[Mapping[str, Any]]


class Helper:
    """Does the first of the table's tasks after a pause, together with what follows it of one step, and the taps.

    :meth:`attend` is called with every new list of tasks. Of one list no stone is moved twice; when the list stays the
    same for long, what could not be done is tried again, and what was to be tapped is tapped again. The person works by
    himself after :meth:`start`; or call :meth:`work` with a clock of yours.
    """

    def __init__(
        self,
        hand: Hand,
        pause_s: float = 0.5,
        *,
        clock: Callable[[], float] = time.monotonic,
        eyes: Callable[[], str | None] = lambda: None,
    ) -> None:
        """``pause_s`` is how long the person thinks before a deed; ``clock`` tells seconds; ``eyes`` the lit node."""
        self._hand = hand
        self._eyes = eyes
        self._pause = pause_s
        self._clock = clock
        self._tasks: Tasks = ()
        self._due: float | None = None
        self._moved = False
        """Whether the first task of the present list is done."""
        self._changed = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def attend(self, tasks: Tasks) -> None:
        """Take note of what is to be done now."""
        with self._changed:
            if list(tasks) == list(self._tasks):
                return
            self._tasks = list(tasks)
            self._moved = False
            soon = self._clock() + self._pause  # A list that keeps changing does not keep the person from working.
            self._due = None if not tasks else soon if self._due is None else min(soon, self._due)
            self._changed.notify_all()

    def start(self) -> None:
        """Let the person work on a thread of its own."""
        self._thread = threading.Thread(target=self._live, name="helper", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Go home."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def work(self) -> None:
        """Do what is due by now, if anything."""
        with self._changed:
            if self._due is None or self._clock() < self._due:
                return
            tasks = self._tasks
            moved = self._moved and not _in_place(tasks[0])  # Two taps count only together.
            self._due = self._clock() + AGAIN_S
        done = moved or tasks[0]["do"] == "tap" or self._do(tasks[0])
        # A line is pushed without looking up; a stack that no sensor sees is tapped as soon as it is made.
        if done:
            for task in tasks[0 if tasks[0]["do"] == "tap" else 1 :]:
                if self._closed or not (task["do"] == "tap" or _one_step(tasks[0], task)):
                    break
                if not moved or task["do"] == "tap":
                    self._do(task)
        with self._changed:
            if tasks is self._tasks:
                self._moved = done

    def _live(self) -> None:
        while True:
            with self._changed:
                if self._closed:
                    return
                patience = None if self._due is None else self._due - self._clock()
                if patience is None or patience > 0:
                    self._changed.wait(patience)
                    continue
            self.work()

    def _do(self, task: Mapping[str, Any]) -> bool:
        """Do one task; tell whether it could be done."""
        hand = self._hand
        # Who maps a board does not know which node it is: "put a stone where it is lit".
        node = self._eyes() if task.get("lit") else task.get("node")
        try:
            if task.get("lit") and node is None:
                return False
            if task["do"] == "put" and task["piece"]:
                hand.put(str(node), task["piece"])
            elif task["do"] == "move":
                hand.carry(task["from"], task["to"], task["pieces"] or None)
            elif task["do"] == "take":
                for _ in range(hand.count(str(node)) if task.get("all") else 1):
                    hand.take_off(str(node))
            elif task["do"] == "tap":
                hand.rest()
                hand.tap(task["node"])
            else:
                return False
        except Impossible:
            hand.drop()  # Somebody else did it first; the next list of tasks will say what is left.
            return False
        return True


def _in_place(task: Mapping[str, Any]) -> bool:
    """Tell whether a piece is lifted and put back where it was."""
    return bool(task["do"] == "move" and task["from"] == task["to"])


def _one_step(first: Mapping[str, Any], task: Mapping[str, Any]) -> bool:
    """Tell whether two tasks belong to one player's step: a line that is pushed (what is mended belongs to nobody)."""
    deeds = {"move", "take"}
    return first["do"] in deeds and task["do"] in deeds and first["seat"] is not None and first["seat"] == task["seat"]

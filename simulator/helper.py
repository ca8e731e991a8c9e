"""A helpful person who does what the table asks: in simulation, the hand that moves the computer's stones."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from simulator.deeds import Step, Task, Tasks, is_named, lying_there, only_taps
from simulator.hand import Hand
from simulator.stones import Impossible

AGAIN_S = 4.0
"""After so long with the same list the helper looks again: what it did may not have been noticed."""
NOTICED_S = 0.3
"""Within so long a table has noticed what its sensors show of a deed."""
REMEMBERED = 4
"""So many steps that were begun are known again."""


class Helper:
    """Does the first of the table's tasks after a pause, together with what follows it of one step, and the taps.

    :meth:`attend` is called with every new list of tasks, also while the person is at work. Before each deed the newest
    list is looked at: what it no longer asks for is left. Of one list no piece is moved twice, nor of one step while
    lists come and go, if its tasks name the step; what somebody has undone meanwhile is done again. When a list stays
    the same for long, what could not be done is tried again, and what was to be tapped is tapped again. The person
    works by himself after :meth:`start`; or call :meth:`work` with a clock of yours.
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
        self._step = Step()
        self._named: deque[Step] = deque(maxlen=REMEMBERED)
        """The last steps that were named: each may go on, after a board was mended or a stage was taken back."""
        self._noticed = 0.0
        """From when on a list that mends the board can know of all that was done."""
        self._due: float | None = None
        self._changed = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def attend(self, tasks: Tasks) -> None:
        """Take note of what is to be done now."""
        with self._changed:
            if list(tasks) == list(self._tasks):
                return
            self._tasks = list(tasks)
            if tasks:
                self._step = self._step_of(self._tasks)
            soon = self._clock() + self._pause  # A list that keeps changing does not keep the person from working.
            self._due = None if not tasks else soon if self._due is None else min(soon, self._due)
            self._changed.notify_all()

    def _step_of(self, tasks: Tasks) -> Step:
        known = next((step for step in self._named if step.goes_on(tasks)), None)
        if known is not None:
            return known
        step = Step(tasks)
        if is_named(tasks):
            self._named.appendleft(step)
        return step

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
            tasks, step = self._tasks, self._step
            if not is_named(tasks) and self._clock() < self._noticed:
                self._due = self._noticed
                return
            self._due = self._clock() + AGAIN_S
        for task in step.left(tasks, self._hand):
            if not self._do_if_asked(task, step):
                return
        with self._changed:
            if tasks is self._tasks and is_named(tasks) and not only_taps(step.left(tasks, self._hand)):
                self._due = self._clock() + max(self._pause, NOTICED_S)

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

    def _do_if_asked(self, task: Task, step: Step) -> bool:
        """Do one task if the newest list still asks for it; tell whether to go on with the next one."""
        if task["do"] == "tap":
            self._hand.rest()
        with self._changed:
            if self._closed or task not in self._tasks:
                return False
        if step.has_done(task):
            return True
        before = lying_there(self._hand, task)
        try:
            done = self._do(task)
        except Impossible:  # Somebody else did it first; the next list of tasks will say what is left.
            self._hand.put_back()
            done = False
        self._noticed = self._clock() + NOTICED_S
        if done:
            step.note(task, before)
        return done

    def _do(self, task: Task) -> bool:
        """Do one task; return whether there was anything to do. Raise Impossible."""
        hand = self._hand
        # Who maps a board does not know which node it is: "put a stone where it is lit".
        node = self._eyes() if task.get("lit") else task.get("node")
        if task.get("lit") and node is None:
            return False
        if task["do"] == "put" and task["piece"]:
            hand.put(str(node), task["piece"])
        elif task["do"] == "move":
            self._move(task)
        elif task["do"] == "take":
            for _ in range(hand.count(str(node)) if task.get("all") else 1):
                hand.take_off(str(node))
        elif task["do"] == "tap":
            hand.tap(task["node"])
        else:
            return False
        return True

    def _move(self, task: Task) -> None:
        """Move a piece; where a board is mended and another one lies there, that goes and the right one is fetched."""
        hand, source, pieces = self._hand, task["from"], task["pieces"]
        lying = hand.lying([source])[source]
        if task["seat"] is None and lying and not set(pieces) <= set(lying):
            hand.take_off(source)
            for piece in pieces:
                hand.put(task["to"], piece)
        else:
            hand.carry(source, task["to"], pieces or None)

"""The simulated helper: it does the table's tasks, such as the computer's moves, as a helpful person would."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile, takewhile
from typing import Any

from firmware_host.platform import Beside, now, patience, pause
from simulator.hand import TRAVEL_S, Hand, Parts
from simulator.stones import Impossible

_log = logging.getLogger(__name__)

AGAIN_S = 4.0
"""Time with an unchanged list after which the helper tries again: the table may have missed a finished task."""
NOTICED_S = 0.3
"""Time within which the table notices a finished task by its sensors."""
TAP_AGAIN_S = 1.0
"""Time after which a node is tapped again: a tap counts only when the node has been quiet for a while."""
BELOW_S = 1.0
"""Time after which another piece lies below the one that was taken off, if the table still asks for it."""
REMEMBERED = 4
"""Number of started steps that the helper remembers."""


class Helper:
    """Does the first task of the table's list after a pause, together with the next ones of the same step, and taps.

    Call :meth:`attend` with every new list of tasks, also while the helper works. Before each task the helper checks
    that the newest list still has it. It moves no piece twice for one list, nor for one step over several lists whose
    tasks name the step; but a task that somebody has undone is done again. When a list stays unchanged for long, the
    helper repeats failed tasks and taps. It works beside the table after :meth:`start`; or call :meth:`work` with your
    own clock.
    """

    def __init__(
        self,
        hand: Hand,
        pause_s: float = 0.5,
        *,
        clock: Callable[[], float] = now,
        lit_node: Callable[[], str | None] = lambda: None,
    ) -> None:
        """``pause_s`` is the pause before a task; ``clock`` returns seconds; ``lit_node`` returns it, or None."""
        self._hand = hand
        self._lit_node = lit_node
        self._pause = pause_s
        self._clock = clock
        self._tasks: Tasks = ()
        self._step = HelperStep()
        self._named: deque[HelperStep] = deque(maxlen=REMEMBERED)
        """The last named steps: each may continue after a repair of the board or an undone stage."""
        self._noticed = 0.0
        """Time from which a list of repairs takes all finished tasks into account."""
        self._tapped: dict[str, float] = {}
        """Node → time from which it may be tapped again."""
        self._built: Stacks = {}
        """The stacks on the nodes of the tasks that were done last."""
        self._due: float | None = None
        self._changed = threading.Condition()
        self._closed = False
        self._work: Beside | None = None

    def attend(self, tasks: Tasks) -> None:
        """Accept the present list of tasks."""
        with self._changed:
            if list(tasks) == list(self._tasks):
                return
            self._tasks = list(tasks)
            if tasks:
                self._step = self._step_of(self._tasks)
            soon = self._clock() + self._pause  # Frequent new lists must not delay the work.
            self._due = None if not tasks else soon if self._due is None else min(soon, self._due)
            self._changed.notify_all()

    def _step_of(self, tasks: Tasks) -> HelperStep:
        known = next((step for step in self._named if step.continues_with(tasks)), None)
        if known is not None:
            return known
        step = HelperStep(tasks)
        if is_named(tasks):
            self._named.appendleft(step)
        return step

    def start(self) -> None:
        """Begin to work beside the table."""
        self._work = Beside(self._live, "helper")

    def close(self) -> None:
        """End the helper's work."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._work is not None:
            self._work.join(timeout=5)

    def work(self) -> None:
        """Do the tasks that are due, if any."""
        self._hand.wait(self._working())

    def _working(self) -> Parts:
        with self._changed:
            if self._due is None or self._clock() < self._due:
                return
            tasks, step = self._tasks, self._step
            if not is_named(tasks) and self._clock() < self._noticed:
                self._due = self._noticed
                return
            self._due = self._clock() + AGAIN_S
        remaining = self._not_built(step.remaining(tasks, self._hand))
        again = self._tapped.get(remaining[0]["node"], 0.0) if remaining and only_taps(remaining) else 0.0
        if self._clock() < again:
            with self._changed:
                self._due = again
            return
        for number, task in enumerate(remaining):
            if not (yield from self._do_if_asked(task, step, list(remaining[:number]).count(task))):
                return
        self._built = _stacks_on(self._hand, remaining)
        with self._changed:
            if tasks is not self._tasks:
                return
            if is_named(tasks) and not only_taps(step.remaining(tasks, self._hand)):
                self._due = self._clock() + max(self._pause, NOTICED_S)
            elif tasks and is_taken_off(tasks[0]):
                self._due = self._clock() + max(self._pause, BELOW_S)

    def _not_built(self, tasks: Tasks) -> Tasks:
        """Return the taps alone where a stack lies that was put down just now: no sensor shows how many lie there."""
        nodes = {task["node"] for task in tasks if task["do"] == "tap" and task["seat"] is None}
        lying = self._hand.lying(nodes)
        return [
            task
            for task in tasks
            if task["do"] != "put" or task["node"] not in nodes or lying[task["node"]] != self._built.get(task["node"])
        ]

    def _live(self) -> Iterator[None]:
        while True:
            yield
            with self._changed:
                if self._closed:
                    return
                wait = None if self._due is None else self._due - self._clock()
                if wait is None or wait > 0:
                    self._changed.wait(patience(threading.TIMEOUT_MAX if wait is None else wait))
                    continue
            try:
                for seconds in self._working():
                    yield from pause(seconds)
            except Exception:  # noqa: BLE001 - logged: without the helper the game would stand still
                _log.exception("The simulated helper could not do a task; it tries again")
                with self._changed:
                    self._due = self._clock() + AGAIN_S

    def _do_if_asked(self, task: Task, step: HelperStep, before: int) -> Generator[float, None, bool]:
        """Do one task if the newest list still has it; return whether to continue with the next one.

        ``before`` is the number of tasks before it that are the same: the other pieces of a stack.
        """
        if task["do"] == "tap":
            yield TRAVEL_S
        with self._changed:
            if self._closed or task not in self._tasks:
                return False
        if step.has_done(task, before):
            return True
        stacks = _stacks_on(self._hand, [task])
        try:
            done = yield from self._do(task)
        except Impossible:  # Somebody else did it first; the next list has the rest.
            self._hand.put_back()
            done = False
        self._noticed = self._clock() + NOTICED_S
        if task["do"] == "tap":
            self._tapped[task["node"]] = self._clock() + TAP_AGAIN_S
        if done:
            step.note(task, stacks)
        return done

    def _do(self, task: Task) -> Generator[float, None, bool]:
        """Do one task; return whether there was anything to do. Raise Impossible."""
        hand = self._hand
        # While a board is mapped its nodes are unknown: "put a stone where it is lit".
        node = self._lit_node() if task.get("lit") else task.get("node")
        if task.get("lit") and node is None:
            return False
        if task["do"] == "put" and task["piece"]:
            hand.put(str(node), task["piece"])
        elif task["do"] == "move":
            yield from self._move(task)
        elif task["do"] == "take":
            for _ in range(hand.count(str(node)) if task.get("all") else 1):
                hand.take_off(str(node))
        elif task["do"] == "tap":
            yield from hand.tapping(task["node"])
        else:
            return False
        return True

    def _move(self, task: Task) -> Parts:
        """Move pieces. In a repair, if the wrong piece is there, remove it and take the right ones from the supply."""
        hand, source, pieces = self._hand, task["from"], task["pieces"]
        lying = hand.lying([source])[source]
        if task["seat"] is None and lying and not set(pieces) <= set(lying):
            hand.take_off(source)
            for piece in pieces:
                hand.put(task["to"], piece)
        else:
            yield from hand.carrying(source, task["to"], pieces or None)


# -- finished tasks ----------------------------------------------------------------------------------------------------
# No task is done twice and none is left out. The table notices a finished task late, or never, so its list may still
# contain tasks that are done.


Task = Mapping[str, Any]
"""See docs/view.md. ``step`` names the player's step that a task belongs to; a task without it repairs the board."""
Tasks = Sequence[Task]
Stacks = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class FinishedTask:
    """A finished task, and the stacks on its nodes before."""

    task: Task
    before: Stacks

    def is_undone(self, hand: Hand) -> bool:
        """Return whether the task must be done again: the stacks are as before, or a moved piece is back."""
        task = self.task
        if task["do"] == "move" and not hand.count(task["to"]):
            return set(task["pieces"]) <= set(hand.lying([task["from"]])[task["from"]])
        return bool(self.before) and hand.lying(self.before) == self.before


@dataclass
class HelperStep:
    """The first list of tasks of a step, and its finished tasks."""

    tasks: Tasks = ()
    _done: list[FinishedTask] = field(default_factory=list)
    _before: Stacks | None = None
    """The stacks on all nodes of the tasks before the first one was done."""

    def continues_with(self, tasks: Tasks) -> bool:
        """Return whether a list continues this step: it has only tasks of the first list."""
        return is_named(tasks) and all(task in self.tasks for task in tasks)

    def remaining(self, tasks: Tasks, hand: Hand) -> Tasks:
        """Return the tasks of a list to do now without a pause; some may be done already."""
        if self._before is None:
            self._before = _stacks_on(hand, self.tasks)
        self._done = [done for done in self._done if not done.is_undone(hand)]
        left = list(dropwhile(self.has_done, tasks))
        # In a repair only the first task is certain: the others may change after it.
        return _without_pause(left if is_named(tasks) or only_taps(left) else tasks)

    def has_done(self, task: Task, before: int = 0) -> bool:
        """Return whether a task is done that has so many like it ``before``."""
        return [done.task for done in self._done].count(task) > before

    def note(self, task: Task, before: Stacks) -> None:
        """Record a finished task with the stacks on its nodes before.

        Taps are not recorded: they are repeated while the table asks for them. A move in place is a tap, too. Nor is
        what is taken off in a repair: another piece may lie below, which the sensor does not tell from the first.
        """
        if task["do"] == "tap" or (task["do"] == "move" and task["from"] == task["to"]) or is_taken_off(task):
            return
        # A pushed piece takes the place of the next one, so only all nodes together show that a line was undone.
        self._done.append(FinishedTask(task, before if task["do"] == "put" else self._before or {}))


def is_named(tasks: Tasks) -> bool:
    """Return whether all tasks name their step."""
    return bool(tasks) and all("step" in task for task in tasks)


def is_taken_off(task: Task) -> bool:
    """Return whether a task takes something off the board in a repair."""
    return task["do"] == "take" and task["seat"] is None


def only_taps(tasks: Tasks) -> bool:
    """Return whether all tasks are taps."""
    return all(task["do"] == "tap" for task in tasks)


def _without_pause(tasks: Tasks) -> Tasks:
    """Return the first tasks that are done without a pause: a pushed line, or a new stack, with the taps after it.

    From a list of taps return all.
    """
    first = tasks[0] if tasks else {}
    return list(takewhile(lambda task: task is first or task["do"] == "tap" or _one_step(first, task), tasks))


def _one_step(first: Task, task: Task) -> bool:
    """Return whether two tasks belong to one player's push of a line, or to one stack that a repair puts down."""
    lifts = {"move", "take"}
    if first["do"] == task["do"] == "put" and first["seat"] is None:
        return task["seat"] is None and bool(first["node"] == task["node"])
    return first["do"] in lifts and task["do"] in lifts and first["seat"] is not None and first["seat"] == task["seat"]


def _stacks_on(hand: Hand, tasks: Tasks) -> Stacks:
    """Return node → stack for all nodes of these tasks."""
    nodes = (task.get(key) for task in tasks for key in ("node", "from", "to"))
    return hand.lying(node for node in nodes if node is not None)

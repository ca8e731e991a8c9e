"""The finished tasks of the simulated helper, so that none is done twice and none is left out.

The table notices a finished task late, or never. So its list may still contain tasks that are done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile, takewhile
from typing import Any

from simulator.hand import Hand

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
class Step:
    """The first list of tasks of a step, and its finished tasks."""

    tasks: Tasks = ()
    _done: list[FinishedTask] = field(default_factory=list)
    _before: Stacks | None = None
    """The stacks on all nodes of the tasks before the first one was done."""

    def goes_on(self, tasks: Tasks) -> bool:
        """Return whether a list continues this step: it has only tasks of the first list."""
        return is_named(tasks) and all(task in self.tasks for task in tasks)

    def left(self, tasks: Tasks, hand: Hand) -> Tasks:
        """Return the tasks of a list to do now without a pause; some may be done already."""
        if self._before is None:
            self._before = _lying(hand, self.tasks)
        self._done = [done for done in self._done if not done.is_undone(hand)]
        left = list(dropwhile(self.has_done, tasks))
        # In a repair only the first task is certain: the others may change after it.
        return _together(left if is_named(tasks) or only_taps(left) else tasks)

    def has_done(self, task: Task) -> bool:
        """Return whether a task is done."""
        return any(done.task == task for done in self._done)

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


def _together(tasks: Tasks) -> Tasks:
    """Return the first tasks that are done without a pause: a pushed line, and a new stack with the taps after it.

    From a list of taps return all.
    """
    first = tasks[0] if tasks else {}
    return list(takewhile(lambda task: task is first or task["do"] == "tap" or _one_step(first, task), tasks))


def _one_step(first: Task, task: Task) -> bool:
    """Return whether two tasks belong to one player's push of a line; tasks of a repair belong to no player."""
    lifts = {"move", "take"}
    return first["do"] in lifts and task["do"] in lifts and first["seat"] is not None and first["seat"] == task["seat"]


def _lying(hand: Hand, tasks: Tasks) -> Stacks:
    """Return node → stack for all nodes of these tasks."""
    nodes = (task.get(key) for task in tasks for key in ("node", "from", "to"))
    return hand.lying(node for node in nodes if node is not None)


def lying_there(hand: Hand, task: Task) -> Stacks:
    """Return node → stack for the nodes of a task."""
    return _lying(hand, [task])

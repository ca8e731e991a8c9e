"""What a helpful hand has done of a list of tasks, so that nothing is done twice and nothing is left out.

Sensors tell the table of a deed late, or never, so a list may still ask for what is done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile, takewhile
from typing import Any

from simulator.hand import Hand

Task = Mapping[str, Any]
"""See docs/view.md. ``step`` names the step of a player that a task belongs to; without it a board is mended."""
Tasks = Sequence[Task]
Stacks = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Deed:
    """A task that was done, and what lay on some nodes before."""

    task: Task
    before: Stacks

    def is_undone(self, hand: Hand) -> bool:
        """Tell whether it has to be done again: all lies as before, or a piece as if it had never been moved."""
        task = self.task
        if task["do"] == "move" and not hand.count(task["to"]):
            return set(task["pieces"]) <= set(hand.lying([task["from"]])[task["from"]])
        return bool(self.before) and hand.lying(self.before) == self.before


@dataclass
class Step:
    """The list with which a step began, and what has been done of it."""

    tasks: Tasks = ()
    _done: list[Deed] = field(default_factory=list)
    _before: Stacks | None = None
    """What lay on all its nodes when the hand began with it."""

    def goes_on(self, tasks: Tasks) -> bool:
        """Tell whether a list only repeats what this step began with."""
        return is_named(tasks) and all(task in self.tasks for task in tasks)

    def left(self, tasks: Tasks, hand: Hand) -> Tasks:
        """Return what is to be done now of a list, at once; some of it may be done already."""
        if self._before is None:
            self._before = _lying(hand, self.tasks)
        self._done = [deed for deed in self._done if not deed.is_undone(hand)]
        left = list(dropwhile(self.has_done, tasks))
        # Where a board is mended only the first task is sure: the others may change with it.
        return _together(left if is_named(tasks) or only_taps(left) else tasks)

    def has_done(self, task: Task) -> bool:
        """Tell whether a task is done."""
        return any(deed.task == task for deed in self._done)

    def note(self, task: Task, before: Stacks) -> None:
        """Note that a task was done, and what lay on its nodes before.

        Taps are made again as long as they are asked for, and two taps in place count only together.
        """
        if task["do"] == "tap" or (task["do"] == "move" and task["from"] == task["to"]):
            return
        # The pieces of a line come to lie where others of it lay: only all its nodes together tell that it was undone.
        self._done.append(Deed(task, before if task["do"] == "put" else self._before or {}))


def is_named(tasks: Tasks) -> bool:
    """Tell whether tasks name the step that they belong to."""
    return bool(tasks) and all("step" in task for task in tasks)


def only_taps(tasks: Tasks) -> bool:
    """Tell whether nothing but taps is to be done."""
    return all(task["do"] == "tap" for task in tasks)


def _together(tasks: Tasks) -> Tasks:
    """Return what is done without a pause: a line is pushed at once, and a stack that no sensor sees tapped when made.

    Of taps alone all are made.
    """
    first = tasks[0] if tasks else {}
    return list(takewhile(lambda task: task is first or task["do"] == "tap" or _one_step(first, task), tasks))


def _one_step(first: Task, task: Task) -> bool:
    """Tell whether two tasks belong to one player's step: a line that is pushed (what is mended belongs to nobody)."""
    deeds = {"move", "take"}
    return first["do"] in deeds and task["do"] in deeds and first["seat"] is not None and first["seat"] == task["seat"]


def _lying(hand: Hand, tasks: Tasks) -> Stacks:
    """Return what lies where some tasks are to be done."""
    nodes = (task.get(key) for task in tasks for key in ("node", "from", "to"))
    return hand.lying(node for node in nodes if node is not None)


def lying_there(hand: Hand, task: Task) -> Stacks:
    """Return what lies where a task is to be done."""
    return _lying(hand, [task])

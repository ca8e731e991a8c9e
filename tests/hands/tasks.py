"""Hands that do what the table asks for: one of the tasks of its view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from tests.hands.world import World


def obey(
    task: Mapping[str, Any], world: World, wanted: Mapping[str, tuple[str, ...]], wait: Callable[[float], None]
) -> None:
    """Do one task; ``wanted`` is what should lie in the end. Where no sensor tells pieces apart, eyes do."""
    stacks, do = world.stacks, task["do"]
    lying = Counter(stacks.get(task.get("node", ""), ()))
    right = Counter(wanted.get(task.get("node", ""), ()))
    if do == "take":
        surplus = list((lying - right).elements())
        if lying:
            world.lift(task["node"], surplus[:1] or None)
    elif do == "move":
        asked = [piece for piece in task["pieces"] if piece in stacks[task["from"]]]
        if stacks[task["from"]]:
            held = world.lift(task["from"], asked[:1] or None)
            wait(0.3)
            world.put(task["to"], held)
    elif do == "put" and not lying.total() >= right.total() > 1:
        missing = (right - lying).elements()
        world.put(task["node"], [task["piece"] or next(missing, next(iter(world.poles)))])
    else:
        held = world.lift(task["node"], list(stacks[task["node"]]))
        wait(0.25)  # Shorter than a hand takes it would be a contact that drops out.
        world.put(task["node"], held)
    wait(0.3)

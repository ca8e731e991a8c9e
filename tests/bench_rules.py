"""How fast the rules are, beside the slow reference of the same rules in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

from firmware_host.games.registry import game
from firmware_host.games.spokes import notation
from firmware_host.games.spokes.flat import Clock, Leftovers
from firmware_host.games.spokes.search.explore import Explorer
from firmware_host.games.spokes.search.forms import new_store
from tests.games import spokes_reference as slow

DENSE = "w/xx../w.w.w.w./.w.w.w.w.www..ww/w.w.w.w.w.w.w.w."


def rate(work: Callable[[], int], seconds: float = 1.5) -> float:
    """Return units of work a second."""
    began, done = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        done += work()
    return done / (time.perf_counter() - began)


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    cells = notation.parse_cells(DENSE)
    spokes = game("spokes")
    rng = Random(1)

    def explore() -> int:
        leftovers = Leftovers()
        graph = Explorer(new_store(), leftovers, Clock(None), *leftovers.pair(cells))
        graph.all(20_000)
        return int(graph.store.count)

    def explore_slowly() -> int:
        boards = {DENSE: slow.parse(DENSE)}
        todo = [DENSE]
        while todo and len(boards) < 300:
            for after in slow.steps(boards[todo.pop()]).values():
                name = slow.text(after)
                if name not in boards:
                    boards[name] = after
                    todo.append(name)
        return len(boards)

    def play(mode: str) -> Callable[[], int]:
        return lambda: bool(spokes.playout(spokes.start(mode), rng))  # type: ignore[attr-defined]

    fast, reference = rate(explore), rate(explore_slowly)
    return [
        ("resolution positions explored", fast, "/s"),
        ("the same by the slow reference", reference, "/s"),
        ("ratio", fast / reference, "x"),
        ("random games of two players", rate(play("2")), "/s"),
        ("random games of four players", rate(play("4")), "/s"),
    ]

"""How fast the player of Phalanx searches: positions a second, beside the same search that asks the rules engine."""

from __future__ import annotations

import time
from random import Random
from typing import Any

from firmware_host.games.phalanx.player import forms, thinking
from firmware_host.games.registry import game
from firmware_host.games.thinking import Budget, never
from firmware_host.searching.alpha_beta import AlphaBeta
from tests.forms import printed

NODES = 60_000
POSITIONS = 6
PLAIN_NODES = 6_000
"""For each position, by the plain form in a process of its own."""
ROUNDS = 3
"""The best round counts, by processor time: others on the machine matter little."""


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    nodes, evaluated = _best(NODES)
    plain, plain_evaluated = _plain()
    rules = _rules()
    highest = _highest()
    return [
        ("positions searched", nodes, "/s"),
        ("of these evaluated (at least: 900,000, compiled)", evaluated, "/s"),
        ("positions searched by the plain form", plain, "/s"),
        ("of these evaluated (at least: 15,000)", plain_evaluated, "/s"),
        ("ratio", evaluated / plain_evaluated, "x"),
        ("positions that the rules engine makes from single actions", rules, "/s"),
        ("ratio", nodes / rules, "x"),
        ("a decision of the highest level, mean", highest, "s"),
    ]


def _positions() -> list[Any]:
    phalanx: Any = game("phalanx")
    found = []
    for number in range(POSITIONS):
        rng = Random(number)
        now = phalanx.start("2")
        for _ in range(5 * number):
            thought = phalanx.think(now, now.seat, Budget(nodes=60, depth=1), rng)
            after = phalanx.after(now, thought.choices[min(rng.randrange(3), len(thought.choices) - 1)].action)
            if phalanx.status(after).over:
                break
            now = after
        found.append(now)
    return found


def rates(nodes: int) -> tuple[float, float]:
    """Return positions searched and evaluated a second in one round over all positions."""
    searched = evaluated = 0
    positions = _positions()
    began = time.thread_time()
    for position in positions:
        line = thinking.line_from(position, forms.weights(forms.FITTED))
        search = AlphaBeta(line, nodes, never)
        search.rank(0, 0)
        searched += search.nodes
        evaluated += search.evaluated
    took = time.thread_time() - began
    return searched / took, evaluated / took


def _best(nodes: int) -> tuple[float, float]:
    found = [rates(nodes) for _ in range(ROUNDS)]
    return max(one for one, _ in found), max(one for _, one in found)


def _plain() -> tuple[float, float]:
    program = f"from tests import bench_player_phalanx as bench; print(*bench._best({PLAIN_NODES}))"
    nodes, evaluated = map(float, printed(program).split())
    return nodes, evaluated


def _rules() -> float:
    phalanx: Any = game("phalanx")
    made = 0
    positions = _positions()
    began = time.thread_time()
    for position in positions:
        if not phalanx.status(position).over:
            for action in phalanx.legal(position):
                phalanx.after(position, action)
                made += 1
    return made / (time.thread_time() - began)


def _highest() -> float:
    phalanx: Any = game("phalanx")
    positions = [position for position in _positions() if not phalanx.status(position).over]
    began = time.thread_time()
    for position in positions:
        phalanx.think(position, position.seat, phalanx.strengths[-1].budget, Random(1))
    return (time.thread_time() - began) / len(positions)

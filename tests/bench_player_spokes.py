"""How quickly the Spokes player fills and solves its matrices, beside plain Python and the rules' own slow search.

A matrix is filled for every position of a game before its placements: from 58 × 58 pairs on the empty board to some
hundred at the end, where each pair takes longer. Rates are processor time, so that a busy machine tells the same.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random

from firmware_host.games.spokes import GAME, notation
from firmware_host.games.spokes.player.ends import Pairs, after_placements
from firmware_host.games.spokes.player.search_context import SearchContext
from firmware_host.games.spokes.rules import Position
from firmware_host.games.spokes.search import proofs
from firmware_host.games.spokes.search.forms import COMPILED
from firmware_host.games.spokes.search.proofs import worth
from firmware_host.games.thinking import Budget, choose
from firmware_host.searching import matrix
from tests.forms import printed

FULL = 58 * 58
NODES = GAME.strengths[-1].budget.nodes
SAMPLE = 12
"""Pairs of each position that the slow search weighs."""


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    begun = [GAME.start("2")]
    played = positions()
    form = "compiled" if COMPILED else "plain Python"
    first, whole = rate(begun, 5), rate(played, 1)
    slow = slow_rate(played)
    found = [
        (
            f"full 58 x 58 matrices of the empty board, {form} (at least: {60 if COMPILED else 3})",
            first["matrices"],
            "/s",
        ),
        (f"matrices of a game's {len(played)} turns, {form}", whole["matrices"], "/s"),
        ("... pairs of placements", whole["pairs"], "/s"),
        ("... the same as full matrices of 58 x 58 pairs", whole["pairs"] / FULL, "/s"),
        ("... positions looked at", whole["looked"], "/s"),
        ("... mixed strategies found", whole["solved"], "/s"),
        ("pairs weighed by the rules' own search", slow, "/s"),
        ("ratio to the rules' own search", whole["pairs"] / slow, "x"),
    ]
    if COMPILED:
        plain = plain_rates()
        found.append(("full 58 x 58 matrices of the empty board, plain Python", plain["first"], "/s"))
        found.append(("... as a share of the compiled form", plain["first"] / first["matrices"], ""))
        found.append(("matrices of the first turns, plain Python", plain["game"], "/s"))
        found.append(("... as a share of the compiled form", plain["game"] / rate(played[:6], 1)["matrices"], ""))
    found += [(f"longest decision of level {level}", seconds, "s") for level, seconds in decisions(played)]
    return found


def positions() -> list[Position]:
    """Return the positions before each turn of a game that the third level plays."""
    rng, now, found = Random(3), GAME.start("2"), []
    while now.phase != "over":
        if now.phase == "place":
            found.append(now)
        budget = GAME.strengths[2].budget
        actions = {seat: choose(GAME.think(now, seat, budget, rng), 0, rng).action for seat in GAME.actions(now)}
        now = GAME.apply(now, actions).position
    return found


def rate(played: Sequence[Position], times: int) -> dict[str, float]:
    """Return matrices, pairs and positions a second, and matrices solved a second."""
    pairs = looked = 0
    filling = solving = 0.0
    for now in [*played] * times:
        context = SearchContext(now, Budget(NODES))
        offered = context.placements()
        began = time.process_time()
        values = Pairs(context.ends, now.cells, context.resolver, 0, NODES).matrix(offered, offered)
        filled = time.process_time()
        matrix.solve(values, len(offered), len(offered), 1000, 2000)
        solving += time.process_time() - filled
        filling += filled - began
        pairs += len(values)
        looked += context.ends.nodes_searched
    count = len(played) * times
    return {
        "matrices": count / filling,
        "pairs": pairs / filling,
        "looked": looked / filling,
        "solved": count / solving,
    }


def slow_rate(played: Sequence[Position]) -> float:
    """Return the pairs a second that the search of the rules weighs, which knows all ends."""
    rng, seconds, count = Random(1), 0.0, 0
    for now in played:
        offered = SearchContext(now, Budget(0)).placements()
        for _ in range(SAMPLE):
            cells = after_placements(now.cells, rng.choices(offered, k=2))
            began = time.process_time()
            ends = proofs.outcomes(cells, 400, 400)
            max([worth(now, end) for end in ends.rests] + [worth(now, end, loop=True) for end in ends.loops], default=0)
            seconds += time.process_time() - began
            count += 1
    return count / seconds


def plain_rates() -> dict[str, float]:
    """Return the matrices a second of the uncompiled form, in a process of its own."""
    first, game = map(float, printed(PLAIN, *map(notation.text, positions()[:6])).split())
    return {"first": first, "game": game}


def decisions(played: Sequence[Position]) -> list[tuple[int, float]]:
    """Return the longest placement of each level, in seconds of this process."""

    def seconds(now: Position, budget: Budget) -> float:
        began = time.process_time()
        GAME.think(now, 1, budget, Random(1))
        return time.process_time() - began

    return [
        (level, max(seconds(now, strength.budget) for now in played))
        for level, strength in enumerate(GAME.strengths, 1)
    ]


PLAIN = """
import sys
from tests.bench_player_spokes import GAME, notation, rate
texts = [notation.parse(text) for text in sys.argv[1:]]
print(rate([GAME.start("2")], 1)["matrices"], rate(texts, 1)["matrices"])
"""

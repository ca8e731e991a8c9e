"""Fits the weights of the Spokes player to games that it plays against itself.

Each round plays games with the weights so far, notes the patterns of every position at rest that goes on, and fits the
weights by logistic regression. The target of a position is a mean over what the matrices of the turns after it are
worth and who has won, later ones weighing less (TD(λ): Sutton, 1988): one game tells little by its result alone.
Positions that differ in colours or by reflection share their weights. The result is the data file of the player, with
how it was made. Games are played on all cores, or on a cluster.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import firmware_host.games.spokes.player as package
from firmware_host.extensions.lab.fitting import SelfPlay, add_self_play, game_chance, run_tool
from firmware_host.games.spokes import rules
from firmware_host.games.spokes.player.ends import Pairs, after_placements
from firmware_host.games.spokes.player.evaluator import (
    FILE,
    SIZES,
    TABLES,
    WIN,
    PatternWeights,
    simple_leads,
    simple_weights,
)
from firmware_host.games.spokes.player.search_context import SearchContext
from firmware_host.games.thinking import Budget
from firmware_host.searching import matrix

Row = tuple[dict[int, int], float]
"""Feature → how often it is counted for team 0 less for team 1; and the expected score of team 0."""

OFFSETS = dict(zip(TABLES, (sum(list(SIZES.values())[:n]) for n in range(len(SIZES))), strict=True))
LEADS_TABLE = TABLES.index("leads")
RATE = 0.08
PULL = 12.0
"""As if each weight had been estimated before with a standard error of 0.3 logits."""
ROUNDS = 8
BATCH = 60
"""Games of a unit of work: about a second."""
CAP = 10_000
"""Positions looked at after all pairs of placements."""
PHASE = 20_000
"""Positions of a phase that is played."""
LATER = 0.8
"""How much what comes after a turn weighs in a target, beside what the turn's matrix is worth."""


@cache
def folded_entry(number: int, index: int) -> int:
    """Return the feature of an entry of a table: the least of those that are alike."""
    offset = OFFSETS[TABLES[number]]
    if number == LEADS_TABLE:
        return offset + index
    pattern, rest = index & 255, index & ~255
    alike = [pattern, _swap_colours(pattern)]
    alike += [one & 0b11001100 | one >> 4 & 3 | (one & 3) << 4 for one in alike]
    return offset + (rest | min(alike))


def _swap_colours(pattern: int) -> int:
    """Return a pattern with white and black exchanged."""
    return (pattern & 0b01010101) << 1 | (pattern & 0b10101010) >> 1


def play_games(sparse: dict[str, dict[str, int]], width: int, seed: str, first: int, end: int) -> dict[str, Any]:
    """Play the games with these numbers; return the rows of each, as plain data."""
    weights = as_weights(sparse)
    games = [play(weights, width, game_chance(seed, number)) for number in range(first, end)]
    return {"games": [[[sorted(row.items()), score] for row, score in game] for game in games]}


def play(weights: PatternWeights, width: int, rng: Random) -> list[Row]:
    """Play a game between equals, the first turns at random; return its rows. ``width`` 0 weighs all placements."""
    now = rules.start("2")
    random_turns = rng.randrange(5)
    rows: list[dict[int, int]] = []
    worths: list[float] = []
    while True:
        context = SearchContext(now, Budget(0), weights)
        chosen, worth = _placements(context, width, rng)
        if rows:
            worths.append(worth)
        if now.turn <= random_turns:
            # What comes after a random turn tells nothing about the positions before it.
            rows, worths = [], []
            chosen = [rng.choice(context.placements()) for _ in range(2)]
        a, b = context.leftovers.pair(after_placements(now.cells, chosen))
        context.ends.look(a, b, context.resolver, PHASE)
        number = context.ends.best_at
        if number < 0:
            return []
        graph = context.ends.graph
        a, b = graph.a(number), graph.b(number)
        loop = context.ends.loops.get(number, 0)
        cells = rules.clear_nodes(context.leftovers.cells(a, b), loop)
        now = replace(now, cells=cells)
        reason = rules.ending(now, loop=bool(loop))
        if reason is not None:
            won = rules.status(replace(now, phase="over"), reason).winners == (1,)
            return _rows(rows, worths, float(won))
        if cells[3]:
            return []
        rows.append(features(context, a, b))
        now = replace(now, turn=now.turn + 1, resolver=rules.next_resolver(now))


def _rows(found: list[dict[int, int]], worths: list[float], score: float) -> list[Row]:
    """Return the rows of a game with their targets: each position is followed by a turn of some worth."""
    rows: list[Row] = []
    for row, worth in zip(reversed(found), reversed(worths), strict=True):
        score = LATER * score + (1 - LATER) * worth
        rows.append((row, score))
    return rows


def _placements(context: SearchContext, width: int, rng: Random) -> tuple[list[int], float]:
    """Return the placements of both, and what the turn is worth to team 0."""
    offered = context.placements()
    some = rng.sample(offered, min(width, len(offered))) if width else offered
    values = Pairs(context.ends, context.position.cells, context.resolver, 0, CAP).matrix(some, some)
    mine, theirs = matrix.solve(values, len(some), len(some), 100)
    worth = max(matrix.means(values, theirs, len(some))) / WIN
    return [rng.choices(some, mix)[0] for mix in (mine, theirs)], worth


def features(context: SearchContext, a: int, b: int) -> dict[int, int]:
    """Return the features of a position at rest."""
    evaluator = context.evaluator
    evaluator.watch()
    evaluator.counted_patterns = []
    evaluator.chance(a, b, 0)
    found: dict[int, int] = {}
    noted = evaluator.counted_patterns
    for at in range(0, len(noted), 3):
        team, number, index = noted[at : at + 3]
        feature = folded_entry(number, index)
        found[feature] = found.get(feature, 0) + (1 if team == 0 else -1)
    return {feature: count for feature, count in found.items() if count}


def fit(rows: list[Row], prior: list[float], rounds: int, rng: Random) -> list[float]:
    """Return the weights (logits) that tell best who wins: gradient descent with steps by feature (AdaGrad).

    Weights are drawn towards the ones before anything is learned, those that few positions speak of the most.
    """
    weights = list(prior)
    seen = [0] * len(weights)
    for row, _ in rows:
        for feature in row:
            seen[feature] += 1
    pulls = [min(0.5, PULL / max(1, count)) for count in seen]
    squares = [1.0] * len(weights)
    mean = [0.0] * len(weights)
    for turn in range(rounds):
        rng.shuffle(rows)
        for row, score in rows:
            logit = sum(weights[feature] * count for feature, count in row.items())
            miss = score - 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
            for feature, count in row.items():
                slope = miss * count - pulls[feature] * (weights[feature] - prior[feature])
                squares[feature] += slope * slope
                weights[feature] += RATE * slope / math.sqrt(squares[feature])
        if turn >= rounds // 2:
            mean = [total + weight / (rounds - rounds // 2) for total, weight in zip(mean, weights, strict=True)]
    return mean


def loss(rows: list[Row], weights: list[float]) -> float:
    """Return the mean logarithmic loss."""
    total = 0.0
    for row, score in rows:
        logit = sum(weights[feature] * count for feature, count in row.items())
        total += math.log1p(math.exp(-logit)) + (1 - score) * logit
    return total / max(1, len(rows))


def tables(weights: list[float]) -> dict[str, dict[str, int]]:
    """Return the tables as the data file has them: entry → thousandths of a logit, without zeros."""
    found: dict[str, dict[str, int]] = {}
    for number, name in enumerate(TABLES):
        values = {index: round(1000 * weights[folded_entry(number, index)]) for index in range(SIZES[name])}
        found[name] = {str(index): value for index, value in values.items() if value}
    return found


def as_weights(sparse: dict[str, dict[str, int]]) -> PatternWeights:
    """Return the tables as the judge takes them."""
    lists = {name: [0] * size for name, size in SIZES.items()}
    for name, entries in sparse.items():
        for index, value in entries.items():
            lists[name][int(index)] = value
    return PatternWeights(*(lists[name] for name in TABLES))


def main() -> int:
    """Play and fit some rounds, and write the data file after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, nargs="+", default=[1500, 3000, 4000], help="games of each round")
    parser.add_argument("--width", type=int, default=0, help="placements that are sampled for each turn, 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, help="data file whose weights play the first round")
    parser.add_argument("--out", type=Path, default=Path(package.__file__).parent / FILE)
    add_self_play(parser, "spokes")
    options = parser.parse_args()
    played = SelfPlay(options)
    rng = Random(options.seed)
    prior = [0.0] * sum(SIZES.values())
    for index, weight in enumerate(simple_leads()):
        prior[OFFSETS["leads"] + index] = weight / 1000
    simple = simple_weights()
    sparse = {name: {str(at): int(value) for at, value in enumerate(getattr(simple, name)) if value} for name in TABLES}
    notes = []
    if options.start:
        begun = json.loads(options.start.read_text(encoding="utf-8"))
        sparse, notes = begun["weights"], [f"begun with the result of: {begun['made']}"]
    rows: list[Row] = []
    for number, games in enumerate(options.games):
        chance = f"seed {options.seed} round {number + 1}"
        found = played.games(play_games, (sparse, options.width), chance, games, BATCH)
        fresh = [(dict(map(tuple, row)), score) for game in found for row, score in game]
        # Half of what weaker weights played stays: it shows positions that good play avoids.
        rows = [row for row in rows if rng.random() < 0.5]
        held, taught = fresh[: len(fresh) // 10], rows + fresh[len(fresh) // 10 :]
        fitted = fit(taught, prior, ROUNDS, rng)
        rows += fresh
        note = (
            f"round {number + 1}: {games} games, {len(taught)} positions, "
            f"loss {loss(held, prior):.4f} before, {loss(held, fitted):.4f} after"
        )
        print(note, flush=True)
        notes.append(note)
        sparse = tables(fitted)
        command = f"python -m firmware_host.extensions.lab.fit_spokes --games {' '.join(map(str, options.games))}"
        made = f"{command} --width {options.width} --seed {options.seed}; {'; '.join(notes)}"
        options.out.write_text(json.dumps({"made": made, "weights": sparse}, indent=0) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(run_tool(main))

"""Fits the weights of the Spokes player to games that it plays against itself: ``python -m tools.fit_spokes``.

Each round plays games with the weights so far, notes the patterns of every position at rest that goes on, and fits the
weights by logistic regression to who won. Positions that differ in colours or by reflection share their weights. The
result is the data file of the player, with how it was made. One process, plain Python.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import firmware_host.games.spokes.player as package
from firmware_host.games.spokes import endings, position, resolution
from firmware_host.games.spokes.player.judge import Weights
from firmware_host.games.spokes.player.pairs import Pairs
from firmware_host.games.spokes.player.scene import Scene
from firmware_host.games.spokes.player.stacked import placed
from firmware_host.games.spokes.player.weights import FILE, SIZES, TABLES, simple, simple_leads
from firmware_host.games.thinking import Budget
from firmware_host.searching import matrix

Row = tuple[dict[int, int], bool]
"""Feature → how often it is counted for team 0 less for team 1; and whether team 0 won."""

OFFSETS = dict(zip(TABLES, (sum(list(SIZES.values())[:n]) for n in range(len(SIZES))), strict=True))
LEADS_TABLE = TABLES.index("leads")
RATE = 0.08
PULL = 12.0
"""As if each weight had been estimated before with a standard error of 0.3 logits."""
ROUNDS = 8
CAP = 10_000
"""Positions looked at after all pairs of placements."""
PHASE = 20_000
"""Positions of a phase that is played."""


@cache
def folded(number: int, index: int) -> int:
    """Return the feature of an entry of a table: the least of those that are alike."""
    offset = OFFSETS[TABLES[number]]
    if number == LEADS_TABLE:
        return offset + index
    pattern, rest = index & 255, index & ~255
    alike = [pattern, _swapped(pattern)]
    alike += [one & 0b11001100 | one >> 4 & 3 | (one & 3) << 4 for one in alike]
    return offset + (rest | min(alike))


def _swapped(pattern: int) -> int:
    """Return a pattern with white and black exchanged."""
    return (pattern & 0b01010101) << 1 | (pattern & 0b10101010) >> 1


def play(weights: Weights, width: int, rng: Random) -> list[Row]:
    """Play a game between equals on sampled placements, the first turns at random; return its rows."""
    now = position.start("2")
    random_turns = rng.randrange(5)
    rows: list[dict[int, int]] = []
    while True:
        scene = Scene(now, Budget(0), weights)
        first, second = _placements(scene, width if now.turn > random_turns else 0, rng)
        a, b = scene.leftovers.pair(placed(now.cells, [first, second]))
        scene.ends.look(a, b, scene.resolver, PHASE)
        number = scene.ends.best_at
        if number < 0:
            return []
        graph = scene.ends.graph
        a, b = graph.a(number), graph.b(number)
        loop = scene.ends.loops.get(number, 0)
        cells = resolution.cleared(scene.leftovers.cells(a, b), loop)
        now = replace(now, cells=cells)
        reason = endings.ending(now, loop=bool(loop))
        if reason is not None:
            won = endings.status(replace(now, phase="over"), reason).winners == (1,)
            return [(row, won) for row in rows]
        if not cells[3]:
            rows.append(features(scene, a, b))
        now = replace(now, turn=now.turn + 1, resolver=endings.next_resolver(now))


def _placements(scene: Scene, width: int, rng: Random) -> tuple[int, int]:
    offered = scene.placements()
    if not width:
        return rng.choice(offered), rng.choice(offered)
    some = rng.sample(offered, min(width, len(offered)))
    values = Pairs(scene.ends, scene.position.cells, scene.resolver, 0, CAP).matrix(some, some)
    mixes = matrix.solve(values, len(some), len(some), 100)
    one, other = (rng.choices(some, mix)[0] for mix in mixes)
    return one, other


def features(scene: Scene, a: int, b: int) -> dict[int, int]:
    """Return the features of a position at rest."""
    judge = scene.judge
    judge.watch()
    judge.touched = []
    judge.chance(a, b, 0)
    found: dict[int, int] = {}
    noted = judge.touched
    for at in range(0, len(noted), 3):
        team, number, index = noted[at : at + 3]
        feature = folded(number, index)
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
        for row, won in rows:
            logit = sum(weights[feature] * count for feature, count in row.items())
            miss = (1.0 if won else 0.0) - 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
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
    for row, won in rows:
        logit = sum(weights[feature] * count for feature, count in row.items())
        total += math.log1p(math.exp(-logit if won else logit))
    return total / max(1, len(rows))


def tables(weights: list[float]) -> dict[str, dict[str, int]]:
    """Return the tables as the data file has them: entry → thousandths of a logit, without zeros."""
    found: dict[str, dict[str, int]] = {}
    for number, name in enumerate(TABLES):
        values = {index: round(1000 * weights[folded(number, index)]) for index in range(SIZES[name])}
        found[name] = {str(index): value for index, value in values.items() if value}
    return found


def as_weights(sparse: dict[str, dict[str, int]]) -> Weights:
    """Return the tables as the judge takes them."""
    lists = {name: [0] * size for name, size in SIZES.items()}
    for name, entries in sparse.items():
        for index, value in entries.items():
            lists[name][int(index)] = value
    return Weights(*(lists[name] for name in TABLES))


def main() -> int:
    """Play and fit some rounds, and write the data file after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, nargs="+", default=[1500, 3000, 4000], help="games of each round")
    parser.add_argument("--width", type=int, default=16, help="placements that are sampled for each turn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, help="data file whose weights play the first round")
    parser.add_argument("--out", type=Path, default=Path(package.__file__).parent / FILE)
    options = parser.parse_args()
    rng = Random(options.seed)
    prior = [0.0] * sum(SIZES.values())
    for index, weight in enumerate(simple_leads()):
        prior[OFFSETS["leads"] + index] = weight / 1000
    weights, notes = simple(), []
    if options.start:
        begun = json.loads(options.start.read_text(encoding="utf-8"))
        weights, notes = as_weights(begun["weights"]), [f"begun with the result of: {begun['made']}"]
    rows: list[Row] = []
    for number, games in enumerate(options.games):
        began = time.monotonic()
        fresh = [row for _ in range(games) for row in play(weights, options.width, rng)]
        # Half of what weaker weights played stays: it shows positions that good play avoids.
        rows = [row for row in rows if rng.random() < 0.5]
        held, taught = fresh[: len(fresh) // 10], rows + fresh[len(fresh) // 10 :]
        fitted = fit(taught, prior, ROUNDS, rng)
        rows += fresh
        note = (
            f"round {number + 1}: {games} games, {len(taught)} positions, "
            f"loss {loss(held, prior):.4f} before, {loss(held, fitted):.4f} after"
        )
        print(f"{note} ({time.monotonic() - began:.0f} s)", flush=True)
        notes.append(note)
        sparse = tables(fitted)
        weights = as_weights(sparse)
        command = f"python -m tools.fit_spokes --games {' '.join(map(str, options.games))}"
        made = f"{command} --width {options.width} --seed {options.seed}; {'; '.join(notes)}"
        options.out.write_text(json.dumps({"made": made, "weights": sparse}, indent=0) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

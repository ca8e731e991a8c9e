"""How far Coil's search errs about Black's chance: ``python -m firmware_host.extensions.lab.fit_coil --games 60``.

Black stones are put as in phase I until an estimate of Black's chance is past a random one, of those among which
players pass. A search then estimates it anew, and plays the game to its end for both sides. The better both play, the
more games White holds that random games give to Black: so there is a logistic regression of the result by the estimate,
with an offset for each of several strengths. Samples are kept in a file and add up when the tool runs again; the result
is ``passing.toml`` beside the player.
"""

from __future__ import annotations

import argparse
from array import array
from collections.abc import Sequence
from random import Random
from typing import Any

from firmware_host.extensions.lab.fitting import SelfPlay, add_self_play, fit, run_tool
from firmware_host.games.coil.coil import GAME
from firmware_host.games.coil.player import thinking
from firmware_host.games.coil.player.thinking import DATA, logit
from firmware_host.games.coil.rules import PASS, Position
from firmware_host.games.thinking import Budget, never

PLAYED = (360, 740, 1_800, 7_000, 24_000)
"""Random games an action, of the players whose games are played: about those of the levels."""
CHOSEN = 1_500
"""Random games behind a stone of phase I, at most."""
SIZE = 7
BY_CHANCE = 4
"""The first stones are put anywhere."""
PASSED = (-0.4, 2.8)
"""Between these logits of the estimate a player passes."""
CLEAR = 0.04
"""A game is not played on from a chance on that is this near to 0 or 1."""
USUAL = 2.8
"""The slope while there are hardly any samples."""
HOLD = 0.05
"""How firmly offsets and slope are held: by a variance of 20."""
EPOCHS = 300
PACE = 0.2
"""Passes through the samples, and the length of the first steps."""


def samples_of(nodes: int, _: str, first: int, end: int) -> dict[str, Any]:
    """Return the samples with these seeds; both players have so many nodes."""
    return {"games": [[sample(seed, nodes)] for seed in range(first, end)]}


def sample(seed: int, nodes: int) -> dict[str, Any]:
    """Return the estimate for one position, and whether Black has won; both players have so many nodes."""
    rng = Random(f"{nodes} {seed}")
    position = _position(rng, nodes)
    found = thinking.estimate(SIZE, position.black, nodes // thinking.FOR_PASS, never, rng)[0]
    stones = position.black.bit_count()
    return {"nodes": nodes, "seed": seed, "stones": stones, "found": found, "black": _is_black_s(position, nodes, rng)}


def _position(rng: Random, nodes: int) -> Position:
    """Return a position after a pass, with the black stones that the player chooses in phase I."""
    position, limit, budget = GAME.start_with("2", {"size": SIZE}), rng.uniform(*PASSED), Budget(min(nodes, CHOSEN))
    while (count := position.black.bit_count()) < BY_CHANCE or _estimate(position, budget.nodes, rng) < limit:
        if count < BY_CHANCE:
            offered = list(GAME.legal(position))
            rng.shuffle(offered)
        else:
            offered = [choice.action for choice in GAME.think(position, position.seat, budget, rng).choices]
        offered = [action for action in offered if action != PASS]
        if not offered:
            break
        position = GAME.after(position, offered[0])
    return GAME.after(position, PASS)


def _estimate(position: Position, nodes: int, rng: Random) -> float:
    """Return the logit of what a search finds."""
    return logit(thinking.estimate(SIZE, position.black, nodes // thinking.FOR_PASS, never, rng)[0])


def _is_black_s(position: Position, nodes: int, rng: Random) -> bool:
    """Play to the end and tell whether Black wins."""
    while not position.ending and GAME.decision(position) is None:
        thought = GAME.think(position, position.seat, Budget(nodes), rng)
        choice = thought.choices[0]
        black = choice.value if position.colour == "b" else 1 - choice.value
        if thought.nodes > 1 and not CLEAR <= black <= 1 - CLEAR:
            return black > 0.5
        position = GAME.after(position, choice.action)
    return position.ending == "coil"


def fit_offsets(samples: Sequence[dict[str, Any]]) -> tuple[dict[int, float], float]:
    """Return an offset for each strength, and the slope, of the logit of Black's chance by that of the estimate.

    The slope is the same for all strengths: from a hundred games of each, slopes of their own would differ by chance.
    """
    strengths = sorted({one["nodes"] for one in samples})
    data = []
    for one in samples:
        features = array("i", (strengths.index(one["nodes"]), len(strengths)))
        data.append((features, array("f", (1, logit(one["found"]))), float(one["black"])))
    prior, hold = [0.0] * len(strengths) + [USUAL], [HOLD] * (len(strengths) + 1)
    *offsets, slope = fit(data, prior, hold=hold, epochs=EPOCHS, pace=PACE, rng=Random(0))
    return dict(zip(strengths, offsets, strict=True)), slope


def write(samples: Sequence[dict[str, Any]]) -> None:
    """Write the data file, with how it was made."""
    offsets, slope = fit_offsets(samples)
    lines = [
        "# Made by: python -m firmware_host.extensions.lab.fit_coil",
        "# For players with so many random games an action: logit of Black's chance = offset + slope * logit of what",
        "# a search finds.",
        "",
        f"slope = {slope:.3f}",
    ]
    for nodes, offset in offsets.items():
        won = [one["black"] for one in samples if one["nodes"] == nodes]
        lines += ["", "[[strength]]", f"# {len(won)} games, of which Black won {sum(won)}.", f"nodes = {nodes}"]
        lines += [f"offset = {offset:.3f}"]
    DATA.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Play more games, and fit to all that were played."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=60, help="how many there are to be in the file for each strength")
    parser.add_argument("--nodes", type=int, action="append", help=f"these strengths only (default {PLAYED})")
    add_self_play(parser, "coil")
    asked = parser.parse_args()
    played = SelfPlay(asked)
    samples = []
    for nodes in asked.nodes or PLAYED:
        games = played.games(samples_of, (nodes,), f"{nodes} nodes", asked.games, batch=1)
        samples += [one for game in games for one in game]
    write(samples)


if __name__ == "__main__":
    raise SystemExit(run_tool(main))

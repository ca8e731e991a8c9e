"""How far Coil's search errs about Black's chance: ``python -m tools.fit_coil --games 60``.

Black stones are put as in phase I until one of the players passes, at a random moment. A search estimates Black's
chance, and the same search then plays the game to its end for both sides. The better both play, the more games White
holds that random games give to Black: so there is a logistic regression of the result by the estimate for each of
several strengths. Samples are kept in a file, a JSON object a line, and add up when the tool runs again; the result is
``passing.toml`` beside the player.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from firmware_host.games.coil.coil import GAME
from firmware_host.games.coil.player import thinking
from firmware_host.games.coil.player.passing import DATA, logit
from firmware_host.games.coil.position import Position
from firmware_host.games.thinking import Budget, never

PLAYED = (205, 770, 3_000, 12_000)
"""Random games an action, of the players whose games are played."""
CHOSEN = 1_500
"""Random games behind a stone of phase I, at most."""
SIZE = 7
BY_CHANCE = 4
"""The first stones are put anywhere."""
STONES = (8, 20)
"""So many stones there are at least and at most when a player passes."""
CLEAR = 0.04
"""A game is not played on from a chance on that is this near to 0 or 1."""
USUAL = 2.4
"""The slope of strengths with many samples."""
PENALTY = 1.0
"""Holds the slope near the usual one while there are few samples: its weight is that of so many of them."""


def sample(seed: int, nodes: int) -> dict[str, Any]:
    """Return the estimate for one position, and whether Black has won; both players have so many nodes."""
    rng = Random(f"{nodes} {seed}")
    position = _position(rng, nodes)
    found = thinking.estimate(SIZE, position.black, nodes // thinking.FOR_PASS, never, rng)[0]
    stones = position.black.bit_count()
    return {"nodes": nodes, "seed": seed, "stones": stones, "found": found, "black": _is_black_s(position, nodes, rng)}


def _position(rng: Random, nodes: int) -> Position:
    """Return a position of the main phase with some black stones, of those that the player chooses in phase I."""
    position, stones = GAME.start_with("2", {"size": SIZE}), rng.randint(*STONES)
    while position.black.bit_count() < stones:
        if position.black.bit_count() < BY_CHANCE:
            offered = list(GAME.legal(position))
        else:
            budget = Budget(min(nodes, CHOSEN))
            offered = [choice.action for choice in GAME.think(position, position.seat, budget, rng).choices]
        offered = [action for action in offered if action != thinking.NO_STONE]
        if not offered:
            break
        action = rng.choice(offered) if position.black.bit_count() < BY_CHANCE else offered[0]
        position = GAME.after(position, action)
    return GAME.after(position, thinking.NO_STONE)


def _is_black_s(position: Position, nodes: int, rng: Random) -> bool:
    """Play to the end and tell whether Black wins."""
    while not position.ending and GAME.decided(position) is None:
        thought = GAME.think(position, position.seat, Budget(nodes), rng)
        choice = thought.choices[0]
        black = choice.value if position.colour == "b" else 1 - choice.value
        if thought.nodes > 1 and not CLEAR <= black <= 1 - CLEAR:
            return black > 0.5
        position = GAME.after(position, choice.action)
    return position.ending == "coil"


def fitted(found: Sequence[float], won: Sequence[bool]) -> tuple[float, float]:
    """Return offset and slope of the logit of the chance by that of the estimate (Newton's method)."""
    offset, slope = 0.0, USUAL
    for _ in range(30):
        gradient, matrix = [0.0, -PENALTY * (slope - USUAL)], [1e-6, 0.0, PENALTY]
        for estimate, black in zip(found, won, strict=True):
            x = logit(estimate)
            chance = 1 / (1 + math.exp(-offset - slope * x))
            weight = chance * (1 - chance)
            gradient = [gradient[0] + black - chance, gradient[1] + (black - chance) * x]
            matrix = [matrix[0] + weight, matrix[1] + weight * x, matrix[2] + weight * x * x]
        determinant = matrix[0] * matrix[2] - matrix[1] ** 2
        offset += _short((matrix[2] * gradient[0] - matrix[1] * gradient[1]) / determinant)
        slope += _short((matrix[0] * gradient[1] - matrix[1] * gradient[0]) / determinant)
    return offset, slope


def _short(step: float) -> float:
    """Return a step that does not go past the optimum: few samples make a flat curve."""
    return min(max(step, -0.5), 0.5)


def write(samples: Sequence[dict[str, Any]]) -> None:
    """Write the data file, with how it was made."""
    lines = [
        "# Made by: python -m tools.fit_coil",
        "# For players with so many random games an action: logit of Black's chance = offset + slope * logit of what",
        "# a search finds.",
    ]
    for nodes in sorted({one["nodes"] for one in samples}):
        of_these = [one for one in samples if one["nodes"] == nodes]
        won = [one["black"] for one in of_these]
        offset, slope = fitted([one["found"] for one in of_these], won)
        lines += ["", "[[strength]]", f"# {len(won)} games, of which Black won {sum(won)}.", f"nodes = {nodes}"]
        lines += [f"offset = {offset:.3f}", f"slope = {slope:.3f}"]
    DATA.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Play more games, and fit to all that were played."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=60, help="how many there are to be in the file for each strength")
    parser.add_argument("--nodes", type=int, action="append", help=f"these strengths only (default {PLAYED})")
    parser.add_argument("--samples", type=Path, default=Path("coil-samples.jsonl"))
    asked = parser.parse_args()
    lines = asked.samples.read_text().splitlines() if asked.samples.exists() else []
    samples = [json.loads(line) for line in lines]
    with asked.samples.open("a") as file:
        for nodes in asked.nodes or PLAYED:
            for seed in range(sum(one["nodes"] == nodes for one in samples), asked.games):
                samples.append(sample(seed, nodes))
                print(json.dumps(samples[-1]), file=file, flush=True)
    write(samples)


if __name__ == "__main__":
    main()

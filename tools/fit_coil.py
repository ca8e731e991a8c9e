"""How far a search of Coil errs about Black's chance: ``python -m tools.fit_coil --games 400``.

Black stones are put as in phase I, searches of several lengths estimate Black's chance, and the game is then
played to its end by the search itself. A logistic regression for each length tells the chance by the estimate. Samples
are kept in a file, a JSON object a line, and add up when the tool runs again; the result is ``passing.toml`` beside the
player.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path
from random import Random

from firmware_host.games.coil.coil import GAME
from firmware_host.games.coil.player import thinking
from firmware_host.games.coil.player.passing import DATA, logit
from firmware_host.games.coil.position import Position
from firmware_host.games.thinking import Budget, never

LENGTHS = (16, 64, 256, 1024)
"""Random games of the searches that estimate."""
PLAYED = Budget(500)
"""What the games are played with."""
CHOSEN = Budget(100)
"""What the black stones of phase I are chosen with."""
SIZES = (5, 6, 7, 7, 7, 8)
MOST = 3
"""Fewer stones than so many times the size: with more of them Black wins nearly always."""
PENALTY = 1.0
"""Holds the slope near 1 while there are few samples: its weight is that of so many of them."""


def sample(seed: int) -> dict[str, object]:
    """Return the estimates for one position, and whether Black has won."""
    rng = Random(seed)
    size = rng.choice(SIZES)
    position = _position(size, rng)
    estimates = [thinking.estimate(size, position.black, length, never, rng)[0] for length in LENGTHS]
    stones = position.black.bit_count()
    while not position.ending and GAME.decided(position) is None:
        action = GAME.think(position, position.seat, PLAYED, rng).choices[0].action
        position = GAME.after(position, action)
    won = position.ending == "coil"
    return {"seed": seed, "size": size, "stones": stones, "estimates": estimates, "black": won}


def _position(size: int, rng: Random) -> Position:
    """Return a position of the main phase with some black stones, of those that the player weighs in phase I.

    Any of them, not the best: that one leaves Black a chance below a half, and chances on both sides of it are to
    be told apart.
    """
    while True:
        position = GAME.start_with("2", {"size": size})
        for _ in range(rng.randrange(1, MOST * size)):
            choices = GAME.think(position, position.seat, CHOSEN, rng).choices
            stones = [choice.action for choice in choices if choice.action != thinking.NO_STONE]
            if not stones:
                break
            position = GAME.after(position, rng.choice(stones))
        else:
            return GAME.after(position, thinking.NO_STONE)


def fitted(found: Sequence[float], won: Sequence[bool]) -> tuple[float, float]:
    """Return offset and slope of the logit of the chance by that of the estimate (Newton's method)."""
    offset, slope = 0.0, 1.0
    for _ in range(30):
        gradient, matrix = [0.0, -PENALTY * (slope - 1)], [1e-6, 0.0, PENALTY]
        for estimate, black in zip(found, won, strict=True):
            x = logit(estimate)
            chance = 1 / (1 + math.exp(-offset - slope * x))
            weight = chance * (1 - chance)
            gradient = [gradient[0] + black - chance, gradient[1] + (black - chance) * x]
            matrix = [matrix[0] + weight, matrix[1] + weight * x, matrix[2] + weight * x * x]
        determinant = matrix[0] * matrix[2] - matrix[1] ** 2
        offset += (matrix[2] * gradient[0] - matrix[1] * gradient[1]) / determinant
        slope += (matrix[0] * gradient[1] - matrix[1] * gradient[0]) / determinant
    return offset, slope


def write(samples: Sequence[dict[str, object]]) -> None:
    """Write the data file, with how it was made."""
    won = [bool(one["black"]) for one in samples]
    lines = [
        "# Made by: python -m tools.fit_coil",
        f"# {len(samples)} games of sizes {sorted(set(SIZES))}, played with {PLAYED.nodes} random games an action;",
        f"# Black won {sum(won)} of them.",
        "# For searches of so many random games: logit of Black's chance = offset + slope * logit of the estimate.",
    ]
    for place, length in enumerate(LENGTHS):
        offset, slope = fitted([one["estimates"][place] for one in samples], won)  # type: ignore[index]
        lines += ["", "[[search]]", f"games = {length}", f"offset = {offset:.3f}", f"slope = {slope:.3f}"]
    DATA.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Play more games, and fit to all that were played."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=400, help="how many there are to be in the file")
    parser.add_argument("--samples", type=Path, default=Path("coil-samples.jsonl"))
    asked = parser.parse_args()
    lines = asked.samples.read_text().splitlines() if asked.samples.exists() else []
    samples = [json.loads(line) for line in lines]
    with asked.samples.open("a") as file:
        for seed in range(len(samples), asked.games):
            samples.append(sample(seed))
            print(json.dumps(samples[-1]), file=file, flush=True)
    write(samples)


if __name__ == "__main__":
    main()

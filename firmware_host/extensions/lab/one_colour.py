"""Checks that Spokes ends also where players place one colour alone (``--games 400``).

Boards of one colour have the largest phases, millions of positions without a rest, and their stones circle most easily.
In each mode all seats place stones of the game's colour as long as they may, at random, and resolve at a level in turn.
Prints how many actions the games took, the resolutions with the most steps, and how the games ended; exit code 1 if a
game has taken more than :data:`MOST` actions. All 1,200 games take about three quarters of an hour of one core;
``--mode`` and ``--first`` play a part of them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from random import Random

from firmware_host.games.spokes import GAME
from firmware_host.games.thinking import LEVELS, choose
from firmware_host.services.engine import after

MOST = 400
"""Actions that a game may take: placements of all seats together are one, and so is each step."""
EVERY = 20
"""Number of games after which the progress is shown."""


@dataclass(frozen=True)
class Played:
    """A game: its actions, the steps of its longest resolution, its end, and the position before that resolution."""

    actions: int
    steps: int
    end: str
    longest: str


def play(mode: str, number: int) -> Played:
    """Play one game of one colour; return what it took."""
    rng = Random(f"{mode} {number}")
    colour, strength = rng.choice("wb"), GAME.strengths[number % LEVELS].in_mode(mode)
    now, actions, steps, most, longest, began, end = GAME.start(mode), 0, 0, 0, "", "", "unfinished"
    while now.phase != "over" and actions <= MOST:
        if now.phase == "place":
            steps, offered = 0, GAME.actions(now)
            own = {seat: [one for one in all_ if one[0] == colour] or all_ for seat, all_ in offered.items()}
            transition = after(GAME, now, {seat: rng.choice(list(some)) for seat, some in own.items()})
            began = GAME.text(transition.position)
        else:
            choice = choose(GAME.think(now, now.resolver, strength.budget, rng), strength.spread, rng)
            transition = after(GAME, now, {now.resolver: choice.action})
            steps += 1
        if steps > most:
            most, longest = steps, began
        now, actions, end = transition.position, actions + 1, transition.status.reason or "unfinished"
    return Played(actions, most, end, longest)


def main(arguments: Sequence[str]) -> int:
    """Play the games of each mode and print what they took."""
    parser = argparse.ArgumentParser(prog="python -m firmware_host.extensions.lab.one_colour", description=__doc__)
    parser.add_argument("--games", type=int, default=40, help="games of each mode (default 40)")
    parser.add_argument("--first", type=int, default=0, help="number of the first game (default 0)")
    parser.add_argument("--mode", choices=GAME.modes, action="append", help="this mode only; may be given again")
    parser.add_argument("--workers", type=int, default=1, help="processes (default 1)")
    wanted = parser.parse_args(arguments)
    too_long = 0
    with ProcessPoolExecutor(wanted.workers) as pool:
        for mode in wanted.mode or GAME.modes:
            began, found = time.perf_counter(), list[Played]()
            for played in pool.map(play, [mode] * wanted.games, range(wanted.first, wanted.first + wanted.games)):
                found.append(played)
                if len(found) % EVERY == 0:
                    print(f"mode {mode}: {len(found)} of {wanted.games} games", file=sys.stderr, flush=True)
            longest, deepest = max(one.actions for one in found), max(found, key=lambda one: one.steps)
            ends = ", ".join(f"{end} {count}" for end, count in Counter(one.end for one in found).most_common())
            print(
                f"mode {mode}: {len(found)} games, {time.perf_counter() - began:.0f} s; the longest {longest} actions"
            )
            print(f"  ends: {ends}; most steps of a resolution {deepest.steps}: {deepest.longest}", flush=True)
            too_long += sum(one.actions > MOST for one in found)
    return 1 if too_long else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

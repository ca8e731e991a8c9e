"""Fit the evaluation of Phalanx on games that the player plays against itself.

Each round plays games with the weights of the round before (the first one with stones and mean distance only, or with
``--begin`` those that are there), fits weights on the positions of all games so far, and writes them to
firmware_host/games/phalanx/player/fitted.py. The target of a position is a mean over what the searches after it thought
and the result, later ones weighing less (TD(λ): Sutton, 1988). ``--games 1200 --nodes 1000`` takes some minutes a round
and core, compiled.
"""

from __future__ import annotations

import argparse
import math
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

from firmware_host.extensions.lab.fitting import Sample, SelfPlay, add_self_play, fit, game_chance, loss, run_tool
from firmware_host.games.phalanx.flat import COUNT, CUT, DRAWN, FAR, LOST, POINTS, WON
from firmware_host.games.phalanx.player import forms, thinking
from firmware_host.games.phalanx.player.armies import WAYS, ArmyWeights, ValuedLine, wall_number
from firmware_host.games.phalanx.rules import start
from firmware_host.games.thinking import never
from firmware_host.searching.alpha_beta import PROVED, AlphaBeta

FILE = Path(thinking.__file__).with_name("fitted.py")
FIRST = dict(zip(forms.SIZES, (0, *accumulate(forms.SIZES.values())), strict=False))
"""Where each feature's weights begin among all."""
SIZE = sum(forms.SIZES.values())
HOLD = {"stones": 2000.0, "points": 200.0, "wall": 200.0, "mean": 100.0, "lonely_own": 100.0, "lonely_opp": 100.0}
"""How much weights are held near where they begin (fitting.py); others by 50. Positions of one game share its
result, so this is ten times what so many games would ask for, were they single positions. Stones are held most: both
sides have about as many in games between equals, and a player that thinks little of them is eliminated by others."""
OPENINGS = 3, 6, 9
"""Actions at the beginning of a game that are chosen with more chance."""
WIDE, NARROW = 0.8, 0.08
"""Spread of choices (games/thinking.py) in the opening and afterwards."""
LONGEST = 200
"""Actions after which a game counts as a draw."""
LATER = 0.95
"""How much what comes later counts in a target, beside what the search thought of the position."""
EPOCHS, PACE = 8, 0.05
TESTED = 10
"""One game in this number is kept apart and only measured."""


def features(line: ValuedLine) -> tuple[array[int], array[float]]:
    """Return the features of the root of a line: their numbers and values. Its verdict must be unknown."""
    line.measure(0)
    spot = line.spot(0)
    left = min(spot.left, forms.FITTED_LEFTS) - 1
    found: dict[int, float] = {}

    def add(name: str, number: int, value: float) -> None:
        at = FIRST[name] + number
        found[at] = found.get(at, 0.0) + value

    means = []
    for sign, side, points, counted in (
        (1, spot.side, spot.own_low | spot.own_high << CUT, spot.own_count),
        (-1, 1 - spot.side, spot.opp_low | spot.opp_high << CUT, spot.opp_count),
    ):
        stones = counted >> COUNT & 15
        for point in range(POINTS):
            if points >> point & 1:
                add("points", forms.folded_point(side, point), sign)
        add("stones", stones, sign)
        add("wall", wall_number(counted), sign)
        means.append(int(counted >> FAR) / int(stones) / 100)
    add("race_own", left * WAYS + spot.way, 1)
    add("race_opp", left * WAYS + spot.opp_way, 1)
    add("race_lead", left * forms.LEADS + forms.lead(spot.way, spot.opp_way), 1)
    add("mean", 0, means[1] - means[0])
    for name, value in (
        ("lonely_own", spot.own_lonely),
        ("lonely_opp", spot.opp_lonely),
        ("push_own", spot.own_pushes & 255),
        ("push_opp", spot.opp_pushes & 255),
        ("kill_own", spot.own_pushes >> 8),
        ("kill_opp", spot.opp_pushes >> 8),
    ):
        add(name, left, float(int(value)))
    kept = [(at, value) for at, value in sorted(found.items()) if value]
    return array("i", [at for at, _ in kept]), array("d", [value for _, value in kept])


def play_games(numbers: Mapping[str, list[int]], nodes: int, seed: str, first: int, end: int) -> dict[str, Any]:
    """Play the games with these numbers; return the positions of each, as plain data."""
    weights = forms.make_weights({name: list(part) for name, part in numbers.items()})
    games = [play_game(weights, nodes, game_chance(seed, number)) for number in range(first, end)]
    return {"games": [[[list(found), list(values), score] for found, values, score in game] for game in games]}


def play_game(weights: ArmyWeights, nodes: int, rng: Random) -> list[Sample]:
    """Play a game against itself and return its positions that are not decided yet."""
    line, seen = ValuedLine(weights), []
    line.begin(start())
    won = 0.5  # The score of Black.
    opening = rng.choice(OPENINGS)
    for action in range(LONGEST):
        side: int = line.spot(0).side
        search = AlphaBeta(line, nodes, never)
        ranked = search.rank(0, 0)
        if action >= opening:
            if not -PROVED < ranked[0].value < PROVED:
                won = float((ranked[0].value > 0) == (side == 0))
                break
            seen.append((side, *features(line), thinking.score(ranked[0].value)))
        spread = WIDE if action < opening else NARROW
        chances = [math.exp(max(-50.0, (entry.value - ranked[0].value) / 1000 / spread)) for entry in ranked]
        line.play(0, rng.choices(ranked, chances)[0].move)
        spot = line.spot(1)
        if spot.outcome:
            won = {WON: 1.0 - side, LOST: float(side), DRAWN: 0.5}[spot.outcome]
            break
        line.go_on()
    samples: list[Sample] = []
    for seat, found, values, value in reversed(seen):
        won = LATER * won + (1 - LATER) * (1 - value if seat else value)
        samples.append((found, values, 1 - won if seat else won))
    return samples


def flat(numbers: forms.Numbers) -> list[float]:
    """Return all weights in a row, in logit."""
    return [weight / 1000 for name in forms.SIZES for weight in numbers[name]]


def name_weights(weights: Sequence[float]) -> dict[str, list[int]]:
    """Return weights by feature, in 1/1000 logit."""
    return {
        name: [round(1000 * weight) for weight in weights[FIRST[name] : FIRST[name] + size]]
        for name, size in forms.SIZES.items()
    }


def file_lines(numbers: Mapping[str, Sequence[int]], made: str) -> Iterator[str]:
    """Yield the lines of the file."""
    yield '"""The fitted evaluation of Phalanx, in 1/1000 logit; player/weights.py says what each number is for.\n'
    yield f'{made}\n"""\n'
    yield "# fmt: off\nNUMBERS: dict[str, tuple[int, ...]] = {"
    for name, weights in numbers.items():
        yield f'    "{name}": ('
        for first in range(0, len(weights), WAYS):
            yield "        " + " ".join(f"{weight}," for weight in weights[first : first + WAYS])
        yield "    ),"
    yield "}"


def main(arguments: list[str]) -> int:
    """Play, fit and write, as often as is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--games", type=int, default=1200, help="games of each round")
    parser.add_argument("--nodes", type=int, default=1000, help="nodes of each decision")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--begin", action="store_true", help="begin with the weights that are there")
    add_self_play(parser, "phalanx")
    asked = parser.parse_args(arguments)
    played = SelfPlay(asked)
    prior = flat(forms.numbers(forms.SIMPLE))
    hold = [HOLD.get(name, 50.0) for name, size in forms.SIZES.items() for _ in range(size)]
    samples, tests, fitted = list[Sample](), list[Sample](), prior
    given, begun = f"--games {asked.games} --nodes {asked.nodes} --seed {asked.seed}", ""
    if asked.begin:
        fitted = flat(forms.numbers(forms.FITTED))
        given += " --begin"
        before = FILE.read_text(encoding="utf-8").split('"""')[1].partition("Made by: ")[2]
        begun = f"Begun with: {before.strip()}\n"
    for number in range(1, asked.rounds + 1):
        chance = f"seed {asked.seed} round {number}"
        games = played.games(play_games, (name_weights(fitted), asked.nodes), chance, asked.games)
        for which, game in enumerate(games):
            kept = [(array("i", found), array("d", values), score) for found, values, score in game]
            (tests if which % TESTED == 0 else samples).extend(kept)
        fitted = fit(samples, prior, hold=hold, epochs=EPOCHS, pace=PACE, rng=Random(number))
        lost = f"loss {loss(tests, prior):.4f} before, {loss(tests, fitted):.4f} after, on other games"
        print(f"round {number}: {len(samples)} positions, {lost}", flush=True)
        made = f"Made by: python -m firmware_host.extensions.lab.fit_phalanx {given} --rounds {number}\n{begun}"
        made += f"Fitted on {len(samples)} positions; {lost}."
        FILE.write_text("\n".join(file_lines(name_weights(fitted), made)) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(run_tool(lambda: main(sys.argv[1:])))

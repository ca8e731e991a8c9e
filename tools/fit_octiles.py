"""Fits what the nodes of Octiles are worth to a runner, from games that the player plays against itself.

``python -m tools.fit_octiles`` writes ``firmware_host/games/octiles/player/worth.toml``: some minutes with the compiled
core, on all cores or on a cluster. A seat's strength is the sum over its runners' nodes and a part for when it is to
move; the seats' chances are as the exponentials of their strengths (with two: logistic regression). Each round plays
with what the round before has found, at first with rows that are left.
"""

from __future__ import annotations

import argparse
import math
import sys
from random import Random
from typing import Any

from firmware_host.games.octiles.board import HOMES, NODES, PADS, SIDES
from firmware_host.games.octiles.deal import from_seed
from firmware_host.games.octiles.flat import SHOWN
from firmware_host.games.octiles.player import worth as values
from firmware_host.games.octiles.player.lookahead import SURE, Lookahead
from firmware_host.games.octiles.rules import HOME, SEATED, start
from tools.fitting import SelfPlay, add_self_play, game_chance, run_tool

LONGEST = 300
"""Turns after which a game is left out."""
NOISE = 80
"""How far from the best turn a self-play chooses, in thousandths of a logit."""
FREE_TURNS = 4
"""Turns at the beginning of a game with six times the noise, so that games differ."""
LATIN = 2
"""Next tiles that a turn is tried with."""
PACE = 0.08
PASSES = 14

HEAD = """\
# What a node is worth to a runner of blue, in thousandths of a logit of winning; home pads 0 on average.
# Fitted from self-play, each part by the command in it.
# to_move: what it is worth to move next, after one other, and so on."""

Sample = tuple[list[list[int]], int, int]
"""The nodes of each seat's runners as blue would have them, the seat to move, and the winner."""


def main(arguments: list[str]) -> int:
    """Fit the modes that are wanted, and write them into the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--modes", default="234", help="modes to fit (default 234); the others stay as they are")
    parser.add_argument("--games", type=int, default=3000, help="games of a round (default 3000)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default 3)")
    parser.add_argument("--seed", type=int, default=1, help="seed of all chance (default 1)")
    parser.add_argument("--begin", choices=[*SEATED], help="play first with this mode's fit, not with rows")
    add_self_play(parser, "octiles")
    chosen = parser.parse_args(arguments)
    played = SelfPlay(chosen)
    for mode in chosen.modes:
        made = f"--modes {mode} --games {chosen.games} --rounds {chosen.rounds} --seed {chosen.seed}"
        begin = values.simple_worth(mode)[0]
        if chosen.begin:
            made += f" --begin {chosen.begin}"
            blue = list(values.fitted_worth(chosen.begin)[0][0])
            begin = tuple(values.worth_for_side(blue, side) for side in SEATED[mode])
        write(mode, made, fit(mode, begin, chosen.games, chosen.rounds, chosen.seed, played))
    return 0


def write(mode: str, made: str, part: str) -> None:
    """Write the part of a mode; the others' stay."""
    before = values.FILE.read_text(encoding="utf-8") if values.FILE.exists() else ""
    parts = {section[9]: section for section in before.split("\n\n\n")[1:]}
    parts[mode] = f"[players-{mode}]\n# python -m tools.fit_octiles {made}\n{part}"
    text = "\n\n\n".join([HEAD, *(parts[known].strip() for known in SEATED if known in parts)])
    values.FILE.write_text(text + "\n", encoding="utf-8")


def fit(mode: str, worth: values.Worth, games: int, rounds: int, seed: int, played: SelfPlay) -> str:
    """Return the part of a mode; the first round plays with ``worth``."""
    blue, to_move = list(worth[0]), [0.0] * len(worth)
    likelihood = 0.0
    for number in range(rounds):
        chance = f"seed {seed} mode {mode} round {number + 1}"
        found = played.games(play_games, (mode, [list(part) for part in worth]), chance, games)
        samples = [(nodes, mover, winner) for game in found for nodes, mover, winner in game]
        blue, to_move, likelihood = regress(samples, len(worth), Random(chance))
        worth = tuple(values.worth_for_side(blue, side) for side in SEATED[mode])
        print(
            f"mode {mode}, round {number + 1}: {games} games, {len(samples)} positions; "
            f"log likelihood {likelihood:.4f} a position",
            flush=True,
        )
    lines = [f"{NODES[node]} = {blue[node]}" for node in range(len(NODES)) if node in used()]
    return (
        f"# log likelihood of a position: {likelihood:.4f} (knowing nothing: "
        f"{-math.log(len(worth)):.4f})\nto_move = {[round(part) for part in to_move]}\n\n[players-{mode}.nodes]\n"
        + "\n".join(lines)
        + "\n"
    )


def used() -> set[int]:
    """Return the nodes where runners of blue can stand."""
    return {node for node in range(len(NODES)) if not PADS[node] or NODES[node] in {*HOMES["blue"], *HOMES["yellow"]}}


# -- self-play ---------------------------------------------------------------------------------------------------------


def play_games(mode: str, worth: list[list[int]], seed: str, first: int, end: int) -> dict[str, Any]:
    """Play the games with these numbers; return the positions of each."""
    fixed = tuple(tuple(part) for part in worth)
    return {"games": [play_game(mode, fixed, game_chance(seed, number)) for number in range(first, end)]}


def play_game(mode: str, worth: values.Worth, rng: Random) -> list[Sample]:
    """Play a game and return its positions; none where it does not end in time."""
    track = Lookahead()
    track.begin(start(mode, *from_seed(mode, rng.randrange(2**40))))
    for seat, values_of_seat in enumerate(worth):
        track.worth_of(seat, list(values_of_seat))
    runners = int(track.runners)
    met: list[tuple[list[list[int]], int]] = []
    for number in range(LONGEST):
        seat = int(track.seat)
        turn = choose_turn(track, len(worth), NOISE * (6 if number < FREE_TURNS else 1), rng)
        if turn is None:
            track.skip()
            continue
        if track.make(turn):
            return [(nodes, mover, seat) for nodes, mover in met]
        nodes = [[int(track.nodes[other * 5 + place]) for place in range(runners)] for other in range(len(worth))]
        met.append(([as_blue(mode, other, stand) for other, stand in enumerate(nodes)], int(track.seat)))
    return []


def choose_turn(track: Lookahead, seats: int, noise: float, rng: Random) -> int | None:
    """Choose a turn by what it adds, and what the others then can, with some noise."""
    last = int(track.turns(0, SHOWN))
    turns = [int(track.move_list[at]) for at in range(last)]
    hidden = [int(track.stack[at]) for at in range(int(track.top) + 1, int(track.bottom))]
    totals = [-noise * math.log(-math.log(rng.random())) * LATIN for _ in turns]
    for _ in range(LATIN):
        track.restack(rng.sample(hidden, len(hidden)))
        for at, turn in enumerate(turns):
            totals[at] += value(track, seats, turn)
    track.restack(hidden)
    return turns[max(range(len(turns)), key=totals.__getitem__)] if turns else None


def value(track: Lookahead, seats: int, turn: int) -> float:
    """Return what a turn is worth to the seat to move once every other has replied."""
    if seats == 2:
        return float(track.duel(turn, 2))
    seat = int(track.seat)
    track.rounds(turn, seats)
    ends = [float(track.ends[other]) for other in range(seats)]
    if max(ends) >= SURE:
        return float(SURE if ends[seat] >= SURE else -SURE)
    others = [end for other, end in enumerate(ends) if other != seat]
    most = max(others)
    return ends[seat] - most - 1000 * math.log(sum(math.exp((end - most) / 1000) for end in others))


def as_blue(mode: str, seat: int, nodes: list[int]) -> list[int]:
    """Return a seat's nodes as blue would have them."""
    found = nodes
    for _ in range((4 - SIDES.index(SEATED[mode][seat])) % 4):
        found = [values.quarter_node(node) for node in found]
    return found


# -- regression --------------------------------------------------------------------------------------------------------


def regress(samples: list[Sample], seats: int, rng: Random) -> tuple[list[int], list[float], float]:
    """Return node → worth to blue, what it is worth to move next …, and the log likelihood of a position.

    Stochastic gradients, whose steps shrink with what a weight has moved (AdaGrad); the last half of the passes is
    averaged.
    """
    size = len(NODES) + seats
    weights, moved, mean = [0.0] * size, [1e-6] * size, [0.0] * size
    for number in range(PASSES):
        rng.shuffle(samples)
        for nodes, mover, winner in samples:
            features = [[*nodes[seat], len(NODES) + (seat - mover) % seats] for seat in range(seats)]
            chances = softmax([sum(weights[one] for one in feature) for feature in features])
            for seat, feature in enumerate(features):
                error = (seat == winner) - chances[seat]
                for one in feature:
                    moved[one] += error * error
                    weights[one] += PACE * error / math.sqrt(moved[one])
        if number >= PASSES // 2:
            mean = [was + now / (PASSES - PASSES // 2) for was, now in zip(mean, weights, strict=True)]
    total = 0.0
    for nodes, mover, winner in samples:
        sums = [sum(mean[n] for n in nodes[seat]) + mean[len(NODES) + (seat - mover) % seats] for seat in range(seats)]
        total += math.log(softmax(sums)[winner])
    home = sum(mean[node] for node in HOME["blue"]) / len(HOME["blue"])
    blue = [round(1000 * (mean[node] - home)) if node in used() else 0 for node in range(len(NODES))]
    least = min(mean[len(NODES) :])
    return blue, [1000 * (part - least) for part in mean[len(NODES) :]], total / len(samples)


def softmax(sums: list[float]) -> list[float]:
    """Return the shares of exponentials."""
    most = max(sums)
    parts = [math.exp(one - most) for one in sums]
    return [part / sum(parts) for part in parts]


if __name__ == "__main__":
    sys.exit(run_tool(lambda: main(sys.argv[1:])))

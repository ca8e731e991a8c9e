"""Fits what the nodes of Octiles are worth to a runner, from games that the player plays against itself.

It writes ``firmware_host/games/octiles/player/worth.toml``: some minutes with the compiled
core, on all cores or on a cluster. A seat's strength is the sum over its runners' nodes and a part for when it is to
move, both by the stage of the game; the seats' chances are as the exponentials of their strengths (with two: logistic
regression). Each round plays with what the round before has found, at first with rows that are left.
"""

from __future__ import annotations

import argparse
import math
import sys
from itertools import chain
from random import Random
from typing import Any

from firmware_host.extensions.lab.fitting import SelfPlay, add_self_play, game_chance, run_tool
from firmware_host.games.octiles.board import HOMES, NODES, PADS, SIDES
from firmware_host.games.octiles.deal import from_seed
from firmware_host.games.octiles.flat import SHOWN
from firmware_host.games.octiles.player import worth as values
from firmware_host.games.octiles.player.lookahead import SURE, Lookahead
from firmware_host.games.octiles.rules import HOME, SEATED, start

LONGEST = 300
"""Turns after which a game is left out."""
NOISE = 80
"""How far from the best turn a self-play chooses, in thousandths of a logit."""
FREE_TURNS = 4
"""Turns at the beginning of a game with six times the noise, so that games differ."""
LATIN = 2
"""Next tiles that a turn is tried with."""
PACE = 0.08
PASSES = 6
PULL = 12.0
"""As if a weight were known before to be within 0.3 logits of that of the stage before (the first: after): at some
stages few runners stand on some nodes."""

HEAD = """\
# What a node is worth to a runner of blue, in thousandths of a logit of winning; home pads 0 on average.
# Four values each: at the beginning of the game, when a third and two thirds of all rows are gained, and at the end.
# Fitted from self-play, each part by the command in it.
# to_move: what it is worth to move next, after one other, and so on."""

Sample = tuple[list[list[int]], int, int]
"""The nodes of each seat's runners as blue would have them, the seat to move, and the winner."""
Tables = list[tuple[list[int], list[int]]]
"""Stage → what nodes are worth to blue, and what it is worth to be the first, second … to move."""
ROWS = [values.rows_left("blue", node) for node in range(len(NODES))]


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
        begin = [(list(values.simple_worth(mode)[0][0]), [0] * len(SEATED[mode]))] * values.STAGES
        if chosen.begin:
            made += f" --begin {chosen.begin}"
            steps = [values.STEPS * stage // (values.STAGES - 1) for stage in range(values.STAGES)]
            begin = [(list(values.fitted_worth(chosen.begin, step)[0][0]), begin[0][1]) for step in steps]
        write(mode, made, fit(mode, begin, chosen.games, chosen.rounds, chosen.seed, played))
    return 0


def write(mode: str, made: str, part: str) -> None:
    """Write the part of a mode; the others' stay."""
    before = values.FILE.read_text(encoding="utf-8") if values.FILE.exists() else ""
    parts = {section[9]: section for section in before.split("\n\n\n")[1:]}
    parts[mode] = f"[players-{mode}]\n# python -m firmware_host.extensions.lab.fit_octiles {made}\n{part}"
    text = "\n\n\n".join([HEAD, *(parts[known].strip() for known in SEATED if known in parts)])
    values.FILE.write_text(text + "\n", encoding="utf-8")


def fit(mode: str, tables: Tables, games: int, rounds: int, seed: int, played: SelfPlay) -> str:
    """Return the part of a mode; the first round plays with ``tables``."""
    seats, likelihood = len(SEATED[mode]), 0.0
    for number in range(rounds):
        chance = f"seed {seed} mode {mode} round {number + 1}"
        found = played.games(play_games, (mode, [list(blue) for blue, _ in tables]), chance, games)
        samples = [(nodes, mover, winner) for game in found for nodes, mover, winner in game]
        tables, likelihood = regress(samples, seats, Random(chance))
        print(
            f"mode {mode}, round {number + 1}: {games} games, {len(samples)} positions; "
            f"log likelihood {likelihood:.4f} a position",
            flush=True,
        )
    lines = [f"{NODES[node]} = {[blue[node] for blue, _ in tables]}" for node in range(len(NODES)) if node in used()]
    to_move = [[parts[place] for _, parts in tables] for place in range(seats)]
    return (
        f"# log likelihood of a position: {likelihood:.4f} (knowing nothing: "
        f"{-math.log(seats):.4f})\nto_move = {to_move}\n\n[players-{mode}.nodes]\n" + "\n".join(lines) + "\n"
    )


def used() -> set[int]:
    """Return the nodes where runners of blue can stand."""
    return {node for node in range(len(NODES)) if not PADS[node] or NODES[node] in {*HOMES["blue"], *HOMES["yellow"]}}


# -- self-play ---------------------------------------------------------------------------------------------------------


def play_games(mode: str, tables: list[list[int]], seed: str, first: int, end: int) -> dict[str, Any]:
    """Play the games with these numbers; return the positions of each. ``tables``: stage → worth of nodes to blue."""
    return {"games": [play_game(mode, tables, game_chance(seed, number)) for number in range(first, end)]}


def play_game(mode: str, tables: list[list[int]], rng: Random) -> list[Sample]:
    """Play a game and return its positions; none where it does not end in time."""
    track = Lookahead()
    track.begin(start(mode, *from_seed(mode, rng.randrange(2**40))))
    seats = len(SEATED[mode])
    met: list[tuple[list[list[int]], int]] = []
    nodes = stand(track, mode)
    for number in range(LONGEST):
        weigh(track, mode, tables, nodes)
        seat = int(track.seat)
        turn = choose_turn(track, seats, NOISE * (6 if number < FREE_TURNS else 1), rng)
        if turn is None:
            track.skip()
            continue
        if track.make(turn):
            return [(nodes, mover, seat) for nodes, mover in met]
        nodes = stand(track, mode)
        met.append((nodes, int(track.seat)))
    return []


def stand(track: Lookahead, mode: str) -> list[list[int]]:
    """Return the nodes of each seat's runners as blue would have them."""
    runners = int(track.runners)
    return [
        as_blue(mode, seat, [int(track.nodes[seat * 5 + place]) for place in range(runners)])
        for seat in range(len(SEATED[mode]))
    ]


def stages_of(nodes: list[list[int]]) -> values.Shares:
    """Return the stages of the game between which runners stand, and the share of each."""
    left = sum(ROWS[node] for seat in nodes for node in seat)
    return values.stages_at(values.step_of(left, sum(map(len, nodes))))


def weigh(track: Lookahead, mode: str, tables: list[list[int]], nodes: list[list[int]]) -> None:
    """Tell what nodes are worth at this stage of the game."""
    shares = stages_of(nodes)
    blue = [values.between(worth, shares) for worth in zip(*tables, strict=True)]
    for seat, side in enumerate(SEATED[mode]):
        track.worth_of(seat, list(values.worth_for_side(blue, side)))


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


def regress(samples: list[Sample], seats: int, rng: Random) -> tuple[Tables, float]:
    """Return what nodes, and to move, are worth at each stage, and the log likelihood of a position.

    Stochastic gradients, whose steps shrink with what a weight has moved (AdaGrad); the last half of the passes is
    averaged. Weights are drawn towards those of the stage beside, those of few positions the most.
    """
    width = len(NODES) + seats
    size = width * values.STAGES
    weights, moved, mean = [0.0] * size, [1e-6] * size, [0.0] * size
    described = [(features(nodes, mover), stages_of(nodes), winner) for nodes, mover, winner in samples]
    seen = [0.0] * size
    for seated, stages, _ in described:
        for stage, share in stages:
            for one in chain.from_iterable(seated):
                seen[stage * width + one] += share
    pulls = [min(0.5, PULL / max(1.0, count)) for count in seen]
    for number in range(PASSES):
        rng.shuffle(described)
        beside = weights[width : 2 * width] + weights[:-width]
        for seated, stages, winner in described:
            chances = softmax(strengths(weights, width, seated, stages))
            for seat, found in enumerate(seated):
                error = (seat == winner) - chances[seat]
                for stage, share in stages:
                    for one in found:
                        at = stage * width + one
                        slope = error * share - share * pulls[at] * (weights[at] - beside[at])
                        moved[at] += slope * slope
                        weights[at] += PACE * slope / math.sqrt(moved[at])
        if number >= PASSES // 2:
            mean = [was + now / (PASSES - PASSES // 2) for was, now in zip(mean, weights, strict=True)]
    total = sum(
        math.log(softmax(strengths(mean, width, seated, stages))[winner]) for seated, stages, winner in described
    )
    return [in_thousandths(mean[at : at + width]) for at in range(0, size, width)], total / len(samples)


def features(nodes: list[list[int]], mover: int) -> list[list[int]]:
    """Return the features of each seat: its runners' nodes, and behind those when it is to move."""
    return [[*stood, len(NODES) + (seat - mover) % len(nodes)] for seat, stood in enumerate(nodes)]


def strengths(weights: list[float], width: int, seated: list[list[int]], stages: values.Shares) -> list[float]:
    """Return the strength of each seat in logits."""
    return [
        sum(share * sum(weights[stage * width + one] for one in found) for stage, share in stages) for found in seated
    ]


def in_thousandths(weights: list[float]) -> tuple[list[int], list[int]]:
    """Return the weights of a stage as they are written: home pads are 0 on average, as is to move last."""
    home = sum(weights[node] for node in HOME["blue"]) / len(HOME["blue"])
    least = min(weights[len(NODES) :])
    blue = [round(1000 * (weights[node] - home)) if node in used() else 0 for node in range(len(NODES))]
    return blue, [round(1000 * (part - least)) for part in weights[len(NODES) :]]


def softmax(sums: list[float]) -> list[float]:
    """Return the shares of exponentials."""
    most = max(sums)
    parts = [math.exp(one - most) for one in sums]
    return [part / sum(parts) for part in parts]


if __name__ == "__main__":
    sys.exit(run_tool(lambda: main(sys.argv[1:])))

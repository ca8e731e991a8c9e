"""How far Coil's search errs about Black's chance: ``python -m firmware_host.extensions.lab.fit_coil --games 60``.

Black stones are put as in phase I until an estimate of Black's chance is past a random one, of those among which
players pass. A search then estimates it anew, and plays the game to its end for both sides. The better both play, the
more games White holds that random games give to Black: so there is a logistic regression of the result by the estimate,
with an offset for each of several strengths. Other games are played with one strength, and each position of the main
phase counts with what the best action there was found to be worth: a second regression, by the first one's logit, by
White's stones and by who is to move. Samples are kept in a file and add up when the tool runs again; the result is
``passing.toml`` beside the player.
"""

from __future__ import annotations

import argparse
import math
from array import array
from collections.abc import Sequence
from random import Random
from typing import Any

from firmware_host.extensions.lab.fitting import SelfPlay, add_self_play, fit, run_tool
from firmware_host.games.coil.board import board
from firmware_host.games.coil.coil import GAME
from firmware_host.games.coil.flat import BLACK, WHITE
from firmware_host.games.coil.player import thinking
from firmware_host.games.coil.player.thinking import DATA, Curves, logit
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
CLEAR = 0.01
"""A game is not played on from a chance on that is this near to 0 or 1."""
USUAL = 2.8
"""The slope while there are hardly any samples."""
HOLD = 0.05
"""How firmly offsets and slope are held: by a variance of 20."""
EPOCHS = 300
MAIN_NODES = 2_000
"""Random games an action, of the players whose whole games are played."""
BEGUN = 700
"""Random games behind a stone of phase I in these games."""
SETTLED = 0.02
"""They are not played on from a share that is this near to 0 or 1."""
MAIN_EPOCHS = 30
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


def courses_of(nodes: int, _: str, first: int, end: int) -> dict[str, Any]:
    """Return the courses of games with these seeds; both players have so many nodes."""
    return {"games": [course(seed, nodes) for seed in range(first, end)]}


def course(seed: int, nodes: int) -> list[dict[str, Any]]:
    """Return the positions of a game's main phase: the share that is ``found`` for Black after the best action, the
    part of the cells on which White has ``put`` stones, whether Black is to move (``turn``), and whether Black wins."""
    rng, rows, winner = Random(f"course {nodes} {seed}"), list[dict[str, Any]](), 0
    cells, root, position = board(SIZE), thinking.core(SIZE), _position(Random(f"{seed}"), BEGUN)
    while not winner:
        root.begin(position)
        winner = int(root.known_winner()) or (WHITE if root.is_safe() else 0)
        if winner:
            break
        tree, _ = thinking.search_main(root, Budget(nodes), rng)
        winner = tree.proved_winner()
        best = max(tree.children(), key=tree.visits)
        is_black = position.colour == "b"
        black = tree.mean(best) if is_black else 1 - tree.mean(best)
        if not winner:
            put = position.white.bit_count() / len(cells.cells)
            rows.append({"found": round(black, 4), "put": round(put, 4), "turn": is_black})
            winner = BLACK if black > 1 - SETTLED else WHITE if black < SETTLED else 0
        position = GAME.after(position, cells.names[tree.move(best)])
    return [{**row, "black": winner == BLACK} for row in rows]


def fit_main(
    rows: Sequence[dict[str, Any]], nodes: int, offsets: dict[int, float], slope: float
) -> tuple[float, float, float, float]:
    """Return pace, shift, and what White's stones and Black's turn add, from positions of players of one strength."""
    curves = Curves(tuple((math.log(one), offset) for one, offset in sorted(offsets.items())), slope, 1, 0, 0, 0)
    every = array("i", range(4))
    data = [
        (every, array("f", (curves.after_pass(row["found"], nodes), 1, row["put"], row["turn"])), float(row["black"]))
        for row in rows
    ]
    pace, shift, put, turn = fit(data, [1, 0, 0, 0], hold=[1] * 4, epochs=MAIN_EPOCHS, pace=PACE, rng=Random(0))
    return pace, shift, put, turn


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


def write(samples: Sequence[dict[str, Any]], games: Sequence[Sequence[dict[str, Any]]], nodes: int) -> None:
    """Write the data file, with how it was made; the players of these whole games had so many ``nodes``."""
    offsets, slope = fit_offsets(samples)
    rows = [row for game in games for row in game]
    lines = [
        "# Made by: python -m firmware_host.extensions.lab.fit_coil",
        "# For players with so many random games an action: logit of Black's chance = offset + slope * logit of what",
        "# a search finds.",
        "",
        f"slope = {slope:.3f}",
    ]
    for strength, offset in offsets.items():
        won = [one["black"] for one in samples if one["nodes"] == strength]
        lines += ["", "[[strength]]", f"# {len(won)} games, of which Black won {sum(won)}.", f"nodes = {strength}"]
        lines += [f"offset = {offset:.3f}"]
    blacks = sum(game[0]["black"] for game in games if game)
    lines += [
        "",
        "[main]",
        f"# {len(rows)} positions of {len(games)} games, {nodes} random games an action; Black won {blacks} games.",
        "# Logit of Black's chance = pace * the logit above + shift + put * the part of the cells that White has +",
        "# turn, if Black is to move, where the share is that after the best action.",
    ]
    found = fit_main(rows, nodes, offsets, slope)
    lines += [f"{name} = {value:.3f}" for name, value in zip(("pace", "shift", "put", "turn"), found, strict=True)]
    DATA.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Play more games, and fit to all that were played."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=60, help="how many there are to be in the file for each strength")
    parser.add_argument("--nodes", type=int, action="append", help=f"these strengths only (default {PLAYED})")
    parser.add_argument(
        "--main-nodes", type=int, default=MAIN_NODES, help="random games an action where the main phase is fitted"
    )
    add_self_play(parser, "coil")
    asked = parser.parse_args()
    played = SelfPlay(asked)
    samples = []
    for nodes in asked.nodes or PLAYED:
        games = played.games(samples_of, (nodes,), f"{nodes} nodes", asked.games, batch=1)
        samples += [one for game in games for one in game]
    courses = played.games(courses_of, (asked.main_nodes,), "courses", asked.games, batch=1)
    write(samples, courses, asked.main_nodes)


if __name__ == "__main__":
    raise SystemExit(run_tool(main))

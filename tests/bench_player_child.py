"""The highest level of every game in the child process that thinks beside the table: time of a decision, and memory.

Positions are those of a game that the lowest level plays. Times are processor time, so that other programs matter
little; a decision is to take at most 2 s on a desktop, and the process at most 256 MB.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

from firmware_host.analysis.engine_process import EngineChild, engine_command
from firmware_host.games.game import Game
from firmware_host.games.registry import GAMES
from firmware_host.games.thinking import choose
from firmware_host.searching.playouts import computer_player_of

POSITIONS = 6
"""For each mode."""
PATIENCE_S = 600.0
TICKS = os.sysconf("SC_CLK_TCK")


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    found = []
    for game in GAMES.values():
        for mode in game.modes:
            seconds, megabytes = decided(game, met(game, mode))
            what = f"{game.title}, {len(game.seats(mode))} players ({mode})"
            found += [
                (f"{what}: longest decision of the highest level", max(seconds), "s"),
                ("... mean", mean(seconds), "s"),
                ("... most memory of its process", megabytes, "MB"),
            ]
    return found


def met(game: Game[Any], mode: str) -> list[tuple[str, int]]:
    """Return some positions of a game, evenly from its first to its last, and a seat that acts."""
    player, rng, position, found = computer_player_of(game), Random(1), game.start(mode), []
    strength = player.strengths[0]
    while not game.status(position).over:
        seats = sorted(game.actions(position))
        found.append((game.text(position), seats[0]))
        chosen = {
            seat: choose(player.think(position, seat, strength.budget, rng), strength.spread, rng).action
            for seat in seats
        }
        position = game.apply(position, chosen).position
    return list(itertools.islice(found, 0, None, max(1, len(found) // POSITIONS)))


def decided(game: Game[Any], positions: list[tuple[str, int]]) -> tuple[list[float], float]:
    """Return the seconds of each decision, and the most memory (MB) that the process had in all."""
    child = EngineChild(engine_command(), memory=None)
    seconds = []
    try:
        for text, seat in positions:
            asked = {"do": "think", "game": game.name, "position": text, "seat": seat, "seconds": PATIENCE_S}
            child.ask({**asked, "nodes": 1}, PATIENCE_S)
            began = _spent(child)
            answer = child.ask(asked, PATIENCE_S)
            assert answer["ok"] is True, answer
            seconds.append(_spent(child) - began)
        status = Path(f"/proc/{_process(child)}/status").read_text()
        return seconds, int(status.split("VmHWM:")[1].split()[0]) / 1024
    finally:
        child.end()


def _process(child: EngineChild) -> int:
    assert child._process is not None
    return child._process.pid


def _spent(child: EngineChild) -> float:
    """Return the processor time of the child, in seconds."""
    fields = Path(f"/proc/{_process(child)}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS

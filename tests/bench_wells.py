"""Wells of nine sensors at a table: how soon lights follow, and whether turns are taken for what they were."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from random import Random

from firmware_host.sensing.debounce import Debouncer
from firmware_host.sensing.health import ScanHealth
from tests.sensing.test_wells_in_play import Game
from tests.sensing.wells import CODED, PLAIN, described

TURNS = 60
SCANS = 2000


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    return [*_judging(), *_playing(CODED), *_playing(PLAIN)]


def _judging() -> list[tuple[str, float, str]]:
    """Time judging and debouncing, every scan another than the last."""
    board, random = described(), Random(1)
    health, eyes = ScanHealth(board), Debouncer(board)
    readings = [0] * board.channels
    began = time.process_time()
    for number in range(SCANS):
        readings = list(readings)
        readings[random.randrange(board.channels)] ^= 1
        health.judge(readings, number * 0.02)
        list(eyes.feed(readings, number * 0.02))
    took = (time.process_time() - began) / SCANS * 1000
    return [("189 channels: a changed scan judged and debounced", took, "ms")]


def _playing(board: str) -> list[tuple[str, float, str]]:
    """Play by hand; time every round of the loop that sends a frame, and count turns that were taken for others."""
    with tempfile.TemporaryDirectory() as folder:
        game = Game(Path(folder), board, seed=7)
        runtime, wire, waits = game.table.runtime, game.table.parts.wire, []
        step = runtime.step

        def timed() -> None:
            frames, began = wire.frames, time.process_time()
            step()
            if wire.frames != frames:
                waits.append((time.process_time() - began) * 1000)

        runtime.step = timed  # type: ignore[method-assign]
        wrong = 0
        for _ in range(TURNS):
            try:
                game.play()
            except AssertionError:
                wrong += 1
                break
        game.table.close()
    high = sorted(waits)[int(len(waits) * 0.99)]
    return [
        (f"{board}: turns played by hand of {TURNS} that were taken for others (at most: 0)", wrong, "turns"),
        (f"{board}: a round that changes lights, processor time, p99 (at most: 20)", high, "ms"),
    ]

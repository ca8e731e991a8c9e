"""Short recorded games whose every moment is known."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from firmware_host.archive.journal import Journal
from firmware_host.archive.records import export
from firmware_host.games.game import Step
from firmware_host.games.registry import game as find_game
from tests.archive.records.recorder import Recorder


@cache
def recorded(game: str, *actions: str, resigns: int | None = None, back: int = 0, seed: int = 1) -> tuple[str, ...]:
    """Return the record of a game in which these actions were done, the last ``back`` of them taken back."""
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.sqlite")
        recorder = Recorder(journal, f"{game}-0a1b2c3d", seed=seed, game=game)
        for action in actions:
            recorder.step(action)
        if back:
            recorder.back(back, "agreement")
        if resigns is not None:
            recorder.resign(resigns)
        lines = tuple(export(journal, recorder.id))
        journal.close()
    return lines


@cache
def a_push_that_kills() -> tuple[tuple[str, ...], Step, tuple[str, ...]]:
    """Return a record of Phalanx whose last action is a push after which hoplites die, its step, and their points."""
    rng, phalanx = Random(27), find_game("phalanx")
    position, actions = phalanx.start("2"), []
    while True:
        (seat,) = phalanx.actions(position)
        pushes = [action for action in phalanx.actions(position)[seat] if ">" in action]
        actions.append(rng.choice(pushes) if pushes else phalanx.random_action(position, seat, rng))
        after = phalanx.apply(position, {seat: actions[-1]})
        if pushes and after.removed:
            step = next(step for step in phalanx.steps(position) if step.action == actions[-1])
            return recorded("phalanx", *actions), step, after.removed
        position = after.position


@cache
def whole(game: str, seed: int = 3) -> tuple[str, ...]:
    """Return the record of a whole random game."""
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.sqlite")
        recorder = Recorder(journal, f"{game}-0a1b2c3d", seed=seed, game=game)
        recorder.finish()
        lines = tuple(export(journal, recorder.id))
        journal.close()
    return lines

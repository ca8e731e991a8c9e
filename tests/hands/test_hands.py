"""Hands that do right things in strange order and wrong things: nothing counts that was not meant, and play goes on.

``make test`` plays some evenings of every game and kind of sensing, always the same ones; the thorough run many more. A
fault names the evening; ``python -m tests.hands GAME MODE KIND SEED`` tells all that happens in it.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.hands.account import Account
from tests.hands.doors import Events, Lines
from tests.hands.evening import SENSED, WAYS, run
from tests.hands.race import race
from tests.hands.world import World
from tests.sampling import cases, few

ALL = [(game, mode, kind) for game, modes, kinds in SENSED for mode in modes for kind in kinds]
FIRST = [(game, modes[0], kind) for game, modes, kinds in SENSED for kind in kinds]
THOROUGH = 20_000
"""Actions of the thorough run for each game and kind of sensing; HANDS in the environment asks for another number."""
PARTS = 8
"""Parts of the thorough run for each game, mode and kind, so that they run beside each other."""
MAX_FAULTS = 5


def play(game: str, mode: str, kind: str, wanted: float, first: int = 0, **more: Any) -> Account:
    """Play evenings until so many actions have counted; fail with the names of those in which the table was wrong."""
    total, faults = Account(), []
    for seed in itertools.count(first):
        account = run(game, mode, kind, seed, **more)
        faults += [f"python -m tests.hands {game} {mode} {kind} {seed}: {fault}" for fault in account.faults]
        total.add(account)
        if total.actions >= wanted or len(faults) >= MAX_FAULTS:
            break
    assert not faults, "\n".join(faults)
    return total


@pytest.mark.parametrize(("game", "mode", "kind"), few(cases(ALL, *FIRST), 5))
def test_hands_are_understood(game: str, mode: str, kind: str) -> None:
    play(game, mode, kind, 8, actions=8)


@pytest.mark.parametrize(("game", "kind"), few([("spokes", "level"), ("phalanx", "presence"), ("octiles", "coded")], 1))
def test_the_same_hands_at_the_json_lines(game: str, kind: str) -> None:
    lines = run(game, "2", kind, 0, 5, door=Lines)
    events = run(game, "2", kind, 0, 5)
    assert not lines.faults
    assert (lines.actions, lines.questions, lines.waits) == (events.actions, events.questions, events.waits)


class Wakeful(Events):
    """A table that judges the board with every tick."""

    def tick(self, at: float) -> None:
        self.table.wakes_at = 0.0
        super().tick(at)


@pytest.mark.parametrize(
    ("game", "kind"), few([("spokes", "polarity"), ("phalanx", "presence"), ("octiles", "coded")], 1)
)
def test_ticks_that_change_nothing_are_left_out(game: str, kind: str) -> None:
    asleep, awake = (run(game, "2", kind, 2, 5, door=door) for door in (Events, Wakeful))
    assert (asleep.actions, asleep.asked, asleep.waits) == (awake.actions, awake.asked, awake.waits)
    assert not asleep.faults + awake.faults


@pytest.mark.thorough
def test_an_evening_is_the_same_in_every_program() -> None:
    """Else no seed would lead to its fault again."""
    command = [sys.executable, "-m", "tests.hands", "phalanx", "2", "polarity", "1"]
    told = {
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


def test_a_stack_is_sensed_by_its_magnets() -> None:
    world = World(None, ["a"], "level", {"w": "N", "b": "S"}, frozenset(), None)  # type: ignore[arg-type]
    read = {}
    for stack in ("", "w", "b", "ww", "wb", "bw"):
        world.stacks["a"] = list(stack)
        read[stack] = world.reading("a")
    assert read == {"": "", "w": "N", "b": "S", "ww": "N>", "wb": "N<", "bw": "S<"}


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize(("game", "mode", "kind"), ALL)
def test_hands_are_understood_for_long(game: str, mode: str, kind: str, part: int) -> None:
    modes = sum((game, kind) == (one, sensed) for one, _, sensed in ALL)
    wanted = int(os.environ.get("HANDS", THOROUGH)) / modes / PARTS
    play(game, mode, kind, wanted, 100_000 * (part + 1))


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_every_way_is_tried() -> None:
    total = play("spokes", "2", "level", 500)
    assert {way.__name__ for way in WAYS} | {"placements", "resigned"} <= set(total.done)


def test_octiles_is_played_to_its_end() -> None:
    account, ended = race("2", "coded", 0)
    assert not account.faults
    assert ended


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["presence", "coded"])
@pytest.mark.parametrize("mode", ["2", "3", "4"])
def test_octiles_is_played_to_its_end_by_many(mode: str, kind: str) -> None:
    games = [race(mode, kind, seed) for seed in range(1, 21)]
    assert not [fault for account, _ in games for fault in account.faults]
    assert sum(ended for _, ended in games) >= 1

"""The people of ``make soak`` go on playing, whatever the game: what a turn still needs, they choose."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.e2e.program import Program
from tests.extensions.lab.soak_people import BOARDS, Person, Sweep, filled_in
from tests.waiting import eventually


@pytest.mark.thorough
@pytest.mark.parametrize("board", [board for board, _ in BOARDS])
def test_two_people_play_on(tmp_path: Path, board: str) -> None:
    """A turn of tiles has two stages: who has laid the tile chooses a runner next."""
    program = Program(tmp_path, "--hands", "all", "--pause", "0.01", "--sim", "--board", board).start()
    people: list[Person] = []
    try:
        for seat in (1, 2):
            people.append(Person(program, seat, f"Guest {seat}", Random(seat)))
        program.start_game()
        eventually(lambda: program.state()["turn"] > 2, lambda: f"both have acted: {program.state()['steps']}")
    finally:
        for person in people:
            person.leave()
        program.stop()
    assert all(person.acted for person in people)


def test_a_person_plays_on_at_another_seat(tmp_path: Path) -> None:
    """In a rematch the seats rotate."""
    program = Program(tmp_path, "--hands", "all", "--pause", "0.01", "--sim", "--board", "hexhex-7").start()
    people: list[Person] = []
    try:
        people.append(Person(program, 1, "Ann", Random(1)))
        assert program.as_host("computer", seat=2)[0] == 200
        program.start_game()
        assert people[0].resign()
        people[0].rematch()
        eventually(lambda: program.state()["turn"] > 3, lambda: f"both play on: {program.state()['message']}")
        assert people[0].seat == 2
    finally:
        for person in people:
            person.leave()
        program.stop()


def test_every_described_path_can_be_asked_for(tmp_path: Path) -> None:
    program = Program(tmp_path, "--sim").start()
    try:
        sweep = Sweep(program)
        values = {part: found or ["none"] for part, found in sweep.values("").items()}
    finally:
        program.stop()
    for path in sweep.paths:
        filled = list(filled_in(path, values))
        assert filled, path
        assert not any("{" in one for one in filled), filled

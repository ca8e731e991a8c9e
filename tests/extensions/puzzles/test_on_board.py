"""Puzzles on the board: set up by light on simulated sensors, solved by a hand, wrong tries answered and put back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from firmware_host.extensions.puzzles import store
from firmware_host.extensions.puzzles.judging import as_lesson, begin_puzzle, fits_board
from firmware_host.extensions.puzzles.puzzle import Puzzle, kinds_of
from firmware_host.games.game import Game
from firmware_host.games.lessons import LessonVerdict
from firmware_host.games.registry import GAMES
from firmware_host.table.errors import TableError
from firmware_host.table.subjects.resolving import ActionChosen
from lodestone.tables import SimulatedTable
from simulator.helper import Helper
from tests.sampling import few

BOARDS = {"spokes": "spokes-45", "phalanx": "go-9x9", "coil": "hexhex-7", "octiles": "octiles-53"}
POSED = sorted(name for name, game in GAMES.items() if kinds_of(game))


def begin(table: SimulatedTable, puzzle: Puzzle, claim: str, *, host: bool) -> int:
    game = GAMES[table.runtime.setting.game.name]
    return begin_puzzle(table.runtime.lessons, game, puzzle, claim, host=host)


class Solver:
    """Somebody at a running table who does what its lights ask for."""

    def __init__(self, folder: Path, game: str) -> None:
        self.game: Game[Any] = GAMES[game]
        self.table = SimulatedTable(folder, board=BOARDS[game])
        self.helper = Helper(self.table.hand, 0.1, clock=self.table.clock)
        self.lobby = self.table.view["game"]

    def begin(self, puzzle: Puzzle, *, host: bool = False) -> None:
        self.seat = begin(self.table, puzzle, "solver", host=host)
        self.tidy("resolving")

    @property
    def view(self) -> Any:
        return self.table.view

    @property
    def puzzle(self) -> Any:
        return self.view["lesson"]

    def tidy(self, phase: str) -> None:
        """Do what the table asks for, until it is in a phase and asks for nothing more."""
        for _ in range(400):
            view = self.view
            if view["phase"] == phase and view["problem"] is None and not view["tasks"]:
                return
            self.helper.attend(view["tasks"])
            self.helper.work()
            self.table.wait(0.1)
        raise AssertionError(f"waited in vain for {phase}: {self.view['message']} {self.view['tasks']}")

    def act(self, action: str) -> None:
        """Choose an action, let the hand do it, and see it counted."""
        before = self.table.runtime.table()
        moments = len(before.ledger.moments)
        self.table.runtime.submit(ActionChosen(at=self.table.runtime.now(), seat=self.seat, action=action))
        for _ in range(200):
            table = self.table.runtime.table()
            if table is not before or len(table.ledger.moments) > moments:
                return
            self.helper.attend(self.view["tasks"])
            self.helper.work()
            self.table.wait(0.1)
        raise AssertionError(f"{action} is never counted: {self.view['message']}")


def by_hand(game: Game[Any], position: Any, action: str) -> bool:
    """Tell whether hands can do an action by itself."""
    return any(step.action == action and step.moves for step in game.steps(position))


def puzzle_with_a_wrong_try(game: Game[Any]) -> tuple[Puzzle, str]:
    """Return an easy puzzle, and one action that ends its turn and is wrong."""
    for puzzle in store.shipped_puzzles(game):
        if not fits_board(game, puzzle):
            continue
        exercise, position = as_lesson(game, puzzle).exercises[0], game.parse(puzzle.position)
        assert exercise.judged is not None
        for action in game.actions(position)[puzzle.seat]:
            after = game.apply(position, {puzzle.seat: action}).position
            if by_hand(game, position, action) and exercise.judged(action, after).found is LessonVerdict.WRONG:
                return puzzle, action
    raise AssertionError("no puzzle of this game has a wrong answer of one action")


@pytest.mark.parametrize("name", few(POSED, 2))
def test_hands_solve_a_puzzle_of_every_game_on_simulated_sensors(tmp_path: Path, name: str) -> None:
    solver = Solver(tmp_path, name)
    puzzle, wrong = puzzle_with_a_wrong_try(solver.game)
    written = [(one.id, one.state) for one in solver.table.journal.games()]
    solver.begin(puzzle)
    kind = kinds_of(solver.game)[puzzle.kind]
    assert solver.view["message"] == kind.asked, "phones and TV say what is asked"
    assert solver.puzzle["puzzle"] == {"grade": puzzle.grade, "helped": False, "seconds": None}
    begun = solver.view["board"]
    solver.act(wrong)
    assert "is not the answer" in solver.puzzle["said"]
    assert not solver.puzzle["done"]
    solver.tidy("resolving")
    assert solver.view["board"] == begun, "the lights have led the position back"
    for action in puzzle.answer:
        solver.act(action)
    assert (solver.puzzle["right"], solver.puzzle["over"]) == (True, True)
    assert solver.puzzle["said"].startswith("Right! Proved: ")
    assert solver.puzzle["puzzle"]["seconds"] > 0
    solver.table.runtime.lessons.stop()
    assert (solver.view["phase"], solver.view["lesson"], solver.view["game"]) == ("lobby", None, solver.lobby)
    assert [(one.id, one.state) for one in solver.table.journal.games()] == written, "no puzzle is journalled"
    solver.table.close()


def test_the_answer_is_shown_by_light_and_does_not_count(tmp_path: Path) -> None:
    solver = Solver(tmp_path, "spokes")
    puzzle = next(one for one in store.shipped_puzzles(solver.game) if len(one.answer) == 2)
    solver.begin(puzzle)
    solver.table.runtime.lessons.show()
    for _ in range(600):
        if solver.puzzle["over"]:
            break
        solver.helper.attend(solver.view["tasks"])
        solver.helper.work()
        solver.table.wait(0.1)
    assert solver.puzzle["puzzle"]["helped"]
    assert solver.puzzle["over"]
    solver.table.close()


def test_what_the_board_has_no_part_in_is_refused(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path, board="hexhex-7")
    with pytest.raises(TableError, match="another game"):
        begin(table, store.shipped_puzzles(GAMES["spokes"])[0], "solver", host=True)
    asked = next(one for one in store.shipped_puzzles(GAMES["coil"]) if not fits_board(GAMES["coil"], one))
    with pytest.raises(TableError, match="solved on a phone"):
        begin(table, asked, "solver", host=True)
    assert table.view["lesson"] is None
    table.close()


def test_a_puzzle_is_solved_by_the_games_own_rules_whatever_options_are_on(tmp_path: Path) -> None:
    """What it claims was proved without options."""
    table = SimulatedTable(tmp_path, board="go-9x9", rules={"second_player_bonus": True})
    assert table.view["game"]["rules"]
    begin(table, store.shipped_puzzles(GAMES["phalanx"])[0], "solver", host=True)
    assert table.view["game"]["rules"] == []
    table.runtime.lessons.stop()
    assert table.view["game"]["rules"]
    table.close()


def test_a_puzzle_is_stopped_like_a_lesson(table: SimulatedTable) -> None:
    game = table.runtime.setting.game
    puzzle = store.shipped_puzzles(game)[0]
    begin(table, puzzle, "learner", host=False)
    table.runtime.lessons.stop(by_host=True)
    with pytest.raises(TableError, match="only the host begins"):
        begin(table, puzzle, "learner", host=False)

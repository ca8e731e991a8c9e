"""Short evenings on boards that break: the figure of `make bench-long` (bench_faults.py), a few hundred turns of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_host.table.hypotheses import Timings
from lodestone.soaking import ASKING, STRIP_FAULTS, FaultyTable, People, WrongAction, evening
from simulator.faults import LINE_FAULTS, SENSOR_FAULTS
from tests.bench_faults import LONE, OTHERS, OTHERS_LONE, SHARES, TILES, told_apart
from tests.sampling import cases, few, some

ROWS = (SHARES, OTHERS, TILES, LONE, OTHERS_LONE)


@pytest.mark.parametrize(
    "fault",
    cases([*SENSOR_FAULTS, *LINE_FAULTS, "lost", *STRIP_FAULTS], "lost"),
)
def test_one_fault_again_and_again(tmp_path: Path, fault: str) -> None:
    account = evening(tmp_path, 8, kind="presence", mode="2", seed=1, kinds=(fault,), game="spokes")
    assert (account.wrong, account.stuck) == ([], [])
    assert account.turns == 8
    assert account.faults[fault], "it was broken indeed"


@pytest.mark.parametrize(
    ("kind", "mode", "turns"),
    cases([("presence", "4", 15), ("polarity", "2", 25), ("level", "2", 12), ("level", "2", 5)], ("level", "2", 5)),
)
def test_every_fault_in_turn(tmp_path: Path, kind: str, mode: str, turns: int) -> None:
    account = evening(tmp_path, turns, kind=kind, mode=mode, seed=7, game="spokes")
    assert (account.wrong, account.stuck) == ([], [])
    assert account.turns == turns
    assert len(account.faults) > 3


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "kind", "seed", "turns"),
    cases(
        [
            ("phalanx", "presence", 0, 30),
            ("phalanx", "polarity", 0, 30),
            ("phalanx", "polarity", 0, 9),
            ("coil", "presence", 1, 30),
            ("coil", "polarity", 1, 30),
        ],
        ("phalanx", "polarity", 0, 9),
    ),
)
def test_other_games_on_boards_that_break(tmp_path: Path, game: str, kind: str, seed: int, turns: int) -> None:
    """Turns of one action each: pushes, adds, dead hoplites, the ends of turns."""
    account = evening(tmp_path, turns, kind=kind, mode="2", seed=seed, game=game)
    assert (account.wrong, account.stuck) == ([], [])
    assert account.steps >= account.turns == turns
    assert (game == "phalanx") == bool(account.lines)
    assert len(account.faults) > 3


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "mode", "seed", "turns"),
    cases(
        [("presence", "2", 0, 30), ("presence", "3", 8, 30), ("coded", "4", 4, 30), ("coded", "4", 4, 9)],
        ("coded", "4", 4, 9),
    ),
)
def test_tiles_and_runners_on_boards_that_break(tmp_path: Path, kind: str, mode: str, seed: int, turns: int) -> None:
    """Wells with one sensor and with nine, whole wells among what breaks."""
    account = evening(tmp_path, turns, kind=kind, mode=mode, seed=seed, game="octiles")
    assert (account.wrong, account.stuck) == ([], [])
    assert account.turns == turns
    assert len(account.faults) > turns // 10


@pytest.mark.parametrize(
    ("kind", "mode", "turns"), cases([("presence", "4", 25), ("coded", "3", 25), ("coded", "3", 8)], ("coded", "3", 8))
)
def test_tiles_and_runners_as_the_table_is_set(tmp_path: Path, kind: str, mode: str, turns: int) -> None:
    account = evening(tmp_path, turns, kind=kind, mode=mode, seed=2, kinds=("none",), timings=Timings(), game="octiles")
    assert (account.wrong, account.stuck) == ([], [])
    assert account.turns == turns


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "kind"),
    cases([(game, kind) for game in ("phalanx", "coil") for kind in ("presence", "polarity")], ("phalanx", "presence")),
)
def test_other_games_as_the_table_is_set(tmp_path: Path, game: str, kind: str) -> None:
    """Nothing breaks, contacts bounce, one sensor may decide: nothing is asked that is seen."""
    account = evening(tmp_path, 25, kind=kind, mode="2", seed=2, kinds=("none",), timings=Timings(), game=game)
    assert (account.wrong, account.stuck) == ([], [])
    assert account.steps >= account.turns == 25
    assert (game == "phalanx") == bool(account.lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    "shares", few(cases([(one,) for one in ROWS], (SHARES,), (TILES,)), 1), ids=lambda shares: shares[0][0]
)
def test_a_few_turns_of_each_row_of_the_figure(tmp_path: Path, shares: tuple[tuple[str, str, str, int], ...]) -> None:
    """The rows of `make bench`, with their bounds of zero."""
    lone = shares in {LONE, OTHERS_LONE}
    for game, kind, mode, _ in some(shares, 2, f"{shares[0][0]} {lone}"):
        folder = tmp_path / f"{game} {kind} {mode}"
        folder.mkdir()
        timings = Timings() if lone else ASKING
        account = evening(folder, 5, kind=kind, mode=mode, seed=0, timings=timings, game=game)
        wrong, moved = told_apart(account)
        assert wrong == []
        assert lone or not moved


def test_the_watcher_sees_a_wrong_action(tmp_path: Path) -> None:
    """The reference is no part of the table: a step that nobody made is caught."""
    table = FaultyTable(tmp_path, kind="presence", mode="2", kinds=("none",), seed=1, game="spokes")
    people = People(table)

    def somebody_else(*_: object) -> None:
        step = table.table.watch.tracker.steps[0]
        for move in step.moves:
            table.hand.lift(move.source, move.pieces)
            table.wait(0.3)
            table.hand.put(move.target)
            table.wait(0.3)
            for _ in range(2):  # On a stack it is said twice, as the step may end the turn.
                table.hand.tap(move.target)
                table.wait(0.1)
        table.wait(3)

    people._step = somebody_else  # type: ignore[method-assign]
    with pytest.raises(WrongAction):
        people.play(20)
    table.close()

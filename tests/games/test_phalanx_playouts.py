"""Random games of Phalanx: every action as likely as any other, and the flow of a game as the rules tell it."""

from __future__ import annotations

import math
from collections import Counter
from random import Random
from typing import Any

import pytest

from firmware_host.games.game import Status
from firmware_host.games.phalanx import playout, turns
from firmware_host.games.phalanx.board import BIT
from firmware_host.games.phalanx.position import Position
from firmware_host.games.registry import game
from tests.games import phalanx_reference as slow
from tests.games.phalanx_positions import START, crowd
from tests.sampling import cases, some

Pair = tuple[int, int]


def pair(points: slow.Points, side: str) -> Pair:
    """Return the hoplites of a side and of the other."""
    black, white = (sum(BIT[point] for point, colour in points.items() if colour == which) for which in "bw")
    return (black, white) if side == "b" else (white, black)


def crowded(seed: int) -> tuple[slow.Points, str]:
    """Return close armies and whose turn it is; in one of four that side has no hoplite left to add."""
    rng, side = Random(seed), "bw"[seed % 2]
    while True:
        points = crowd(rng)
        if len(set(points.values())) == 2 and (seed % 4 < 3 or list(points.values()).count(side) == 9):
            return points, side


@pytest.mark.slow
@pytest.mark.parametrize("seed", cases([None, *range(24)], *some([None, *range(24)], 3)))
def test_every_action_is_drawn_as_often_as_any_other(seed: int | None) -> None:
    points, side = (slow.parse(START.split()[0]), "b") if seed is None else crowded(seed)
    outcomes: Counter[Pair | None] = Counter({None: 1})
    outcomes.update(pair(slow.bury(board), side) for board in slow.boards(points, side).values())
    expected = 60
    count = expected * outcomes.total()
    rng = Random(seed)
    drawn = Counter(playout.act(*pair(points, side), rng) for _ in range(count))
    assert drawn.keys() == outcomes.keys()
    spread = sum((drawn[end] - expected * weight) ** 2 / (expected * weight) for end, weight in outcomes.items())
    free = len(outcomes) - 1
    assert spread < free + 5 * math.sqrt(2 * free), "chi-squared, five deviations above what chance gives"


@pytest.mark.thorough
def test_pushes_moves_of_several_armies_and_full_armies_are_among_those() -> None:
    kinds = Counter[str]()
    for seed in range(24):
        points, side = crowded(seed)
        own = {point for point, colour in points.items() if colour == side}
        kinds.update({"push": any(">" in action for action in slow.boards(points, side))})
        kinds.update({"armies": any(slow.army(points, point) != own for point in own)})
        kinds.update({"full": len(own) == 9})
    assert min(kinds["push"], kinds["armies"], kinds["full"]) >= 1, kinds


@pytest.mark.slow
@pytest.mark.parametrize("bonus", cases([False, True], True))
def test_random_games_flow_as_the_rules_tell(bonus: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was drawn is played again turn by turn: the game ends then and there, and as the playout said."""
    drawn: list[Pair | None] = []

    def act(own: int, other: int, rng: Random) -> Pair | None:
        # The end of a turn comes more often than it would, so that some games end by two empty turns.
        drawn.append(None if rng.random() < 0.04 else real(own, other, rng))
        return drawn[-1]

    real = playout.act
    monkeypatch.setattr(playout, "act", act)
    phalanx: Any = game("phalanx", {"second_player_bonus": bonus})
    reasons = Counter[str | None]()
    for seed in range(40):
        rng = Random(seed)
        now: Position = phalanx.start("2")
        for _ in range(rng.randrange(5)):  # From within a turn, too.
            now = phalanx.apply(now, {now.seat: phalanx.random_action(now, now.seat, rng)}).position
        drawn.clear()
        ended: Status = phalanx.playout(now, rng)
        status = turns.status(now)
        for pair_after in drawn:
            assert not status.over
            if pair_after is None:
                arrival = turns.ended(now, bonus=bonus)
            else:
                arrival = turns.acted(now, *pair_after, bonus=bonus)
            now, status = arrival.position, arrival.status
        assert status == ended
        reasons[ended.reason] += 1
    assert reasons["goal"] >= 5
    assert reasons["draw"] >= 5


def test_a_side_without_hoplites_loses_and_who_acted_wins_where_both_would(monkeypatch: pytest.MonkeyPatch) -> None:
    phalanx: Any = game("phalanx")
    start: Position = phalanx.start("2")
    goals = BIT["A8"] | BIT["B8"], BIT["H1"] | BIT["H2"]
    for after, status in (
        ((goals[0], 0), Status(over=True, reason="eliminated", winners=(1,))),
        ((0, goals[1]), Status(over=True, reason="eliminated", winners=(2,))),
        (goals, Status(over=True, reason="goal", winners=(1,))),
        ((start.board[0], goals[1]), Status(over=True, reason="goal", winners=(2,))),
    ):
        monkeypatch.setattr(playout, "act", lambda own, other, rng, after=after: after)
        assert phalanx.playout(start, Random(1)) == status


def test_a_game_that_never_ends_counts_as_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    boards = iter(range(1, 10**6))
    monkeypatch.setattr(playout, "act", lambda own, other, rng: (own, next(boards) << 100))
    phalanx: Any = game("phalanx")
    assert phalanx.playout(phalanx.start("2"), Random(1)) == turns.DRAW
    assert 3 * playout.LONGEST < next(boards) < 3 * playout.LONGEST + 5


def test_the_third_start_of_a_turn_from_the_same_position_is_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    actions: list[Pair] = []

    def nothing_changes(own: int, other: int, rng: Random) -> Pair:
        actions.append((own, other))
        return own, other

    monkeypatch.setattr(playout, "act", nothing_changes)
    phalanx: Any = game("phalanx")
    assert phalanx.playout(phalanx.start("2"), Random(1)) == turns.DRAW
    assert len(actions) == 4 * 3, "four turns of three actions, then Black begins from there for the third time"

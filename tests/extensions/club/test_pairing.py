"""Pairings: nobody meets anybody twice, nobody is idle twice, points are alike, seats are shared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firmware_host.extensions.club.pairing import Candidate, Pair, repeats, round_robin, rounds_of, swiss
from firmware_host.text.words import Refused
from tests.sampling import cases


class Swiss:
    """A tournament whose results are drawn."""

    def __init__(self, players: int, seed: int) -> None:
        self.rng = Random(seed)
        self.points = dict.fromkeys(range(1, players + 1), 0)
        self.games: list[Pair] = []
        self.byes: list[int] = []
        self.ratings = {number: 1500.0 + self.rng.uniform(-300, 300) for number in self.points}

    def candidates(self, away: frozenset[int] = frozenset()) -> list[Candidate]:
        found = []
        for number in sorted(self.points.keys() - away):
            seats = [1 if first == number else -1 for first, second in self.games if number in {first, second}]
            met = {sum(pair) - number for pair in self.games if number in pair}
            found.append(
                Candidate(number, self.points[number], self.ratings[number], frozenset(met), number in self.byes,
                          sum(seats), seats[-1] if seats else 0)
            )  # fmt: skip
        return found

    def play(self, away: frozenset[int] = frozenset()) -> tuple[list[Pair], int | None]:
        pairs, bye = swiss(self.candidates(away))
        for first, second in pairs:
            score = self.rng.choice((0, 1, 2))
            self.points[first] += score
            self.points[second] += 2 - score
        if bye is not None:
            self.points[bye] += 2
            self.byes.append(bye)
        self.games += pairs
        return pairs, bye


@given(st.integers(2, 40), st.integers(1, 9), st.integers(0, 2**32))
def test_nobody_meets_anybody_twice_nor_is_idle_twice(players: int, rounds: int, seed: int) -> None:
    """Any number of players and rounds with which that is possible."""
    played = Swiss(players, seed)
    for _ in range(min(rounds, (players - 1) // 2 or 1)):  # So many rounds always exist: half of all meetings.
        pairs, bye = played.play()
        everybody = [number for pair in pairs for number in pair] + ([bye] if bye else [])
        assert sorted(everybody) == sorted(played.points)
        assert (bye is None) == (players % 2 == 0)
    assert all(count == 1 for count in Counter(map(frozenset, played.games)).values())
    assert len(set(played.byes)) == len(played.byes)


@example(27, 24_000)
@given(st.integers(8, 40), st.integers(0, 2**32))
def test_seats_are_shared(players: int, seed: int) -> None:
    """Over five rounds nobody has the first seat three times more often than the second."""
    played = Swiss(players, seed)
    for _ in range(min(5, (players - 1) // 2)):
        played.play()
    assert all(abs(one.balance) < 3 for one in played.candidates())


def test_the_first_round_folds_the_ranking() -> None:
    """The best meets the first of the lower half; with an odd number the last one rests."""
    pairs, bye = swiss([Candidate(number, rating=2000.0 - number) for number in range(1, 10)])
    assert {frozenset(pair) for pair in pairs} == {frozenset((low, low + 4)) for low in range(1, 5)}
    assert bye == 9


def test_points_are_alike() -> None:
    """Who leads meets who leads, and a lone leader meets the best of the next."""
    two = [Candidate(number, points=4 if number < 3 else 0) for number in range(1, 7)]
    assert {frozenset(pair) for pair in swiss(two)[0]} >= {frozenset((1, 2))}
    alone = [Candidate(1, points=4), *(Candidate(number, points=2) for number in (2, 3, 4)), Candidate(5), Candidate(6)]
    pairs, _ = swiss(alone)
    assert next(sum(pair) - 1 for pair in pairs if 1 in pair) in {2, 3, 4}


def test_one_alone_is_refused() -> None:
    """All others are paired, whatever they have played."""
    with pytest.raises(Refused, match="two players or more"):
        swiss([Candidate(1)])
    all_met = [Candidate(number, met=frozenset({1, 2, 3, 4} - {number})) for number in range(1, 5)]
    assert len(repeats(all_met, *swiss(all_met))[0]) == 2
    all_idle = [Candidate(number, had_bye=True) for number in range(1, 4)]
    assert repeats(all_idle, *swiss(all_idle)) == ([], 3)


def fewest_repeats(players: Sequence[Candidate]) -> int:
    """Return how many meetings and byes there are at least that were there before, by trying all rounds."""
    if not players:
        return 0
    one, rest = players[0], players[1:]
    if len(players) % 2:
        idle = [p.had_bye + fewest_repeats([q for q in players if q is not p]) for p in players]
        return min(idle)
    return min((p.number in one.met) + fewest_repeats([q for q in rest if q is not p]) for p in rest)


@given(st.integers(2, 7), st.integers(0, 2**32))
def test_no_more_meet_again_than_have_to(players: int, seed: int) -> None:
    """In any number of rounds, with some who are away: there is a round always, and as few repeats as can be."""
    played = Swiss(players, seed)
    for _ in range(2 * players):
        away = frozenset(number for number in played.points if played.rng.random() < 0.15)
        if players - len(away) < 2:
            continue
        there = played.candidates(away)
        again, idle = repeats(there, *swiss(there))
        assert len(again) + (idle is not None) == fewest_repeats(there)
        played.play(away)


@pytest.mark.parametrize(("players", "rounds"), [(5, 4), (6, 4), (6, 5), (7, 6), (8, 6)])
@pytest.mark.parametrize("absent", [0.0, 0.1])
def test_small_tournaments_are_played_to_the_end(players: int, rounds: int, absent: float) -> None:
    """Also where the rounds before have left none in which all meet somebody new."""
    repeated = 0
    for seed in range(100):
        played = Swiss(players, seed)
        for _ in range(rounds):
            away = frozenset(number for number in played.points if played.rng.random() < absent)
            pairs, bye = played.play(away)
            assert 2 * len(pairs) + (bye is not None) == players - len(away)
        repeated += len({frozenset(pair) for pair in played.games}) < len(played.games)
    assert repeated < 50, "most of them go without"


@pytest.mark.slow
@pytest.mark.parametrize("players", cases([301, 1001], 301))
def test_hundreds_of_players(players: int) -> None:
    """Through seven rounds, with some who leave after each."""
    played = Swiss(players, 5)
    away: set[int] = set()
    for _ in range(7):
        pairs, _ = played.play(frozenset(away))
        assert len(pairs) == (players - len(away)) // 2
        away |= set(played.rng.sample(sorted(played.points.keys() - away), 3))
    assert len({frozenset(pair) for pair in played.games}) == len(played.games)
    assert len(set(played.byes)) == len(played.byes)


@given(st.integers(2, 30))
def test_round_robin(players: int) -> None:
    """All meet once, each rests once or never, and seats differ by one at most; then again the other way round."""
    numbers = list(range(1, players + 1))
    rounds = [round_robin(numbers, index) for index in range(2 * rounds_of(players))]
    once = [pair for pairs, _ in rounds[: rounds_of(players)] for pair in pairs]
    assert sorted(tuple(sorted(pair)) for pair in once) == sorted(combinations(numbers, 2))
    for number in numbers:
        seats = [1 if first == number else -1 for first, second in once if number in {first, second}]
        assert abs(sum(seats)) <= 1
        assert sum(bye == number for _, bye in rounds[: rounds_of(players)]) == players % 2
        assert all(three != (seats[0],) * 3 for three in zip(seats, seats[1:], seats[2:], strict=False)) or players < 4
    again = [pair for pairs, _ in rounds[rounds_of(players) :] for pair in pairs]
    assert sorted(again) == sorted(pair[::-1] for pair in once)
    assert all(not set(now[0]) & set(then[0]) for now, then in pairwise(rounds[: rounds_of(players)]))

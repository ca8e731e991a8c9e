"""The search with shuffles: a game of cards whose values are known, so that what it does can be counted."""

from __future__ import annotations

from collections import Counter

from firmware_host.games.thinking import Budget
from firmware_host.searching.shuffles import Stage, rank


class Cards:
    """Each candidate has a value, which luck of the shuffle moves by the same for all of them."""

    def __init__(self, values: list[float]) -> None:
        self.values = values
        self.nodes_used = 0
        self.dealt = -1
        self.asked: list[tuple[int, int, int]] = []

    def deal(self, shuffle: int) -> None:
        self.dealt = shuffle

    def value(self, candidate: int, depth: int) -> float:
        self.nodes_used += 1
        self.asked.append((depth, self.dealt, candidate))
        return self.values[candidate] + 0.1 * ((self.dealt * 7) % 5 - 2) / 5


VALUES = [0.3, 0.7, 0.5, 0.6, 0.2]
STAGES = (Stage(2, 0, 0.5, 4), Stage(3, 3, 0.8, 4), Stage(4, 2, 1.0, 4))


def test_all_candidates_of_a_stage_are_tried_with_the_same_shuffles() -> None:
    cards = Cards(VALUES)
    found = rank(cards, 5, 1000, STAGES, Budget(nodes=1000))
    assert [one.candidate for one in found] == [1, 3, 2, 0, 4]
    assert [one.depth for one in found] == [4, 4, 3, 2, 2]
    counted = Counter((depth, shuffle) for depth, shuffle, _ in cards.asked)
    assert counted == {(depth, shuffle): field for depth, field in ((2, 5), (3, 3), (4, 2)) for shuffle in range(4)}


def test_what_is_left_out_is_never_better_than_what_was_kept() -> None:
    found = rank(Cards(VALUES), 5, 1000, STAGES, Budget(nodes=1000))
    assert [one.value for one in found] == sorted((one.value for one in found), reverse=True)
    assert all(0 < one.value < 1 for one in found)


def test_the_first_shuffle_is_gone_through_whatever_the_budget() -> None:
    for budget in (Budget(nodes=0), Budget(nodes=1000, out_of_time=lambda: True)):
        cards = Cards(VALUES)
        found = rank(cards, 5, 1000, STAGES, budget)
        assert [candidate for _, _, candidate in cards.asked] == [0, 1, 2, 3, 4]
        assert [one.candidate for one in found] == [1, 3, 2, 0, 4]


def test_the_budget_ends_a_stage_and_counts_whole_shuffles_only() -> None:
    cards = Cards(VALUES)
    rank(cards, 5, 1000, (Stage(2, 0, 1.0, 100),), Budget(nodes=17))
    assert cards.nodes_used == 15
    deeper = Cards(VALUES)
    found = rank(deeper, 5, 1000, (Stage(2, 0, 0.5, 100), Stage(3, 4, 1.0, 100)), Budget(nodes=11))
    assert [one.depth for one in found] == [3, 3, 3, 3, 2]


def test_a_stage_that_can_not_finish_one_shuffle_counts_for_nothing() -> None:
    cards = Cards(VALUES)
    found = rank(cards, 5, 1000, (Stage(2, 0, 1.0, 1), Stage(3, 4, 1.0, 100)), Budget(nodes=7))
    assert {one.depth for one in found} == {2}


def test_where_nothing_is_hidden_each_stage_looks_once() -> None:
    cards = Cards(VALUES)
    rank(cards, 5, 1, STAGES, Budget(nodes=1000))
    assert Counter(depth for depth, _, _ in cards.asked) == {2: 5, 3: 3, 4: 2}

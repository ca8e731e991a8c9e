"""The shared alpha-beta search beside plain minimax, on a game of numbers that is small enough to be searched whole."""

from __future__ import annotations

from random import Random

from firmware_host.searching.alpha_beta import MOVE_BITS, PROVED, UNKNOWN, WIN, AlphaBeta, LineOfPlay
from tests.sampling import together

MASK = (1 << MOVE_BITS) - 1


class Heap(LineOfPlay):
    """Two take 1 to ``most`` off a heap, the same one ``turn`` times in a row; the one who takes the last has won."""

    def __init__(self, stones: int, most: int, turn: int, seed: int) -> None:
        super().__init__(most)
        self.most, self.turn, self.seed = most, turn, seed
        self.path = [(stones, turn)]
        self.asked = 0

    def verdict(self, ply: int) -> int:
        return ply - WIN if self.path[ply][0] == 0 else UNKNOWN

    def evaluate(self, ply: int, alpha: int, beta: int) -> int:
        self.asked += 1
        return Random(self.seed * 10_000 + self.key(ply)).randrange(-1000, 1000)

    def key(self, ply: int) -> int:
        stones, left = self.path[ply]
        return stones * 8 + left

    def expand(self, ply: int) -> int:
        count = min(self.most, self.path[ply][0])
        for take in range(1, count + 1):
            self.move_list[take - 1] = 1000 - take << MOVE_BITS | take
        return count

    def play(self, ply: int, move: int) -> bool:
        stones, left = self.path[ply]
        # Who takes the last has won: the other one finds nothing.
        turns = left == 1 or move == stones
        del self.path[ply + 1 :]
        self.path.append((stones - move, self.turn if turns else left - 1))
        return turns


def minimax(heap: Heap, ply: int, depth: int) -> int:
    """Return the value, by looking at everything."""
    value = heap.verdict(ply)
    if value != UNKNOWN:
        return value
    if depth == 0:
        return heap.evaluate(ply, -UNKNOWN, UNKNOWN)
    values = []
    for code in heap.move_list[: heap.expand(ply)]:
        turns = heap.play(ply, code & MASK)
        value = minimax(heap, ply + 1, depth - 1)
        values.append(-value if turns else value)
    return max(values)


@together("turn", [1, 2, 3])
@together("stones", range(1, 14))
def test_a_game_that_is_searched_to_its_end_has_the_value_of_minimax(stones: int, turn: int) -> None:
    heap = Heap(stones, 3, turn, 1)
    expected = minimax(heap, 0, 99)
    ranked = AlphaBeta(Heap(stones, 3, turn, 1), 10**6, lambda: False).rank(0, 0)
    assert (ranked[0].value >= PROVED) == (expected >= PROVED)
    if expected >= PROVED:
        assert ranked[0].value == expected, "the shortest win"


@together("seed", range(20))
def test_two_actions_ahead_nothing_is_left_out(seed: int) -> None:
    """Every move gets its own value, as long as few nodes are used; the best one is that of minimax."""
    heap = Heap(40, 3, 2, seed)
    ranked = AlphaBeta(heap, 10**6, lambda: False).rank(2, 0)
    assert ranked[0].value == minimax(Heap(40, 3, 2, seed), 0, 2)
    assert [entry.value for entry in ranked] == sorted((entry.value for entry in ranked), reverse=True)
    for entry in ranked:
        fresh = Heap(40, 3, 2, seed)
        turns = fresh.play(0, entry.move)
        value = minimax(fresh, 1, 1)
        assert not entry.exact or entry.value == (-value if turns else value)


def test_nodes_and_the_clock_stop_it_but_not_before_one_action_ahead() -> None:
    for nodes in (1, 100, 2000):
        search = AlphaBeta(Heap(1000, 3, 1, 7), nodes, lambda: False)
        assert len(search.rank(0, 0)) == 3
        assert search.nodes <= nodes + 10
        assert search.depth >= 1
    search = AlphaBeta(Heap(1000, 3, 1, 7), 10**9, lambda: True)
    search.rank(0, 0)
    assert search.nodes <= 1024


def test_depth_and_width_limit_it() -> None:
    search = AlphaBeta(Heap(1000, 5, 1, 7), 10**6, lambda: False)
    assert len(search.rank(4, 2)) == 2
    assert search.depth == 4


def test_the_same_again() -> None:
    one, two = (
        [(entry.move, entry.value) for entry in AlphaBeta(Heap(200, 6, 2, 3), 5000, lambda: False).rank(0, 0)]
        for _ in range(2)
    )
    assert one == two


def test_the_line_follows_the_best_moves() -> None:
    search = AlphaBeta(Heap(7, 3, 1, 1), 10**6, lambda: False)
    best = search.rank(0, 0)[0]
    assert best.move == 3, "four are left to the other one"
    line = search.line(best.move, 9)
    assert sum(line[:3]) == 7

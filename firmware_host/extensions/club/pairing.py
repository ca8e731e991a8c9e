"""Who meets whom: Swiss pairing as a matching of greatest weight, round robin by the circle method.

Swiss: every pair that may meet is an edge of a graph, and the round is a perfect matching of it. No pair meets twice
and nobody is without an opponent twice: those edges are missing. Among what is left the weights say what matters, in
this order: equal points; the seat to move first (nobody has it three times more often than the other, where another
round is left); within a group of equal
points the upper half meets the lower half, best against best of the lower half. With an odd number one more vertex, the
bye, is matched like anybody, with the lowest that may have it. The matching is exact (Edmonds' blossom algorithm, in
rustworkx). This is not FIDE's Dutch system to the letter, which prescribes an order of search; it keeps its absolute
criteria as long as a round exists that does. After many rounds of few players there may be none: then the missing edges
are there, too, each worse than all else together, so that as few as possible meet again or are without an opponent
again. A pairing that holds such (:func:`repeats`) is for people to agree to.

With many players the graph holds each one's likely opponents only; if no perfect matching is among them, more.

Round robin: the players stand on a circle around one that stays (Schurig's tables, as in FIDE's Handbook C.05, Annex
1); each moves on by one place a round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import rustworkx

from firmware_host.text.words import Refused, say

Pair = tuple[int, int]
"""Two players by number, the first of them on the first seat."""

NEAR = 12
"""With more than ``SMALL`` players: how many neighbours in the ranking each may be paired with, at first."""
SMALL = 100
UNSHARED = 3
"""The cost of a pair of which one has the same seat three times more often than the other."""
BYE = 0
"""In place of an opponent: none. Players' numbers begin with 1."""


@dataclass(frozen=True)
class Candidate:
    """A player to be paired. ``points`` are counted in halves; ``met`` are the opponents so far.

    ``balance`` is how much more often the first seat was this player's than the second; ``last`` is 1 if it was so in
    the last game, -1 if not, 0 before any.
    """

    number: int
    points: int = 0
    rating: float = 1500.0
    met: frozenset[int] = field(default_factory=frozenset)
    had_bye: bool = False
    balance: int = 0
    last: int = 0


def swiss(candidates: Sequence[Candidate]) -> tuple[list[Pair], int | None]:
    """Return the pairs of the next round, highest first, and who is without an opponent (None: nobody).

    Two meet again, or somebody is idle twice, only where no other round is left. Raise Refused for fewer than two.
    """
    ranked = sorted(candidates, key=lambda one: (-one.points, -one.rating, one.number))
    if len(ranked) < 2:
        raise Refused(say("a round needs two players or more, there are {count}", count=len(ranked)))
    near = len(ranked) if len(ranked) <= SMALL else NEAR
    shared, again = True, False
    while 2 * len(matched := _matching(ranked, near, shared=shared, again=again)) < len(ranked):
        if near < len(ranked):
            near *= 4
        elif shared:  # A round in which somebody has the same seat a third time more often is better than none.
            shared = False
        else:  # So is one in which two meet again: with these edges there is always one.
            again = True
    pairs = sorted((min(pair), max(pair)) for pair in matched)
    bye = next((ranked[low].number for low, high in pairs if high == len(ranked)), None)
    return [_in_order(ranked[a], ranked[b], board) for board, (a, b) in enumerate(pairs) if b < len(ranked)], bye


def repeats(candidates: Sequence[Candidate], pairs: Sequence[Pair], bye: int | None) -> tuple[list[Pair], int | None]:
    """Return which pairs have met before, and ``bye`` if that player has been without an opponent before."""
    known = {one.number: one for one in candidates}
    again = [(first, second) for first, second in pairs if second in known[first].met]
    return again, bye if bye is not None and known[bye].had_bye else None


def _matching(ranked: Sequence[Candidate], near: int, *, shared: bool, again: bool) -> set[tuple[int, int]]:
    """Return the best matching of places in the ranking; the place after the last is the bye's.

    ``shared``: nobody may have the first seat three times more, or less, often than the second. ``again``: two may meet
    again, and who has been without an opponent may be so again, as seldom as possible.
    """
    count = len(ranked)
    worst_fold = count * count + 1
    worst_seats = worst_fold * (5 * count + 1)
    apart = ranked[0].points - ranked[-1].points
    worst = count * (worst_seats * apart * apart + worst_fold * (UNSHARED + count) + count) + 1
    edges: list[tuple[int, int, int]] = []
    groups = Counter(one.points for one in ranked)
    for low, high in _likely(ranked, groups, near):
        one, other = ranked[low], ranked[high]
        met = other.number in one.met
        if (met and not again) or (shared and _seat_cost(one, other) == UNSHARED):
            continue
        fold = 0
        if one.points == other.points:
            fold = abs(high - low - groups[one.points] // 2)
        apart = one.points - other.points
        cost = worst_seats * apart * apart + worst_fold * _seat_cost(one, other) + fold
        edges.append((low, high, worst * met + cost))
    if count % 2:
        # Whoever rests is of the lowest points, and there the lowest in the ranking.
        floor = ranked[-1].points
        edges += [
            (place, count, worst * one.had_bye + worst_seats * (one.points - floor) ** 2 + worst_fold * (count - place))
            for place, one in enumerate(ranked)
            if again or not one.had_bye
        ]
    most = max((cost for _, _, cost in edges), default=0) + 1
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph()
    graph.add_nodes_from([None] * (count + count % 2))
    graph.add_edges_from([(low, high, most - cost) for low, high, cost in edges])
    return rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=lambda weight: weight)


def _likely(ranked: Sequence[Candidate], groups: Mapping[int, int], near: int) -> Iterator[tuple[int, int]]:
    """Yield pairs of places, the higher one first: neighbours, and those half a group of equal points apart."""
    for low, one in enumerate(ranked):
        middle = low + groups[one.points] // 2
        others = {*range(low + 1, low + 1 + near), *range(middle - near // 2, middle + near // 2 + 1)}
        for high in sorted(others):
            if low < high < len(ranked):
                yield low, high


def _seat_cost(one: Candidate, other: Candidate) -> int:
    """Return how badly two players' wishes for the first seat go together, 0 to 3."""
    if one.balance * other.balance <= 0:
        return 0
    return UNSHARED if min(abs(one.balance), abs(other.balance)) > 1 else 1


def _in_order(one: Candidate, other: Candidate, board: int) -> Pair:
    """Return two players, the one first who has had the first seat less often, or not last time."""
    if one.balance != other.balance:
        first = one.balance < other.balance
    elif one.last != other.last:
        first = one.last < other.last
    else:
        first = board % 2 == 0
    return (one.number, other.number) if first else (other.number, one.number)


def rounds_of(players: int) -> int:
    """Return how many rounds a round robin has."""
    return players - 1 + players % 2


def round_robin(numbers: Sequence[int], index: int) -> tuple[list[Pair], int | None]:
    """Return the pairs of round ``index`` (from 0), and who is without an opponent.

    After ``rounds_of`` rounds all have met; the next ones are the same with exchanged seats.
    """
    if len(numbers) < 2:
        raise Refused(say("a round needs two players or more, there are {count}", count=len(numbers)))
    circle = [*numbers, *([BYE] if len(numbers) % 2 else [])]
    around = len(circle) - 1
    cycle, turn = divmod(index, around)
    found = [(circle[turn], circle[around]) if turn % 2 else (circle[around], circle[turn])]
    for step in range(1, len(circle) // 2):
        ahead, behind = circle[(turn + step) % around], circle[(turn - step) % around]
        found.append((ahead, behind) if step % 2 else (behind, ahead))
    pairs = [pair[::-1] if cycle % 2 else pair for pair in found]
    bye = next((sum(pair) for pair in pairs if BYE in pair), None)
    return [pair for pair in pairs if BYE not in pair], bye

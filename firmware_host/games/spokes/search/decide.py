"""Whether a phase can come to rest: forwards, by all configurations at rest, and backwards from those.

Where a rest can be reached a dive mostly meets one within some thousand positions. Where none is met, all
configurations at rest with as many stones are listed; if there is none the answer is no. From those there are, the
search goes backwards, in turns with the dive, until the two meet or one side is exhausted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import comb

from firmware_host.games.spokes.board import ALL, members
from firmware_host.games.spokes.position import Cells
from firmware_host.games.spokes.search.approach import Approach
from firmware_host.games.spokes.search.configurations import Configurations, size
from firmware_host.games.spokes.search.explore import Clock, Explorer
from firmware_host.games.spokes.search.leftovers import Leftovers
from firmware_host.games.spokes.search.retreat import Retreat
from firmware_host.games.spokes.search.seen import Seen
from firmware_host.games.spokes.search.store import new_seen

FIRST_DIVE = 20_000
"""Positions of the first dive: enough for nearly every position that can come to rest."""
LONG_DIVE = 100_000
"""The same where there are stones of both colours: each pull to come makes many more configurations to be listed."""
FURTHEST_BACK = 200_000
"""Positions that are met backwards; many more can reach a rest than can be reached, so that forwards is worth more."""
FIRST_APPROACH = 50_000
"""Positions met on the way towards rests that are known."""
MOST_ALIKE = 20
"""Rests that an approach looks at."""
MOST_CONFIGURATIONS = 20_000
"""Configurations at rest from which it is worth while to go backwards."""
MOST_LAYERS = 1_000
"""Choices of nodes for the blocks of pulls still to come for which configurations are listed."""
MOST_FRONTS = 500
"""Positions after all moves of excess that are looked at one by one."""


@dataclass
class Decision:
    """``rest_reachable`` None: not decided. ``way`` are the cells from the start to a rest where one was met.

    ``dive`` is the exploration it began with: where its ``exact`` is set it has met every position.
    """

    rest_reachable: bool | None
    dive: Explorer
    way: list[Cells] = field(default_factory=list)


def decide(cells: Cells, leftovers: Leftovers, clock: Clock, most: int) -> Decision:
    """Decide within ``most`` positions and the time of the clock."""
    start = leftovers.pair(cells)
    dive = Explorer(new_seen(), leftovers, clock, *start)
    white, black = cells[:2]
    rest = dive.until_rest(min(most, LONG_DIVE if white and black else FIRST_DIVE))
    if rest >= 0:
        return Decision(True, dive, _cells(dive.seen, dive.way(rest), leftovers))
    if dive.exact:
        return Decision(False, dive)
    numbers = dive.fronts(MOST_FRONTS)
    fronts = _cells(dive.seen, numbers or [], leftovers)
    rests = _configurations(fronts, clock) if fronts else None
    if rests is None:
        return _dive_on(dive, most)
    return _meet(dive, fronts, rests, most) if rests else Decision(False, dive)


def _dive_on(dive: Explorer, most: int) -> Decision:
    rest = dive.until_rest(most)
    if rest >= 0:
        return Decision(True, dive, _cells(dive.seen, dive.way(rest), dive.leftovers))
    return Decision(False if dive.exact else None, dive)


def _cells(seen: Seen, numbers: list[int], leftovers: Leftovers) -> list[Cells]:
    return [leftovers.cells(seen.a(number), seen.b(number)) for number in numbers]


def _configurations(fronts: list[Cells], clock: Clock) -> list[tuple[int, int]] | None:
    """Return the pairs of all configurations at rest that stones and blocks of the fronts allow; None: too many."""
    layers = {(cells[2], cells[0].bit_count(), cells[1].bit_count()) for cells in fronts}
    if sum(_count_below(*layer) for layer in layers) > MOST_LAYERS:
        return None
    found: set[tuple[int, int]] = set()
    for blocks, white, black in dict.fromkeys(below for layer in sorted(layers) for below in _below(*layer)):
        search = Configurations(blocks, white, black, MOST_CONFIGURATIONS, clock)
        search.run()
        found.update((w | blocks, b | blocks) for w, b in search.found)
        if not search.complete or len(found) > MOST_CONFIGURATIONS:
            return None
    return sorted(found)


def _below(blocks: int, white: int, black: int) -> Iterator[tuple[int, int, int]]:
    """Yield (blocks, white stones, black stones) of a layer and of all layers that its pulls can lead to."""
    free = [1 << node for node in members(ALL & ~blocks)]
    for pulls in range(min(white, black) + 1):
        for nodes in combinations(free, pulls):
            yield blocks | sum(nodes), white - pulls, black - pulls


def _count_below(blocks: int, white: int, black: int) -> int:
    free = (ALL & ~blocks).bit_count()
    return sum(comb(free, pulls) for pulls in range(min(white, black) + 1))


def _meet(dive: Explorer, fronts: list[Cells], rests: list[tuple[int, int]], most: int) -> Decision:
    """Go backwards from the configurations at rest and forwards from the start in turns, further each time."""
    kept = ALL
    for cells in fronts:
        kept &= cells[2]
    back = Retreat(new_seen(), dive.clock, kept)
    for a, b in rests:
        back.add(a, b)
    way = _approach(dive, back, rests)
    if way:
        return Decision(True, dive, way)
    dive.goal = back.seen
    reach = FIRST_DIVE
    while not dive.clock.over and reach <= most:
        reach *= 2
        found = back.until(dive.seen, min(reach, FURTHEST_BACK))
        if found < 0 and not back.exact:
            met = dive.until_rest(reach)
            found = back.seen.find(dive.seen.a(met), dive.seen.b(met)) if met >= 0 else -1
        if found >= 0:
            return Decision(True, dive, _joined(dive, back, found))
        if back.exact or dive.exact:
            return Decision(False, dive)
    return Decision(None, dive)


def _joined(forth: Explorer, back: Retreat, found: int) -> list[Cells]:
    """Return the way through a position (by its number backwards) that was met from both ends."""
    met = forth.seen.find(back.seen.a(found), back.seen.b(found))
    before = _cells(forth.seen, forth.way(met), forth.leftovers)
    return before + _cells(back.seen, back.way(found), forth.leftovers)[1:]


def _approach(explorer: Explorer, back: Retreat, rests: list[tuple[int, int]]) -> list[Cells]:
    """Return a way to what is a little way back from some rests, mostly a short one; empty where none is found."""
    start = explorer.seen.a(0), explorer.seen.b(0)
    back.until(explorer.seen.fresh(), FIRST_DIVE)
    alike = sorted(rests, key=lambda rest: -(size(rest[0] & start[0]) + size(rest[1] & start[1])))
    approach = Approach(explorer.seen.fresh(), explorer.leftovers, explorer.clock, start, alike[:MOST_ALIKE])
    approach.goal = back.seen
    met = approach.until_goal(FIRST_APPROACH)
    if met < 0:
        return []
    return _joined(approach, back, back.seen.find(approach.seen.a(met), approach.seen.b(met)))


def shorter(explorer: Explorer, way: list[Cells]) -> list[Cells]:
    """Return a way to the same rest that is mostly shorter, the same way where none is found."""
    leftovers = explorer.leftovers
    if way[-1][3]:
        return way
    back = Retreat(explorer.seen.fresh(), explorer.clock, way[0][2])
    rest = leftovers.pair(way[-1])
    back.add(*rest)
    return min(_approach(explorer, back, [rest]) or way, way, key=len)

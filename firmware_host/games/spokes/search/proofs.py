"""What a phase can end in: proofs that a rest can be reached or can't, all ends, loops, and the resolver's best way.

A rest that can be reached is mostly met by a dive, within some thousand positions. Where none is met, the boards at
rest with as many stones are listed; if there is none the answer is no. Most of those there are can't be reached, which
what excludes each other shows (exclusions.py). From the others the search goes backwards,
in turns with the dive, until the two meet or one side is exhausted (bidirectional search: Pohl, "Bi-directional
Search", Machine Intelligence 6, 1971). A rest that can be reached from everywhere rules out loops; only a graph that is
known completely proves one.

Every search is bounded: beyond its budget of positions or seconds its result is marked as not exact, and no loop is
called without a proof.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations, pairwise
from math import comb

from firmware_host.games.game import Analysis
from firmware_host.games.spokes import rules
from firmware_host.games.spokes.board import ALL, NODES, members
from firmware_host.games.spokes.flat import Clock, Leftovers, Partners, size
from firmware_host.games.spokes.notation import cells_text
from firmware_host.games.spokes.rules import TEAMS, Cells, Position
from firmware_host.games.spokes.search.exclusions import BLACK, BLOCK, WHITE, Exclusions
from firmware_host.games.spokes.search.explore import Approach, Configurations, Explorer, Retreat
from firmware_host.games.spokes.search.forms import COMPILED, new_store
from firmware_host.games.spokes.search.loops import Loop, LoopSearch
from firmware_host.games.spokes.search.store import PositionStore

BUDGET = 200_000
"""Default number of positions explored for an exact answer."""
DECIDING = 8_000_000 if COMPILED else 500_000
"""Number of positions explored, from either end, to decide whether a rest can be reached: half a gigabyte."""
LONG = 20
"""Number of steps from which on a search for a shorter path is worthwhile."""
MOST = 20_000_000 if COMPILED else 1_500_000
"""Maximum number of positions in any search: they fit into a gigabyte."""
AT_ONCE = 1_000
"""Number of positions explored during play to decide whether a step has led into a loop: a few milliseconds. Journals
depend on this number: all machines and both forms of the search must call the same loops."""
FREE = 256
"""Number of positions that are remembered to be in no loop: more than the steps of a few positions lead to."""
KEPT = 256
"""Steps whose actions are remembered: a phase asks again for the rest of its way at each position."""

FIRST_DIVE = 20_000
"""Positions of the first dive: enough for nearly every position that can come to rest."""
LONG_DIVE = 100_000
"""The same where there are stones of both colours: each pull to come makes many more configurations to be listed."""
FURTHEST_BACK = 200_000
"""Positions that are met backwards; many more can reach a rest than can be reached, so that forwards is worth more."""
FIRST_APPROACH = 50_000
"""Positions met on the way towards rests that are known."""
MAX_ALIKE = 20
"""Rests that an approach looks at."""
MAX_ALONE = 200
"""Rests that are looked at one by one for whether anything leads there."""
MAX_CONFIGURATIONS = 20_000
"""Configurations at rest from which it is worth while to go backwards."""
MAX_LAYERS = 1_000
"""Choices of nodes for the blocks of pulls still to come for which configurations are listed."""
MAX_FRONTS = 500
"""Positions after all moves of excess that are looked at one by one."""


# -- can the phase come to rest? ---------------------------------------------------------------------------------------


@dataclass
class RestDecision:
    """``rest_reachable`` None: not decided. ``way`` are the cells from the start to a rest where one was met.

    ``dive`` is the exploration it began with: where its ``exact`` is set it has met every position.
    """

    rest_reachable: bool | None
    dive: Explorer
    way: list[Cells] = field(default_factory=list)


def decide(cells: Cells, leftovers: Leftovers, clock: Clock, most: int) -> RestDecision:
    """Decide within ``most`` positions and the time of the clock."""
    start = leftovers.pair(cells)
    dive = Explorer(new_store(), leftovers, clock, *start)
    white, black = cells[:2]
    rest = dive.until_rest(min(most, LONG_DIVE if white and black else FIRST_DIVE))
    if rest >= 0:
        return RestDecision(True, dive, _cells(dive.store, dive.way(rest), leftovers))
    if dive.exact:
        return RestDecision(False, dive)
    numbers = dive.fronts(MAX_FRONTS)
    fronts = _cells(dive.store, numbers or [], leftovers)
    if not fronts:
        return _dive_on(dive, most)
    ahead = _exclusions(fronts, clock)
    rests = _configurations(fronts, clock, ahead)
    if rests is None:
        return _dive_on(dive, most)
    rests = _meeting(fronts, rests, ahead)
    if not rests:
        return RestDecision(False, dive)
    return _meet(dive, fronts, rests, ahead, most)


def is_restless(boards: Sequence[Cells]) -> bool:
    """Return whether it is proved, within :data:`BUDGET` positions each, that no rest can be reached from the last
    of a phase's boards: what can't be reached from a board can't be reached from later ones either."""
    known = (_can_rest(board) for board in dict.fromkeys(reversed(boards)))
    # Where a board can come to rest those before it can, too.
    return next((can_rest is False for can_rest in known if can_rest is not None), False)


@lru_cache(maxsize=FREE)
def _can_rest(cells: Cells) -> bool | None:
    return decide(cells, Leftovers(), Clock(None), BUDGET).rest_reachable


def _dive_on(dive: Explorer, most: int) -> RestDecision:
    rest = dive.until_rest(most)
    if rest >= 0:
        return RestDecision(True, dive, _cells(dive.store, dive.way(rest), dive.leftovers))
    return RestDecision(False if dive.exact else None, dive)


def _cells(store: PositionStore, numbers: list[int], leftovers: Leftovers) -> list[Cells]:
    return [leftovers.cells(store.a(number), store.b(number)) for number in numbers]


def _exclusions(fronts: list[Cells], clock: Clock) -> Exclusions | None:
    """Return what no position holds that can be reached from the fronts; None where time is over first."""
    kept = ALL
    for cells in fronts:
        kept &= cells[2]
    colours = {colour for cells in fronts for colour in (WHITE, BLACK) if cells[colour - WHITE]}
    mixed = len(colours) > 1 or any(cells[2] != kept for cells in fronts)
    found = Exclusions(kept, clock, mixed=mixed)
    for cells in fronts:
        found.add(cells[0] | cells[2], cells[1] | cells[2])
    return found if found.run() else None


def _meeting(fronts: list[Cells], rests: list[tuple[int, int]], ahead: Exclusions | None) -> list[tuple[int, int]]:
    """Return the rests but for those that no front can reach, as far as what excludes each other shows."""
    if ahead is None:
        return rests
    pairs = [(cells[0] | cells[2], cells[1] | cells[2]) for cells in fronts]
    found = []
    for number, rest in enumerate(rests):
        behind = ahead.behind(*rest) if number < MAX_ALONE else None
        if behind is None or any(behind.allow(*pair) for pair in pairs):
            found.append(rest)
    return found


def _configurations(fronts: list[Cells], clock: Clock, ahead: Exclusions | None) -> list[tuple[int, int]] | None:
    """Return the pairs of all configurations at rest that stones and blocks of the fronts allow; None: too many.

    Those that ``ahead`` excludes are none.
    """
    never_white = ahead.never(WHITE) if ahead is not None else 0
    never_black = ahead.never(BLACK) if ahead is not None and ahead.mixed else never_white
    never_block = ahead.never(BLOCK) if ahead is not None and ahead.mixed else 0
    layers = {(cells[2], cells[0].bit_count(), cells[1].bit_count()) for cells in fronts}
    if sum(_count_below(*layer, never_block) for layer in layers) > MAX_LAYERS:
        return None
    found: set[tuple[int, int]] = set()
    for blocks, white, black in dict.fromkeys(
        below for layer in sorted(layers) for below in _below(*layer, never_block)
    ):
        search = Configurations(blocks, white, black, MAX_CONFIGURATIONS, clock, never_white, never_black)
        search.run()
        pairs = ((w | blocks, b | blocks) for w, b in search.found)
        found.update(pair for pair in pairs if ahead is None or ahead.allow(*pair))
        if not search.complete or len(found) > MAX_CONFIGURATIONS:
            return None
    return sorted(found)


def _below(blocks: int, white: int, black: int, never: int) -> Iterator[tuple[int, int, int]]:
    """Yield (blocks, white stones, black stones) of a layer and of all layers that its pulls can lead to.

    No pull makes a block on the nodes that ``never`` carry one.
    """
    free = [1 << node for node in members(ALL & ~blocks & ~never)]
    for pulls in range(min(white, black) + 1):
        for nodes in combinations(free, pulls):
            yield blocks | sum(nodes), white - pulls, black - pulls


def _count_below(blocks: int, white: int, black: int, never: int) -> int:
    free = (ALL & ~blocks & ~never).bit_count()
    return sum(comb(free, pulls) for pulls in range(min(white, black) + 1))


def _meet(
    dive: Explorer, fronts: list[Cells], rests: list[tuple[int, int]], ahead: Exclusions | None, most: int
) -> RestDecision:
    """Go backwards from the configurations at rest and forwards from the start in turns, further each time."""
    kept = ALL
    for cells in fronts:
        kept &= cells[2]
    back = Retreat(new_store(), dive.clock, kept, ahead)
    for a, b in rests:
        back.add(a, b)
    way = _approach(dive, back, rests)
    if way:
        return RestDecision(True, dive, way)
    dive.goal = back.store
    reach = FIRST_DIVE
    while not dive.clock.over and reach <= most:
        reach *= 2  # All rounds before have cost no more together than this one.
        found = back.until(dive.store, min(reach, FURTHEST_BACK))
        if found < 0 and not back.exact:
            met = dive.until_rest(reach)
            found = back.store.find(dive.store.a(met), dive.store.b(met)) if met >= 0 else -1
        if found >= 0:
            return RestDecision(True, dive, _join_ways(dive, back, found))
        if back.exact or dive.exact:
            return RestDecision(False, dive)
    return RestDecision(None, dive)


def _join_ways(forth: Explorer, back: Retreat, found: int) -> list[Cells]:
    """Return the way through a position (by its number backwards) that was met from both ends."""
    met = forth.store.find(back.store.a(found), back.store.b(found))
    before = _cells(forth.store, forth.way(met), forth.leftovers)
    return before + _cells(back.store, back.way(found), forth.leftovers)[1:]


def _approach(explorer: Explorer, back: Retreat, rests: list[tuple[int, int]]) -> list[Cells]:
    """Return a way to what is a little way back from some rests, mostly a short one; empty where none is found."""
    start = explorer.store.a(0), explorer.store.b(0)
    back.until(explorer.store.fresh(), FIRST_DIVE)
    # Stones that a rest shares with the start need not move: such rests are mostly the nearest.
    alike = sorted(rests, key=lambda rest: -(size(rest[0] & start[0]) + size(rest[1] & start[1])))
    approach = Approach(explorer.store.fresh(), explorer.leftovers, explorer.clock, start, alike[:MAX_ALIKE])
    approach.goal = back.store
    met = approach.until_goal(FIRST_APPROACH)
    if met < 0:
        return []
    return _join_ways(approach, back, back.store.find(approach.store.a(met), approach.store.b(met)))


def shorten(explorer: Explorer, way: list[Cells]) -> list[Cells]:
    """Return a way to the same rest that is mostly shorter, the same way where none is found."""
    leftovers = explorer.leftovers
    if way[-1][3]:
        return way
    back = Retreat(explorer.store.fresh(), explorer.clock, way[0][2])
    rest = leftovers.pair(way[-1])
    back.add(*rest)
    return min(_approach(explorer, back, [rest]) or way, way, key=len)


# -- loops and all ends ------------------------------------------------------------------------------------------------


class LoopFinder:
    """Decides for successive positions whether they are in an unbreakable loop, and which nodes it clears.

    A position is not in a loop if a rest can be reached from it; a depth-first search mostly finds one at once. If it
    finds none, the whole graph is known; it is cached, because play goes on inside it.
    """

    def __init__(self, budget: int = AT_ONCE, kept: int = 4) -> None:
        """``budget`` is the maximum number of positions explored for one question, ``kept`` that of cached graphs."""
        self._budget = budget
        self._kept = kept
        self._graphs: OrderedDict[Cells, dict[Cells, int]] = OrderedDict()
        self._without: OrderedDict[Cells, None] = OrderedDict()

    def nodes(self, cells: Cells) -> int:
        """Return the nodes that the loop clears; 0 if the position is in none, or none can be proved."""
        if cells in self._without:
            return 0
        for known in self._graphs.values():
            if cells in known:
                return known[cells]
        leftovers = Leftovers()
        graph = Explorer(new_store(), leftovers, Clock(None), *leftovers.pair(cells))
        if graph.until_rest(self._budget) >= 0 or not graph.exact:
            self._without[cells] = None  # Also where the budget was too small: the next question would cost as much.
            if len(self._without) > FREE:
                self._without.popitem(last=False)
            return 0
        found = LoopSearch(graph)
        found.run()
        pairs = ((graph.store.a(number), graph.store.b(number)) for number in range(graph.store.count))
        known = dict.fromkeys((leftovers.cells(*pair) for pair in pairs), 0)
        for loop in found.loops:
            for number in loop.numbers():
                known[leftovers.cells(graph.store.a(number), graph.store.b(number))] = loop.nodes
        self._graphs[cells] = known
        if len(self._graphs) > self._kept:
            self._graphs.popitem(last=False)
        return known[cells]


class Survey:
    """The knowledge about the graph from some cells on; exact if all of it was explored in time.

    ``way_to_rest`` is one path, not the shortest; ``graph`` is explored breadth first, so its paths are shortest.
    """

    def __init__(
        self, cells: Cells, budget: int, deciding: int, out_of_time: Callable[[], bool] | None, *, ways: bool = False
    ) -> None:
        """Explore at most ``budget`` positions, and ``deciding`` to decide whether a rest can be reached.

        ``ways``: search for a short path to a rest first.
        """
        clock = Clock(out_of_time)
        self.leftovers = Leftovers()
        decision = decide(cells, self.leftovers, clock, deciding)
        self.rest_reachable = decision.rest_reachable
        self.way_to_rest = decision.way
        del decision  # Its positions may take a lot of memory.
        self.graph = Explorer(new_store(), self.leftovers, clock, *self.leftovers.pair(cells))
        if ways and len(self.way_to_rest) > LONG:
            self.way_to_rest = shorten(self.graph, self.way_to_rest)
        self.exact = self.graph.all(min(budget, MOST))
        self.loops: list[Loop] = []
        if self.exact:
            search = LoopSearch(self.graph)
            self.exact = search.run()
            self.loops = search.loops
        if self.rest_reachable is None:
            self.rest_reachable = True if self.graph.rests else False if self.graph.exact else None

    def cells(self, number: int) -> Cells:
        """Return the cells of a position of the graph."""
        return self.leftovers.cells(self.graph.store.a(number), self.graph.store.b(number))


@dataclass(frozen=True)
class Outcomes:
    """The ends of a phase. ``rest_reachable`` is None if undecided; ``loops`` are the cells after the removal."""

    exact: bool
    rest_reachable: bool | None
    positions: int
    rests: tuple[Cells, ...]
    loops: tuple[Cells, ...]


def outcomes(
    cells: Cells, budget: int = BUDGET, deciding: int = DECIDING, out_of_time: Callable[[], bool] | None = None
) -> Outcomes:
    """Return all rests and loops that can be reached, exactly, or as far as the budget allows."""
    survey = Survey(cells, budget, deciding, out_of_time)
    rests = tuple(survey.cells(number) for number in survey.graph.rests)
    ended = (
        {rules.clear_nodes(survey.cells(loop.first), loop.nodes) for loop in survey.loops} if survey.exact else set()
    )
    return Outcomes(survey.exact, survey.rest_reachable, survey.graph.store.count, rests, tuple(ended))


# -- the resolver's best way -------------------------------------------------------------------------------------------

Worth = tuple[int, int, int]
"""The value of a phase's end for the resolver, greater is better: 1 if it wins the game, -1 if it loses it, 0 if the
game goes on; own minus the best opponent's stones on home nodes; the same in the sectors."""

PARTNERS = 2_000
"""Number of positions examined for stones that take part in a loop."""


@dataclass(frozen=True)
class End:
    """One end of the phase: ``cells`` after a loop's removal; ``way`` has the cells from the start on."""

    worth: Worth
    kind: str
    cells: Cells
    way: list[Cells]


def worth(position: Position, cells: Cells, *, loop: bool = False) -> Worth:
    """Return the value for the resolver if the phase ends with these cells."""
    ended = replace(position, cells=cells)
    reason = rules.ending(ended, loop=loop)
    own = next(team for team in TEAMS[position.mode] if position.resolver in team)
    won = 0
    if reason is not None:
        won = 1 if position.resolver in rules.status(replace(ended, phase="over"), reason).winners else -1
    return won, _ahead(cells, rules.HOMES[position.mode], own), _ahead(cells, rules.SECTORS[position.mode], own)


def _ahead(cells: Cells, places: dict[tuple[int, ...], int], own: tuple[int, ...]) -> int:
    """Return own minus the best opponent's stones on each team's nodes."""
    stones = {team: rules.stones_on(cells, nodes) for team, nodes in places.items()}
    return stones.pop(own) - max(stones.values())


def foresee(position: Position, most: int, out_of_time: Callable[[], bool]) -> Analysis:
    """Search the ends of the phase until all are known, ``most`` positions are explored, or time is over."""
    deciding = min(most, DECIDING)
    survey = Survey(position.cells, most, deciding, out_of_time, ways=True)
    end = _best(position, survey)
    in_loop, nodes = _loop(survey)
    return Analysis(
        rest_reachable=survey.rest_reachable,
        in_loop=in_loop,
        loop_nodes=tuple(NODES[node] for node in members(nodes & (position.cells[0] | position.cells[1]))),
        way=steps(end.way) if end else (),
        end=end.kind if end else None,
        cells=cells_text(end.cells) if end else None,
        worth=end.worth if end else (),
        exact=survey.exact,
    )


def _loop(survey: Survey) -> tuple[bool | None, int]:
    """Return whether the position is in a loop (None: unknown), and the nodes that it clears (or those seen)."""
    if survey.rest_reachable:
        return False, 0
    if survey.exact:
        mine = next((loop for loop in survey.loops if loop.first == 0), None)
        return mine is not None, mine.nodes if mine else 0
    partners, store = Partners(survey.leftovers), survey.graph.store
    for number in range(min(PARTNERS, store.count)):
        partners.look(store.a(number), store.b(number))
    return None, partners.nodes


def _best(position: Position, survey: Survey) -> End | None:
    """Return the best known end with its shortest known path."""
    graph = survey.graph
    ends: list[tuple[Worth, int, str, Cells]] = [
        (worth(position, cells), -number, "rest", cells)
        for number, cells in ((number, survey.cells(number)) for number in graph.rests)
    ]
    for loop in survey.loops:
        cells = rules.clear_nodes(survey.cells(loop.first), loop.nodes)
        ends.append((worth(position, cells, loop=True), -loop.first, "loop", cells))
    best = max(ends, default=None, key=lambda end: end[:2])
    if best is not None and (survey.exact or not survey.way_to_rest):
        return End(best[0], best[2], best[3], [survey.cells(number) for number in graph.way(-best[1])])
    if not survey.way_to_rest:
        return None
    rest = survey.way_to_rest[-1]
    value = worth(position, rest)
    if best is not None and best[0] >= value:
        return End(best[0], best[2], best[3], [survey.cells(number) for number in graph.way(-best[1])])
    return End(value, "rest", rest, survey.way_to_rest)


def steps(way: list[Cells]) -> tuple[str, ...]:
    """Return the actions that lead along a sequence of cells."""
    return tuple(_step(before, later) for before, later in pairwise(way))


@lru_cache(maxsize=KEPT)
def _step(before: Cells, later: Cells) -> str:
    return min(act.text for act in rules.legal_steps(before) if rules.after(before, act) == later)

"""The best path for the resolver: the best end of the phase for that seat, and the steps that lead there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from firmware_host.games.game import Analysis
from firmware_host.games.spokes import endings, resolution, rules
from firmware_host.games.spokes.board import NODES, members
from firmware_host.games.spokes.position import TEAMS, Cells, Position, cells_text

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
    reason = endings.ending(ended, loop=loop)
    own = next(team for team in TEAMS[position.mode] if position.resolver in team)
    won = 0
    if reason is not None:
        won = 1 if position.resolver in endings.status(replace(ended, phase="over"), reason).winners else -1
    return won, _ahead(cells, endings.HOMES[position.mode], own), _ahead(cells, endings.SECTORS[position.mode], own)


def _ahead(cells: Cells, places: dict[tuple[int, ...], int], own: tuple[int, ...]) -> int:
    """Return own minus the best opponent's stones on each team's nodes."""
    white, black, blocks, stacks = cells
    stones = {
        team: (white & nodes).bit_count()
        + (black & nodes).bit_count()
        + 2 * (blocks & nodes).bit_count()
        + sum(w + b for node, w, b in stacks if nodes >> node & 1)
        for team, nodes in places.items()
    }
    return stones.pop(own) - max(stones.values())


def foresee(position: Position, most: int, out_of_time: Callable[[], bool]) -> Analysis:
    """Search the ends of the phase until all are known, ``most`` positions are explored, or time is over."""
    deciding = min(most, resolution.DECIDING)
    survey = resolution.Survey(position.cells, most, deciding, out_of_time, ways=True)
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


def _loop(survey: resolution.Survey) -> tuple[bool | None, int]:
    """Return whether the position is in a loop (None: unknown), and the nodes that it clears (or those seen)."""
    if survey.rest_reachable:
        return False, 0
    if survey.exact:
        mine = next((loop for loop in survey.loops if loop.first == 0), None)
        return mine is not None, mine.nodes if mine else 0
    nodes = 0
    for number in range(min(PARTNERS, survey.graph.seen.count)):
        nodes |= resolution.loop_nodes(survey.cells(number))
    return None, nodes


def _best(position: Position, survey: resolution.Survey) -> End | None:
    """Return the best known end with its shortest known path."""
    graph = survey.graph
    ends: list[tuple[Worth, int, str, Cells]] = [
        (worth(position, cells), -number, "rest", cells)
        for number, cells in ((number, survey.cells(number)) for number in graph.rests)
    ]
    for loop in survey.loops:
        cells = resolution.cleared(survey.cells(loop.first), loop.nodes)
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
    found = []
    for before, later in pairwise(way):
        found.append(min(act.text for act in rules.acts(before) if rules.after(before, act) == later))
    return tuple(found)

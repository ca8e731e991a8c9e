"""The best way for the resolver: which end of the phase is best for him, and the steps that lead there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from firmware_host.games.game import Analysis
from firmware_host.games.spokes import endings, resolution, rules
from firmware_host.games.spokes.board import NODES, members
from firmware_host.games.spokes.position import TEAMS, Cells, Position, cells_text

Worth = tuple[int, int, int]
"""What an end of the phase is worth to the resolver, the more the better: 1 the game is won by it, -1 lost, 0 it goes
on; own minus best opponent's stones on home nodes; the same in the sectors."""

PARTNERS = 2_000
"""Positions in which stones are seen to take part in the circling."""


@dataclass(frozen=True)
class End:
    """One end of the phase: ``cells`` after the removal of a loop, ``way`` the cells from the start on."""

    worth: Worth
    kind: str
    cells: Cells
    way: list[Cells]


def worth(position: Position, cells: Cells, *, loop: bool = False) -> Worth:
    """Return what it is worth to the resolver when the phase ends with these cells."""
    ended = replace(position, cells=cells)
    reason = endings.ending(ended, loop=loop)
    own = next(team for team in TEAMS[position.mode] if position.resolver in team)
    won = 0
    if reason is not None:
        won = 1 if position.resolver in endings.status(replace(ended, phase="over"), reason).winners else -1
    return won, _ahead(cells, endings.HOMES[position.mode], own), _ahead(cells, endings.SECTORS[position.mode], own)


def _ahead(cells: Cells, places: dict[tuple[int, ...], int], own: tuple[int, ...]) -> int:
    """Return own minus the best opponent's stones on some places."""
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
    """Search how the phase can end, until it is all known, ``most`` positions are met, or time is over."""
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
    """Tell whether the position lies in a loop, and which nodes it clears, or which circle as far as was seen."""
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
    """Return the best end that is known, on its shortest known way."""
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
    """Return the actions that lead from each of some cells to the next."""
    found = []
    for before, later in pairwise(way):
        found.append(min(act.text for act in rules.acts(before) if rules.after(before, act) == later))
    return tuple(found)

"""The ends of a game of Spokes, and the winner: spokes.md, "End of the game"."""

from __future__ import annotations

from firmware_host.games.game import ScoreLine, Status
from firmware_host.games.spokes.board import NEAR, NODES, PLACEABLE, members, span
from firmware_host.games.spokes.position import SEATS, TEAMS, Cells, Position, counts, occupied, supply
from firmware_host.text.words import say

WORDS = {
    "filled": say("All home nodes of one player carry stones."),
    "blocked": say("All ways to one player's home nodes are blocked."),
    "loop": say("An unbreakable loop ended the game; its stones are removed and count for nobody."),
    "full": say("There is no empty node left to place on, or there are no stones left."),
    "resigned": say("The game ended by resignation."),
}
"""Reason → a sentence about the end of the game."""


def _homes(mode: str) -> dict[tuple[int, ...], int]:
    """Return the home nodes of each score line: 4 for each player in mode 4, else 8 for each player or team."""
    teams = TEAMS[mode]
    size = 16 // len(teams)
    return {team: span(str(n * size + 1), str((n + 1) * size)) for n, team in enumerate(teams)}


def _sectors(mode: str) -> dict[tuple[int, ...], int]:
    """Return the tie-break sector of each score line on circles B, C and D; A1 belongs to none."""
    teams = TEAMS[mode]
    sectors = {}
    for n, team in enumerate(teams):
        nodes = 0
        for letter, count in (("B", 4), ("C", 8), ("D", 16)):
            size = count // len(teams)
            nodes |= span(f"{letter}{n * size + 1}", f"{letter}{(n + 1) * size}")
        sectors[team] = nodes
    return sectors


def _gates(homes: int) -> int:
    """Return the nodes next to these homes, without the homes (R8: along lines, so D1–D8 and also homes 9 and 16)."""
    near = 0
    for node in members(homes):
        near |= NEAR[node]
    return near & ~homes


HOMES = {mode: _homes(mode) for mode in TEAMS}
SECTORS = {mode: _sectors(mode) for mode in TEAMS}
GATES = {mode: {team: _gates(nodes) for team, nodes in homes.items()} for mode, homes in HOMES.items()}


def homes_of(mode: str, seat: int) -> tuple[str, ...]:
    """Return the home nodes of a seat; in ``2v2`` those of its team."""
    nodes = next(nodes for team, nodes in HOMES[mode].items() if seat in team)
    return tuple(NODES[node] for node in members(nodes))


def colours_left(cells: Cells, players: int) -> str:
    """Return the colours that may be chosen. R1: a colour needs a stone for each placing player."""
    white, black = supply(cells)
    return ("w" if white >= players else "") + ("b" if black >= players else "")


def empty_nodes(cells: Cells) -> int:
    """Return the nodes on which a stone may be placed."""
    return PLACEABLE & ~occupied(cells)


def ending(position: Position, *, loop: bool) -> str | None:
    """Return why the game ends after a phase at rest (or ended by a loop); None if it goes on."""
    cells, mode = position.cells, position.mode
    if loop:
        return "loop"
    taken = occupied(cells)
    if any(not nodes & ~taken for nodes in HOMES[mode].values()):
        return "filled"
    blocked = cells[2] | sum(1 << node for node, white, black in cells[3] if white and black)
    if any(not nodes & ~blocked for nodes in GATES[mode].values()):
        return "blocked"
    # R9: no empty node is left to place on, or the supply allows no colour.
    if not empty_nodes(cells) or not colours_left(cells, len(position.active)):
        return "full"
    return None


def teams_left(position: Position) -> list[tuple[int, ...]]:
    """Return the players or teams with a seat that has not resigned."""
    return [team for team in TEAMS[position.mode] if set(team) & set(position.active)]


def status(position: Position, reason: str | None = None) -> Status:
    """Return the status of a position.

    A tie goes to more stones in the sector, then to the highest number. R10: a resigned player can't win; if only one
    player or team has not resigned, it wins regardless of the count.
    """
    if position.phase != "over":
        return Status(over=False)
    lines = explain(position)
    left = teams_left(position)
    standing = [line for line in lines if line.seats in left]
    best = max(standing, key=lambda line: (line.score, line.tiebreak, line.seats))
    if len(left) == 1:
        reason = "resigned"
    return Status(
        over=True,
        reason=reason,
        winners=best.seats,
        scores=tuple(line.score for line in lines),
        tiebreak=tuple(line.tiebreak for line in lines),
    )


def explain(position: Position) -> list[ScoreLine]:
    """Return the stones of each player or team by node: on homes (a block counts two) and in the sector."""
    found = {node: sum(pair) for node, pair in counts(position.cells).items()}
    lines = []
    for team in TEAMS[position.mode]:
        counted = {NODES[n]: found[n] for n in members(HOMES[position.mode][team]) if n in found}
        sector = {NODES[n]: found[n] for n in members(SECTORS[position.mode][team]) if n in found}
        lines.append(ScoreLine(team, sum(counted.values()), sum(sector.values()), counted, sector))
    return lines


def next_resolver(position: Position) -> int:
    """Return the next seat to resolve: in order of seats, without resigned ones."""
    seats = SEATS[position.mode]
    at = seats.index(position.resolver)
    order = [*seats[at + 1 :], *seats[: at + 1]]
    return next(seat for seat in order if seat in position.active)

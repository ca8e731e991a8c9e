"""The rules of Spokes: positions, placements, steps, loops, and the end of the game. This module is the reference.

Source: spokes.md; each ruling of docs/rulings.md is named beside the code that enforces it. Everything is an immutable
value, written to be read. The same rules stand a second time, for searches, in :mod:`firmware_host.games.spokes.flat`;
tests/games/test_spokes_forms.py compares the two. Moves of excess (:func:`shifts`) are so rare that searches use these.

A turn has two phases. In ``place`` all players add a stone each, at the same time. In ``resolve`` one player makes
steps until none is possible: excess of stacks moves first, then stones push those of their colour and pull those of the
other. The boards that steps lead to make a graph. A phase ends at a rest, a board without steps, or in an unbreakable
loop, a set of boards that no step leaves (:func:`ends`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from firmware_host.games.game import ScoreLine, Status
from firmware_host.games.spokes.board import (
    ACROSS,
    ALL,
    NEAR,
    NEIGHBOURS,
    NODES,
    PLACEABLE,
    STRAIGHT,
    members,
    span,
)
from firmware_host.text.words import say

Stacks = tuple[tuple[int, int, int], ...]
"""(node, white stones, black stones) of every stack that is neither a single stone nor one block, by node."""

Cells = tuple[int, int, int, Stacks]
"""The pieces on the board: single white stones, single black stones, blocks (sets of nodes), and other stacks."""

STONES = 44
"""Number of stones of each colour."""

MODES = ("2", "4", "2v2")
SEATS = {"2": (1, 2), "4": (1, 2, 3, 4), "2v2": (1, 2, 3, 4)}
TEAMS = {"2": ((1,), (2,)), "4": ((1,), (2,), (3,), (4,)), "2v2": ((1, 2), (3, 4))}


class Boards(Sequence[Cells]):
    """Boards in their order, which share all but the last with those before: each step of a phase keeps its own.

    As tuples the steps of a phase of 20,000 would take a gigabyte and a half.
    """

    __slots__ = ("_before", "_last", "_length")

    def __init__(self, before: Sequence[Cells], last: Cells) -> None:
        """Add one board."""
        self._before, self._last, self._length = before, last, len(before) + 1

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Cells]:
        found: list[Cells] = []
        some: Sequence[Cells] = self
        while isinstance(some, Boards):
            found.append(some._last)
            some = some._before
        return iter((*some, *reversed(found)))

    def __getitem__(self, at: Any) -> Any:
        return tuple(self)[at]

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[type[tuple[Cells, ...]], tuple[tuple[Cells, ...]]]:
        return tuple, (tuple(self),)


@dataclass(frozen=True)
class Position:
    """One position. ``phase`` is ``place``, ``resolve`` or ``over``; ``turn`` counts from 1.

    ``met`` are the boards before this one in the same resolution, the first one first: R11 looks at them, and so does a
    player that keeps to its way. A position's text does not tell them, and positions are equal whatever they are.
    """

    cells: Cells
    mode: str
    turn: int
    resolver: int
    phase: str
    resigned: tuple[int, ...] = ()
    met: Sequence[Cells] = field(default=(), compare=False)

    @property
    def active(self) -> tuple[int, ...]:
        """Return the seats that have not resigned (R10: only they place and resolve)."""
        return tuple(seat for seat in SEATS[self.mode] if seat not in self.resigned)


def start(mode: str) -> Position:
    """Return the empty board."""
    return Position((0, 0, 0, ()), mode, 1, 1, "place")


# -- pieces on the board -----------------------------------------------------------------------------------------------


def occupied_nodes(cells: Cells) -> int:
    """Return the set of occupied nodes."""
    white, black, blocks, stacks = cells
    return white | black | blocks | sum(1 << node for node, _, _ in stacks)


def counts(cells: Cells) -> dict[int, tuple[int, int]]:
    """Return node → (white, black) for every occupied node, in label order."""
    white, black, blocks, stacks = cells
    found = {node: (w, b) for node, w, b in stacks}
    for nodes, pair in ((white, (1, 0)), (black, (0, 1)), (blocks, (1, 1))):
        found.update(dict.fromkeys(members(nodes), pair))
    return dict(sorted(found.items()))


def from_counts(found: dict[int, tuple[int, int]]) -> Cells:
    """Return the cells of node → (white, black)."""
    white = black = blocks = 0
    stacks = []
    for node, (w, b) in sorted(found.items()):
        if (w, b) == (1, 0):
            white |= 1 << node
        elif (w, b) == (0, 1):
            black |= 1 << node
        elif (w, b) == (1, 1):
            blocks |= 1 << node
        elif w or b:
            stacks.append((node, w, b))
    return white, black, blocks, tuple(stacks)


def stones_on(cells: Cells, nodes: int) -> int:
    """Return the number of stones on some nodes; a block counts as two."""
    white, black, blocks, stacks = cells
    single = ((white | black) & nodes).bit_count()
    return single + 2 * (blocks & nodes).bit_count() + sum(w + b for node, w, b in stacks if nodes >> node & 1)


def supply(cells: Cells) -> tuple[int, int]:
    """Return the numbers of white and black stones that are not on the board."""
    white, black, blocks, stacks = cells
    return (
        STONES - white.bit_count() - blocks.bit_count() - sum(w for _, w, _ in stacks),
        STONES - black.bit_count() - blocks.bit_count() - sum(b for _, _, b in stacks),
    )


def remove(cells: Cells, node: int, pieces: tuple[str, ...]) -> Cells:
    """Return the cells without some pieces of a node."""
    return _change(cells, node, pieces, -1)


def add(cells: Cells, node: int, pieces: tuple[str, ...]) -> Cells:
    """Return the cells with some pieces more on a node."""
    return _change(cells, node, pieces, 1)


def _change(cells: Cells, node: int, pieces: tuple[str, ...], sign: int) -> Cells:
    white, black, blocks, stacks = cells
    bit = 1 << node
    w, b = next(((w, b) for at, w, b in stacks if at == node), (0, 0))
    w += bool(white & bit) + bool(blocks & bit) + sign * pieces.count("w")
    b += bool(black & bit) + bool(blocks & bit) + sign * pieces.count("b")
    mine = from_counts({node: (w, b)})
    others = tuple(stack for stack in stacks if stack[0] != node)
    return (
        white & ~bit | mine[0],
        black & ~bit | mine[1],
        blocks & ~bit | mine[2],
        tuple(sorted((*others, *mine[3]))) if mine[3] else others,
    )


# -- placements --------------------------------------------------------------------------------------------------------


def colours_left(cells: Cells, players: int) -> str:
    """Return the colours that may be chosen. R1: a colour needs a stone for each placing player."""
    white, black = supply(cells)
    return ("w" if white >= players else "") + ("b" if black >= players else "")


def empty_nodes(cells: Cells) -> int:
    """Return the nodes on which a stone may be placed."""
    return PLACEABLE & ~occupied_nodes(cells)


def placements(position: Position) -> list[tuple[str, int]]:
    """Return (colour, node) of everything that a player may place, white first, by node."""
    nodes = members(empty_nodes(position.cells))
    return [(colour, node) for colour in colours_left(position.cells, len(position.active)) for node in nodes]


# -- stacks come first -------------------------------------------------------------------------------------------------


def excess(white: int, black: int) -> tuple[str, ...]:
    """Return the part of a stack that moves next: one stone, a block, or nothing.

    Stones of both colours form blocks; stones left over beside a block are excess, so are all but one of several single
    stones, and all but one of several blocks.
    """
    blocks, rest = min(white, black), abs(white - black)
    if rest and blocks + rest > 1:
        return ("w",) if white > black else ("b",)
    return ("b", "w") if blocks > 1 else ()


def shifts(cells: Cells) -> list[tuple[int, int, tuple[str, ...]]]:
    """Return (node, target, pieces) of every legal move of excess; empty if all excess is inert.

    R2: a move that can never lead to a node where the excess settles is not legal; such excess stays, inert.
    """
    found = []
    for node, white, black in cells[3]:
        pieces = excess(white, black)
        if not pieces:
            continue
        rest = remove(cells, node, pieces)
        targets = _block_targets(rest, node) if len(pieces) == 2 else _stone_targets(rest, node, pieces[0])
        found += [(node, target, pieces) for target in targets]
    return found


def _stone_targets(rest: Cells, node: int, colour: str) -> list[int]:
    """Return the targets of one excess stone on a node; ``rest`` is the board without it."""
    direct = settling_nodes(rest, node, colour)
    if direct:
        return members(direct)
    own = rest[0] if colour == "w" else rest[1]
    return [target for target in members(NEAR[node] & own) if _can_settle(rest, target, colour)]


def _block_targets(rest: Cells, node: int) -> list[int]:
    """Return the targets of an excess block: empty nodes; without any, single stones, which then move."""
    empty = NEAR[node] & ~occupied_nodes(rest) & ALL
    if empty:
        return members(empty)
    targets = []
    for target in members(NEAR[node] & (rest[0] | rest[1])):
        colour = "w" if rest[0] >> target & 1 else "b"
        freed = add(remove(rest, target, (colour,)), target, ("b", "w"))
        if _can_settle(freed, target, colour):
            targets.append(target)
    return targets


def settling_nodes(rest: Cells, node: int, colour: str) -> int:
    """Return the neighbours where an excess stone settles: empty ones, or a single stone of the other colour."""
    other = rest[1] if colour == "w" else rest[0]
    return NEAR[node] & (~occupied_nodes(rest) & ALL | other)


def _can_settle(rest: Cells, node: int, colour: str) -> bool:
    """Return whether an excess stone can reach, over single stones of its colour, a node where it settles."""
    own = rest[0] if colour == "w" else rest[1]
    seen, front = 1 << node, [node]
    while front:
        at = front.pop()
        if settling_nodes(rest, at, colour):
            return True
        for near in NEIGHBOURS[at]:
            bit = 1 << near
            if own & bit and not seen & bit:
                seen |= bit
                front.append(near)
    return False


# -- steps -------------------------------------------------------------------------------------------------------------

PUSH, PULL, SHIFT = "push", "pull", "shift"


class SpokesStep(NamedTuple):
    """One step: a push (actor pushes subject to target), a pull (actor's node is the target), a shift (no actor)."""

    kind: str
    actor: int
    subject: int
    target: int
    pieces: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return the step's text: ``C6-D11-11``, ``C6+D11`` or ``D4/D5``."""
        subject, target = NODES[self.subject], NODES[self.target]
        if self.kind == SHIFT:
            return f"{subject}/{target}"
        if self.kind == PULL:
            return f"{target}+{subject}"
        return f"{NODES[self.actor]}-{subject}-{target}"


def legal_steps(cells: Cells) -> list[SpokesStep]:
    """Return every legal step. Excess that can settle moves before anything else."""
    if cells[3]:
        excess_first = [SpokesStep(SHIFT, node, node, target, pieces) for node, target, pieces in shifts(cells)]
        if excess_first:
            return excess_first
    return [*pushes(cells), *pulls(cells)]


def pushes(cells: Cells) -> list[SpokesStep]:
    """Return every push: a single stone pushes one of its colour beside it straight on, or across."""
    taken, found = occupied_nodes(cells), []
    for colour, mine in (("w", cells[0]), ("b", cells[1])):
        for pusher in members(mine):
            for pushed in NEIGHBOURS[pusher]:
                if mine >> pushed & 1:
                    goals = _goals(pusher, pushed, mine, taken)
                    found += [SpokesStep(PUSH, pusher, pushed, target, (colour,)) for target in goals]
    return found


def _goals(pusher: int, pushed: int, mine: int, taken: int) -> list[int]:
    """Return where a pushed stone may go; ``mine`` are the single stones of its colour."""
    onward = STRAIGHT.get((pusher, pushed))
    if onward is None:
        return []  # R4: there is no node straight on.
    if not taken >> onward & 1:
        return [onward]
    if mine >> onward & 1:
        return [node for node in ACROSS[pusher, pushed] if not taken >> node & 1]
    return []  # R3: the other colour stands there. R4: so does a block or a stack.


def pulls(cells: Cells) -> list[SpokesStep]:
    """Return every pull: single neighbours of different colours pull each other; a block is made."""
    white, black = cells[:2]
    found = []
    for one in members(white):
        for other in members(NEAR[one] & black):
            found += [SpokesStep(PULL, one, other, one, ("b",)), SpokesStep(PULL, other, one, other, ("w",))]
    return found


def after(cells: Cells, act: SpokesStep) -> Cells:
    """Return the cells after a step."""
    return add(remove(cells, act.subject, act.pieces), act.target, act.pieces)


def at_rest(cells: Cells) -> bool:
    """Return whether no step is possible (R5: a pair is at rest if neither stone can move)."""
    return not (pulls(cells) or pushes(cells) or (cells[3] and shifts(cells)))


# -- the ends of a phase -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PhaseEnds:
    """All ends of a phase. ``ways`` maps every board that steps can lead to, nearest first, to a shortest way there.

    ``loops`` maps the boards that are in unbreakable loops to the nodes that their loop clears.
    """

    ways: dict[Cells, tuple[str, ...]]
    rests: tuple[Cells, ...]
    loops: dict[Cells, int]


def ends(cells: Cells, most: int) -> PhaseEnds | None:
    """Return all ends of the phase from a board on; None if more than ``most`` boards can be reached."""
    ways: dict[Cells, tuple[str, ...]] = {cells: ()}
    later: dict[Cells, list[Cells]] = {}
    for board in (queue := [cells]):
        later[board] = []
        for act in legal_steps(board):
            following = after(board, act)
            later[board].append(following)
            if following not in ways:
                ways[following] = (*ways[board], act.text)
                queue.append(following)
        if len(ways) > most:
            return None
    return PhaseEnds(ways, tuple(board for board in ways if not later[board]), _loops(later))


def _loops(later: dict[Cells, list[Cells]]) -> dict[Cells, int]:
    """Return the boards in loops. R6: whatever can be reached from such a board can reach it again."""
    leaving = _reaching([board for board, following in later.items() if not following], later)
    found: dict[Cells, int] = {}
    for board in later:
        if board not in leaving and board not in found:
            ahead = _closure([board], later)
            if len(ahead) > 1 and ahead <= _reaching([board], later):
                found.update(dict.fromkeys(ahead, loop_nodes(ahead)))
    return found


def _closure(boards: list[Cells], later: dict[Cells, list[Cells]]) -> set[Cells]:
    """Return the boards themselves and all that ``later`` leads to from them."""
    found = set(boards)
    for board in (queue := list(boards)):
        fresh = [one for one in dict.fromkeys(later.get(board, ())) if one not in found]
        found.update(fresh)
        queue += fresh
    return found


def _reaching(boards: list[Cells], later: dict[Cells, list[Cells]]) -> set[Cells]:
    """Return the boards themselves and all from which one of them can be reached."""
    before: dict[Cells, list[Cells]] = {}
    for board, following in later.items():
        for one in following:
            before.setdefault(one, []).append(board)
    return _closure(boards, before)


def loop_nodes(boards: set[Cells]) -> int:
    """Return the nodes that a loop of these boards clears.

    R7: every node on which, anywhere in the loop, a pushing or a pushed stone stands.
    """
    nodes = 0
    for cells in boards:
        for act in pushes(cells):
            nodes |= 1 << act.actor | 1 << act.subject
    return nodes


OFTEN = 3
"""R11: how often a board comes up in one resolution before it circles."""
LONG = 100
"""R11: the number of steps of one resolution after which it circles, whatever its boards are."""


def circling_boards(position: Position) -> tuple[Cells, ...]:
    """Return the boards that circling is made of; none while the resolution does not circle yet.

    R11: it circles when a board comes up for the third time, or after a hundred steps: of the boards since this one
    first came up, or of all. If no rest can be reached then, which the caller must prove, the phase ends.
    """
    boards = (*position.met, position.cells)
    if boards.count(position.cells) >= OFTEN:
        return boards[boards.index(position.cells) :]
    return boards if len(position.met) >= LONG else ()


def mobile_nodes(cells: Cells) -> int:
    """Return the nodes that endless circling clears: those of the stones that could still move.

    R12: a stone could still act if it can push, be pushed or pull where each stone is thought to lie both on the nodes
    that it came from and on all that it came to. Steps only ever make this set smaller; on a circle it stays the same:
    so it is not the resolver's choice which of the circles counts.
    """
    lying, empty, nodes = [cells[0], cells[1]], ALL & ~occupied_nodes(cells), 0
    before: tuple[int, ...] = ()
    while before != (before := (*lying, empty, nodes)):
        for colour in (0, 1):
            for pusher in members(lying[colour]):
                for pushed in members(NEAR[pusher] & lying[colour]):
                    targets = _mobile_targets(pusher, pushed, lying[colour], empty)
                    if targets:
                        lying[colour] |= targets
                        empty |= 1 << pushed
                        nodes |= 1 << pusher | 1 << pushed
        for one in members(lying[0]):
            other = NEAR[one] & lying[1]
            nodes, empty = (nodes | other | 1 << one, empty | other | 1 << one) if other else (nodes, empty)
    return nodes


def _mobile_targets(pusher: int, pushed: int, mine: int, empty: int) -> int:
    """Return where a push leads to: straight on and across, each as far as it may be empty."""
    onward = STRAIGHT.get((pusher, pushed))
    if onward is None:
        return 0
    across = ACROSS[pusher, pushed] if mine >> onward & 1 else ()
    return sum(1 << node for node in (onward, *across)) & empty


def clear_nodes(cells: Cells, nodes: int) -> Cells:
    """Return the cells without the single stones on some nodes: what a loop leaves (R7)."""
    white, black, blocks, stacks = cells
    return white & ~nodes, black & ~nodes, blocks, stacks


# -- homes, sectors and gates ------------------------------------------------------------------------------------------


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
"""For each mode: player or team → nodes."""


def homes_of(mode: str, seat: int) -> tuple[str, ...]:
    """Return the home nodes of a seat; in ``2v2`` those of its team."""
    nodes = next(nodes for team, nodes in HOMES[mode].items() if seat in team)
    return tuple(NODES[node] for node in members(nodes))


# -- the end of the game -----------------------------------------------------------------------------------------------

WORDS = {
    "filled": say("All home nodes of one player carry stones."),
    "blocked": say("All ways to one player's home nodes are blocked."),
    "loop": say("An unbreakable loop ended the game; its stones are removed and count for nobody."),
    "full": say("No further stone can be placed."),
    "resigned": say("The game ended by resignation."),
}
"""Reason → a sentence about the end of the game."""


def ending(position: Position, *, loop: bool) -> str | None:
    """Return why the game ends after a phase at rest (or ended by a loop); None if it goes on."""
    cells, mode = position.cells, position.mode
    if loop:
        return "loop"
    taken = occupied_nodes(cells)
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
    """Return the next seat to resolve: in order of seats, without resigned ones (R10)."""
    seats = SEATS[position.mode]
    at = seats.index(position.resolver)
    order = [*seats[at + 1 :], *seats[: at + 1]]
    return next(seat for seat in order if seat in position.active)


def phase_over(position: Position, nodes: int) -> tuple[Position, Status]:
    """Return what follows a phase that came to rest, or ended in a loop that clears some nodes (else 0).

    That is the next turn, or the end of the game.
    """
    position = replace(position, cells=clear_nodes(position.cells, nodes), met=())
    reason = ending(position, loop=bool(nodes))
    if reason is not None:
        over = replace(position, phase="over")
        return over, status(over, reason)
    following = replace(position, turn=position.turn + 1, resolver=next_resolver(position), phase="place")
    return following, Status(over=False)

"""The steps of the resolution phase: excess first, then the pushes and pulls of :mod:`kernel`.

Source: spokes.md, "Stacks first" and "Interactions"; each ruling is named beside the code that enforces it. Works on
:data:`firmware_host.games.spokes.position.Cells` alone, so that search and play share the same code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from firmware_host.games.spokes import kernel
from firmware_host.games.spokes.board import ALL, NEAR, NEIGHBOURS, NODES, members
from firmware_host.games.spokes.position import Cells, from_counts, occupied
from firmware_host.text.words import fill, say

PUSH, PULL, SHIFT = "push", "pull", "shift"
_COLOURS = (("w",), ("b",))
_EXCESS = {
    ("w",): say("one white stone of {source} moves to {target}"),
    ("b",): say("one black stone of {source} moves to {target}"),
    ("b", "w"): say("a block of {source} moves to {target}"),
}


@dataclass(frozen=True)
class Act:
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

    @property
    def words(self) -> str:
        """Return the step in words."""
        subject, target = NODES[self.subject], NODES[self.target]
        if self.kind == SHIFT:
            return fill(_EXCESS[self.pieces], source=subject, target=target)
        if self.kind == PULL:
            return pull_words(target, subject)
        return push_words(NODES[self.actor], subject, target)


@lru_cache(maxsize=256)
def pull_words(puller: str, pulled: str) -> str:
    """Return a pull in words; cached, because many positions offer the same."""
    return say("{puller} pulls {pulled}", puller=puller, pulled=pulled)


@lru_cache(maxsize=256)
def push_words(pusher: str, pushed: str, target: str) -> str:
    """Return a push in words; cached as pulls are."""
    return say("{pusher} pushes {pushed} to {target}", pusher=pusher, pushed=pushed, target=target)


# -- stacks ------------------------------------------------------------------------------------------------------------


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
    direct = settling(rest, node, colour)
    if direct:
        return members(direct)
    own = rest[0] if colour == "w" else rest[1]
    return [target for target in members(NEAR[node] & own) if _can_settle(rest, target, colour)]


def _block_targets(rest: Cells, node: int) -> list[int]:
    """Return the targets of an excess block: empty nodes; without any, single stones, which then move."""
    empty = NEAR[node] & ~occupied(rest) & ALL
    if empty:
        return members(empty)
    targets = []
    for target in members(NEAR[node] & (rest[0] | rest[1])):
        colour = "w" if rest[0] >> target & 1 else "b"
        freed = add(remove(rest, target, (colour,)), target, ("b", "w"))
        if _can_settle(freed, target, colour):
            targets.append(target)
    return targets


def settling(rest: Cells, node: int, colour: str) -> int:
    """Return the neighbours where an excess stone settles: empty ones, or a single stone of the other colour."""
    other = rest[1] if colour == "w" else rest[0]
    return NEAR[node] & (~occupied(rest) & ALL | other)


def _can_settle(rest: Cells, node: int, colour: str) -> bool:
    """Return whether an excess stone can reach, over single stones of its colour, a node where it settles."""
    own = rest[0] if colour == "w" else rest[1]
    seen, front = 1 << node, [node]
    while front:
        at = front.pop()
        if settling(rest, at, colour):
            return True
        for near in NEIGHBOURS[at]:
            bit = 1 << near
            if own & bit and not seen & bit:
                seen |= bit
                front.append(near)
    return False


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


# -- steps -------------------------------------------------------------------------------------------------------------


def excess_acts(cells: Cells) -> list[Act]:
    """Return every legal move of excess."""
    return [Act(SHIFT, node, node, target, pieces) for node, target, pieces in shifts(cells)] if cells[3] else []


def acts(cells: Cells) -> list[Act]:
    """Return every legal step. Excess that can settle moves before anything else."""
    excess_first = excess_acts(cells)
    if excess_first:
        return excess_first
    white, black = cells[:2]
    moves = kernel.moves(white, black, occupied(cells))
    found = [Act(PUSH, pusher, pushed, target, _COLOURS[colour]) for pusher, pushed, target, colour in moves.pushes]
    for puller, pulled in moves.pulls:
        found.append(Act(PULL, puller, pulled, puller, ("w",) if white >> pulled & 1 else ("b",)))
    return found


def after(cells: Cells, act: Act) -> Cells:
    """Return the cells after a step."""
    return add(remove(cells, act.subject, act.pieces), act.target, act.pieces)


def successors(cells: Cells) -> list[Cells]:
    """Return the cells after every step, in the order of :func:`acts`."""
    return [after(cells, act) for act in acts(cells)]


def at_rest(cells: Cells) -> bool:
    """Return whether no step is possible (R5: a pair is at rest if neither stone can move)."""
    if excess_acts(cells):
        return False
    moves = kernel.moves(cells[0], cells[1], occupied(cells))
    return not moves.pushes and not moves.pulls

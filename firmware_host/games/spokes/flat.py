"""The rules of Spokes on flat numbers, for whatever looks at many positions: proofs, the player, random games, counts.

The rules' other and only other form; :mod:`firmware_host.games.spokes.rules` is the reference, and
tests/games/test_spokes_forms.py compares both. A position is a pair of numbers: ``a`` white stones and blocks, ``b``
black stones and blocks, both as sets of nodes with one bit each (:mod:`firmware_host.games.spokes.board`); above bit 45
of ``a`` stands the number of its leftover stacks (:class:`Leftovers`), which are 0 nearly everywhere.

    Moves, Origins   pushes and pulls, forwards and backwards; a subclass says what to do with each
    Steps            the position after each step, moves of excess included
    Partners         the nodes that a loop clears (R7)
    Mobile           the nodes that endless circling clears (R12)
    Results          the end of the game: whether it is over at a rest, and the winner

mypyc compiles this text (docs/architecture.md, "The compiled core"), which is why it is written with ``i64``, flat
lists and classes whose methods are called for each step found. Sets of nodes walk by their lowest bit, whose number a
table of remainders tells: the powers of two all differ modulo 67 (the chess programmers' "BitScan by modulo").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mypy_extensions import i64

from firmware_host.games.spokes import board, rules
from firmware_host.games.spokes.rules import Cells, Stacks
from firmware_host.searching.vectors import numbers, vec

WHITE: Final = 0
BLACK: Final = 1
NODES: Final = 45
"""Bits of a pair that stand for nodes."""
ALL: Final = (1 << 45) - 1
PLACEABLE: Final = (1 << 29) - 1

_STONES: Final = 44
_BETWEEN_LOOKS: Final = 255
_55: Final = 0x1555555555555555
_33: Final = 0x3333333333333333
_0F: Final = 0x0F0F0F0F0F0F0F0F

MAX_STACKS = 1 << 16
"""Different arrangements of leftover stacks that one search can tell apart; more are met in made-up positions only."""

_NODE_OF_BIT: Final[vec[i64]] = numbers(next((n for n in range(45) if (1 << n) % 67 == rest), 0) for rest in range(67))
"""A set of one node, modulo 67 (in which all powers of two differ) → the node."""
NEAR: Final[vec[i64]] = numbers(board.NEAR)
"""Node → its neighbours."""
_NOWHERE: Final = 60
"""Stands for a node across that does not exist; taken in every position."""
_WALL: Final = 1 << 60


def _pushes() -> tuple[list[int], list[int]]:
    """Return (pusher, pushed) → row, and the rows: straight on, two nodes across."""
    at = [-1] * (45 * 64)
    rows: list[int] = []
    for pusher, pushes in enumerate(board.PUSHES):
        for pushed, onward, _, across in pushes:
            at[pusher * 64 + pushed] = len(rows)
            rows += [onward, *across, *[_NOWHERE] * (2 - len(across))]
    return at, rows


def _origins() -> tuple[list[int], list[int]]:
    """Return node → first row, and the rows of every push that ends there: pusher, pushed from, own stone needed.

    A push straight on needs no further stone; there the pusher stands twice.
    """
    ends: list[list[int]] = [[] for _ in range(45)]
    for pusher, pushes in enumerate(board.PUSHES):
        for pushed, onward, _, across in pushes:
            ends[onward] += [pusher, pushed, pusher]
            for node in across:
                ends[node] += [pusher, pushed, onward]
    first = [0]
    rows: list[int] = []
    for found in ends:
        rows += found
        first.append(len(rows))
    return first, rows


_PUSH_AT: Final[vec[i64]] = numbers(_pushes()[0])
_PUSH: Final[vec[i64]] = numbers(_pushes()[1])
_ORIGIN_AT: Final[vec[i64]] = numbers(_origins()[0])
_ORIGIN: Final[vec[i64]] = numbers(_origins()[1])


def size(nodes: i64) -> i64:
    """Return the number of nodes of a set."""
    nodes -= nodes >> 1 & _55
    nodes = (nodes & _33) + (nodes >> 2 & _33)
    nodes = nodes + (nodes >> 4) & _0F
    nodes += nodes >> 8
    nodes += nodes >> 16
    return (nodes + (nodes >> 32)) & 127


# -- pushes and pulls --------------------------------------------------------------------------------------------------


class Moves:
    """Finds every push and pull; a subclass says what to do with each."""

    def push(self, pusher: i64, pushed: i64, target: i64, colour: i64) -> None:
        """Take a push: the stone of ``pushed`` goes to ``target``."""
        raise NotImplementedError

    def pull(self, puller: i64, pulled: i64) -> None:
        """Take a pull: the stone of ``pulled`` is stacked on ``puller``."""
        raise NotImplementedError

    def scan(self, white: i64, black: i64, taken: i64) -> None:
        """Find all, given the single stones of each colour and all nodes that carry anything."""
        self.scan_pushes(white, taken, WHITE)
        self.scan_pushes(black, taken, BLACK)
        ones = white
        while ones:
            low = ones & -ones
            ones ^= low
            one = _NODE_OF_BIT[low % 67]
            others = NEAR[one] & black
            while others:
                low = others & -others
                others ^= low
                other = _NODE_OF_BIT[low % 67]
                self.pull(one, other)
                self.pull(other, one)

    def scan_pushes(self, mine: i64, taken: i64, colour: i64) -> None:
        """Find the pushes among the single stones ``mine`` of one colour.

        A pushed stone goes straight on where that is empty; where a single stone of its own colour stands there, it
        goes across to an empty node. R3: a stone of the other colour straight on forbids the push. R4: so does a
        block, a stack, or no node at all (such pushes have no row).
        """
        taken |= _WALL
        pushers = mine
        while pushers:
            low = pushers & -pushers
            pushers ^= low
            pusher = _NODE_OF_BIT[low % 67]
            near = NEAR[pusher] & mine
            while near:
                low = near & -near
                near ^= low
                pushed = _NODE_OF_BIT[low % 67]
                row = _PUSH_AT[pusher * 64 + pushed]
                if row < 0:
                    continue
                onward = _PUSH[row]
                if not taken >> onward & 1:
                    self.push(pusher, pushed, onward, colour)
                elif mine >> onward & 1:
                    across = _PUSH[row + 1]
                    if not taken >> across & 1:
                        self.push(pusher, pushed, across, colour)
                    across = _PUSH[row + 2]
                    if not taken >> across & 1:
                        self.push(pusher, pushed, across, colour)


class Origins:
    """Finds every push and pull that may have led to a position: :class:`Moves` backwards."""

    def unpush(self, pushed: i64, target: i64, colour: i64) -> None:
        """Take a push backwards: the stone that is on ``target`` came from ``pushed``."""
        raise NotImplementedError

    def unpull(self, puller: i64, pulled: i64, colour: i64) -> None:
        """Take a pull backwards: of the block on ``puller``, the stone of this colour came from ``pulled``."""
        raise NotImplementedError

    def scan_back(self, white: i64, black: i64, taken: i64, divisible: i64) -> None:
        """Find all; ``divisible`` are the blocks that may have been made by a pull."""
        self.scan_back_pushes(white, taken, WHITE)
        self.scan_back_pushes(black, taken, BLACK)
        while divisible:
            low = divisible & -divisible
            divisible ^= low
            puller = _NODE_OF_BIT[low % 67]
            sources = NEAR[puller] & ~taken
            while sources:
                low = sources & -sources
                sources ^= low
                pulled = _NODE_OF_BIT[low % 67]
                self.unpull(puller, pulled, WHITE)
                self.unpull(puller, pulled, BLACK)

    def scan_back_pushes(self, mine: i64, taken: i64, colour: i64) -> None:
        """Find the pushes backwards of one colour."""
        targets = mine
        while targets:
            low = targets & -targets
            targets ^= low
            target = _NODE_OF_BIT[low % 67]
            row = _ORIGIN_AT[target]
            end = _ORIGIN_AT[target + 1]
            while row < end:
                pushed = _ORIGIN[row + 1]
                if mine >> _ORIGIN[row] & 1 and not taken >> pushed & 1 and mine >> _ORIGIN[row + 2] & 1:
                    self.unpush(pushed, target, colour)
                row += 3


# -- steps -------------------------------------------------------------------------------------------------------------


class Leftovers:
    """Numbers the arrangements of stacks that are neither single stones nor one block. No stacks at all is number 0."""

    def __init__(self) -> None:
        """Begin with the empty arrangement."""
        self._numbers: dict[Stacks, int] = {(): 0}
        self._stacks: list[Stacks] = [()]
        self._nodes = [0]
        self.full = False
        """Something was left out, as there are too many arrangements: the search is not exact."""

    def pair(self, cells: Cells) -> tuple[int, int]:
        """Return cells as a pair."""
        white, black, blocks, stacks = cells
        number = self._numbers.get(stacks)
        if number is None:
            number = len(self._stacks)
            if number >= MAX_STACKS:
                self.full = True
                return -1, -1
            self._numbers[stacks] = number
            self._stacks.append(stacks)
            self._nodes.append(sum(1 << node for node, _, _ in stacks))
        return white | blocks | number << NODES, black | blocks

    def cells(self, a: int, b: int) -> Cells:
        """Return the cells of a pair."""
        stacks = self._stacks[a >> NODES]
        blocks = a & b & ALL
        return a & ~blocks & ALL, b & ~blocks, blocks, stacks

    def nodes(self, number: int) -> int:
        """Return the nodes that carry the stacks of an arrangement."""
        return self._nodes[number]

    def after_shifts(self, a: int, b: int) -> list[tuple[int, int]]:
        """Return the pairs after every move of excess; empty when all of it is inert."""
        cells = self.cells(a, b)
        found: list[tuple[int, int]] = []
        for node, target, pieces in rules.shifts(cells):
            pair = self.pair(rules.add(rules.remove(cells, node, pieces), target, pieces))
            if pair[0] >= 0:
                found.append(pair)
        return found

    def occupied_nodes(self, a: i64, b: i64) -> i64:
        """Return all nodes that carry anything."""
        taken = (a | b) & ALL
        return taken | self._nodes[a >> NODES] if a >> NODES else taken


class Steps(Moves):
    """Makes the position after each step; a subclass takes it in :meth:`visit`."""

    def __init__(self, leftovers: Leftovers) -> None:
        """Begin nowhere."""
        self.leftovers = leftovers
        self._a: i64 = 0
        self._b: i64 = 0
        self._one: i64 = 1

    def visit(self, a: i64, b: i64) -> None:
        """Take the position after a step."""
        raise NotImplementedError

    def steps(self, a: i64, b: i64) -> bool:
        """Meet every position one step later. Return True when the steps were moves of excess."""
        stacks = a >> NODES
        taken = (a | b) & ALL
        if stacks:
            shifted = self.leftovers.after_shifts(a, b)
            if shifted:
                for later_a, later_b in shifted:
                    self.visit(later_a, later_b)
                return True
            taken |= self.leftovers.nodes(stacks)
        self._a, self._b = a, b
        blocks = a & b
        self.scan(a & ALL & ~blocks, b & ~blocks, taken)
        return False

    def push(self, pusher: i64, pushed: i64, target: i64, colour: i64) -> None:  # noqa: ARG002 - a Moves method
        """Meet the position after a push."""
        change = self._one << pushed | self._one << target
        if colour == WHITE:
            self.visit(self._a ^ change, self._b)
        else:
            self.visit(self._a, self._b ^ change)

    def pull(self, puller: i64, pulled: i64) -> None:
        """Meet the position after a pull."""
        block, gone = self._one << puller, ~(self._one << pulled)
        self.visit((self._a | block) & gone, (self._b | block) & gone)


class Listing(Steps):
    """Lists the positions after each step."""

    def __init__(self, leftovers: Leftovers) -> None:
        """Begin with nothing."""
        super().__init__(leftovers)
        self._found: list[tuple[int, int]] = []

    def visit(self, a: i64, b: i64) -> None:
        """Keep a position."""
        self._found.append((a, b))

    def after(self, a: i64, b: i64) -> list[tuple[int, int]]:
        """Return the positions after each step, in the order of the reference; empty at a rest."""
        self._found = []
        self.steps(a, b)
        return self._found


def settling_nodes(a: i64, b: i64, node: i64, black: bool) -> i64:
    """Return where one of two like stones on a node goes, on a board without leftover stacks; 0: the reference knows.

    It goes to an empty node beside it, or onto a single stone of the other colour.
    """
    other = (a if black else b) & ~(a & b)
    return NEAR[node] & (~(a | b) | other)


class Partners(Moves):
    """Collects the nodes that a loop clears: R7, those of pushing and pushed stones in any of its positions."""

    def __init__(self, leftovers: Leftovers) -> None:
        """Begin with nothing."""
        self.nodes: i64 = 0
        self._leftovers = leftovers
        self._one: i64 = 1

    def look(self, a: i64, b: i64) -> None:
        """Take a position of the loop."""
        blocks = a & b
        taken = self._leftovers.occupied_nodes(a, b)
        self.scan_pushes(a & ALL & ~blocks, taken, WHITE)
        self.scan_pushes(b & ~blocks, taken, BLACK)

    def push(self, pusher: i64, pushed: i64, target: i64, colour: i64) -> None:  # noqa: ARG002 - a Moves method
        """Keep the two nodes."""
        self.nodes |= self._one << pusher | self._one << pushed

    def pull(self, puller: i64, pulled: i64) -> None:
        """Pass over pulls: they make blocks, which never circle."""


class Mobile:
    """Finds the stones that could still move: what endless circling clears (R12; :func:`rules.mobile_nodes`)."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._one: i64 = 1
        self._white: i64 = 0
        self._black: i64 = 0
        self._empty: i64 = 0
        self._nodes: i64 = 0

    def nodes(self, white: i64, black: i64, taken: i64) -> i64:
        """Return their nodes, given the single stones of each colour and all nodes that carry anything."""
        self._white, self._black, self._empty, self._nodes = white, black, ALL & ~taken, 0
        grown = True
        while grown:
            white, black, empty, nodes = self._white, self._black, self._empty, self._nodes
            self._white = self._spread(white)
            self._black = self._spread(black)
            self._pull()
            grown = white != self._white or black != self._black or empty != self._empty or nodes != self._nodes
        return self._nodes

    def _spread(self, mine: i64) -> i64:
        """Return where stones of one colour lie after all their pushes."""
        pushers = mine
        while pushers:
            low = pushers & -pushers
            pushers ^= low
            pusher = _NODE_OF_BIT[low % 67]
            near = NEAR[pusher] & mine
            while near:
                low = near & -near
                near ^= low
                pushed = _NODE_OF_BIT[low % 67]
                row = _PUSH_AT[pusher * 64 + pushed]
                if row < 0:
                    continue
                targets = self._one << _PUSH[row]
                if mine & targets:
                    targets |= self._one << _PUSH[row + 1] | self._one << _PUSH[row + 2]
                targets &= self._empty
                if targets:
                    mine |= targets
                    self._empty |= self._one << pushed
                    self._nodes |= self._one << pusher | self._one << pushed
        return mine

    def _pull(self) -> None:
        ones = self._white
        while ones:
            low = ones & -ones
            ones ^= low
            others = NEAR[_NODE_OF_BIT[low % 67]] & self._black
            if others:
                self._nodes |= others | low
                self._empty |= others | low


# -- the end of the game -----------------------------------------------------------------------------------------------


class EndRules:
    """The end of the game in one mode, for positions without leftover stacks; :meth:`turn_to` says whose turn it is."""

    def __init__(self, mode: str) -> None:
        """Teams are numbered in the order of :data:`rules.TEAMS`."""
        self._homes: list[i64] = [i64(nodes) for nodes in rules.HOMES[mode].values()]
        self._sectors: list[i64] = [i64(nodes) for nodes in rules.SECTORS[mode].values()]
        self._gates: list[i64] = [i64(nodes) for nodes in rules.GATES[mode].values()]
        self.teams: i64 = len(self._homes)
        self._players: i64 = 2
        self._standing: i64 = 0

    def turn_to(self, players: i64, standing: i64) -> None:
        """Say how many place, and which teams have not resigned (a bit each)."""
        self._players = players
        self._standing = standing

    def over(self, a: i64, b: i64) -> bool:
        """Tell whether the game is over when the phase comes to rest here: filled, blocked (R8) or full (R9, R1)."""
        taken, blocks = (a | b) & ALL, a & b
        if taken & PLACEABLE == PLACEABLE:
            return True
        index: i64 = 0
        while index < self.teams:
            if not self._homes[index] & ~taken or not self._gates[index] & ~blocks:
                return True
            index += 1
        return size(a & ALL) > _STONES - self._players and size(b) > _STONES - self._players

    def winner(self, a: i64, b: i64) -> i64:
        """Return the team that has most stones on home nodes, then in its sector, then the highest number.

        R10: it has not resigned.
        """
        best: i64 = -1
        winner: i64 = -1
        index: i64 = 0
        while index < self.teams:
            if self._standing >> index & 1:
                score = self.stones(a, b, self._homes[index]) << 8 | self.stones(a, b, self._sectors[index])
                if score >= best:
                    best, winner = score, index
            index += 1
        return winner

    def winner_after_loop(self, a: i64, b: i64, nodes: i64) -> i64:
        """Return the winner when a loop clears the single stones on some nodes (R7)."""
        gone = nodes & ~(a & b)
        return self.winner(a & ~gone, b & ~gone)

    def stones(self, a: i64, b: i64, nodes: i64) -> i64:
        """Return the number of stones on some nodes."""
        return size(a & nodes) + size(b & nodes)


# -- time --------------------------------------------------------------------------------------------------------------


class Clock:
    """Tells a search when to stop; looks at ``out_of_time`` once in a while only."""

    def __init__(self, out_of_time: Callable[[], bool] | None) -> None:
        """None: never stop."""
        self._out_of_time = out_of_time
        self._ticks: i64 = 0
        self.over = False

    def tick(self) -> bool:
        """Tell whether time is over."""
        self._ticks += 1
        if self._ticks & _BETWEEN_LOOKS == 0 and self._out_of_time is not None and self._out_of_time():
            self.over = True
        return self.over

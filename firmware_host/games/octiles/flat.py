"""The rules of Octiles in flat form, for searches: turns are made and taken back by the hundred thousand.

Everything that asks many positions uses it: the computer player, the engine's random games and counts; mypyc compiles
it. ``tests/games/test_octiles_forms.py`` compares it with :mod:`firmware_host.games.octiles.rules`, exactly.

A turn is one number: ``(well * 8 + eighths) << 12 | source << 6 | target``. Turnings that give the same lines are
listed once in the *short* list (the least of them), and all in the full one.

What the reference finds by following every turning is found here by *offsets*. A tile that is turned in all eight ways
leads a line that enters by direction ``d`` out by ``d + o`` for a few offsets ``o`` only, whatever ``d`` is; and where
the line then leads is the same for all turnings. So each way out of a well is followed once, and a turning matters only
where the line comes back to the same well.

For R3 each position since the last irreversible change is remembered as a hash of 60 bits: the exclusive or of a random
number for each fact (Zobrist, 1970). Hashes are compared; that two different ones agree by chance is not to be expected
in the age of the universe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Final

from mypy_extensions import i64

from firmware_host.games.game import OverBudget
from firmware_host.games.octiles import notation, rules
from firmware_host.games.octiles.board import BEYOND, MEETS, PADS, PARTNER
from firmware_host.games.octiles.rules import EIGHTHS, GOAL, HOME, OPEN, SEATED, Position
from firmware_host.searching.random_numbers import RandomNumbers
from firmware_host.searching.vectors import numbers, vec, zeros

_NODES: Final = 36
_WELLS: Final = 17
_EDGES: Final = 136
"""Also the first number that stands for a node; ``_DEAD`` comes after the last."""
_DEAD: Final = 172
_TILES: Final = 19
"""Tiles, and none."""
_SEATS: Final = 4
_RUNNERS: Final = 5
_MAX_MADE: Final = 4096
"""Turns that can be made after one another."""
LONGEST: Final = 2000
"""Number of turns after which a random game counts as a draw; nearly all games are far shorter."""
LISTED: Final = 2720
"""Turns in a list at most: runners, their lines, wells and turnings."""
DEEPEST: Final = 8
"""Lists that can be kept at once."""
WIN: Final = 1 << 40
NO_TURN: Final = -(1 << 50)
PASS: Final = -1
"""The pass among the turns."""
SHOWN: Final = 0
"""Kinds of lists: turnings that look the same once; all; and only the best turn of each step, which is not listed."""
ALL: Final = 1
BEST: Final = 2
_REPEATS: Final = 3
GOAL_REACHED: Final = 1
DRAW: Final = 2
"""How a game has ended."""


def period(tile: int) -> int:
    """Return by how many eighths a tile must be turned to have the same lines again: 1, 2, 4 or 8."""
    return next(turn for turn in (1, 2, 4, 8) if PARTNER[tile * 8 + turn % 8] == PARTNER[tile * 8])


def _offsets() -> tuple[list[int], list[int], list[int], list[int]]:
    """Return tile → where its offsets begin; the offsets; offset → where its drawn edges begin; these edges.

    Of edges that equal turnings make of one another only one is in the list.
    """
    begins: list[int] = [0, 0]
    offsets: list[int] = []
    edges_begin: list[int] = []
    edges: list[int] = []
    for tile in range(1, 19):
        partner, same = PARTNER[tile * 8], period(tile)
        for offset in range(1, 8):
            drawn = [edge for edge in range(same) if (partner[edge] - edge) % 8 == offset]
            if drawn:
                offsets.append(offset)
                edges_begin.append(len(edges))
                edges += drawn
        begins.append(len(offsets))
    return begins, offsets, [*edges_begin, len(edges)], edges


class _Tables(RandomNumbers):
    """The tables of board and tiles."""

    def __init__(self) -> None:
        """Build them."""
        super().__init__()
        self._one: i64 = 1
        """Compiled, a literal 1 that is shifted has no more than 32 bits."""
        self._beyond: vec[i64] = numbers(list(BEYOND))
        self._partner: vec[i64] = numbers([edge for partner in PARTNER for edge in partner])
        begins, offsets, edges_begin, edges = _offsets()
        self._offset_begin: vec[i64] = numbers(begins)
        self._offset: vec[i64] = numbers(offsets)
        self._drawn_begin: vec[i64] = numbers(edges_begin)
        self._drawn: vec[i64] = numbers(edges)
        self._same: vec[i64] = numbers([8, *(period(tile) for tile in range(1, 19))])
        self._meets: vec[i64] = numbers([edge for edges in MEETS for edge in edges])
        self._meets_begin: vec[i64] = numbers(
            [sum([len(edges) for edges in MEETS[:node]]) for node in range(_NODES + 1)]
        )
        stops: int = sum([2**node for node in range(_NODES) if not PADS[node]])
        self._stops: i64 = stops
        draw = Random(3).getrandbits
        self._hash_face: vec[i64] = numbers([draw(60) for _ in range(_WELLS * _TILES * 8)])
        self._hash_node: vec[i64] = numbers([draw(60) for _ in range(_SEATS * _NODES)])
        self._hash_stack: vec[i64] = numbers([draw(60) for _ in range(_TILES * _TILES)])
        self._hash_seat: vec[i64] = numbers([draw(60) for _ in range(_SEATS)])


class FlatOctiles(_Tables):
    """One game that goes on. Seats count from 0 here; a seat's runners keep their place in its list."""

    def __init__(self) -> None:
        """Build the tables; :meth:`begin` sets the game up."""
        super().__init__()
        self._onward: vec[i64] = zeros(_EDGES)
        self.faces: vec[i64] = zeros(_WELLS)
        self.stack: vec[i64] = zeros(_MAX_MADE + 18)
        self.top: i64 = 0
        self.bottom: i64 = 0
        self.nodes: vec[i64] = zeros(_SEATS * _RUNNERS)
        """Seat * 5 + a runner of it → the node where it stands."""
        self.runners: i64 = 0
        """How many runners a seat has."""
        self._sides: i64 = 0
        """How many seats there are."""
        self.taken: i64 = 0
        self.seat: i64 = 0
        self.following: vec[i64] = zeros(_SEATS)
        self.arrived: vec[i64] = zeros(_SEATS)
        self.goal: vec[i64] = zeros(_SEATS)
        self.home: vec[i64] = zeros(_SEATS)
        self.open_to: vec[i64] = zeros(_SEATS)
        self.sums: vec[i64] = zeros(_SEATS)
        """Seat → the sum of what its runners' nodes are worth."""
        self._worth: vec[i64] = zeros(_SEATS * _NODES)
        self._made: vec[i64] = zeros(_MAX_MADE * 3)
        self.made: i64 = 0
        """How many turns have been made since the set-up."""
        self._after: vec[i64] = zeros(_EDGES)
        self.move_list: vec[i64] = zeros(LISTED * DEEPEST)
        """The turns that :meth:`turns` has listed."""
        self.lists: i64 = 0
        """How many lists of turns were made or looked through."""
        self.best_turn: i64 = 0
        self._most: i64 = 0
        self.ending: i64 = 0
        """How the game has ended, 0 while it goes on."""
        self.winner: i64 = -1
        """The seat that has won."""
        self._active: i64 = 0
        """The seats that have not resigned, as a set of bits."""
        self.passed: i64 = 0
        """The seats that have passed in a row."""
        self._past: vec[i64] = zeros(_MAX_MADE)
        self._remembered: i64 = 0
        """How many hashes ``_past`` has."""

    # -- setting up ------------------------------------------------------------------------------------------------

    def begin(self, position: Position) -> None:
        """Take a position that is not over. What nodes are worth stays 0 unless :meth:`worth_of` tells it."""
        active = rules.active(position)
        self._remembered = 0
        for faces, runners, stack, seat in position.past:
            self._set_up(faces, runners, stack)
            self.seat = seat - 1
            self._remember()
        self._set_up(position.faces, position.runners, position.stack)
        self.seat = position.seat - 1
        self.ending, self.winner, self._active, self.passed = 0, -1, 0, 0
        one = self._one
        for number, side in enumerate(SEATED[position.mode], 1):
            seat_at: i64 = number - 1
            self.following[seat_at] = next((later for later in active if later > number), active[0]) - 1
            self.home[seat_at], self.goal[seat_at] = bits(HOME[side]), bits(GOAL[side])
            self.open_to[seat_at] = bits([node for node, is_open in enumerate(OPEN[side]) if is_open])
            self.arrived[seat_at] = len(position.in_goal(number))
            self.worth_of(number - 1, [0] * _NODES)
            if number in active:
                self._active |= one << seat_at
            if number in position.passed:
                self.passed |= one << seat_at

    def _set_up(self, faces: tuple[int, ...], runners: tuple[tuple[int, ...], ...], stack: tuple[int, ...]) -> None:
        self.made, self.top, self.taken, self.runners = 0, 0, 0, len(runners[0])
        self._sides = len(runners)
        for number, tile in enumerate(stack):
            at: i64 = number
            self.stack[at] = tile
        self.bottom = len(stack)
        for number, face in enumerate(faces):
            well: i64 = number
            self._lay(well, face)
        one = self._one
        for number, nodes in enumerate(runners):
            for place, name in enumerate(nodes):
                node: i64 = name
                self.taken |= one << node
                at = number * _RUNNERS + place
                self.nodes[at] = node

    def worth_of(self, number: int, worth: list[int]) -> None:
        """Tell what each node is worth to a runner of a seat."""
        seat: i64 = number
        for name, value in enumerate(worth):
            node: i64 = name
            self._worth[seat * _NODES + node] = value
        self.sums[seat] = 0
        at: i64 = seat * _RUNNERS
        while at < seat * _RUNNERS + self.runners:
            self.sums[seat] += self._worth[seat * _NODES + self.nodes[at]]
            at += 1

    def restack(self, tiles: list[int]) -> None:
        """Put other tiles on the stack from the second one on; what lies below them stays."""
        at: i64 = self.top + 1
        for tile in tiles:
            self.stack[at] = tile
            at += 1

    def state(self) -> tuple[list[int], list[list[int]], list[int], int]:
        """Return faces, the sorted nodes of each seat's runners, the stack and the seat to move, from 0."""
        stack = [int(self.stack[at]) for at in range(self.top, self.bottom)]
        nodes = [int(node) for node in self.nodes]
        runners = [sorted(nodes[seat * _RUNNERS : seat * _RUNNERS + int(self.runners)]) for seat in range(self._sides)]
        return [int(face) for face in self.faces], runners, stack, int(self.seat)

    # -- making turns ----------------------------------------------------------------------------------------------

    def _lay(self, well: i64, face: i64) -> None:
        """Lay a face in a well, 0 for none."""
        self.faces[well] = face
        first: i64 = well * 8
        direction: i64 = 0
        while direction < 8:
            if face:
                self._onward[first + direction] = self._beyond[first + self._partner[face * 8 + direction]]
            else:
                self._onward[first + direction] = _DEAD
            direction += 1

    def _run(self, source: i64, target: i64) -> None:
        """Let a runner of the seat to move go from a node to another one."""
        seat = self.seat
        one = self._one
        at: i64 = seat * _RUNNERS
        while self.nodes[at] != source:
            at += 1
        self.nodes[at] = target
        self.taken ^= one << source | one << target
        self.arrived[seat] += (self.goal[seat] >> target & 1) - (self.goal[seat] >> source & 1)
        self.sums[seat] += self._worth[seat * _NODES + target] - self._worth[seat * _NODES + source]

    def make(self, turn: i64) -> bool:
        """Make a turn; tell whether it wins. Then the seat to move stays, as in the rules."""
        well: i64 = turn >> 15
        source: i64 = turn >> 6 & 63
        target: i64 = turn & 63
        covered = self.faces[well]
        at: i64 = self.made * 3
        self._made[at] = turn
        self._made[at + 1] = covered
        self._made[at + 2] = self.seat
        self.made += 1
        self._lay(well, self.stack[self.top] << 3 | turn >> 12 & 7)
        self.top += 1
        if covered:
            self.stack[self.bottom] = covered >> 3
            self.bottom += 1
        if source != target:
            self._run(source, target)
            if self.arrived[self.seat] == self.runners:
                return True
        self.seat = self.following[self.seat]
        return False

    def skip(self) -> None:
        """Make a pass."""
        at: i64 = self.made * 3
        self._made[at] = -1
        self._made[at + 2] = self.seat
        self.made += 1
        self.seat = self.following[self.seat]

    def unmake(self) -> None:
        """Take back the last turn or pass."""
        self.made -= 1
        at: i64 = self.made * 3
        turn = self._made[at]
        self.seat = self._made[at + 2]
        if turn < 0:
            return
        covered = self._made[at + 1]
        self.top -= 1
        if covered:
            self.bottom -= 1
        self._lay(turn >> 15, covered)
        source: i64 = turn >> 6 & 63
        target: i64 = turn & 63
        if source != target:
            self._run(target, source)

    # -- the whole rules -------------------------------------------------------------------------------------------

    def list_moves(self) -> i64:
        """List all turns of the seat to move at the beginning of ``listed``, R1: or the pass; return their number."""
        last = self.turns(0, ALL)
        if last == 0:
            self.move_list[0] = PASS
            return 1
        return last

    def play(self, turn: i64) -> None:
        """Make a turn, or the pass, of a game that goes on, and see whether it ends the game; then its seat stays."""
        seat, one = self.seat, self._one
        if turn == PASS:
            self._remember()
            self.passed |= one << seat
            if self.passed & self._active == self._active:  # R2: a draw.
                self.ending = DRAW
                return
            self.skip()
        else:
            source: i64 = turn >> 6 & 63
            target: i64 = turn & 63
            if self.faces[turn >> 15] == 0 or (source != target and (one << source | one << target) & ~self._stops):
                self._remembered = 0  # A well that is filled, a pad that is left or reached: it never was so before.
            else:
                self._remember()
            self.passed = 0
            if self.make(turn):
                self.ending = GOAL_REACHED
                self.winner = seat
                return
        if self._occurrences() >= _REPEATS:  # R3: a draw.
            self.ending = DRAW
            self.seat = seat

    def _remember(self) -> None:
        self._past[self._remembered] = self._hash()
        self._remembered += 1

    def _occurrences(self) -> i64:
        """Return how often the position has occurred, the present time included."""
        count: i64 = 1
        if self._remembered:
            now = self._hash()
            at: i64 = 0
            while at < self._remembered:
                if self._past[at] == now:
                    count += 1
                at += 1
        return count

    def _hash(self) -> i64:
        """Return the hash of what R3 compares: faces, runners, stack and seat."""
        found = self._hash_seat[self.seat]
        at: i64 = 0
        while at < _WELLS:
            found ^= self._hash_face[at * _TILES * 8 + self.faces[at]]
            at += 1
        seat: i64 = 0
        while seat < self._sides:
            at = 0
            while at < self.runners:
                found ^= self._hash_node[seat * _NODES + self.nodes[seat * _RUNNERS + at]]
                at += 1
            seat += 1
        at = self.top
        while at < self.bottom:
            found ^= self._hash_stack[(at - self.top) * _TILES + self.stack[at]]
            at += 1
        return found

    def playout(self) -> None:
        """Play random turns to the end, all that are legal equally likely."""
        turns: i64 = 0
        while self.ending == 0:
            if turns == LONGEST:
                self.ending = DRAW
                return
            self.play(self.move_list[self.draw(self.list_moves())])
            turns += 1

    def perft(self, depth: int, out_of_time: Callable[[], bool]) -> int:
        """Return the number of sequences of so many turns. Raise OverBudget when time is out."""
        if out_of_time():
            raise OverBudget("depth: not all sequences could be counted in the time (seconds)")
        if depth == 0 or self.ending:
            return 1
        moves = self.list_moves()
        if depth == 1:
            return moves
        turns = [self.move_list[at] for at in range(moves)]
        past = [self._past[at] for at in range(self._remembered)]
        passed, count = self.passed, 0
        for turn in turns:
            made = self.made
            seat = self.seat
            self.play(turn)
            count += self.perft(depth - 1, out_of_time)
            if self.made > made:
                self.unmake()
            self.seat, self.ending, self.winner, self.passed = seat, 0, -1, passed
            self._remembered = len(past)
            for number, hashed in enumerate(past):
                at: i64 = number
                self._past[at] = hashed
        return count

    # -- listing turns ---------------------------------------------------------------------------------------------

    def _forget(self) -> None:
        at: i64 = 0
        while at < _EDGES:
            self._after[at] = -1
            at += 1

    def _leaving(self, edge: i64) -> i64:
        """Return what a line comes to that leaves a well by an edge: a node, ``_DEAD``, or an edge of that well."""
        well: i64 = edge >> 3
        at = self._beyond[edge]
        while at < _EDGES and at >> 3 != well:
            at = self._onward[at]
        self._after[edge] = at
        return at

    def _round(self, entered: i64, partners: i64) -> i64:
        """Return where a line ends that enters a well by an edge, with the tile's partners as it would lie there."""
        first: i64 = entered >> 3 << 3
        at = entered
        while at < _EDGES:
            out: i64 = first + self._partner[partners + (at & 7)]
            at = self._after[out]
            if at < 0:
                at = self._leaving(out)
        return at

    def turns(self, first: i64, kind: i64) -> i64:
        """List the turns of the seat to move from a place in ``listed`` on; return the place after the last.

        No turn: the seat passes. ``kind`` is :data:`SHOWN` or :data:`ALL`.
        """
        self.lists += 1
        at: i64 = 0
        while at < _EDGES:
            self._after[at] = -1
            at += 1
        home = self.home[self.seat]
        if self.taken & home == home:
            last = self._turns_of(home, first, kind)
            if last > first:
                return last
        return self._turns_of(-1, first, kind)

    def best(self) -> i64:
        """Return by how much the seat to move can add to its sum in one turn, ``WIN`` and more where it wins.

        ``NO_TURN`` where it passes. ``best_turn`` is such a turn then, the first one that is met.
        """
        self._most = NO_TURN
        self.turns(0, BEST)
        return self._most

    def _turns_of(self, movers: i64, first: i64, kind: i64) -> i64:
        """List the turns of runners that stand on some nodes."""
        seat, listed = self.seat, first
        movers &= ~self.goal[seat]
        runner: i64 = seat * _RUNNERS
        last: i64 = runner + self.runners
        while runner < last:
            node = self.nodes[runner]
            runner += 1
            if movers >> node & 1:
                listed = self._turns_from(node, listed, kind)
        return listed

    def _turns_from(self, node: i64, first: i64, kind: i64) -> i64:
        """List the turns of one runner."""
        listed = first
        before: i64 = 0
        meets = self._meets_begin[node]
        one = self._one
        while meets < self._meets_begin[node + 1]:
            seen: i64 = 0
            at = self._meets[meets]
            while at < _EDGES:
                well: i64 = one << (at >> 3)
                if not seen & well:
                    seen |= well
                    since = first if before & well else -1
                    listed = self._turns_across(node, at, listed, since, kind)
                at = self._onward[at]
            before |= seen
            meets += 1
        return listed

    def _turns_across(self, node: i64, entered: i64, listed: i64, since: i64, kind: i64) -> i64:
        """List the turns of a runner with the tile in a well that its line first enters by an edge.

        A turn that is in the list already, from ``since`` on, is not listed again (-1: none can be).
        """
        tile = self.stack[self.top]
        free: i64 = self.open_to[self.seat] & ~self.taken
        own: i64 = _EDGES + node if self._stops >> node & 1 else _DEAD + 1
        same = self._same[tile]
        well: i64 = entered >> 3 << 3
        way = self._offset_begin[tile]
        while way < self._offset_begin[tile + 1]:
            out: i64 = well + (entered + self._offset[way] & 7)
            end = self._after[out]
            if end < 0:
                end = self._leaving(out)
            drawn = self._drawn_begin[way]
            way += 1
            last_drawn = self._drawn_begin[way]
            if end >= _EDGES:
                if not (free >> (end - _EDGES) & 1 or end == own):
                    continue
                if kind == BEST:
                    last_drawn = drawn + 1  # However the tile is turned the runner gets to the same node.
            while drawn < last_drawn:
                turned: i64 = entered - self._drawn[drawn] & (same - 1)
                drawn += 1
                ends = end
                if end < _EDGES:
                    ends = self._round(end, (tile * 8 + turned) * 8)
                    if not (free >> (ends - _EDGES) & 1 or ends == own):
                        continue
                turn: i64 = (well + turned) << 12 | node << 6 | ends - _EDGES
                if kind == BEST:
                    listed += self._improve(turn)
                    continue
                while turned < 8:
                    if since < 0 or not self._is_listed(turn, since, listed):
                        self.move_list[listed] = turn
                        listed += 1
                    if kind == SHOWN:
                        break
                    turned += same
                    turn += same << 12
        return listed

    def _improve(self, turn: i64) -> i64:
        """Remember a turn that adds more than the best one so far; return 1 if it does, else 0."""
        seat = self.seat
        source: i64 = turn >> 6 & 63
        target: i64 = turn & 63
        gain: i64 = self._worth[seat * _NODES + target] - self._worth[seat * _NODES + source]
        if self.goal[seat] >> target & 1 and self.arrived[seat] == self.runners - 1:
            gain += WIN
        if gain <= self._most:
            return 0
        self._most = gain
        self.best_turn = turn
        return 1

    def _is_listed(self, turn: i64, at: i64, end: i64) -> bool:
        while at < end:
            if self.move_list[at] == turn:
                return True
            at += 1
        return False


def bits(nodes: Iterable[int]) -> int:
    """Return nodes as a set of bits."""
    return sum([1 << node for node in nodes])


def action(turn: int) -> str:
    """Return the text of a turn."""
    return notation.PASS if turn == PASS else notation.text(rules.code(parts(turn)))


def parts(turn: int) -> rules.Turn:
    """Return a turn that is no pass as the rules name it: well, eighths, source and target."""
    return turn >> 15, turn >> 12 & 7, turn >> 6 & 63, turn & 63


def turn_of(action: str) -> int:
    """Return the turn that a text stands for. Raise BadAction for what is neither a turn nor the pass."""
    turn = notation.parse(action)
    if turn is None:
        return PASS
    well, eighths, source, target = turn
    return (well * EIGHTHS + eighths) << 12 | source << 6 | target

"""Alpha-beta search for two players who take turns; a turn may have several actions.

A game supplies a :class:`LineOfPlay`. Values are whole numbers from the view of the acting seat; those of undecided
positions are in 1/1000 logit. The answer depends on the tree and the number of nodes only, in the compiled and the
plain form.

**Bounds.** A search carries two values: ``alpha``, which the acting side is sure of already, and ``beta``, above which
the other side would have avoided this position. Once a move reaches ``beta``, the moves after it can change nothing (a
cutoff). With the best move first everywhere only about the square root of all positions is visited (Knuth and Moore,
"An Analysis of Alpha-Beta Pruning", 1975). Where the other seat acts next, value and bounds change their sign
(negamax); within a turn of several actions they don't, which is what ``play`` returns.

**Order.** So all depends on trying good moves first: the best move of a shallower search (iterative deepening: Slate
and Atkin, "Chess 4.5", 1977), then the move that has cut off last at this distance from the root (killer), then those
that have cut off more often than they were tried in vain (history: Schaeffer, 1989, with a bound that old credit fades
towards), then the game's own order.

**Windows.** If the first move is the best, the others need only be shown to be no better: a search between ``alpha``
and ``alpha + 1`` does that with more cutoffs, and is repeated with the whole window where it fails (Marsland and
Campbell, "Parallel Search of Strongly Ordered Game Trees", 1982). Late moves are searched one or two actions less deep
first, as chess programs do; they are given up only on that shallower evidence, so a deep trap may be missed, but no
proved value is wrong.

**What is not looked at.** Before the last action, moves whose own gain (their order) can't lift the estimate above
``alpha`` are left out (futility: Heinz, "Extended Futility Pruning", ICCA Journal 21(2), 1998). Where a game lets a
turn end without an action, and even that reaches ``beta`` in a search two actions less deep, so will some action (null
move: Donninger, "Null Move and Deep Search", ICCA Journal 16(3), 1993); here it is even a legal move.

**Table.** Positions that several orders of actions lead to are searched once: a table has their value, its depth, and
whether it is exact or a bound. A new entry replaces what is in its slot. Values of wins count actions from the root;
in the table they count from the position (see ``_store``), because the same position is met at different plies.

**The root** differs: near-best moves get exact values early on, because weaker levels choose among them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mypy_extensions import i64, mypyc_attr

from firmware_host.searching.vectors import vec, zeros

WIN: Final = 1_000_000
"""The value of a won position at the root; a later win is worth 1 less for each action."""
PROVED: Final = 900_000
"""Values of at least this are certain wins; those of at most the negative are certain losses."""
UNKNOWN: Final = 2_000_000
"""The verdict (:meth:`LineOfPlay.verdict`) of an undecided position."""
MOVE_BITS: Final = 16
"""Number of bits of a move; moves count from 1, 0 means none."""
DEEPEST: Final = 60
"""Maximum depth, in actions."""
TOP_ORDER: Final = 1 << 30
"""Greater than the order of any move."""
EXACT_SHARE: Final = 64
"""Near-best moves get exact values while less than 1/64 of the nodes is used; later only the best move does."""
EXACT_MARGIN: Final = 600
"""Greatest difference to the best value at which a move still gets an exact value."""

_MOVE: Final = (1 << MOVE_BITS) - 1
_LOWER: Final = 1
_UPPER: Final = 2
_EXACT: Final = 3
_CLOCK: Final = 1023
_KILLER: Final = 1 << 20
_HISTORY_BITS: Final = 14
"""Greatest history of a move, either way: a power of two."""
_CREDIT: Final = 4
_PASSED: Final = 3
"""Least depth at which a turn's end is tried before all other moves."""
_MAX_SLOTS: Final = 1 << 18


@mypyc_attr(allow_interpreted_subclasses=True)
class LineOfPlay:
    """A game's moves along one line: the root is at ply 0, and each action leads to the next ply.

    A tree stores the positions of the line. Moves and their orders are numbers.
    """

    def __init__(self, most: i64, passing: i64 = 0) -> None:
        """``most`` is the greatest number of moves of a position, ``passing`` the move that may end every turn."""
        self.move_list: vec[i64] = zeros(most)
        self.passing = passing

    def verdict(self, ply: i64) -> i64:
        """Return the exact value of a finished or proved position (``WIN - ply``, ``ply - WIN``), else ``UNKNOWN``."""
        raise NotImplementedError

    def evaluate(self, ply: i64, alpha: i64, beta: i64) -> i64:
        """Return the estimated value of a position whose verdict is unknown.

        Where that is at most alpha, a greater one that is not above alpha will do; likewise from beta on.
        """
        raise NotImplementedError

    def least_order(self, ply: i64, alpha: i64) -> i64:  # noqa: ARG002 - for those that know
        """Return the least order of a move that may lead to an estimate above alpha; 0 where all may."""
        return 0

    def key(self, ply: i64) -> i64:
        """Return a hash of at most 62 bits of everything that the position's value depends on."""
        raise NotImplementedError

    def expand(self, ply: i64) -> i64:
        """Fill ``move_list`` with all moves of a position, each as ``order << MOVE_BITS | move``; return their number.

        0 <= order < 2**19.
        """
        raise NotImplementedError

    def play(self, ply: i64, move: i64) -> bool:
        """Make a move: set the position at the next ply, and return whether the other seat acts there."""
        raise NotImplementedError


class RankedMove:
    """A root move with its value; without ``exact`` the value is an upper bound."""

    def __init__(self, move: i64) -> None:
        self.move = move
        self.value: i64 = -UNKNOWN
        self.exact = False


class AlphaBeta:
    """One search. It stores the values found in a table, which no other search uses."""

    def __init__(self, tree: LineOfPlay, nodes: i64, out_of_time: Callable[[], bool]) -> None:
        """Take the tree, the maximum number of nodes, and a stop by the clock."""
        self._tree = tree
        self._limit = nodes
        self._out_of_time = out_of_time
        size: i64 = 1024
        while size < nodes and size < _MAX_SLOTS:
            size <<= 1
        self._mask: i64 = size - 1
        # A slot is two words: the key of a position, and what is known of it.
        self._table: vec[i64] = zeros(2 * size)
        self._history: vec[i64] = zeros(1 << MOVE_BITS)
        self._killers: vec[i64] = zeros(DEEPEST + 4)
        self._made: vec[i64] = zeros(DEEPEST + 4)
        self._width: i64 = len(tree.move_list)
        self._ordered: vec[i64] = zeros((DEEPEST + 4) * self._width)
        self.nodes: i64 = 0
        self.evaluated: i64 = 0
        self.depth: i64 = 0
        self._stopped = False

    # -- the root ------------------------------------------------------------------------------------------------

    def rank(self, deepest: i64, width: i64) -> list[RankedMove]:
        """Return the root's moves, best first, by iterative deepening; at least one action deep.

        ``deepest`` limits the depth in actions; ``width`` limits the number of moves that are searched deeper than one
        action, and returned. 0: no limit.
        """
        ranked: list[RankedMove] = []
        count: i64 = self._order(0, 0, 0)
        while len(ranked) < count:
            ranked.append(RankedMove(self._next(0, len(ranked), count)))
        most: i64 = deepest if 0 < deepest < DEEPEST else DEEPEST
        depth: i64 = 1
        while depth <= most:
            self._deepen(ranked, depth)
            if self._stopped:
                break
            self.depth = depth
            best = ranked[0].value
            if best >= PROVED or best <= -PROVED or len(ranked) == 1:
                break
            if width and depth == 1:
                ranked = ranked[:width]
            depth += 1
        return ranked

    def _deepen(self, ranked: list[RankedMove], depth: i64) -> None:
        """Search every root move to this depth, and sort them."""
        margin: i64 = EXACT_MARGIN if self.nodes * EXACT_SHARE < self._limit or depth == 1 else 0
        best: i64 = -UNKNOWN
        count: i64 = 0
        for entry in ranked:
            floor = best - margin if best > -UNKNOWN else -UNKNOWN
            turns = self._tree.play(0, entry.move)
            self._made[0] = entry.move
            value = self._root_value(turns, depth, floor, count, margin)
            if self._stopped:
                break
            if value > floor:
                entry.value = value
                entry.exact = True
            else:
                entry.exact = False
                if value < entry.value or depth == 1:
                    entry.value = value
            best = max(best, entry.value)
            count += 1
        if self._stopped and count:
            # The other moves have values of the previous depth.
            for entry in ranked[count:]:
                entry.value = min(entry.value, best)
        if count:
            self._sort(ranked)

    def _root_value(self, turns: bool, depth: i64, floor: i64, count: i64, margin: i64) -> i64:
        if count == 0 or margin:
            return self._child(turns, 1, depth - 1, floor, UNKNOWN)
        reduced = self._reduced_depth(depth, count)
        value = self._child(turns, 1, reduced, floor, floor + 1)
        if value > floor and reduced < depth - 1:
            value = self._child(turns, 1, depth - 1, floor, floor + 1)
        if value > floor:
            value = self._child(turns, 1, depth - 1, floor, UNKNOWN)
        return value

    def _sort(self, ranked: list[RankedMove]) -> None:
        """Sort the moves by value, best first; equal ones keep their order."""
        at: i64 = 1
        while at < len(ranked):
            entry = ranked[at]
            to = at
            while to > 0 and ranked[to - 1].value < entry.value:
                ranked[to] = ranked[to - 1]
                to -= 1
            ranked[to] = entry
            at += 1

    def line(self, move: i64, most: i64) -> list[i64]:
        """Return a root move and the expected moves after it, at most ``most`` in all, as far as the table has them."""
        found = [move]
        self._tree.play(0, move)
        ply: i64 = 1
        while ply < most and self._tree.verdict(ply) == UNKNOWN:
            key = self._tree.key(ply)
            slot = (key & self._mask) * 2
            if self._table[slot] != key or not self._table[slot + 1] & _MOVE:
                break
            following = self._table[slot + 1] & _MOVE
            found.append(following)
            self._tree.play(ply, following)
            ply += 1
        return found

    # -- below ---------------------------------------------------------------------------------------------------

    def _child(self, turns: bool, ply: i64, depth: i64, alpha: i64, beta: i64) -> i64:
        if turns:
            return -self._search(ply, depth, -beta, -alpha)
        return self._search(ply, depth, alpha, beta)

    def _search(self, ply: i64, depth: i64, alpha: i64, beta: i64) -> i64:
        """Return the value of a position: exact between alpha and beta, else a bound."""
        tree = self._tree
        self.nodes += 1
        value = tree.verdict(ply)
        if value != UNKNOWN:
            return value
        if depth <= 0 or ply >= DEEPEST:
            self.evaluated += 1
            return tree.evaluate(ply, alpha, beta)
        if self.nodes >= self._limit or (self.nodes & _CLOCK == 0 and self._out_of_time()):
            # The first depth is always completed: otherwise there would be no answer.
            self._stopped = self._stopped or self.depth > 0
        if self._stopped:
            return 0
        key = tree.key(ply)
        slot = (key & self._mask) * 2
        hint: i64 = 0
        if self._table[slot] == key:
            known = self._table[slot + 1]
            hint = known & _MOVE
            if known >> MOVE_BITS & 63 >= depth:
                value = self._stored_value(known, ply)
                bound = known >> (MOVE_BITS + 6) & 3
                if bound == _EXACT or (bound == _LOWER and value >= beta) or (bound == _UPPER and value <= alpha):
                    return value
        if depth >= _PASSED and tree.passing and beta == alpha + 1 and self._made[ply - 1] != tree.passing:
            turns = tree.play(ply, tree.passing)
            self._made[ply] = tree.passing
            value = self._child(turns, ply + 1, depth - 2, alpha, beta)
            if value >= beta or self._stopped:
                return value
        return self._moves(ply, depth, alpha, beta, key, hint)

    def _stored_value(self, known: i64, ply: i64) -> i64:
        """Return a stored value, with the distance of a win counted from this ply."""
        value = (known >> (MOVE_BITS + 8)) - UNKNOWN
        if value >= PROVED:
            return value - ply
        return value + ply if value <= -PROVED else value

    def _store(self, key: i64, ply: i64, depth: i64, value: i64, bound: i64, move: i64) -> None:
        if value >= PROVED:
            value += ply
        elif value <= -PROVED:
            value -= ply
        slot = (key & self._mask) * 2
        self._table[slot] = key
        self._table[slot + 1] = (
            (value + UNKNOWN) << (MOVE_BITS + 8) | bound << (MOVE_BITS + 6) | depth << MOVE_BITS | move
        )

    def _moves(self, ply: i64, depth: i64, alpha: i64, beta: i64, key: i64, hint: i64) -> i64:
        tree = self._tree
        least: i64 = tree.least_order(ply, alpha) if depth == 1 and alpha > -PROVED else 0
        most = self._order(ply, hint, least)
        # Moves that are left out lead to alpha at most.
        best: i64 = alpha if least > 0 else -UNKNOWN
        chosen: i64 = 0
        bound: i64 = _UPPER
        count: i64 = 0
        while count < most:
            move = self._next(ply, count, most)
            turns = tree.play(ply, move)
            self._made[ply] = move
            if count == 0:
                value = self._child(turns, ply + 1, depth - 1, alpha, beta)
            else:
                reduced = self._reduced_depth(depth, count)
                value = self._child(turns, ply + 1, reduced, alpha, alpha + 1)
                if value > alpha and reduced < depth - 1:
                    value = self._child(turns, ply + 1, depth - 1, alpha, alpha + 1)
                if alpha < value < beta:
                    value = self._child(turns, ply + 1, depth - 1, alpha, beta)
            if self._stopped:
                return 0
            if value > best:
                best = value
                chosen = move
                if value > alpha:
                    alpha = value
                    bound = _EXACT
                    if value >= beta:
                        self._credit(ply, depth, move, count)
                        bound = _LOWER
                        break
            count += 1
        self._store(key, ply, depth, best, bound, chosen)
        return best

    def _reduced_depth(self, depth: i64, count: i64) -> i64:
        """Return the depth of a late move's first search."""
        if count < 3 or depth < 2:
            return depth - 1
        return depth - 2 if count < 12 or depth < 3 else depth - 3

    def _order(self, ply: i64, hint: i64, least: i64) -> i64:
        """List a position's moves whose own order is at least ``least``, for :meth:`_next`; return their number."""
        count = self._tree.expand(ply)
        listed, ordered, history = self._tree.move_list, self._ordered, self._history
        killer = self._killers[ply]
        at: i64 = 0
        to = ply * self._width
        while at < count:
            code = listed[at]
            at += 1
            order = code >> MOVE_BITS
            if order < least:
                continue
            move = code & _MOVE
            order += history[move]
            if move == killer:
                order += _KILLER
            if move == hint:
                order = TOP_ORDER
            ordered[to] = order << MOVE_BITS | move
            to += 1
        return to - ply * self._width

    def _next(self, ply: i64, count: i64, most: i64) -> i64:
        """Return the most promising of ``most`` listed moves but for those that were returned before, ``count``.

        After a cutoff the others need not be sorted.
        """
        ordered = self._ordered
        first = ply * self._width + count
        last = first + most - count
        best = ordered[first]
        place = first
        at = first + 1
        while at < last:
            code = ordered[at]
            if code > best:
                best = code
                place = at
            at += 1
        ordered[place] = ordered[first]
        ordered[first] = best
        return best & _MOVE

    def _credit(self, ply: i64, depth: i64, move: i64, count: i64) -> None:
        """Record a move that caused a cutoff, as killer and in the history, where those tried before it lose."""
        self._killers[ply] = move
        history = self._history
        more: i64 = _CREDIT * depth * depth
        history[move] += more - (history[move] * more >> _HISTORY_BITS)
        at = ply * self._width
        last = at + count
        while at < last:
            tried = self._ordered[at] & _MOVE
            history[tried] -= more + (history[tried] * more >> _HISTORY_BITS)
            at += 1

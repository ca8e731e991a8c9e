"""Monte Carlo tree search with RAVE for games of two sides in which each move is played at most once.

A game supplies :class:`Rules`. There is no exploration term: the results of moves anywhere in the games through a node
(RAVE, Gelly and Silver 2011) and the game's prior knowledge spread the search enough. All numbers are whole, so that
the compiled and the plain form give the same answer on every machine.

**The tree.** A game is played again and again from the root: down the tree along the most promising moves, and from its
edge on at random to the end (Coulom, "Efficient Selectivity and Backup Operators in Monte-Carlo Tree Search", 2006).
Each node counts its games and wins, so that later games follow what has won before. The tree grows by the moves of one
node at a time, once that node was visited :data:`EXPAND` times. No evaluation is needed, only rules and quick playouts.

**RAVE.** A node has few games of its own at first. But where each move is played at most once, a move that is good
later in a game is often good now: so a game also counts for each sibling whose move its side played later on. These
counts come quickly, but they are biased. :meth:`MonteCarloTree.value` weighs both means: a move's own games count more,
the more of them there are, and :data:`TRUST` sets the pace. A game's prior knowledge of a move begins as
:data:`PRIOR_GAMES` such games.

**Proofs.** Random games can't see that a position is lost for certain. So an end, or what the rules know of it
(``known_winner``), is propagated up as a proved result: one winning child decides for the side to move, all children
together decide against it (Winands, Björnsson and Saito, "Monte-Carlo Tree Search Solver", 2008). Proved nodes are
not visited any more, and a proved root ends the search.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mypy_extensions import i64

from firmware_host.searching.random_numbers import RandomNumbers
from firmware_host.searching.vectors import append, vec, zeros

UNIT: Final = 1 << 20
"""A certain win, in the values of this module."""
PRIOR_GAMES: Final = 16
"""Number of RAVE games that a game's prior knowledge of a move counts as."""
EXPAND: Final = 2
"""Number of visits of a node before its moves are listed."""
TRUST: Final = 1500
"""Number of its own games at which a move's own mean weighs as much as that of any number of RAVE games."""
_CLOCK: Final = 31
"""Bit mask of the number of games: the clock is read once in every 32 games."""


class Rules(RandomNumbers):
    """A game that is played from the root repeatedly. Sides are 1 and 2; moves are numbers from 0 to ``moves - 1``.

    ``owner`` maps a move to the side that has played it in this game, 0 for none; it may include moves before the root.
    :meth:`list_moves` fills ``listed`` with moves, and ``priors`` with the number of wins, out of ``PRIOR_GAMES``, that
    each move's side may expect.
    """

    def __init__(self, moves: i64) -> None:
        """``moves`` is the number of different moves."""
        super().__init__()
        self.owner: vec[i64] = zeros(moves)
        self.move_list: vec[i64] = zeros(moves)
        self.priors: vec[i64] = zeros(moves)

    def reset(self) -> None:
        """Go back to the root."""
        raise NotImplementedError

    def side(self) -> i64:
        """Return the side to move."""
        raise NotImplementedError

    def known_winner(self) -> i64:
        """Return the side that wins by a quick check, 0 if undecided."""
        raise NotImplementedError

    def list_moves(self) -> i64:
        """List the relevant moves and return their number. 0: the game is decided, see :meth:`winner_without_moves`."""
        raise NotImplementedError

    def winner_without_moves(self) -> i64:
        """Return the side that wins if no moves were listed."""
        raise NotImplementedError

    def play(self, move: i64) -> None:
        """Play a move."""
        raise NotImplementedError

    def playout(self) -> i64:
        """Play random moves to the end and return the winning side."""
        raise NotImplementedError


class MonteCarloTree:
    """The search tree of one root. Node 0 is the root; each other node stands for the move that leads to it."""

    def __init__(self, rules: Rules) -> None:
        """Begin with the root of these rules."""
        self._rules = rules
        self.games: i64 = 0
        self._move: vec[i64] = zeros(1)
        self._visits: vec[i64] = zeros(1)
        self._wins: vec[i64] = zeros(1)
        self._seen: vec[i64] = zeros(1)
        self._seen_wins: vec[i64] = zeros(1)
        self._first: vec[i64] = zeros(1)
        self._count: vec[i64] = zeros(1)
        self._proved: vec[i64] = zeros(1)
        self._path: vec[i64] = zeros(1)
        self._sides: vec[i64] = zeros(1)

    def search(self, games: i64, out_of_time: Callable[[], bool]) -> None:
        """Play ``games`` more games, or fewer if the root is proved or time is out."""
        end = self.games + games
        while self.games < end and self._proved[0] == 0:
            if self.games & _CLOCK == _CLOCK and out_of_time():
                return
            self._game()
            self.games += 1

    def _game(self) -> None:
        """Descend to a leaf, play to the end, and record the result along the path."""
        rules = self._rules
        rules.reset()
        node: i64 = 0
        depth: i64 = 0
        winner: i64 = 0
        while True:
            if depth == len(self._path):
                self._path = append(self._path, node)
                self._sides = append(self._sides, rules.side())
            self._path[depth] = node
            self._sides[depth] = rules.side()
            winner = self._proved[node]
            if winner == 0 and self._count[node] == 0:
                winner = self._leaf(node)
            if winner != 0 or self._count[node] == 0:
                break
            node = self._best(node)
            rules.play(self._move[node])
            depth += 1
        if winner != 0:
            self._prove(depth, winner)
        else:
            winner = rules.playout()
        self._note(depth, winner)

    def _leaf(self, node: i64) -> i64:
        """Expand a node that was visited before; return the winner if the game is decided, else 0."""
        rules = self._rules
        winner = rules.known_winner()
        if winner != 0:
            return winner
        if node > 0 and self._visits[node] < EXPAND:
            return 0
        count = rules.list_moves()
        if count == 0:
            return rules.winner_without_moves()
        self._first[node] = len(self._move)
        self._count[node] = count
        listed, priors = rules.move_list, rules.priors
        zero: i64 = 0
        games: i64 = PRIOR_GAMES
        at: i64 = 0
        while at < count:
            other = at + rules.draw(count - at)
            move = listed[other]
            prior = priors[other]
            listed[other] = listed[at]
            priors[other] = priors[at]
            self._move = append(self._move, move)
            self._visits = append(self._visits, zero)
            self._wins = append(self._wins, zero)
            self._seen = append(self._seen, games)
            self._seen_wins = append(self._seen_wins, prior)
            self._first = append(self._first, zero)
            self._count = append(self._count, zero)
            self._proved = append(self._proved, zero)
            at += 1
        return 0

    def _best(self, node: i64) -> i64:
        """Return the undecided child of the highest value."""
        child = self._first[node]
        end = child + self._count[node]
        best = child
        highest: i64 = -1
        proved = self._proved
        while child < end:
            if proved[child] == 0:
                value = self.value(child)
                if value > highest:
                    highest = value
                    best = child
            child += 1
        return best

    def value(self, child: i64) -> i64:
        """Return the expected score, in ``UNIT``, of the side that makes a move, from its own and its RAVE games."""
        seen = self._seen[child]
        seen_wins = self._seen_wins[child]
        visits = self._visits[child]
        if visits == 0:
            return seen_wins * UNIT // seen
        weight = visits + visits * seen // TRUST
        return (self._wins[child] * UNIT // visits * weight + seen_wins * UNIT) // (weight + seen)

    def _prove(self, depth: i64, winner: i64) -> None:
        """Mark the last node of the path as decided, and all nodes above that follow from it."""
        path, sides, proved = self._path, self._sides, self._proved
        proved[path[depth]] = winner
        while depth > 0:
            depth -= 1
            node = path[depth]
            if sides[depth] != winner:
                child = self._first[node]
                end = child + self._count[node]
                while child < end:
                    if proved[child] != winner:
                        return
                    child += 1
            proved[node] = winner

    def _note(self, depth: i64, winner: i64) -> None:
        """Count the game at each node of the path, and (RAVE) at the children whose move the same side has played."""
        path, sides, owner, moves = self._path, self._sides, self._rules.owner, self._move
        seen, seen_wins = self._seen, self._seen_wins
        at: i64 = 0
        while at <= depth:
            node = path[at]
            self._visits[node] += 1
            if at > 0 and sides[at - 1] == winner:
                self._wins[node] += 1
            side = sides[at]
            won: i64 = 1 if side == winner else 0
            child = self._first[node]
            end = child + self._count[node]
            while child < end:
                if owner[moves[child]] == side:
                    seen[child] += 1
                    seen_wins[child] += won
                child += 1
            at += 1

    # -- results -------------------------------------------------------------------------------------------------

    def proved_winner(self, node: int = 0) -> int:
        """Return the side that certainly wins at a node, 0 if unknown."""
        return self._proved[node]

    def children(self, node: int = 0) -> list[int]:
        """Return the child nodes of an expanded node."""
        first: int = self._first[node]
        count: int = self._count[node]
        return list(range(first, first + count))

    def move(self, node: int) -> int:
        """Return the move that leads to a node."""
        return self._move[node]

    def visits(self, node: int) -> int:
        """Return the number of games through a node."""
        return self._visits[node]

    def wins(self, node: int) -> int:
        """Return how many of these games were won by the side that made the move to the node."""
        return self._wins[node]

    def mean(self, node: int) -> float:
        """Return :meth:`value` as a score from 0 to 1."""
        found: int = self.value(node)
        return found / UNIT

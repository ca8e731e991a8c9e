"""Monte Carlo tree search with RAVE for games of two sides in which each move is played at most once.

A game brings :class:`Rules`. There is no exploration term: what moves have done anywhere in the games behind a node
(RAVE, Gelly and Silver 2011) and what the game knows beforehand spread the search well enough. All numbers are whole
ones, so that the compiled and the plain form find the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mypy_extensions import i64

try:
    from librt.vecs import append, vec
except ImportError:  # The plain form needs nothing that has to be compiled or installed.
    from firmware_host.searching.vectors import append, vec  # type: ignore[assignment]

UNIT: Final = 1 << 20
"""A certain win, in the values of this module."""
PRIOR_GAMES: Final = 16
"""What a game knows of a move beforehand counts as so many games seen by RAVE."""
EXPAND: Final = 2
"""A node's moves are listed when it is visited after so many visits."""
TRUST: Final = 1500
"""So many games of its own make a move's own mean weigh as much as that of any number of games seen by RAVE."""
_CLOCK: Final = 31
"""The clock is asked when so many bits of the number of games are 0."""
_MASK: Final = (1 << 32) - 1


def zeros(size: i64) -> vec[i64]:
    """Return so many zeros."""
    found = vec[i64](capacity=size)
    zero: i64 = 0
    at: i64 = 0
    while at < size:
        found = append(found, zero)
        at += 1
    return found


class Rules:
    """A game that is played from the root, over and over. Sides are 1 and 2; moves are numbers below ``moves``.

    ``owner`` tells which side has played a move in this game, 0 where none has; what was played before the root may
    stand there, too. :meth:`list_moves` fills ``listed``, and ``priors`` with how many of ``PRIOR_GAMES`` each move is
    expected to win for its side.
    """

    def __init__(self, moves: i64) -> None:
        """Make room for so many moves."""
        self.owner: vec[i64] = zeros(moves)
        self.listed: vec[i64] = zeros(moves)
        self.priors: vec[i64] = zeros(moves)
        self.drawn: i64 = 1

    def draw(self, below: i64) -> i64:
        """Return a number by chance, from 0 (xorshift, Marsaglia 2003)."""
        drawn = self.drawn
        drawn ^= drawn << 13 & _MASK
        drawn ^= drawn >> 17
        drawn ^= drawn << 5 & _MASK
        self.drawn = drawn
        return drawn * below >> 32

    def reset(self) -> None:
        """Go back to the root."""
        raise NotImplementedError

    def side(self) -> i64:
        """Return the side to move."""
        raise NotImplementedError

    def decided(self) -> i64:
        """Return the side of which it is seen at once that it wins, 0 where none is."""
        raise NotImplementedError

    def list_moves(self) -> i64:
        """List the moves worth a look and return their number. 0: the game is decided, see :meth:`proved`."""
        raise NotImplementedError

    def proved(self) -> i64:
        """Return the side that wins where no moves were listed."""
        raise NotImplementedError

    def play(self, move: i64) -> None:
        """Play a move."""
        raise NotImplementedError

    def playout(self) -> i64:
        """Play to the end by chance and return the side that wins."""
        raise NotImplementedError


class Tree:
    """All positions looked at from one root on. Node 0 is the root; the others are named by the moves to them."""

    def __init__(self, rules: Rules) -> None:
        """Search what these rules lead to."""
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
        """Play so many games more, or fewer where the root is proved or time is out."""
        end = self.games + games
        while self.games < end and self._proved[0] == 0:
            if self.games & _CLOCK == _CLOCK and out_of_time():
                return
            self._game()
            self.games += 1

    def _game(self) -> None:
        """Go down to a leaf, play to the end, and note how it went along the path."""
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
        """List a node's moves if it was visited before; return the winner where the game is decided."""
        rules = self._rules
        winner = rules.decided()
        if winner != 0:
            return winner
        if node > 0 and self._visits[node] < EXPAND:
            return 0
        count = rules.list_moves()
        if count == 0:
            return rules.proved()
        self._first[node] = len(self._move)
        self._count[node] = count
        listed, priors = rules.listed, rules.priors
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
        """Return the child to look at: of those that are not lost the one of the highest value."""
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
        """Return what the side that makes a move may expect: its own games and those seen by RAVE, in ``UNIT``."""
        seen = self._seen[child]
        seen_wins = self._seen_wins[child]
        visits = self._visits[child]
        if visits == 0:
            return seen_wins * UNIT // seen
        weight = visits + visits * seen // TRUST
        return (self._wins[child] * UNIT // visits * weight + seen_wins * UNIT) // (weight + seen)

    def _prove(self, depth: i64, winner: i64) -> None:
        """Note that the last node of the path is decided, and what follows from it further up."""
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
        """Count the game at each node of the path, and at their children whose move their side has played."""
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

    # -- what was found ------------------------------------------------------------------------------------------

    def proved(self, node: int = 0) -> int:
        """Return the side that wins for certain at a node, 0 where it is not known."""
        return self._proved[node]

    def children(self, node: int = 0) -> list[int]:
        """Return the nodes to which the listed moves lead."""
        first: int = self._first[node]
        count: int = self._count[node]
        return list(range(first, first + count))

    def move(self, node: int) -> int:
        """Return the move that leads to a node."""
        return self._move[node]

    def visits(self, node: int) -> int:
        """Return how many games went through a node."""
        return self._visits[node]

    def wins(self, node: int) -> int:
        """Return how many of these games the side that made the move to a node has won."""
        return self._wins[node]

    def mean(self, node: int) -> float:
        """Return the score of the side that made the move to a node, blended as :meth:`value` does."""
        found: int = self.value(node)
        return found / UNIT

"""Plain Monte Carlo for any game: random games after each candidate action, and more of them after the better half.

The share of won random games is a poor value of a position, but it needs no knowledge of the game (Abramson,
"Expected-Outcome", 1990). Which candidate is best is a question of pure exploration: results on the way cost nothing,
only the final choice counts. Sequential halving spends the same number of games on each round, and gives up the worse
half of the candidates after it; its chance of a wrong choice falls exponentially with the number of games.

It uses only the members that every game has, and no evaluation. A node is an applied action. Candidates are compared by
sequential halving (Karnin, Koren and Somekh, 2013).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from random import Random
from typing import Generic, TypeVar

from firmware_host.games.game import BadAction, Game, GameOver, Status
from firmware_host.games.thinking import Budget, Choice, ComputerPlayer, Strength, Thought
from firmware_host.text.words import say

P = TypeVar("P", bound=Hashable)
T = TypeVar("T")

LONGEST = 500
"""Number of actions after which a random game counts as drawn, as some games may never end."""
FOR_REPLIES = 4
"""Divisor: this part of the nodes is kept for finding replies that win at once."""


class _Candidate(Generic[P]):
    """One action, the position after it (None if others act at the same time), and the results of its random games."""

    def __init__(self, action: str, after: P | None) -> None:
        self.action = action
        self.after = after
        self.stage = 0
        self.games = 0
        self.total = 0.0
        self.lost = False

    def value(self, even: float) -> float:
        """Return the mean score including one extra drawn game, so that a few games never give certainty."""
        return 0.0 if self.lost else (self.total + even) / (self.games + 1)


class _Search(Generic[P]):
    """One search. ``even`` is a seat's score in a game without a winner."""

    def __init__(self, game: Game[P], position: P, seat: int, budget: Budget, rng: Random) -> None:
        mode: str = position.mode  # type: ignore[attr-defined]  # Every position tells its mode.
        self._game = game
        self._position = position
        self._budget = budget
        self._rng = rng
        self._seat = seat
        self._teams = game.teams(mode)
        self._own = next(team for team in self._teams if seat in team)
        self.even = 1 / len(self._teams)
        self.nodes = 0

    def score(self, status: Status) -> float:
        """Return the seat's score: 1 for the only winner, a share for one of several, and of a draw."""
        if not status.winners:
            return self.even
        winners = [team for team in self._teams if set(team) & set(status.winners)]
        return 1 / len(winners) if self._own in winners else 0.0

    def candidates(self, actions: Sequence[str]) -> list[_Candidate[P]] | str:
        """Return the actions to compare, or the text of an action that wins at once."""
        if self._game.simultaneous(self._position):
            return [_Candidate(action, None) for action in self._some(actions)]
        found = []
        for action in actions:
            after, status = self._apply(self._position, {self._seat: action})
            if status.over and self.score(status) == 1:
                return action
            found.append(_Candidate(action, after))
        return self._some(found)

    def _some(self, found: Sequence[T]) -> list[T]:
        """Return a random sample, as large as the budget's width, in random order."""
        width = self._budget.width or len(found)
        return self._rng.sample(found, min(width, len(found)))

    def compare(self, found: Sequence[_Candidate[P]]) -> list[_Candidate[P]]:
        """Return the candidates with at least one random game, best first."""
        left, stages = list(found), max(1, (len(found) - 1).bit_length())
        nodes = self._budget.nodes - self._budget.nodes // FOR_REPLIES
        for stage in range(1, stages + 1):
            self._stage(left, self.nodes + max(0, nodes - self.nodes) // (stages - stage + 1))
            left.sort(key=self._rank, reverse=True)
            left = left[: (len(left) + 1) // 2]
            for candidate in left:
                candidate.stage = stage
        return sorted((one for one in found if one.games), key=self._rank, reverse=True)

    def _rank(self, candidate: _Candidate[P]) -> tuple[int, float]:
        return candidate.stage, candidate.value(self.even) if candidate.games else -1.0

    def _stage(self, left: Sequence[_Candidate[P]], most: int) -> None:
        """Play random games after each candidate in turn, until ``most`` nodes are used."""
        while True:
            for candidate in left:
                tried = candidate.games and self.nodes >= most
                late = self.nodes >= self._budget.nodes or self._budget.out_of_time()
                if tried or (late and any(one.games for one in left)):
                    return
                candidate.total += self.score(self._playout(candidate))
                candidate.games += 1

    def _playout(self, candidate: _Candidate[P]) -> Status:
        """Play at random to the end."""
        after, status = candidate.after, None
        if after is None:
            actions = self._random(self._position)
            after, status = self._apply(self._position, {**actions, self._seat: candidate.action})
        status = status or self._game.status(after)
        made = 0
        while not status.over and made < LONGEST:
            after, status = self._apply(after, self._random(after))
            made += 1
        return status

    def _random(self, position: P) -> Mapping[int, str]:
        """Return a random action of each seat that acts."""
        if self._game.simultaneous(position):
            seats = list(self._game.actions(position))
        else:
            seats = [self._game.actor(position) or 0]
        return {seat: self._game.random_action(position, seat, self._rng) for seat in seats}

    def _apply(self, position: P, actions: Mapping[int, str]) -> tuple[P, Status]:
        self.nodes += 1
        transition = self._game.apply(position, actions)
        return transition.position, transition.status

    def refute(self, ranked: Sequence[_Candidate[P]]) -> list[_Candidate[P]]:
        """Return the candidates again, those that lose to an immediate reply last.

        They are examined in order until one holds, and further while nodes are left.
        """
        held = False
        for candidate in ranked:
            if (held and self.nodes >= self._budget.nodes) or self._budget.out_of_time():
                break
            candidate.lost = candidate.after is not None and self._is_lost(candidate.after)
            held = held or not candidate.lost
        return sorted(ranked, key=lambda one: one.lost)

    def _is_lost(self, position: P) -> bool:
        """Tell whether the game is lost, or an opponent who acts now wins with one action."""
        status = self._game.status(position)
        if status.over:
            return self.score(status) == 0
        if self._game.simultaneous(position) or self._game.actor(position) in self._own:
            return False
        for seat, replies in self._game.actions(position).items():
            for reply in replies:
                after = self._apply(position, {seat: reply})[1]
                if after.over and self.score(after) == 0:
                    return True
        return False


def search(game: Game[P], position: P, seat: int, budget: Budget, rng: Random) -> Thought:
    """Rank the actions of a seat by random games. Raise BadAction if the seat does not act now, or GameOver.

    Every budget finds an action that wins at once. Actions that let an opponent win at once come last.
    """
    if game.status(position).over:
        raise GameOver(say("the game is over"))
    actions = game.actions(position).get(seat)
    if not actions:
        raise BadAction(say("seat {seat} does not act now", seat=seat))
    work = _Search(game, position, seat, budget, rng)
    found = work.candidates(actions)
    if isinstance(found, str):
        return Thought((Choice(found, 1.0, reasons=(say("This wins at once."),)),), work.nodes, proved=True)
    ranked = work.refute(work.compare(found))
    choices, highest = [], 1.0
    for candidate in ranked:
        highest = min(highest, candidate.value(work.even))
        reasons = (say("This lets the next player win at once."),) if candidate.lost else ()
        choices.append(Choice(candidate.action, highest, reasons=reasons))
    return Thought(tuple(choices), work.nodes)


# -- the computer player of a game -------------------------------------------------------------------------------------

STRENGTHS = (Strength(Budget(1_000), 0.2), Strength(Budget(2_500), 0.1), Strength(Budget(6_000)))
"""The levels of a game without its own: three, as random games can't distinguish more."""


class MonteCarlo(Generic[P]):
    """The computer player for any game."""

    strengths: Sequence[Strength] = STRENGTHS

    def __init__(self, game: Game[P]) -> None:
        """Play this game."""
        self._game = game

    def think(self, position: P, seat: int, budget: Budget, rng: Random) -> Thought:
        """Rank a seat's actions by random games. Raise BadAction if it does not act now, or GameOver.

        The random games use everything in the position, even what is hidden from players (the order of a stack).
        """
        return search(self._game, position, seat, budget, rng)


def computer_player_of(game: Game[P]) -> ComputerPlayer[P]:
    """Return a game's computer player: its own, or Monte Carlo, which has fewer levels than ``LEVELS``."""
    return game if isinstance(game, ComputerPlayer) else MonteCarlo(game)

"""What the computer player thinks of the turns of a position: honest, as it shuffles what nobody has seen.

Of the stack it knows the top tile, whose face is seen, and those that were covered and went to the bottom. The rest is
shuffled: the order in which a position holds it is never read.
"""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

from firmware_host.games.octiles import rules
from firmware_host.games.octiles.notation import PASS
from firmware_host.games.octiles.player import reasons, worth
from firmware_host.games.octiles.player.listing import WIN
from firmware_host.games.octiles.player.lookahead import SURE, Lookahead
from firmware_host.games.octiles.player.setting import action, take
from firmware_host.games.octiles.position import Position
from firmware_host.games.thinking import Budget, Choice, Strength, Thought
from firmware_host.searching.shuffles import Ranked, Stage, rank

STRENGTHS = (
    Strength(Budget(nodes=300, depth=2, evaluation=worth.SIMPLE), spread=0.13),
    Strength(Budget(nodes=1500, depth=2, evaluation=worth.FITTED), spread=0.1),
    Strength(Budget(nodes=2500, depth=3, evaluation=worth.FITTED), spread=0.13),
    Strength(Budget(nodes=1200, depth=4, evaluation=worth.FITTED), spread=0.06),
    Strength(Budget(nodes=60_000, evaluation=worth.FITTED)),
)
SURELY = 0.999
"""The value of a win that is ahead, less a little for each turn until then; the last tenth of a percent is for R3."""
A_TURN = 0.0001
_SPARE: list[Lookahead] = []
"""Scratch space of earlier thoughts: making it anew takes longer than a weak level thinks."""


def think(position: Position, budget: Budget, rng: Random) -> Thought:
    """Rank the turns of the seat to move, of a position that is not over."""
    track = _SPARE.pop() if _SPARE else Lookahead()
    thought = _thought(position, Table(track, position, budget, rng), budget)
    _SPARE.append(track)
    return thought


def _thought(position: Position, table: Table, budget: Budget) -> Thought:
    """Rank the turns of a position that has been set up."""
    if not table.turns:
        return Thought((Choice(PASS, table.standing()),), table.looked_at)
    wins = [turn for turn in table.turns if table.wins(turn)]
    if wins:
        found = [Choice(action(turn), 1.0, reasons=(reasons.WINS,)) for turn in wins]
        return Thought(tuple(found), table.looked_at, proved=True)
    if len(table.turns) == 1:
        budget = replace(budget, nodes=1)
    ranked = rank(table, len(table.turns), table.different, stages(budget, table.seats), budget)
    ranked = sorted(map(table.drawn, ranked), key=lambda one: -one.value)
    choices = [Choice(action(table.turns[one.candidate]), one.value) for one in ranked]
    choices[0] = replace(choices[0], reasons=reasons.of(position, table.turns[ranked[0].candidate]))
    return Thought(tuple(choices), table.looked_at)


def stages(budget: Budget, seats: int) -> list[Stage]:
    """Return how a budget is spent: the whole field first, then ever fewer candidates ever deeper.

    Of more than two, each plays for itself: one turn of every seat, then a second round. The first is never cut short:
    else the win of a seat after the next one would not be seen.
    """
    deepest = budget.depth or 9
    if seats > 2:
        deepest = max(deepest, seats)
    width = budget.width
    if seats == 2:
        plan = [Stage(2, width, 0.15, 17), Stage(3, 20, 0.45, 17), Stage(4, 6, 0.9, 17), Stage(5, 3, 1.0, 2)]
    else:
        plan = [Stage(seats, width, 0.3, 17), Stage(seats + 1, 20, 0.6, 34), Stage(2 * seats + 1, 6, 1.0, 68)]
    if deepest < plan[0].depth:
        return [Stage(deepest, width, 1.0, 1 if deepest == 1 else 17)]
    plan = [stage for stage in plan if stage.depth <= deepest]
    return [replace(stage, share=stage.share / plan[-1].share) for stage in plan]


class Table:
    """A position set up for a search with shuffles of what is hidden."""

    def __init__(self, track: Lookahead, position: Position, budget: Budget, rng: Random) -> None:
        """Set up a running position."""
        self._position = position
        self._rng = rng
        self._active = [seat - 1 for seat in rules.active(position)]
        self.seats = len(self._active)
        worths, self._to_move = worth.evaluation(position.mode, budget.evaluation)
        self._track = track
        self._before = int(track.lists)
        take(self._track, position, worths)
        self._hidden = sorted(position.stack[1 : 1 + position.unseen])
        self._orders: list[list[int]] = []
        self.different = 1 if len(self._hidden) < 2 else 2 if len(self._hidden) == 2 else 1000
        self.turns = self._listed()
        self.deal(0)

    @property
    def looked_at(self) -> int:
        """How many lists of turns have been made."""
        return int(self._track.lists) - self._before

    def _listed(self) -> list[int]:
        last = int(self._track.turns(0, False))
        return [int(self._track.listed[at]) for at in range(last)]

    def deal(self, shuffle: int) -> None:
        """Put what is hidden in the order of a shuffle.

        So many shuffles as there are hidden tiles are one order and its rotations: each tile comes next once.
        """
        hidden = self._hidden
        if not hidden:
            return
        order, turned = divmod(shuffle, len(hidden))
        while len(self._orders) <= order:
            self._orders.append(self._rng.sample(hidden, len(hidden)))
        tiles = self._orders[order]
        self._track.shuffle(tiles[turned:] + tiles[:turned])

    def wins(self, turn: int) -> bool:
        """Tell whether a turn wins at once."""
        return int(self._track.duel(turn, 1)) == WIN

    def value(self, candidate: int, depth: int) -> float:
        """Return the seat's chance to win after a turn, looking so many turns ahead, that one counted."""
        turn, seat = self.turns[candidate], self._position.seat - 1
        if self.seats == 2:
            lead = int(self._track.duel(turn, depth))
            if abs(lead) >= SURE:
                left = min(9, WIN - abs(lead)) * A_TURN
                return SURELY - left if lead > 0 else 1 - SURELY + left
            first, second = self._to_move[0], self._to_move[len(self._to_move) // 2]
            ahead = first - second if depth % 2 == 0 else second - first
            return _inside(1 / (1 + math.exp(-(lead + ahead) / 1000)))
        self._track.rounds(turn, depth)
        ends = [int(self._track.ends[one]) for one in self._active]
        own = self._active.index(seat)
        if max(ends) >= SURE:
            return SURELY if ends[own] >= SURE else 1 - SURELY
        return self._share(ends, own, depth)

    def _share(self, ends: list[int], own: int, made: int) -> float:
        """Return a seat's share of the chances, ``made`` turns after the position."""
        sums = [end + self._to_move[(place - own - made) % self.seats] for place, end in enumerate(ends)]
        most = max(sums)
        parts = [math.exp((one - most) / 1000) for one in sums]
        return _inside(parts[own] / sum(parts))

    def standing(self) -> float:
        """Return the seat's chance before its turn, nothing looked at."""
        ends = [int(self._track.sums[one]) for one in self._active]
        return self._share(ends, self._active.index(self._position.seat - 1), 0)

    def drawn(self, ranked: Ranked) -> Ranked:
        """Return a candidate as it is, or as a draw where its turn brings the same position for the third time."""
        if len(self._position.past) < rules.REPEATS - 1:
            return ranked
        turn = self.turns[ranked.candidate]
        after = rules.played(self._position, (turn >> 15, turn >> 12 & 7, turn >> 6 & 63, turn & 63))
        return Ranked(ranked.candidate, 1 / self.seats, ranked.depth) if after.ending == rules.DRAW else ranked


def _inside(value: float) -> float:
    """Keep an estimate away from what is certain."""
    return min(max(value, 2 - 2 * SURELY), 2 * SURELY - 1)

"""A search for games that hide something: what is hidden is shuffled, and each candidate is tried with it.

All candidates of a stage are tried with the same shuffles, so that luck is the same for all of them. A stage keeps the
best of the stage before it and looks deeper. The first shuffle of the first stage is always gone through to its end,
whatever the budget: each candidate has a value then, if only a narrow one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class Limits(Protocol):
    """How much a search may look at: :class:`firmware_host.games.thinking.Budget`."""

    @property
    def nodes(self) -> int:
        """How many nodes, all stages together."""
        ...

    def out_of_time(self) -> bool:
        """Tell whether it has to end for lack of time."""
        ...


class Hidden(Protocol):
    """What a game brings: its candidates are numbers from 0."""

    @property
    def looked_at(self) -> int:
        """How many nodes have been looked at."""
        ...

    def deal(self, shuffle: int) -> None:
        """Take a shuffle, by its number from 0; the same number is the same shuffle."""
        ...

    def value(self, candidate: int, depth: int) -> float:
        """Return the expected score, between 0 and 1, of the seat that acts, with the shuffle that was dealt."""
        ...


@dataclass(frozen=True)
class Stage:
    """One stage: how deep it looks, how many candidates it keeps of the stage before, when it ends.

    ``share`` is the part of the budget's nodes that may be spent when it ends, ``shuffles`` how many it takes at most.
    """

    depth: int
    field: int
    share: float
    shuffles: int


@dataclass(frozen=True)
class Ranked:
    """A candidate and its value; ``depth`` is how deep the last stage that it was in looked."""

    candidate: int
    value: float
    depth: int


def rank(game: Hidden, candidates: int, different: int, stages: Sequence[Stage], budget: Limits) -> list[Ranked]:
    """Return the candidates, the best first.

    ``different`` is how many shuffles there are at most: 1 where nothing is hidden. A candidate that a stage has left
    out loses as much against the best one as it did when it was left out.
    """
    found = [Ranked(candidate, 0.5, 0) for candidate in range(candidates)]
    for number, stage in enumerate(stages):
        if number and (budget.out_of_time() or game.looked_at >= budget.nodes * stage.share):
            break
        field = found[: stage.field or None]
        means = _means(game, field, stage, different, budget, narrow=not number)
        if means:
            found = _merged(found, means, stage.depth)
    return found


def _means(
    game: Hidden, field: Sequence[Ranked], stage: Stage, different: int, budget: Limits, *, narrow: bool
) -> list[float]:
    """Return the mean value of each candidate over whole shuffles, nothing where not one could be gone through."""
    limit = budget.nodes * stage.share
    totals, whole, cost = [0.0] * len(field), 0, 0
    while whole < min(stage.shuffles, different):
        must, began = narrow and not whole, game.looked_at
        if not must and (began + cost > limit or budget.out_of_time()):
            break
        game.deal(whole)
        values = []
        for ranked in field:
            if not must and (game.looked_at > limit or budget.out_of_time()):
                break
            values.append(game.value(ranked.candidate, stage.depth))
        if len(values) < len(field):
            break
        totals = [total + value for total, value in zip(totals, values, strict=True)]
        whole += 1
        cost = game.looked_at - began
    return [total / whole for total in totals] if whole else []


def _merged(found: Sequence[Ranked], means: Sequence[float], depth: int) -> list[Ranked]:
    """Return the candidates with the values that a stage has found for the first of them."""
    field = [Ranked(one.candidate, mean, depth) for one, mean in zip(found, means, strict=False)]
    field.sort(key=lambda one: -one.value)
    if len(field) == len(found):
        return field
    moved = _logit(field[0].value) - _logit(found[0].value)
    most = field[-1].value
    rest = [
        Ranked(one.candidate, min(most, 1 / (1 + math.exp(-_logit(one.value) - moved))), one.depth)
        for one in found[len(field) :]
    ]
    return field + rest


def _logit(value: float) -> float:
    inside = min(max(value, 1e-6), 1 - 1e-6)
    return math.log(inside / (1 - inside))

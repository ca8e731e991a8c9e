"""A search for games with hidden information: each candidate is evaluated in shuffles of the hidden part.

All candidates of a stage are evaluated with the same shuffles, so that luck is equal for all. Each stage keeps the best
candidates of the stage before and searches deeper. The first shuffle of the first stage is always completed, even
beyond the budget: so each candidate has a value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class Limits(Protocol):
    """The limits of a search: :class:`firmware_host.games.thinking.Budget`."""

    @property
    def nodes(self) -> int:
        """Maximum number of nodes of all stages together."""
        ...

    def out_of_time(self) -> bool:
        """Tell whether time is out."""
        ...


class Hidden(Protocol):
    """The game's part: its candidates are numbers from 0."""

    @property
    def nodes_used(self) -> int:
        """Number of nodes used so far."""
        ...

    def deal(self, shuffle: int) -> None:
        """Set the shuffle with this number, from 0; the same number gives the same shuffle."""
        ...

    def value(self, candidate: int, depth: int) -> float:
        """Return the acting seat's expected score, 0 to 1, with the present shuffle."""
        ...


@dataclass(frozen=True)
class Stage:
    """One stage: its depth, and ``field``, the number of candidates kept from the stage before (0: all).

    ``share`` is the part of the budget's nodes that may be used by its end, ``shuffles`` the maximum of shuffles.
    """

    depth: int
    field: int
    share: float
    shuffles: int


@dataclass(frozen=True)
class RankedCandidate:
    """A candidate and its value; ``depth`` is the depth of its last stage."""

    candidate: int
    value: float
    depth: int


def rank(
    game: Hidden, candidates: int, different: int, stages: Sequence[Stage], budget: Limits
) -> list[RankedCandidate]:
    """Return the candidates, best first.

    ``different`` is the number of different shuffles: 1 if nothing is hidden. A candidate that a stage leaves out keeps
    its distance (in logits) from the best one.
    """
    found = [RankedCandidate(candidate, 0.5, 0) for candidate in range(candidates)]
    for number, stage in enumerate(stages):
        if number and (budget.out_of_time() or game.nodes_used >= budget.nodes * stage.share):
            break
        field = found[: stage.field or None]
        means = _means(game, field, stage, different, budget, narrow=not number)
        if means:
            found = _merge_means(found, means, stage.depth)
    return found


def _means(
    game: Hidden, field: Sequence[RankedCandidate], stage: Stage, different: int, budget: Limits, *, narrow: bool
) -> list[float]:
    """Return the mean value of each candidate over complete shuffles; empty if none could be completed."""
    limit = budget.nodes * stage.share
    totals, whole, cost = [0.0] * len(field), 0, 0
    while whole < min(stage.shuffles, different):
        # The first shuffle of all is looked at whatever it costs: without it nothing is known of any candidate.
        must, began = narrow and not whole, game.nodes_used
        if not must and (began + cost > limit or budget.out_of_time()):
            break
        game.deal(whole)
        values = []
        for ranked in field:
            if not must and (game.nodes_used > limit or budget.out_of_time()):
                break
            values.append(game.value(ranked.candidate, stage.depth))
        if len(values) < len(field):
            break  # Candidates are only compared by shuffles that all of them have met: luck is the same for all.
        totals = [total + value for total, value in zip(totals, values, strict=True)]
        whole += 1
        cost = game.nodes_used - began
    return [total / whole for total in totals] if whole else []


def _merge_means(found: Sequence[RankedCandidate], means: Sequence[float], depth: int) -> list[RankedCandidate]:
    """Return all candidates with a stage's new values (``means``) for the first ones."""
    field = [RankedCandidate(one.candidate, mean, depth) for one, mean in zip(found, means, strict=False)]
    field.sort(key=lambda one: -one.value)
    if len(field) == len(found):
        return field
    # Deeper searches see other values: those left out move as the best one did, and never past any that went on.
    moved = _logit(field[0].value) - _logit(found[0].value)
    most = field[-1].value
    rest = [
        RankedCandidate(one.candidate, min(most, 1 / (1 + math.exp(-_logit(one.value) - moved))), one.depth)
        for one in found[len(field) :]
    ]
    return field + rest


def _logit(value: float) -> float:
    inside = min(max(value, 1e-6), 1 - 1e-6)
    return math.log(inside / (1 - inside))

"""The computer player of Phalanx: five levels; from a position to choices, with their lines and reasons."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

from mypy_extensions import i64

from firmware_host.games.phalanx.board import BIT, NODES
from firmware_host.games.phalanx.flat import ADD, COUNT, END, KINDS, MOVE, WON
from firmware_host.games.phalanx.player import forms
from firmware_host.games.phalanx.player.armies import ArmyWeights, ValuedLine, winning
from firmware_host.games.phalanx.rules import ACTIONS, Position
from firmware_host.games.thinking import Budget, Choice, Oversights, Strength, Thought
from firmware_host.searching.alpha_beta import PROVED, UNKNOWN, AlphaBeta
from firmware_host.text.words import say

LEVELS = (
    Strength(Budget(nodes=4_000, depth=2), spread=0.17),
    Strength(Budget(nodes=6_000, depth=3), spread=0.045),
    Strength(Budget(nodes=10_500, variety=55)),
    Strength(Budget(nodes=140_000, variety=55)),
    Strength(Budget(nodes=1_500_000, variety=55)),
)
"""A deep search knows only bounds of all but the best actions, so that a spread would make it much weaker."""
FIRST_STEPS = Strength(Budget(nodes=4_000, depth=2), oversights=Oversights(wins=0.2, plans=0.15))
OPENING = 4
"""Turns of a game in which the estimate is varied by lot: then no game is like another."""
MAX_LINE = 6
"""Actions of a line that are told."""
TOLD = 5
"""Choices that come with their line and reasons."""
_AT = {BIT[node].bit_length() - 1: node for node in NODES}
"""Number of a point (flat.py) → its name."""
_WAYS = "nesw"


def think(position: Position, budget: Budget, rng: Random) -> Thought:
    """Return the choices of the side that acts in a position that is not over."""
    form, varied = min(budget.evaluation, forms.FITTED), budget.variety and position.turn <= OPENING
    weights = forms.varied_weights(form, budget.variety, rng) if varied else forms.weights(form)
    armies = line_from(position, weights)
    search = AlphaBeta(armies, budget.nodes, budget.out_of_time)
    forced, looked = winning(armies) if armies.verdict(0) == UNKNOWN else (0, 0)
    ranked = search.rank(1 if forced else budget.depth, budget.width)
    rated = [(entry.move, score(entry.value)) for entry in ranked if entry.move != forced]
    proved = bool(forced) or score(ranked[0].value) in {0.0, 1.0}
    if forced:
        rated.insert(0, (forced, 1.0))
    choices = [
        Choice(action_text(move), value, 0.0, _line(search, move), tuple(reasons(armies, move, value)))
        if number < TOLD
        else Choice(action_text(move), value)
        for number, (move, value) in enumerate(rated)
    ]
    return Thought(tuple(choices), search.nodes + looked, proved)


def line_from(position: Position, weights: ArmyWeights) -> ValuedLine:
    """Return what a search looks along, from a running position."""
    armies = ValuedLine(weights)
    armies.begin(position)
    return armies


def score(value: i64) -> float:
    """Return the expected score for a value of a search: 1 and 0 only for what is proved."""
    if value >= PROVED or value <= -PROVED:
        return 1.0 if value > 0 else 0.0
    return 1 / (1 + math.exp(-min(max(value, -12_000), 12_000) / 1000))


def action_text(move: i64) -> str:
    """Return the text of an action for a move of the search."""
    if move == END:
        return "end"
    first, second = move >> 7 & 127, move & 127
    if move & KINDS == ADD:
        return f"+{_AT[second]}"
    if move & KINDS == MOVE:
        return f"{_AT[first]}-{_AT[second]}"
    return f"{_AT[second]}>{_WAYS[first]}"


def _line(search: AlphaBeta, move: i64) -> tuple[str, ...]:
    return tuple(action_text(following) for following in search.line(move, MAX_LINE)[1:])


def reasons(armies: ValuedLine, move: int, value: float) -> Iterator[str]:
    """Yield what speaks for a move at the root, the most important first; nothing where nothing plain does."""
    before = armies.spot(0)
    side, left = before.side, before.left
    own, opp = before.own_count >> COUNT & 15, before.opp_count >> COUNT & 15
    armies.measure(0)
    way, opp_way = before.way, before.opp_way
    turns = armies.play(0, move)
    after = armies.spot(1)
    if after.outcome == WON:
        yield say("This wins.")
        return
    if value >= 1.0:
        soon = not turns and PROVED <= armies.verdict(1) < UNKNOWN
        yield say("This wins within this turn.") if soon else say("This wins, whatever the other side does.")
    if after.outcome:
        return
    armies.measure(1)
    same = after.side == side
    own_after, opp_after = (after.own_count, after.opp_count) if same else (after.opp_count, after.own_count)
    way_after, opp_way_after = (after.way, after.opp_way) if same else (after.opp_way, after.way)
    if (gone := opp - (opp_after >> COUNT & 15)) > 0:
        yield say("This removes a hoplite.") if gone == 1 else say("This removes {count} hoplites.", count=gone)
    if opp_way <= ACTIONS < opp_way_after:
        yield say("This closes the other side's way to its goal.")
    elif opp_way_after > opp_way:
        yield say("This makes the other side's way to its goal longer.")
    if way_after < way:
        yield say("This brings the phalanx nearer to its goal.")
    if move & KINDS == ADD and (own_after >> COUNT & 15) > own:
        yield say("This makes the phalanx stronger.")
    if same and left > 1 and after.own_pushes > before.own_pushes:
        yield say("This prepares a push.")

"""What a position at rest is worth: who has won, or how likely each team wins, from patterns of nodes.

An evaluation by table: the 3 × 3 or so nodes around each home, each D and each C node are an index into a table of
weights, as tuples of squares are in checkers and Othello programs (Buro, "Improving heuristic mini-max search by
supervised learning", Artificial Intelligence 134, 2002). A team's weights add up to its strength, in thousandths of a
logit; strengths become chances by the logistic function (softmax where there are more than two teams). The weights are
fitted to games by fit_spokes of the laboratory, which writes the data file.

Every number is whole, so that the compiled and the plain form agree on every machine: values are in millionths.
"""

from __future__ import annotations

import json
import math
from functools import lru_cache
from importlib.resources import files
from typing import Final

from mypy_extensions import i64

from firmware_host.games.spokes.flat import PLACEABLE, EndRules, size

WIN: Final = 1_000_000
"""The value of a certain win; a certain loss is worth 0, and everything else lies between."""
STAGES: Final = 8
"""Stages of the game, by the empty nodes of circles A to D: 0 is the end."""
LEADS: Final = 13
_FAR: Final = 14_000
"""Thousandths of a logit beyond which nothing is told apart."""
_EXP: Final[list[i64]] = [i64(round(math.exp(-difference / 1000) * (1 << 24))) for difference in range(_FAR + 1)]
_STAGE: Final[list[i64]] = [i64(sum(empty > most for most in (1, 2, 4, 6, 9, 13, 19))) for empty in range(30)]

HOME_PATTERNS: Final = 4 * 256
"""Next resolver or not, odd or even; home node, those beside it, the D node inside it: two bits each."""
RING_PATTERNS: Final = 8 * 256
"""Next resolver or not, odd or even, home node taken or not; D node, those beside it, the C node inside it."""
INNER_PATTERNS: Final = 4 * 256
"""Next resolver or not, odd or even; C node, those beside it, the B node inside it."""
LEAD_PATTERNS: Final = 2 * STAGES * 3 * LEADS
"""Next resolver or not, stage, sector behind, equal or ahead, stones ahead on home nodes from -6 to 6."""


class PatternWeights:
    """What each pattern is worth to the team that owns its home node, in thousandths of a logit."""

    def __init__(self, homes: list[int], rings: list[int], inner: list[int], leads: list[int]) -> None:
        """Lists as long as there are patterns."""
        self.homes: list[i64] = [i64(weight) for weight in homes]
        self.rings: list[i64] = [i64(weight) for weight in rings]
        self.inner: list[i64] = [i64(weight) for weight in inner]
        self.leads: list[i64] = [i64(weight) for weight in leads]


class Evaluator(EndRules):
    """Judges positions at rest for one mode; turn_to and follow say whose turn it is about."""

    def __init__(self, mode: str, weights: PatternWeights, patterns: bool) -> None:
        """Without ``patterns`` the leads alone count."""
        super().__init__(mode)
        self._weights = weights
        self._patterns = patterns
        self._next: i64 = 0
        self._strengths: list[i64] = [i64(0) for _ in range(self.teams)]
        self.counted_patterns: list[int] = []
        """Where :meth:`watch` is on: the patterns that were last counted: team, table, index."""
        self._watched = False

    def follow(self, following: i64) -> None:
        """Say which team resolves next."""
        self._next = following

    def watch(self) -> None:
        """Note which patterns are counted: fitting needs them."""
        self._watched = True

    def rest(self, a: i64, b: i64, team: i64) -> i64:
        """Return what it is worth to a team when the phase comes to rest here."""
        if not self.over(a, b):
            return self.chance(a, b, team)
        return WIN if self.winner(a, b) == team else 0

    def loop(self, a: i64, b: i64, nodes: i64, team: i64) -> i64:
        """Return what it is worth to a team when the game ends by a loop that clears the charged stones on nodes."""
        return WIN if self.winner_after_loop(a, b, nodes) == team else 0

    def chance(self, a: i64, b: i64, team: i64) -> i64:
        """Return how likely a team wins from a position that goes on: never quite 0 or :data:`WIN`."""
        most: i64 = -1 << 40
        index: i64 = 0
        while index < self.teams:
            strength: i64 = -1 << 30
            if self._standing >> index & 1:
                strength = self._strength(a, b, index)
            self._strengths[index] = strength
            most = max(most, strength)
            index += 1
        total: i64 = 0
        index = 0
        mine: i64 = 0
        while index < self.teams:
            behind = most - self._strengths[index]
            share = _EXP[behind if behind < _FAR else _FAR]
            total += share
            if index == team:
                mine = share
            index += 1
        value = mine * WIN // total
        return min(max(value, 1), WIN - 1)

    def _strength(self, a: i64, b: i64, team: i64) -> i64:
        following: i64 = 1 if team == self._next else 0
        strength = self._lead(a, b, team, following)
        if self._patterns or self._watched:
            patterns = self._outer(a, b, team, following) + self._inner(a, b, team, following)
            if self._patterns:
                strength += patterns
        return strength

    def _lead(self, a: i64, b: i64, team: i64, following: i64) -> i64:
        homes: i64 = -100
        sectors: i64 = -100
        index: i64 = 0
        while index < self.teams:
            if index != team and self._standing >> index & 1:
                homes = max(homes, self.stones(a, b, self._homes[index]))
                sectors = max(sectors, self.stones(a, b, self._sectors[index]))
            index += 1
        ahead = self.stones(a, b, self._homes[team]) - homes
        ahead = min(max(ahead, -6), 6)
        beside = self.stones(a, b, self._sectors[team]) - sectors
        beside = min(max(beside, -1), 1)
        stage = _STAGE[size(PLACEABLE & ~(a | b))]
        at = ((following * STAGES + stage) * 3 + beside + 1) * LEADS + ahead + 6
        if self._watched:
            self.counted_patterns += [team, 3, at]
        return self._weights.leads[at]

    def _outer(self, a: i64, b: i64, team: i64, following: i64) -> i64:
        """Add up the patterns of each home node of a team and what lies inside it."""
        total: i64 = 0
        nodes = self._homes[team]
        k: i64 = 0
        while k < 16:
            if not nodes >> (29 + k) & 1:
                k += 1
                continue
            before, after = (k + 15) & 15, (k + 1) & 15
            odd = k & 1
            home = a >> (29 + k) & 1 | (b >> (29 + k) & 1) << 1
            ring = a >> (13 + k) & 1 | (b >> (13 + k) & 1) << 1
            at = (
                (following * 2 + odd) << 8
                | (a >> (29 + before) & 1)
                | (b >> (29 + before) & 1) << 1
                | home << 2
                | (a >> (29 + after) & 1) << 4
                | (b >> (29 + after) & 1) << 5
                | ring << 6
            )
            below: i64 = 0
            if not odd:
                c = 5 + (k >> 1)
                below = a >> c & 1 | (b >> c & 1) << 1
            taken: i64 = 1 if home else 0
            other = (
                (following * 4 + odd * 2 + taken) << 8
                | (a >> (13 + before) & 1)
                | (b >> (13 + before) & 1) << 1
                | ring << 2
                | (a >> (13 + after) & 1) << 4
                | (b >> (13 + after) & 1) << 5
                | below << 6
            )
            if self._watched:
                self.counted_patterns += [team, 0, at, team, 1, other]
            total += self._weights.homes[at] + self._weights.rings[other]
            k += 1
        return total

    def _inner(self, a: i64, b: i64, team: i64, following: i64) -> i64:
        """Add up the patterns of each C node of a team's sector and what lies inside it."""
        total: i64 = 0
        nodes = self._sectors[team]
        k: i64 = 0
        while k < 8:
            if not nodes >> (5 + k) & 1:
                k += 1
                continue
            before, after = (k + 7) & 7, (k + 1) & 7
            odd = k & 1
            below: i64 = 0
            if not odd:
                node = 1 + (k >> 1)
                below = a >> node & 1 | (b >> node & 1) << 1
            at = (
                (following * 2 + odd) << 8
                | (a >> (5 + before) & 1)
                | (b >> (5 + before) & 1) << 1
                | (a >> (5 + k) & 1) << 2
                | (b >> (5 + k) & 1) << 3
                | (a >> (5 + after) & 1) << 4
                | (b >> (5 + after) & 1) << 5
                | below << 6
            )
            if self._watched:
                self.counted_patterns += [team, 2, at]
            total += self._weights.inner[at]
            k += 1
        return total


# -- the weights -------------------------------------------------------------------------------------------------------

FILE = "weights.json"
SIZES = {"homes": HOME_PATTERNS, "rings": RING_PATTERNS, "inner": INNER_PATTERNS, "leads": LEAD_PATTERNS}
TABLES = tuple(SIZES)


def simple_leads() -> list[int]:
    """Return what a lead on home nodes is worth, more towards the end, and a little the sector."""
    found = [0] * LEAD_PATTERNS
    for at in range(LEAD_PATTERNS):
        rest, lead = divmod(at, LEADS)
        rest, sector = divmod(rest, 3)
        stage = rest % STAGES
        found[at] = (lead - LEADS // 2) * (150 + 50 * (STAGES - 1 - stage)) + (sector - 1) * 50
    return found


def simple_weights() -> PatternWeights:
    """Return weights of the leads alone."""
    return PatternWeights([0] * HOME_PATTERNS, [0] * RING_PATTERNS, [0] * INNER_PATTERNS, simple_leads())


@lru_cache(maxsize=1)
def fitted_weights() -> PatternWeights:
    """Return the weights of the data file."""
    data = json.loads(files(__package__).joinpath(FILE).read_text(encoding="utf-8"))
    return PatternWeights(*(dense_table(data["weights"][name], SIZES[name]) for name in TABLES))


def dense_table(sparse: dict[str, int], size: int) -> list[int]:
    """Return a list of weights from those that are not 0."""
    found = [0] * size
    for index, weight in sparse.items():
        found[int(index)] = weight
    return found

"""Simultaneous choices: mixed strategies for a zero-sum matrix of values.

Regret matching with regrets cut at zero and weights that grow with the rounds (CFR+: Tammelin, 2014) approaches an
equilibrium in some hundred rounds. All numbers are whole, so that the compiled and the plain form give the same answer
on every machine.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

ONE: Final = 1 << 16
"""A probability of 1."""
_BETWEEN_LOOKS: Final = 25
"""Rounds between two checks of the distance from the equilibrium."""


class _Side:
    """One of the two players: regrets, the mix of this round, and the weighted sum of all mixes."""

    def __init__(self, size: i64) -> None:
        self.size: i64 = size
        self.regrets: list[i64] = [0] * size
        self.sums: list[i64] = [0] * size
        self.mix: list[i64] = [ONE // size] * size
        self.used: list[i64] = list(range(size))
        """The choices that the mix of this round contains."""
        self.gains: list[i64] = [0] * size

    def take(self, mix: list[int]) -> None:
        """Set the mix of this round."""
        self.mix = [i64(part) for part in mix]
        self.used = [i64(index) for index, part in enumerate(mix) if part]

    def learn(self, weight: i64) -> None:
        """Update the regrets by the gains of a round, make the next mix, and add it to the sums."""
        mean: i64 = 0
        for index in self.used:
            mean += self.mix[index] * self.gains[index]
        mean //= ONE
        total: i64 = 0
        at: i64 = 0
        while at < self.size:
            regret = self.regrets[at] + self.gains[at] - mean
            regret = max(regret, 0)  # Else what was bad for long would need as long to be taken again.
            self.regrets[at] = regret
            total += regret
            at += 1
        used: list[i64] = []
        at = 0
        while at < self.size:
            part = self.regrets[at] * ONE // total if total else ONE // self.size
            self.mix[at] = part
            if part:
                used.append(at)
                self.sums[at] += part * weight  # The first mixes are far from an equilibrium: later ones count more.
            at += 1
        self.used = used


def solve(values: list[i64], rows: int, columns: int, rounds: int, near: int = 0) -> tuple[list[int], list[int]]:
    """Return the mixes of the row player, who maximises the value, and of the column player.

    ``values`` are whole numbers below 2**24, row by row. A mix holds the shares of all choices, which add up to about
    :data:`ONE`. The search stops after ``rounds``, or when the :func:`gap` is at most ``near``. Raise ValueError if the
    matrix is empty or has another size.
    """
    if not rows or not columns or len(values) != rows * columns:
        raise ValueError(f"matrix: expected {rows} x {columns} values, at least one, got {len(values)}")
    one, other = _Side(rows), _Side(columns)
    turn: i64 = 0
    while turn < rounds:
        turn += 1
        _gains_of_rows(values, one, other)
        one.learn(turn)  # Before the columns gain: they answer the new mix, which converges sooner.
        _gains_of_columns(values, one, other)
        other.learn(turn)
        if turn % _BETWEEN_LOOKS == 0 and gap(values, _shares(one.sums), _shares(other.sums)) <= near:
            break
    return _shares(one.sums), _shares(other.sums)


def gap(values: list[i64], mix: list[int], reply: list[int]) -> int:
    """Return the sum of both sides' greatest gains if each knew the other's mix; 0 in an equilibrium."""
    one, other = _Side(len(mix)), _Side(len(reply))
    one.take(mix)
    other.take(reply)
    _gains_of_rows(values, one, other)
    _gains_of_columns(values, one, other)
    return max(one.gains) + max(other.gains)


def _gains_of_rows(values: list[i64], one: _Side, other: _Side) -> None:
    width = other.size
    row: i64 = 0
    while row < one.size:
        gain: i64 = 0
        start = row * width
        for column in other.used:
            gain += values[start + column] * other.mix[column]
        one.gains[row] = gain // ONE
        row += 1


def _gains_of_columns(values: list[i64], one: _Side, other: _Side) -> None:
    width = other.size
    column: i64 = 0
    while column < width:
        gain: i64 = 0
        for row in one.used:
            gain -= values[row * width + column] * one.mix[row]
        other.gains[column] = gain // ONE
        column += 1


def _shares(sums: list[i64]) -> list[int]:
    total: i64 = 0
    for part in sums:
        total += part
    if not total:
        return [ONE // len(sums)] * len(sums)
    return [part * ONE // total for part in sums]


def means(values: list[i64], mix: list[int], rows: int) -> list[int]:
    """Return the expected value of each row against a mix of columns."""
    columns = len(mix)
    total = max(sum(mix), 1)
    return [
        sum(values[row * columns + column] * part for column, part in enumerate(mix) if part) // total
        for row in range(rows)
    ]

"""Choices that are made at the same time: the mixed strategies of a matrix of values.

Regret matching with the regrets cut at zero and later rounds weighing more (CFR+: Tammelin, 2014) comes near to an
equilibrium of a zero-sum matrix in some hundred rounds. All numbers are whole, so that the compiled and the plain form
choose the same on every machine.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

ONE: Final = 1 << 16
"""A probability of 1."""
_BETWEEN_LOOKS: Final = 25
"""Rounds after which it is seen again how near the mixes are."""


class _Side:
    """One of the two who choose: regrets, the mix of this round, and the sum of all mixes."""

    def __init__(self, size: i64) -> None:
        self.size: i64 = size
        self.regrets: list[i64] = [0] * size
        self.sums: list[i64] = [0] * size
        self.mix: list[i64] = [ONE // size] * size
        self.used: list[i64] = list(range(size))
        """The choices that the mix of this round contains."""
        self.gains: list[i64] = [0] * size

    def take(self, mix: list[int]) -> None:
        """Take a mix as it is given."""
        self.mix = [i64(part) for part in mix]
        self.used = [i64(index) for index, part in enumerate(mix) if part]

    def learn(self, weight: i64) -> None:
        """Take the gains of a round: regret what was not chosen, mix anew, and add the mix to the sums."""
        mean: i64 = 0
        for index in self.used:
            mean += self.mix[index] * self.gains[index]
        mean //= ONE
        total: i64 = 0
        at: i64 = 0
        while at < self.size:
            regret = self.regrets[at] + self.gains[at] - mean
            regret = max(regret, 0)
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
                self.sums[at] += part * weight
            at += 1
        self.used = used


def solve(values: list[i64], rows: int, columns: int, rounds: int, near: int = 0) -> tuple[list[int], list[int]]:
    """Return the mixes of the one who chooses a row and wants much, and of the one who chooses a column.

    ``values`` are whole numbers below 2**24, row by row. A mix are the shares of all choices; they add up to about
    :data:`ONE`. Stop after ``rounds``, or once neither could gain more than ``near`` by another choice. Raise
    ValueError where the matrix is empty or has another size.
    """
    if not rows or not columns or len(values) != rows * columns:
        raise ValueError(f"matrix: expected {rows} x {columns} values, at least one, got {len(values)}")
    one, other = _Side(rows), _Side(columns)
    turn: i64 = 0
    while turn < rounds:
        turn += 1
        _gains_of_rows(values, one, other)
        one.learn(turn)
        _gains_of_columns(values, one, other)
        other.learn(turn)
        if turn % _BETWEEN_LOOKS == 0 and gap(values, _shares(one.sums), _shares(other.sums)) <= near:
            break
    return _shares(one.sums), _shares(other.sums)


def gap(values: list[i64], mix: list[int], reply: list[int]) -> int:
    """Return what both sides together could gain at most if each knew the other's mix; 0 in an equilibrium."""
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
    """Return what each row is worth against a mix of columns."""
    columns = len(mix)
    total = max(sum(mix), 1)
    return [
        sum(values[row * columns + column] * part for column, part in enumerate(mix) if part) // total
        for row in range(rows)
    ]

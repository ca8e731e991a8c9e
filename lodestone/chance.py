"""Chance that is the same at each run: what a table draws in a test follows from the test's name alone."""

from __future__ import annotations

import hashlib
import os
from collections import Counter

_tables: Counter[str] = Counter()


def next_salt() -> str:
    """Return the salt of another table of the running test: no two tables draw the same ids."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "no test").rpartition(" (")[0]
    _tables[test] += 1
    return f"{test} {_tables[test]}"


class Drawn:
    """Stands in for :func:`secrets.token_hex` at a table."""

    def __init__(self, salt: str | None = None) -> None:
        self._salt = next_salt() if salt is None else salt
        self._count = 0

    def __call__(self, size: int) -> str:
        """Return the next ``size`` bytes, as hexadecimal digits."""
        self._count += 1
        return hashlib.shake_256(f"{self._salt} {self._count}".encode()).hexdigest(size)

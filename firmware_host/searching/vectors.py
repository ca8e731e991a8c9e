"""What compiled searches keep their numbers in, where ``librt`` is not installed: lists with the same interface.

Compiled, a ``vec`` is flat memory. The plain form of a search, which needs nothing installed, imports this.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


class vec(list[T]):  # noqa: N801 - the name that it stands for
    """A list that is made as ``librt.vecs.vec`` is."""

    def __init__(self, items: Iterable[T] = (), *, capacity: int = 0) -> None:  # noqa: ARG002 - lists grow by themselves
        """Take the items; ``capacity`` makes no difference here."""
        super().__init__(items)


def append(vector: vec[T], item: T) -> vec[T]:
    """Add an item at the end and return the list."""
    vector.append(item)
    return vector

"""Replacement of ``librt.vecs`` where ``librt`` is not installed: lists with the same interface.

In compiled searches a ``vec`` is flat memory. The plain form of a search, without ``librt``, imports this module.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


class vec(list[T]):  # noqa: N801 - the name that it stands for
    """A list with the constructor of ``librt.vecs.vec``."""

    def __init__(self, items: Iterable[T] = (), *, capacity: int = 0) -> None:  # noqa: ARG002 - lists grow by themselves
        """Take the items; ``capacity`` is ignored."""
        super().__init__(items)


def append(vector: vec[T], item: T) -> vec[T]:
    """Add an item at the end and return the list."""
    vector.append(item)
    return vector

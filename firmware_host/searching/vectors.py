"""Flat memory for compiled searches: ``vec`` of ``librt``, and lists with the same interface where it is missing.

In compiled code a ``vec[i64]`` is an array of machine words. The plain form of a search needs nothing that has to be
compiled or installed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from mypy_extensions import i64

__all__ = ["append", "numbers", "vec", "zeros"]

T = TypeVar("T")

try:
    from librt.vecs import append, vec
except ImportError:

    class vec(list[T]):  # type: ignore[no-redef]  # noqa: N801 - the name that it stands for
        """A list with the constructor of ``librt.vecs.vec``."""

        def __init__(self, items: Iterable[T] = (), *, capacity: int = 0) -> None:  # noqa: ARG002
            """Take the items; ``capacity`` is ignored, as lists grow by themselves."""
            super().__init__(items)

    def append(vector: vec[T], item: T) -> vec[T]:  # type: ignore[misc]
        """Add an item at the end and return the list."""
        vector.append(item)
        return vector


def zeros(size: int) -> vec[i64]:
    """Return a vector of zeros."""
    return vec[i64](memoryview(bytes(8 * size)).cast("q"))  # Ten times as quick as from a list.


def numbers(items: Iterable[int]) -> vec[i64]:
    """Return a vector of some numbers."""
    return vec[i64](items)

"""A cache for functions of games and positions, which are immutable."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, TypeVar, cast

G = ParamSpec("G")
R = TypeVar("R")


def bounded_cache(most: int) -> Callable[[Callable[G, R]], Callable[G, R]]:
    """Return a decorator that caches a function's last ``most`` answers; exceptions are not cached."""

    def keep(function: Callable[G, R]) -> Callable[G, R]:
        return cast("Callable[G, R]", lru_cache(maxsize=most)(function))

    return keep

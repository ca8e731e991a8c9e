"""Answers of a game that are asked for again and again, remembered: games and positions are immutable."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, TypeVar, cast

G = ParamSpec("G")
R = TypeVar("R")


def remembered(most: int) -> Callable[[Callable[G, R]], Callable[G, R]]:
    """Return a decorator of functions that keep their last answers, so many of them; what they raise is not kept."""

    def keep(function: Callable[G, R]) -> Callable[G, R]:
        return cast("Callable[G, R]", lru_cache(maxsize=most)(function))

    return keep

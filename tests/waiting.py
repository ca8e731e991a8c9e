"""Waiting for conditions: the only place in which a test sleeps without saying why."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE_S = float(os.environ.get("PATIENCE_S", "120.0"))
"""As patient as a machine needs on which much else runs; a wait ends as soon as its condition holds."""


def eventually(
    look: Callable[[], T], what: str | Callable[[], object] = "", patience: float = PATIENCE_S, pause: float = 0.02
) -> T:
    """Return the first true answer of ``look``, or fail saying what was waited for.

    What takes longer is asked about less often: each look at a program is work for it.
    """
    end = time.monotonic() + patience
    while True:
        answer = look()
        if answer:
            return answer
        if time.monotonic() >= end:
            raise AssertionError(f"waited {patience} s in vain: {what() if callable(what) else what}")
        time.sleep(pause)
        pause = min(max(0.12, pause), pause * 1.25)

"""The effects that the caller carries out after an event, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Journal:
    """Append this entry to the journal, durably, before anything after it is shown."""

    kind: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Show:
    """Something that people see has changed: draw lights and views again."""


@dataclass(frozen=True)
class Failed:
    """An unexpected error while the board was judged: log it. What the judgement would have changed stays as it was."""

    error: BaseException


Effect = Journal | Show | Failed

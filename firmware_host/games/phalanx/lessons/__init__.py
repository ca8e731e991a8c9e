"""The lessons of Phalanx; the source is phalanx.md. What they ask for beside actions every game knows."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from firmware_host.games.lessons import Condition

LESSONS = files(__package__ or "")
CONDITIONS: Mapping[str, Condition] = {}

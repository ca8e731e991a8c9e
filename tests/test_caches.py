"""A program that plays all day keeps little of what it has worked out: each cache has a size, or few arguments."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MOST = 256
"""A sentence takes a kilobyte: a cache of more would fill for hours."""
BY_ARGUMENTS = {
    "firmware_host.extensions.how_to_play.requests._cover": "the games",
    "firmware_host.extensions.how_to_play.requests._sheet": "the games",
    "firmware_host.games.coil.board.board": "the sizes of a board",
    "firmware_host.games.coil.player.thinking.core": "the same",
    "firmware_host.extensions.puzzles.solvers.coil._flat": "the same",
    "firmware_host.extensions.puzzles.solvers.coil._around": "the same",
    "firmware_host.games.levels.levels": "the numbers of strengths",
    "firmware_host.games.octiles.names.turning_words": "eight turnings",
    "firmware_host.games.octiles.player.worth.fitted_worth": "three modes, 61 steps",
    "firmware_host.games.octiles.player.worth.simple_worth": "three modes",
    "firmware_host.extensions.puzzles.solvers.octiles._lines": "the faces of 18 tiles",
    "firmware_host.link.solved.solved_of": "the data folder",
    "web_panel.languages.languages": "the folder of the catalogues",
    "web_panel.pages.assets.bundle": "the modules of scripts",
}
"""Caches without a size, and what their arguments are."""
OURS = {"firmware_host", "hw", "simulator", "web_panel"}
LAB = "firmware_host.extensions.lab."
"""Its commands end: they may keep what they have worked out."""
LARGER = {
    "firmware_host.games.spokes.player.search_context._worth": "in the child that searches, which is started anew"
}


def caches() -> Iterator[tuple[str, int | None]]:
    """Return name and size of every cached function of our packages that takes arguments."""
    for path in sorted(one for package in OURS for one in (ROOT / package).rglob("*.py")):
        place = path.relative_to(ROOT).with_suffix("")
        if "device" not in place.parts:  # That runs on a microcontroller.
            importlib.import_module(".".join(place.parts).removesuffix(".__init__"))
    for name, module in sorted(sys.modules.items()):
        for member, value in (
            vars(module).items() if name.partition(".")[0] in OURS and not name.startswith(LAB) else ()
        ):
            if type(value).__name__ == "_lru_cache_wrapper" and value.__module__ == name and _takes_arguments(value):
                yield f"{name}.{member}", value.cache_parameters()["maxsize"]


def _takes_arguments(cached: Any) -> bool:
    code = getattr(cached.__wrapped__, "__code__", None)
    return code is None or code.co_argcount > 0  # A compiled function has no code: all of ours take some.


def test_no_cache_grows_without_end() -> None:
    found = dict(caches())
    assert len(found) > 30
    assert {name for name, size in found.items() if size is None} == set(BY_ARGUMENTS)
    assert {name for name, size in found.items() if size is not None and size > MOST} == set(LARGER)

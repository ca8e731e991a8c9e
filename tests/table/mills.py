"""Six Men's Morris as docs/adding-a-game.md shows it: a stone that closes a mill takes one, an action in two parts."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from tests.workshop import files

PATH = "lodestone-morris/lodestone_morris.py"


def _shown() -> ModuleType:
    """Return the module that the page shows."""
    module = ModuleType("lodestone_morris_of_the_page")
    sys.modules[module.__name__] = module  # Dataclasses look there.
    exec(compile(files()[PATH], PATH, "exec"), module.__dict__)
    return module


_MODULE: Any = _shown()
MILLS_GAME = _MODULE.GAME
NODES: list[str] = _MODULE.NODES

"""Generated tables in Markdown pages: ``python -m firmware_host.maker.guide docs/build.md`` updates them.

A table is between ``<!-- lodestone board WHAT BOARD -->`` and ``<!-- end -->``: the output of that command.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.maker import magnets, parts, power, wiring
from hw.ports import BoardDescription

TABLES: Mapping[str, tuple[Callable[[BoardDescription], str], str]] = {
    "parts": (parts.parts_text, "the list of parts"),
    "wiring": (wiring.wiring_text, "where every wire goes"),
    "power": (power.power_text, "supply, fuse and wires"),
    "magnets": (magnets.magnets_text, "which sensor part works with which magnet, beside its neighbours"),
}
"""WHAT of ``lodestone board`` → the function that returns its table, and its help."""
_PLACE = re.compile(r"(<!-- lodestone board (\S+) (\S+) -->\n).*?(<!-- end -->)", re.S)


def refreshed(page: str) -> str:
    """Return a page of Markdown with all its tables updated."""

    def table(found: re.Match[str]) -> str:
        text, _ = TABLES[found[2]]
        return f"{found[1]}{text(load_board(find_board(found[3])))}\n{found[4]}"

    return _PLACE.sub(table, page)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(refreshed(path.read_text(encoding="utf-8")), encoding="utf-8")

"""Writes what screens and docs make of the table of lamps (:mod:`firmware_host.games.lamps`).

``python -m tools.lamps`` writes the scripts' table, the tables of docs/lights.md and docs/look.md, and the lists of
meanings in docs/view.md and docs/table-protocol.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from firmware_host.games.lamps import BEATS, LAMPS, SIGNS

ROOT = Path(__file__).parents[1]
SCRIPT = "web_panel/static/shared/lamp_table.js"
REPLAYED = "stone"
"""The meaning that only replays have."""
LISTS = ("docs/view.md", "docs/table-protocol.md")
LIST = re.compile(r"(^\| `lights` \| .*?: )`[^|;]*(?=; )", re.MULTILINE)
"""What comes before the list of meanings, and the list."""


def script() -> str:
    """Return the scripts' table: meaning → hue, ring, beat, words, sign."""
    rows = "".join(
        f"  {meaning}: {{ hue: {json.dumps(one.hue)}, ring: {json.dumps(one.ring)}, beat: {json.dumps(one.beat)},\n"
        f"    words: say({json.dumps(one.words)}), sign: {json.dumps(SIGNS[one.sign])} }},\n"
        for meaning, one in LAMPS.items()
    )
    return (
        "// What each light means, as it is drawn. Written by python -m tools.lamps.\n"
        'import { say } from "./words.js";\n\n'
        f"export const LAMPS = {{\n{rows}}};\n"
    )


def lights_rows() -> Iterator[str]:
    """Yield the rows of docs/lights.md: how a light looks, what it tells."""
    yield "| light | meaning |"
    yield "|---|---|"
    for one in LAMPS.values():
        if one.look:
            yield f"| {one.look} | {one.tells} |"


def look_rows() -> Iterator[str]:
    """Yield the rows of docs/look.md: how a lamp is drawn on screens."""
    yield "| meaning | hue | ring | sign | motion (a beat is 1 s) |"
    yield "|---|---|---|---|---|"
    for meaning, one in LAMPS.items():
        hue = "the seat's" if one.hue == "seat" else one.hue
        yield f"| {meaning} | {hue} | {one.ring.replace('-', ' ')} | {one.sign or 'none'} | {BEATS[one.beat]} |"


def meanings() -> str:
    """Return the list of all meanings that a light on a board can have."""
    return ", ".join(f"`{meaning}`" for meaning in LAMPS if meaning != REPLAYED)


def with_rows(page: str, rows: Iterator[str]) -> str:
    """Return a page where the table with the same head has these rows."""
    lines, new = page.splitlines(), list(rows)
    start = lines.index(new[0])
    end = next((at for at in range(start, len(lines)) if not lines[at].startswith("|")), len(lines))
    return "\n".join([*lines[:start], *new, *lines[end:]]) + "\n"


def texts() -> Mapping[str, str]:
    """Return the text of each file that follows from the table."""
    pages = {"docs/lights.md": lights_rows(), "docs/look.md": look_rows()}
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in (*pages, *LISTS)}
    with_tables = {name: with_rows(texts[name], rows) for name, rows in pages.items()}
    with_lists = {name: LIST.sub(lambda found: found[1] + meanings(), texts[name]) for name in LISTS}
    return {SCRIPT: script(), **with_tables, **with_lists}


if __name__ == "__main__":
    for name, text in texts().items():
        (ROOT / name).write_text(text, encoding="utf-8")

"""Measures how long each level takes for an action in a browser's Python: ``python -m tools.tab_levels``.

It writes ``tools/measured/tab_levels.json``; try/ of the docs' site offers the levels that are fast enough
(:mod:`tools.tab_site`). The positions are those of a random game, at its beginning, in its middle and late; of each
level the slowest answer counts. Node.js runs the very WebAssembly that browsers run; the processor's time is taken.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from random import Random
from typing import Any

from firmware_host.games.game import Game
from firmware_host.games.registry import GAMES
from firmware_host.table.ledger import levels_of
from tools import tab_site

MOMENTS = (0, 8, 20)
"""Numbers of actions of a random game after which a level is asked."""


def positions(game: Game[Any], seed: int = 1) -> Iterator[tuple[str, int]]:
    """Yield the text of each position, and a seat that acts there."""
    rng, position = Random(seed), game.start(game.modes[0])
    for number in range(max(MOMENTS) + 1):
        seats = list(game.actions(position))
        if not seats:
            return
        if number in MOMENTS:
            yield game.text(position), seats[0]
        position = game.apply(position, {seat: game.random_action(position, seat, rng) for seat in seats}).position


def main() -> int:
    """Measure, and write the file; return the exit code."""
    found = tab_site.build()
    asked = [
        (name, level.number, {"do": "play", "game": name, "position": text, "seat": seat, "level": level.number})
        for name, game in sorted(GAMES.items())
        for level in levels_of(game)
        for text, seat in positions(game)
    ]
    given = {"seed": 1, "seconds": tab_site.MAX_GAME_S}
    lines = "".join(json.dumps({**request, **given}) + "\n" for _, _, request in asked)
    archives = [str(found[name]) for name in ("libraries.zip", "lodestone.zip")]
    command = ["node", str(tab_site.SOURCE / "levels.mjs"), str(tab_site.PYODIDE), str(tab_site.MAX_S), *archives]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)
        return 1
    slowest: dict[str, dict[str, float]] = {}
    for (name, level, _), line in zip(asked, done.stdout.split(), strict=True):
        times = slowest.setdefault(name, {})
        times[str(level)] = max(times.get(str(level), 0.0), round(float(line), 2))
    text = json.dumps(slowest, indent=1, sort_keys=True)
    tab_site.LEVELS.write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

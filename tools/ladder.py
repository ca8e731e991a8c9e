"""Measure the levels of all games and write docs/strength.md: ``make ladder``.

Each level meets the one below it, the lowest one meets random play, and the highest one the restated peers of the game;
in modes for more players the highest level meets the lowest. What was played is kept in ``build/ladder``: it is not
played again, and a stopped run goes on. More games make narrower intervals: ``make ladder ARGS="--games 200"``. Some
pairs alone: ``make ladder ARGS="--game coil --pair level:4,level:3"``.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from firmware_host.arena.match import Match
from firmware_host.arena.players import peers_of
from firmware_host.arena.referee import tried
from firmware_host.arena.results import Results, Summary
from firmware_host.arena.run import cores, run, standing
from firmware_host.commands.arena import Bar
from firmware_host.compile import form
from firmware_host.games.levels import levels
from firmware_host.games.registry import GAMES, game
from firmware_host.games.thinkers import thinker_of

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "strength.md"
KEPT = ROOT / "build" / "ladder"
SEED = 1
INTRODUCTION = """# How strong the computers are

`make ladder` has written this page from games that were played; nothing in it is written by hand. Each level meets the
one below it, the lowest one meets random play, and the highest one players that others have written, restated in
`tools/peers`; in modes for more players the highest level plays one side and the lowest all others. Games begin with
four random actions that follow from a seed, and each such opening is played from every side; in a game for several one
side meets the others. `lodestone arena` plays any other pair.

The Elo difference is that of the first player to the second, with the interval in which it lies in 95 of 100 cases:
+191 is three points of four. Seconds and nodes are those of the first player's average action: seconds of the processor
that measured ({form}); nodes are the same on every machine, and so is the strength.
"""


def pairs(name: str) -> Iterator[Match]:
    """Yield the matches of a game."""
    mode, *others = game(name).modes
    count = len(thinker_of(game(name)).strengths)
    yield Match(name, mode, "level:1", "random", seed=SEED)
    for level in range(2, count + 1):
        yield Match(name, mode, f"level:{level}", f"level:{level - 1}", seed=SEED)
    for peer in peers_of(name):
        yield Match(name, mode, f"level:{count}", f"peer:{peer}", seed=SEED)
    for mode in others:
        yield Match(name, mode, f"level:{count}", "level:1", seed=SEED)


def play(match: Match, games: int, workers: int) -> Summary:
    """Play what is missing of a match, and return what all its games say."""
    match = replace(match, marks=tried(match))
    results = Results(KEPT / f"{match.game}.jsonl", match)
    if games <= len(results.rows):
        return standing(results, None)
    with Bar(games, len(results.rows), f"{match.game} {match.a} – {match.b}") as bar:
        return run(results, games, workers=workers, told=bar.show)


def page(found: Sequence[Summary]) -> str:
    """Return the page that results make."""
    parts = [INTRODUCTION.replace("{form}", form())]
    for name in dict.fromkeys(one.match.game for one in found):
        strengths = thinker_of(game(name)).strengths
        titles = {f"level:{level.number}": level.name for level in levels(len(strengths))}
        parts.append(f"\n## {game(name).title}\n")
        parts.append("| first | second | games | won–drawn–lost | score | Elo (95 %) | seconds | nodes |")
        parts.append("|---|---|---|---|---|---|---|---|")
        parts += [_line(one, titles) for one in found if one.match.game == name]
    return "\n".join(parts) + "\n"


def _line(found: Summary, titles: dict[str, str]) -> str:
    tally, used = found.tally, found.used["a"]
    names = [titles.get(named, named.removeprefix("peer:")) for named in (found.match.a, found.match.b)]
    if found.match.mode != game(found.match.game).modes[0]:
        names[0] += f", mode {found.match.mode}"
    difference, low, high = (_told(value) for value in tally.elo())
    cells = [
        *names,
        str(tally.games),
        f"{tally.won}–{tally.drawn}–{tally.lost}",
        f"{tally.score:.2f}",
        f"{difference} ({low} to {high})",
        f"{used['seconds_a_move']:.3f}",
        f"{used['nodes_a_move']:,.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def _told(value: float) -> str:
    if math.isinf(value):
        return "all won" if value > 0 else "all lost"
    return f"{value:+.0f}"


def main(arguments: Sequence[str]) -> int:
    """Measure and write; return the exit code."""
    parser = argparse.ArgumentParser(prog="make ladder", description=__doc__)
    parser.add_argument("--games", type=int, default=40, help="games a pair (default 40)")
    parser.add_argument("--game", action="append", choices=sorted(GAMES), help="this game only (repeatable)")
    parser.add_argument("--pair", action="append", metavar="A,B", help="this pair only, in all modes (repeatable)")
    parser.add_argument("--workers", type=int, default=cores(), help=f"processes (default {cores()})")
    wanted = parser.parse_args(arguments)
    found = []
    try:
        for name in sorted(GAMES):
            for match in pairs(name):
                asked = not wanted.game or name in wanted.game
                asked &= not wanted.pair or f"{match.a},{match.b}" in wanted.pair
                found.append(play(match, wanted.games if asked else 0, wanted.workers))
                PAGE.write_text(page([one for one in found if one.tally.games]), encoding="utf-8")
    except KeyboardInterrupt:
        print("Stopped; `make ladder` goes on.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

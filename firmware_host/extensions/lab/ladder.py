"""Measure the levels of all games and write docs/strength.md: ``make ladder``.

Each level meets the one below it, the lowest one meets random play, and the highest one the restated peers of the game;
in modes for more players the highest level, the middle one and the lowest meet. What was played is kept in
``tools/measured``: it is not played again, and a stopped run goes on. Each pair has an aim and a fixed number of games,
which are played in turn with all others, up to ``--games``; then the estimate says whether the aim is reached. A pair
that ended as soon as a test had decided would look stronger, or weaker, than it is. Some pairs alone:
``make ladder ARGS="--game coil --pair level:4,level:3"``. With ``--doubling`` the highest level meets itself with half
the nodes, from a sixteenth of what it searches up to all of it, and nothing else is played.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from firmware_host.compile import form
from firmware_host.extensions.lab import same_play
from firmware_host.extensions.lab.arena.match import Match, schedule
from firmware_host.extensions.lab.arena.players import peer, peers_of
from firmware_host.extensions.lab.arena.referee import marks
from firmware_host.extensions.lab.arena.results import ResultsFile, Summary, summary
from firmware_host.extensions.lab.arena.run import run
from firmware_host.extensions.lab.arena.statistics import elo
from firmware_host.extensions.lab.arena_command import Bar
from firmware_host.games.levels import FIRST_STEPS, first_steps, levels
from firmware_host.games.registry import GAMES, game
from firmware_host.link.mass_work import Workers, add_workers, workers_of
from firmware_host.searching.playouts import computer_player_of
from firmware_host.text.words import Refused

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "strength.md"
KEPT = ROOT / "tools" / "measured"
SEED = 2
ENOUGH = 200
"""Games of a pair of neighbouring levels between two players: 95 % of estimates lie within about 55 Elo."""
SOME = 100
"""Games of each other pair, at least: as many as make whole openings. 95 % of estimates lie within about 75 Elo."""
ROUND = 12
"""Games of each pair before the next pair's turn: several openings from every side."""
STEP = (150.0, 250.0)
"""Elo from one level to the next."""
STRONGER = (0.0, math.inf)
EVEN = (elo(0.35), elo(0.65))
"""Elo of the level for first games against somebody in a first game: about even."""
DOUBLINGS = 4
DOUBLED = (30.0, math.inf)
"""Elo that twice the nodes are worth, at least."""
LOWEST = 0.9
"""Score of the lowest level against random play, at least."""
LIMIT = ":nodes="
INTRODUCTION = """# How strong the computers are

`make ladder` has written this page from games that were played; nothing in it is written by hand. Each level meets the
one below it, Beginner meets random play, and the highest one the peers in `tools/peers`: players of other programs,
restated, and plain forms of the same search. First steps meets somebody in a first game (`newcomer`, who sees an action
ahead). In modes for more players a level plays one side and the one below it all others.
Games begin with four random actions that follow from a seed, and each such opening is played from every side.
`lodestone arena` plays any other pair. What has changed since it was measured is not shown: "not played".

The Elo difference is that of the first player to the second, with the interval in which it lies in 95 of 100 cases:
+191 is three points of four. "Wanted" is what the difference should be, and "reached" whether the estimate is there; it
is as sure as its interval is narrow. Each pair has a fixed number of games, {games} of neighbouring levels between two
players and {some} of others: one that ended as soon as a test had decided would flatter. An "open" pair has not played
all of them yet; what these say is in brackets.
Seconds and nodes are those of the first player's average action: seconds of the processor that measured ({form},
beside other programs); nodes are the same on every machine, and so is the strength.
"""
DOUBLING = """
## What twice the nodes are worth

The highest level against itself with half the nodes, from a sixteenth of what it searches up to all of it
(`make ladder ARGS="--doubling"`): what a quicker machine, or more patience, would add.
"""
REVIEWS = """
## What reviews show

Games of two weak levels were reviewed as after a game at a table, and then judged with three times the nodes
(`python -m tests.extensions.review.bench_player_review`). A turning point that was shown holds if the judge, too, finds
the better action better. Of actions that are in doubt, all or some by lot, and of a few others the judge tells which
lose 0.15 of the expected score or more: so many of the reviewed games lose that, and of these so many are shown. Both
are estimates, and rough ones where few were judged.

| game | games | shown | of these hold | judged | lose 0.15, about | of these shown |
|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Pair:
    """A match, and the bounds in Elo between which the difference should lie."""

    match: Match
    aim: tuple[float, float]
    doubling: bool = False

    @property
    def games(self) -> int:
        """Return how many games are played: whole openings, each of which is played from all sides."""
        least, sides = ENOUGH if self.aim == STEP else SOME, len(self.match.teams)
        return -(-least // sides) * sides

    @cached_property
    def results(self) -> ResultsFile:
        """Return what has been played."""
        return ResultsFile(KEPT / f"{self.match.game}.jsonl", replace(self.match, marks=marks(self.match)))

    @property
    def summary(self) -> Summary:
        """Return what the games say, those beyond their number left out."""
        rows = self.results.rows
        return summary(self.match, [rows[key] for key in schedule(self.match, self.games) if key in rows])

    @property
    def verdict(self) -> str:
        """Return whether the estimate is as wanted."""
        (low, high), tally = self.aim, self.summary.tally
        difference = tally.elo()[0]
        place = "no, less" if difference < low else "no, more" if difference > high else "yes"
        return place if tally.games >= self.games else f"open ({place})"

    def play(self, games: int, workers: Workers) -> bool:
        """Play until there are so many games, or as many as the pair has; return whether any was left to play."""
        wanted, known, match = min(games, self.games), self.summary.tally.games, self.match
        if known < wanted:
            with Bar(wanted, known, f"{match.game} {match.mode} {match.a} – {match.b}") as bar:
                run(self.results, wanted, workers=workers, report=bar.show)
        return known < wanted


def pairs(name: str) -> Iterator[Pair]:
    """Yield the pairs of a game."""
    mode, *others = game(name).modes
    count = len(computer_player_of(game(name)).strengths)
    if first_steps(computer_player_of(game(name))) is not None:
        yield _pair(name, mode, f"level:{FIRST_STEPS}", "peer:newcomer", EVEN)
    yield _pair(name, mode, "level:1", "random", (elo(LOWEST), math.inf))
    for level in range(2, count + 1):
        yield _pair(name, mode, f"level:{level}", f"level:{level - 1}", STEP)
    for known in peers_of(name):
        module = peer(known)
        for own, theirs in getattr(module, "EQUAL", ((0, 0),)):
            first, second = _with_limit(f"level:{count}", own), _with_limit(f"peer:{known}", theirs)
            yield _pair(name, mode, first, second, (elo(module.AIM), math.inf))
        for played in getattr(module, "MODES", ()):
            yield _pair(name, played, f"level:{count}", f"peer:{known}", STRONGER)
    for played in others:
        for level in range(2, count + 1):
            yield _pair(name, played, f"level:{level}", f"level:{level - 1}", STRONGER)


def doublings(name: str) -> Iterator[Pair]:
    """Yield a game's pairs of its highest level with some nodes, and with half as many."""
    strengths = computer_player_of(game(name)).strengths
    for doubling in reversed(range(DOUBLINGS)):
        nodes = strengths[-1].budget.nodes >> doubling
        first, second = (f"level:{len(strengths)}{LIMIT}{limit}" for limit in (nodes, nodes // 2))
        yield Pair(Match(name, game(name).modes[0], first, second, seed=SEED), DOUBLED, doubling=True)


def _pair(name: str, mode: str, a: str, b: str, aim: tuple[float, float]) -> Pair:
    return Pair(Match(name, mode, a, b, seed=SEED), aim)


def _with_limit(player: str, nodes: int) -> str:
    return f"{player}{LIMIT}{nodes}" if nodes else player


def tidy(played: Sequence[Pair]) -> None:
    """Delete kept games of players that have changed since, and half a line of a run that was killed."""
    keys = {pair.results.match.key for pair in played}
    for path in {pair.results.path for pair in played}:
        *lines, half = path.read_text(encoding="utf-8").split("\n")
        kept = [line for line in lines if json.loads(line)["match"] in keys]
        if kept != lines or half:
            path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")


def page(found: Sequence[Pair], doubled: Sequence[Pair] = ()) -> str:
    """Return the page that results make; ``doubled`` are doublings that were played."""
    about = INTRODUCTION.replace("{form}", form()).replace("{games}", str(ENOUGH)).replace("{some}", str(SOME))
    more = f"{DOUBLING}{tables(doubled, '###')}" if doubled else ""
    return f"{about}\n{tables(found)}{more}{reviews()}"


def keep_review(row: Mapping[str, Any]) -> None:
    """Keep what was found of one game's review: ``game``, ``seed``, ``shown``, ``holds``, ``judged``, ``much`` and
    ``found``, which the page has; another version's of the game's player go."""
    kept = [one for one in _reviews() if (one["game"], one["seed"]) != (row["game"], row["seed"])]
    lines = [json.dumps(one) for one in (*kept, {**row, "player": _best_player(row["game"])})]
    (KEPT / "reviews.jsonl").write_text("".join(f"{line}\n" for line in sorted(lines)), encoding="utf-8")


def _reviews() -> list[dict[str, Any]]:
    """Return what is kept of reviews by the present players."""
    path = KEPT / "reviews.jsonl"
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines()) if path.exists() else ()
    return [row for row in rows if row["game"] in GAMES and row["player"] == _best_player(row["game"])]


@cache
def _best_player(name: str) -> str:
    """Return the mark of a game's highest level."""
    highest = f"level:{len(computer_player_of(game(name)).strengths)}"
    return marks(Match(name, game(name).modes[0], highest, highest))[0]


def reviews() -> str:
    """Return the part of the page about reviews, nothing where none was measured."""
    lines = []
    for name, rows in groupby(sorted(_reviews(), key=itemgetter("game")), itemgetter("game")):
        counts = [[row[key] for key in ("shown", "holds", "judged", "much", "found")] for row in rows]
        shown, holds, judged, much, found = map(sum, zip(*counts, strict=True))
        share = f"{found:.0f} ({found / much:.0%})" if much else ""
        true = f"{holds} ({holds / shown:.0%})" if shown else ""
        lines.append(f"| {game(name).title} | {len(counts)} | {shown} | {true} | {judged} | {much:.0f} | {share} |\n")
    return REVIEWS + "".join(lines) if lines else ""


def tables(found: Sequence[Pair], heading: str = "##") -> str:
    """Return a table for each game."""
    parts = []
    for name in dict.fromkeys(one.match.game for one in found):
        strengths = computer_player_of(game(name)).strengths
        titles = {f"level:{level.number}": level.name for level in levels(len(strengths), FIRST_STEPS)}
        parts.append(f"\n{heading} {game(name).title}\n")
        parts.append(
            "| first | second | games | won–drawn–lost | score | Elo (95 %) | wanted | reached | seconds | nodes |"
        )
        parts.append("|---|---|---|---|---|---|---|---|---|---|")
        parts += [_line(one, titles) for one in found if one.match.game == name]
    return "\n".join(parts) + "\n"


def _line(pair: Pair, titles: Mapping[str, str]) -> str:
    found = pair.summary
    tally, used = found.tally, found.used["a"]
    names = [_name(named, titles) for named in (found.match.a, found.match.b)]
    if found.match.mode != game(found.match.game).modes[0]:
        names[0] += f", mode {found.match.mode}"
    if not tally.games:
        return f"| {' | '.join([*names, '0', '', '', '', _aim_words(pair.aim), 'not played', '', ''])} |"
    difference, low, high = (_elo_words(value) for value in tally.elo())
    cells = [
        *names,
        str(tally.games),
        f"{tally.wins}–{tally.draws}–{tally.losses}",
        f"{tally.score:.2f}",
        f"{difference} ({low} to {high})",
        _aim_words(pair.aim),
        pair.verdict,
        f"{used['seconds_a_move']:.3f}",
        f"{used['nodes_a_move']:,.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def _name(named: str, titles: Mapping[str, str]) -> str:
    """Return a player's name in words, with its limit if it has one."""
    player, limit, nodes = named.partition(LIMIT)
    title = titles.get(player, player.removeprefix("peer:"))
    return f"{title}, {int(nodes):,} nodes" if limit else title


def _aim_words(aim: tuple[float, float]) -> str:
    low, high = aim
    return f"at least {low:+.0f}" if math.isinf(high) else f"{low:+.0f} to {high:+.0f}"


def _elo_words(value: float) -> str:
    if math.isinf(value):
        return "all won" if value > 0 else "all lost"
    return f"{value:+.0f}"


def main(arguments: Sequence[str]) -> int:
    """Measure and write; return the exit code."""
    parser = argparse.ArgumentParser(prog="make ladder", description=__doc__)
    parser.add_argument(
        "--games", type=int, default=ENOUGH, help=f"games a pair at most (default {ENOUGH}; 0: only the page)"
    )
    parser.add_argument("--game", action="append", choices=sorted(GAMES), help="this game only (repeatable)")
    parser.add_argument("--pair", action="append", metavar="A,B", help="this pair only, in all modes (repeatable)")
    parser.add_argument("--doubling", action="store_true", help="what twice the nodes are worth, and nothing else")
    add_workers(parser)
    wanted = parser.parse_args(arguments)
    every = [pair for name in sorted(GAMES) for pair in (*pairs(name), *doublings(name))]
    asked = [pair for pair in every if pair.doubling == wanted.doubling]
    asked = [pair for pair in asked if not wanted.game or pair.match.game in wanted.game]
    if wanted.pair:
        asked = [pair for pair in asked if f"{pair.match.a},{pair.match.b}" in wanted.pair]
    try:
        same_play.update()
        tidy(every)
        for games in [*range(ROUND, wanted.games, ROUND), wanted.games]:
            for pair in asked:
                if pair.play(games, workers_of(wanted)):
                    write(every)
    except KeyboardInterrupt:
        print("Stopped; `make ladder` goes on.", file=sys.stderr)
    except Refused as refusal:
        print(f"make ladder: {refusal}", file=sys.stderr)
        return 1
    write(every)
    print(tables(asked))
    return 0


def write(every: Sequence[Pair]) -> None:
    """Write the page."""
    levels_only = [pair for pair in every if not pair.doubling]
    doubled = [pair for pair in every if pair.doubling and pair.results.rows]
    PAGE.write_text(page(levels_only, doubled), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

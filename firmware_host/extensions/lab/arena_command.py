"""``lodestone arena``: a match of two players, to find out which is stronger, and by how much."""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from dataclasses import replace
from pathlib import Path

from firmware_host.archive.data_folder import data_folder
from firmware_host.commands.options import number, whole
from firmware_host.extensions.lab.arena.match import Match
from firmware_host.extensions.lab.arena.players import peers
from firmware_host.extensions.lab.arena.referee import try_players
from firmware_host.extensions.lab.arena.results import ResultsFile, Summary, time_of
from firmware_host.extensions.lab.arena.run import run, standing
from firmware_host.games.game import GameError
from firmware_host.link.mass_work import LeftOut, add_workers, bar, workers_of
from firmware_host.text.json_reader import MAX_SECONDS
from firmware_host.text.words import Refused

MAX_ELO = 2000.0
"""Largest difference that a test may ask for: more is certain after one game."""


def add_arena(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    verb = verbs.add_parser(
        "arena",
        help="let two players meet, and measure which is stronger",
        description="Let two players meet in game after game, from openings that follow from a seed, each played from"
        " every side. Every game is written as a JSON line when it ends: the same command goes on where it was stopped."
        " Files of several runs can be joined into one, and add up.",
        epilog="players: level:NUMBER (0, First steps, to 5), random, peer:NAME (one of"
        f" {', '.join(peers()) or 'tools/peers'}, or the path of a file), engine:'COMMAND' (any program that answers"
        " the engine's `play`, docs/engine.md). In a game for several A plays one side in turn, B all others.",
    )
    verb.add_argument("game", help="the game they play")
    verb.add_argument("a", metavar="A", help="a player: the results are its own")
    verb.add_argument("b", metavar="B", help="the player it meets")
    verb.add_argument("--games", type=whole(1), default=200, help="how many games (default 200)")
    verb.add_argument("--mode", default=None, help="the game's mode (default: its first)")
    verb.add_argument("--rule", action="append", default=[], metavar="OPTION", help="an option of the rules")
    verb.add_argument("--seed", type=whole(), default=1, help="seed of openings and players (default 1)")
    verb.add_argument(
        "--opening", type=whole(0), default=4, metavar="ACTIONS", help="random actions at the start (default 4)"
    )
    verb.add_argument("--longest", type=whole(1), default=1000, help="actions after which a game is drawn")
    verb.add_argument(
        "--seconds",
        type=number(float, "seconds", 0.001, MAX_SECONDS),
        default=60.0,
        help="seconds a move that an engine is told (default 60); without an answer it loses 30 s later",
    )
    verb.add_argument(
        "--test",
        nargs=2,
        type=number(float, "a difference in Elo", -MAX_ELO, MAX_ELO),
        metavar=("LOW", "HIGH"),
        help="stop as soon as it is known whether A is HIGH Elo stronger or LOW (a sequential test, 5 in 100 wrong)",
    )
    add_workers(verb)
    verb.add_argument("--out", type=Path, default=None, help=f"file of results (default: in {data_folder() / 'arena'})")
    verb.add_argument("--json", action="store_true", help="print the result as JSON")
    verb.set_defaults(verb=_arena)


def _arena(arguments: argparse.Namespace) -> int:
    match = _match(arguments)
    name = re.sub(r"[^a-zA-Z0-9.-]+", "_", f"{match.game}-{match.mode}-{match.a}-{match.b}")[:120]
    results = ResultsFile(arguments.out or data_folder() / "arena" / f"{name}.jsonl", match)
    test = tuple(arguments.test) if arguments.test else None
    code = 0
    with Bar(arguments.games, len(results.rows), f"{match.game} {match.a} – {match.b}") as bar:
        try:
            found = run(
                results,
                arguments.games,
                workers=workers_of(arguments),
                test=test,
                report=bar.show,
            )
        except KeyboardInterrupt:
            found, code = standing(results, test), 130
            print("Stopped; the same command goes on.", file=sys.stderr)
        except LeftOut as left:
            found = standing(results, test)
            print(f"lodestone: {left}", file=sys.stderr)
    print(json.dumps(found.plain()) if arguments.json else result_text(found, results.path))
    return code


def _match(arguments: argparse.Namespace) -> Match:
    """Return the match after a trial of both players. Raise Refused."""
    if arguments.test and arguments.test[0] >= arguments.test[1]:
        raise Refused("--test: expected LOW below HIGH, for example --test 0 50")
    try:
        match = Match(arguments.game, "", arguments.a, arguments.b, tuple(arguments.rule), arguments.seed)
        game = match.open_game()
        mode = arguments.mode or game.modes[0]
        game.seats(mode)
        match = replace(
            match, mode=mode, opening=arguments.opening, longest=arguments.longest, seconds=arguments.seconds
        )
        if len(match.teams) < 2:
            raise Refused(f"--mode: in mode {mode} of {game.title} there is only one side")
        return replace(match, marks=try_players(match))
    except (GameError, ValueError) as error:
        raise Refused(str(error)) from error


class Bar:
    """A match's progress on a terminal."""

    def __init__(self, games: int, known: int, title: str) -> None:
        self._bar = bar(games, known, title, "game")

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def show(self, found: Summary) -> None:
        """Count one more game and show the standing."""
        tally = found.tally
        self._bar.set_postfix_str(
            f"{tally.wins}-{tally.draws}-{tally.losses}, Elo {_difference(tally.elo()[0])}", False
        )
        self._bar.update()


def result_text(found: Summary, path: Path) -> str:
    """Return the result in words."""
    tally, match = found.tally, found.match
    difference, low, high = tally.elo()
    head = f"{match.game}, mode {match.mode}: {match.a} against {match.b}, {tally.games} games (seed {match.seed})"
    if not tally.games:
        return f"{head}\n  {path}"
    lines = [
        head,
        f"  won {tally.wins}, drawn {tally.draws}, lost {tally.losses}: score {tally.score:.3f}",
        f"  Elo {_difference(difference)} (95 %: {_difference(low)} to {_difference(high)})",
    ]
    if found.test:
        first, second = (_difference(value) for value in found.test)
        words = {"stronger": f"it is {second}, not {first}", "weaker": f"it is {first}, not {second}"}
        lines.append(f"  sequential test: {words.get(found.decision or '', 'not decided yet')}")
    for side, name in (("a", match.a), ("b", match.b)):
        used = found.used[side]
        time = {"cpu": "CPU time", "wall": "wall time"}[time_of(name)]
        lines.append(f"  {name}: {used['seconds_a_move']:.4f} s ({time}) and {used['nodes_a_move']:,.0f} nodes a move")
    lines.append(
        f"  games with repeated positions {found.repeated}, with passes {found.passed}, unfinished {found.unfinished}"
    )
    lines += [f"  lost by a fault: {fault}" for fault in found.faults[:3]]
    if len(found.faults) > 3:
        lines.append(f"  and {len(found.faults) - 3} more faults")
    return "\n".join([*lines, f"  {path}"])


def _difference(value: float) -> str:
    if math.isinf(value):
        return "more than can be measured" if value > 0 else "less than can be measured"
    return f"{value:+.0f}"

"""``lodestone soak``: evenings at simulated tables with broken parts and strange hands, by thousands."""

from __future__ import annotations

import argparse
import importlib.metadata
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from firmware_host.archive.data_folder import data_folder
from firmware_host.commands.options import whole
from firmware_host.games.capabilities import HasTiles
from firmware_host.games.game import GameError
from firmware_host.games.registry import GAMES
from firmware_host.games.registry import game as find_game
from firmware_host.link.mass_work import (
    DISTRIBUTION,
    LeftOut,
    Row,
    RowsFile,
    add_workers,
    complete,
    workers_of,
)
from firmware_host.text.words import Refused

GROUP = "lodestone.soaking"
"""The entry point of the function that plays an evening: nothing here imports a simulator."""
KINDS = ("presence", "polarity", "level", "coded")
FAULTS = "every kind of fault"
SHOWN = 5


def add_soak(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    verb = verbs.add_parser(
        "soak",
        help="play evenings at simulated tables that break, and count what goes wrong",
        description="Play evenings at simulated tables: people with strange hands play games while sensors, lines,"
        " strips and the board break and are mended. What the table commits is compared with what hands did. An evening"
        " follows from its seed and is a JSON line when it ends: the same command goes on where it was stopped. Files"
        " of several runs can be joined into one, and add up.",
    )
    verb.add_argument("--evenings", type=whole(1), default=100, help="how many (default 100)")
    verb.add_argument("--turns", type=whole(1), default=50, help="turns of an evening (default 50)")
    verb.add_argument("--seed", type=whole(), default=1, help="seed of the first evenings (default 1)")
    verb.add_argument("--game", action="append", help="this game only (repeatable; default: all in turn)")
    verb.add_argument("--kind", action="append", choices=KINDS, help="this kind of sensing only (repeatable)")
    verb.add_argument("--mode", action="append", help="this mode only (repeatable)")
    verb.add_argument("--fault", action="append", help=f"this fault only (repeatable; default: {FAULTS})")
    verb.add_argument("--calm", action="store_true", help="people with hands that are not strange")
    add_workers(verb)
    verb.add_argument("--out", type=Path, default=None, help=f"file of results (default: in {data_folder() / 'soak'})")
    verb.set_defaults(verb=_soak)


def _soak(arguments: argparse.Namespace) -> int:
    play, faults = _evenings()
    wrong = sorted(set(arguments.fault or ()) - set(faults))
    if wrong:
        raise Refused(f"--fault: expected some of {', '.join(faults)}, got {wrong[0][:20]!r}")
    units = _units(arguments, tuple(arguments.fault or faults))
    file = RowsFile(arguments.out or data_folder() / "soak" / "evenings.jsonl")
    left = stopped = 0
    try:
        complete(file, play, units, workers_of(arguments), title="soak", unit="evening")
    except KeyboardInterrupt:
        stopped = 130
        print("Stopped; the same command goes on.", file=sys.stderr)
    except LeftOut as error:
        left = len(error.keys)
        print(f"lodestone: {error}", file=sys.stderr)
    rows = [file.rows[key] for key in units if key in file.rows]
    print(soak_text(rows, len(units)) + f"\n  {file.path}")
    return stopped or (1 if left or any(row["wrong"] or row["stuck"] or row["crashed"] for row in rows) else 0)


def _evenings() -> tuple[Callable[..., Mapping[str, Any]], Sequence[str]]:
    """Return the function that plays an evening, and the faults there are. Raise Refused where none is installed."""
    found = {entry.name: entry for entry in importlib.metadata.entry_points(group=GROUP)}
    if not {"play", "faults"} <= found.keys():
        raise Refused("soak: the simulator is not installed: run make setup, or install Lodestone again")
    return found["play"].load(), found["faults"].load()


def _units(arguments: argparse.Namespace, faults: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """Return the evenings that are asked for, by key: seeds from the first one on, for every game, kind and mode."""
    try:
        tables = [table for name in arguments.game or sorted(GAMES) for table in _tables(name, arguments)]
    except GameError as error:
        raise Refused(f"--game: {error}") from error
    if not tables:
        raise Refused("--kind, --mode: no game has such tables; coded wells need a game with tiles")
    version, units = importlib.metadata.version(DISTRIBUTION), {}
    for number in range(arguments.evenings):
        seed, which = divmod(number, len(tables))
        game, kind, mode = tables[which]
        evening = (game, kind, mode, arguments.seed + seed, arguments.turns, tuple(faults), not arguments.calm)
        hands = "calm" if arguments.calm else "strange"
        broken = " ".join(arguments.fault) if arguments.fault else "all"
        key = f"{version} {game} {kind} {mode} seed {evening[3]} turns {arguments.turns} {hands} faults {broken}"
        units[key] = evening
    return units


def _tables(name: str, arguments: argparse.Namespace) -> list[tuple[str, str, str]]:
    """Return (game, kind, mode): all modes with the plainest sensors, the first one with the others of the game."""
    game = find_game(name)
    others = ("coded",) if isinstance(game, HasTiles) else ("polarity",)
    kinds = arguments.kind or ("presence", *others)
    every = [
        (name, kind, mode)
        for kind in kinds
        for mode in game.modes
        if arguments.kind or arguments.mode or kind != "polarity" or mode == game.modes[0]
    ]
    return [
        one
        for one in every
        if (not arguments.mode or one[2] in arguments.mode) and (one[1] != "coded" or isinstance(game, HasTiles))
    ]


def soak_text(rows: Sequence[Row], asked: int) -> str:
    """Return the sum of evenings in words."""
    faults: Counter[str] = Counter()
    for row in rows:
        faults.update(row["faults"])
    faults.pop("none", None)
    total = {name: sum(row[name] for row in rows) for name in ("games", "turns", "steps")}
    lines = [
        f"{len(rows)} of {asked} evenings: {total['games']:,} games, {total['turns']:,} turns,"
        f" {total['steps']:,} steps by hand",
        "  broken: " + (", ".join(f"{name} {count:,}" for name, count in sorted(faults.items())) or "nothing"),
    ]
    for words, name in (("committed though nobody did it", "wrong"), ("tables that did not go on", "stuck")):
        found = [one for row in rows for one in row[name]]
        lines += [f"  {words}: {len(found)}", *_some(found)]
    crashed = [row["crashed"] for row in rows if row["crashed"]]
    lines += [f"  crashes: {len(crashed)}", *_some(crashed)]
    return "\n".join(lines)


def _some(found: Sequence[str]) -> list[str]:
    more = [f"    and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
    return [f"    {one}" for one in found[:SHOWN]] + more

"""``lodestone puzzles``: make puzzles, check them, show one, print today's."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from firmware_host.archive.data_folder import make_data
from firmware_host.commands.common import add_data, data_of
from firmware_host.commands.options import number, whole
from firmware_host.extensions.puzzles import making, store
from firmware_host.extensions.puzzles.check import WrongPuzzle, check
from firmware_host.extensions.puzzles.puzzle import Puzzle, kinds_of
from firmware_host.games.game import Game, GameError
from firmware_host.games.registry import GAMES, game
from firmware_host.link.mass_work import LeftOut, RowsFile, add_workers, bar, workers_of
from firmware_host.text.json_reader import MAX_SECONDS
from firmware_host.text.words import Refused

MOST = 10_000
"""Maximum number of puzzles made by one command."""


def add_puzzles(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``puzzles`` and its parts to the command line."""
    puzzles = verbs.add_parser("puzzles", help="make puzzles, check them, show one, tell today's")
    whats = puzzles.add_subparsers(required=True, metavar="WHAT")
    make = whats.add_parser("make", help="make more puzzles of a game, each solved and proved")
    make.add_argument("game", help="the game")
    make.add_argument("--count", type=whole(1, MOST), default=20, help="how many (default 20)")
    make.add_argument("--seed", type=whole(), default=1, help="the same seed makes the same puzzles (default 1)")
    make.add_argument("--kind", default=None, help="one kind only (default: of all about as many)")
    make.add_argument(
        "--seconds",
        type=number(float, "seconds", 0, MAX_SECONDS),
        default=300.0,
        help="stop after so long (default 300)",
    )
    make.add_argument("--out", type=Path, default=None, help="file to add them to (default: in the data folder)")
    add_workers(make)
    make.set_defaults(verb=_make)
    checking = whats.add_parser("check", help="prove puzzles again, by the rules alone")
    checking.add_argument("game", nargs="?", help="the game (default: every game)")
    checking.add_argument("--kind", default=None, help="one kind only")
    checking.set_defaults(verb=_check)
    show = whats.add_parser("show", help="list a game's puzzles, or show one with its answer")
    show.add_argument("game", help="the game")
    show.add_argument("id", nargs="?", help="the puzzle, by its id or the beginning of it")
    show.set_defaults(verb=_show)
    today = whats.add_parser("today", help="tell today's puzzle of every game")
    today.add_argument("--date", type=_day, default=None, help="another day, YYYY-MM-DD")
    today.set_defaults(verb=_today)
    add_data(make, checking, show)


def _day(text: str) -> date:
    with suppress(ValueError):
        return date.fromisoformat(text)
    raise argparse.ArgumentTypeError(f"expected a day of the calendar as YYYY-MM-DD, got {text[:20]!r}")


def _game(name: str, kind: str | None = None) -> Game[Any]:
    """Return a game that has puzzles (of this kind). Raise Refused."""
    try:
        found = game(name)
    except GameError as error:
        raise Refused(str(error)) from error
    if not kinds_of(found):
        raise Refused(f"{name}: this game has no puzzles")
    if kind not in {None, *kinds_of(found)}:
        raise Refused(f"--kind: expected one of {', '.join(kinds_of(found))}, got {str(kind)[:20]!r}")
    return found


def _puzzles_of(found: Game[Any], arguments: argparse.Namespace) -> list[Puzzle]:
    return list(store.all_puzzles(found, data_of(arguments)))


def _make(arguments: argparse.Namespace) -> int:
    found = _game(arguments.game, arguments.kind)
    data = data_of(arguments)
    path = arguments.out or store.own_file(data, found)
    if arguments.out is None:
        make_data(data)
    present = [*store.all_puzzles(found, data), *(store.read(found, arguments.out) if arguments.out else ())]
    file = RowsFile(path.with_name(f"{path.stem}.games.jsonl"))
    before = f"taken {found.name} seed {arguments.seed} kind {arguments.kind} "
    taken = {row["id"] for key, row in file.rows.items() if str(key).startswith(before)}
    known = [puzzle for puzzle in present if puzzle.id not in taken]
    ids, alike = {puzzle.id for puzzle in present}, {making.looks(found, puzzle) for puzzle in present}
    end = time.monotonic() + arguments.seconds
    late = lambda: time.monotonic() > end  # noqa: E731 - it is passed on
    made = again = 0
    chosen = making.make(
        found, arguments.count, arguments.seed, known, late, arguments.kind, workers=workers_of(arguments), file=file
    )
    with bar(arguments.count, 0, f"puzzles of {found.name}", "puzzle") as shown:
        try:
            for puzzle in chosen:
                shown.update()
                if puzzle.id in ids:  # It was made before the same command was stopped.
                    again += 1
                elif making.looks(found, puzzle) not in alike:
                    # In this order: a puzzle that was written but not noted would be taken for somebody else's.
                    file.add(before + puzzle.id, {"key": before + puzzle.id, "id": puzzle.id})
                    store.append(path, [puzzle])
                    made += 1
                    shown.write(_line(puzzle))
        except LeftOut as left:
            print(f"lodestone: {left}", file=sys.stderr)
    print(f"{path}: {made} puzzles more" + (f", {again} of this seed were there" if again else ""))
    if made + again < arguments.count:
        print(f"{arguments.count} were asked for: give it more --seconds, or another --seed")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    wrong, kind = 0, arguments.kind
    games = [_game(arguments.game, kind)] if arguments.game else [one for one in GAMES.values() if kinds_of(one)]
    if kind is not None and not any(kind in kinds_of(one) for one in games):
        every = sorted({one for found in games for one in kinds_of(found)})
        raise Refused(f"--kind: expected one of {', '.join(every)}, got {kind[:20]!r}")
    for found in games:
        for path in store.files_of(found, data_of(arguments)):
            store.read(found, path)  # It refuses the lines that are left out elsewhere.
        chosen = [one for one in _puzzles_of(found, arguments) if kind in {None, one.kind}]
        for puzzle in chosen:
            try:
                check(found, puzzle)
            except WrongPuzzle as error:
                wrong += 1
                print(error)
        print(f"{found.name}: {len(chosen)} puzzles checked by the rules alone; {_mix_text(chosen)}")
    return 1 if wrong else 0


def _mix_text(puzzles: Sequence[Puzzle]) -> str:
    kinds, grades = Counter(one.kind for one in puzzles), Counter(one.grade for one in puzzles)
    counted = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    return f"{counted}; by grade " + ", ".join(f"{grade}: {count}" for grade, count in sorted(grades.items()))


def _line(puzzle: Puzzle) -> str:
    return f"{puzzle.id}  grade {puzzle.grade}  {puzzle.kind:6}  {puzzle.position}"


def _show(arguments: argparse.Namespace) -> int:
    found = _game(arguments.game)
    known = _puzzles_of(found, arguments)
    if arguments.id is None:
        print("\n".join(map(_line, known)))
        return 0
    matching = [one for one in known if one.id.startswith(arguments.id)]
    if len(matching) != 1:
        raise Refused(f"id: expected that of one puzzle of {found.name}, {arguments.id!r} is that of {len(matching)}")
    puzzle = matching[0]
    print(_line(puzzle))
    print(f"seat {puzzle.seat}: {kinds_of(found)[puzzle.kind].asked}")
    print(f"answer: {' '.join(puzzle.answer)}")
    print(f"the one of {puzzle.ends}; {puzzle.looked} positions were looked at")
    return 0


def _today(arguments: argparse.Namespace) -> int:
    day = arguments.date or date.today()
    for found in GAMES.values():
        puzzle = store.today(found, day) if kinds_of(found) else None
        if puzzle is not None:
            print(f"{found.name}: {_line(puzzle)}")
    return 0

"""``lodestone book``: show and export the household's book, and forget a name in it."""

from __future__ import annotations

import argparse
import json
import sys

from firmware_host.archive.files import write_output
from firmware_host.archive.summary import full_title
from firmware_host.commands.common import add_data, opened_data
from firmware_host.commands.options import add_output
from firmware_host.extensions.book.book import Book, GameLine, as_csv, as_data, standing
from firmware_host.extensions.book.household import Household
from firmware_host.link.solved import clock
from firmware_host.table.errors import TableError
from firmware_host.text.words import Refused


def add_book(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb and its parts to the command line."""
    book = verbs.add_parser("book", help="who has played what, with which results and ratings")
    parts = book.add_subparsers(required=True, metavar="WHAT")
    show = parts.add_parser("show", help="people, their results and ratings, and the standing of those who met last")
    show.set_defaults(verb=_show)
    export = parts.add_parser("export", help="the whole book as JSON or CSV")
    export.add_argument("--form", choices=("json", "csv"), default="json", help="default: json")
    add_output(export, "--out", help="file to write (default: standard output)")
    export.set_defaults(verb=_export)
    forget = parts.add_parser(
        "forget",
        help="show somebody as `somebody` in all games until now",
        description="Show a name as `somebody` in the book, in all games until now, and delete what it has solved. The"
        " records of these games keep the name; games that are played under it later count anew.",
    )
    forget.add_argument("name", help="the name, as it was played under")
    forget.set_defaults(verb=_forget)
    add_data(show, export, forget, holds="games")


def _household(arguments: argparse.Namespace) -> Household:
    return Household(opened_data(arguments))


def _book(arguments: argparse.Namespace) -> Book:
    try:
        return _household(arguments).book()
    except TableError as error:
        raise Refused(str(error)) from error


def _show(arguments: argparse.Namespace) -> int:
    book = _book(arguments)
    if not book.people:
        print("No game has been played to its end yet.")
    for person in book.people:
        print(f"{person.name}: last played {person.last[:10]}")
        for line in person.games.values():
            print(f"  {_line(line)}")
    for one in book.solvers:
        best = ", ".join(f"{full_title(game, {})} {clock(seconds)}" for game, seconds in sorted(one.best.items()))
        print(f"{one.name}: {one.solved} puzzles solved, {one.streak} days in a row; best times: {best}")
    if book.series is not None:
        print("\n".join(standing(book.series)))
    return 0


def _line(line: GameLine) -> str:
    tally = line.tally
    rated = f"; rating {line.rating.points:.0f} ± {2 * line.rating.deviation:.0f}" if line.rating else ""
    return f"{line.title}: {tally.won} won, {tally.drawn} drawn, {tally.lost} lost{rated}"


def _export(arguments: argparse.Namespace) -> int:
    book = _book(arguments)
    text = as_csv(book) if arguments.form == "csv" else json.dumps(as_data(book), ensure_ascii=False, indent=1) + "\n"
    if arguments.out is None:
        sys.stdout.write(text)
    else:
        write_output(arguments.out, text)
    return 0


def _forget(arguments: argparse.Namespace) -> int:
    try:
        count = _household(arguments).forget(arguments.name)
    except TableError as error:
        raise Refused(str(error)) from error
    print(f"forgotten in {count} game{'s' if count != 1 else ''}; the records of these games keep the name")
    return 0

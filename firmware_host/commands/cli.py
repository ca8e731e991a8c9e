"""The ``lodestone`` command. It only parses the command line; other modules do the work."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from firmware_host import platform
from firmware_host.archive import records
from firmware_host.archive.data_folder import EVERYWHERE, data_folder, last_address, renew_host_token
from firmware_host.archive.journal import JournalError
from firmware_host.commands.common import Addresses, add_address, add_data, host_link, opened_data, print_code
from firmware_host.commands.options import MAX_PORT, check_outputs, host_word, number, whole
from firmware_host.commands.record import add_record
from firmware_host.compile import form
from firmware_host.plug import extensions
from firmware_host.replay.cursor import MAX_S, PACE_S, SHORTEST_S
from firmware_host.services import engine, json_lines, table_protocol
from firmware_host.session.game_selection import LaunchRequest, Unfinished
from firmware_host.text.plain_text import plain_terminal
from firmware_host.text.words import Refused

ABOUT = (
    "Lodestone plays games on sensor boards: phones choose, lights lead the hands, sensors see what they do. `lodestone"
    " play` opens a table, on a simulated board unless one is named; `lodestone VERB --help` tells more of each verb."
)

HELD_FOR_LONG = frozenset({"play", "engine", "table"})
"""Verbs of programs that run for hours: they hold no modules of extensions' verbs in memory."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; return the exit code.

    0 success, 1 refused (reason on standard error, also of what the system has refused), 2 wrong usage, 130 Ctrl-C.
    """
    with plain_terminal():
        return _run(argv)


def _run(argv: Sequence[str] | None) -> int:
    words = sys.argv[1:] if argv is None else argv
    is_long = bool(words) and words[0] in HELD_FOR_LONG
    try:
        arguments = (parser_of_verbs(with_extensions=False) if is_long else parser_of_verbs()).parse_args(words)
        check_outputs(arguments)
        code: int = arguments.verb(arguments)
    except (Refused, JournalError, records.RecordError) as refusal:
        print(f"lodestone: {refusal}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # The reader of the pipe (``| head``) has ended.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"lodestone: {_words_of(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("lodestone: stopped", file=sys.stderr)
        return 130
    return code


def _words_of(error: OSError) -> str:
    """Return in a line what no verb has thought of: the file, the reason, and whose it is if rights are missing."""
    file = None if error.filename is None else Path(os.fsdecode(error.filename))
    reason = error.strerror or str(error) or type(error).__name__
    if file is None:
        return reason
    owner = platform.owner_of(file.absolute()) if isinstance(error, PermissionError) else None
    return f"{file}: {reason}" + (f"; it belongs to the account {owner}" if owner else "")


@cache
def parser_of_verbs(*, with_extensions: bool = True) -> argparse.ArgumentParser:
    """Return the parser of the command line: of every verb, or of the core's alone. It is made once."""
    parser = argparse.ArgumentParser(prog="lodestone", description=ABOUT)
    parser.add_argument("--version", action="version", version=f"lodestone {version()} ({form()})")
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    _add_play(verbs)
    serve = verbs.add_parser("engine", help="answer rules questions, a JSON object a line")
    serve.set_defaults(verb=lambda _: engine.serve(sys.stdin.buffer, sys.stdout.buffer))
    _add_table(verbs)
    _add_host(verbs)
    add_record(verbs)
    _add_replay(verbs)
    for one in extensions() if with_extensions else ():
        one.add_verbs(verbs)
    return parser


def _add_table(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    serve = verbs.add_parser(
        "table",
        help="judge hands on a board that another program plays, a JSON object a line",
        description="""Be the table of a game without a board, phones and a clock. Read one JSON object a line, and
answer each with one line. Another program says what the sensors report, what players send from their
phones, and what time it is; the answers tell what counts, what is asked, and what lights and phones show.
Nothing is kept on disk. docs/table-protocol.md describes every line.""",
        epilog="""lines (each may have an "id", which the answer repeats):
  {"do": "open", "game": NAME, "mode": "2", "kind": "presence", "seats": ["Ann", "Bob"]}
  {"do": "sense", "time": 1.5, "nodes": {"D12": "x"}}          what sensors report from now on
  {"do": "request", "time": 2, "what": "seal", "seat": 1, "action": "wD12"}   what a phone sends
  {"do": "tick", "time": 3}                                    time passes
  {"do": "far", "time": 4, "far": {"seats": {"2": "Ben's"}}}    other tables play along
  {"do": "entry", "time": 5, "kind": "draw", "data": {}}       another table has written this entry
  {"do": "restart", "time": 6}                                 the power fails and comes back
  {"do": "look", "view": true}                                 the answer once more; all that phones see""",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    serve.add_argument("--record", metavar="FILE", help="keep all lines in a new file, which plays the evening again")
    serve.set_defaults(verb=_serve_table)


def _serve_table(arguments: argparse.Namespace) -> int:
    if arguments.record is None:
        return table_protocol.serve(sys.stdin.buffer, sys.stdout.buffer)
    try:
        with open(arguments.record, "xb") as file:
            return table_protocol.serve(json_lines.RecordedLines(sys.stdin.buffer, file), sys.stdout.buffer)
    except FileExistsError as error:
        raise Refused(f"--record: {arguments.record} is there already: expected a new file") from error


def version() -> str:
    """Return the installed version."""
    return importlib.metadata.version("lodestone-board")


def _add_play(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = verbs.add_parser("play", help="open the table: board, lights and phones")
    verb.add_argument("--board", default=None, help="a board file, the name of a shipped one, or sim (default)")
    verb.add_argument("--game", default=None, help="the game: without --board a shipped board for it is simulated")
    verb.add_argument(
        "--rule", action="append", default=[], metavar="OPTION", help="play under an option of the rules (repeatable)"
    )
    verb.add_argument("--sim", action="store_true", help="simulate the board of --board instead of opening its pins")
    verb.add_argument(
        "--kind",
        choices=("presence", "polarity", "level"),
        help="what the simulated sensors can tell (default: level, if they can; of a board that is named as it says)",
    )
    verb.add_argument("--mode", default=None, help="the game's mode: how many play, or how (default: its first)")
    add_address(verb)
    add_data(verb)
    again = verb.add_mutually_exclusive_group()
    again.add_argument("--resume", action="store_true", help="go on with the unfinished game without asking")
    again.add_argument("--new", action="store_true", help="abandon an unfinished game and begin another")
    verb.add_argument("--demo", action="store_true", help="two computers play, simulated hands move the stones")
    verb.add_argument(
        "--hands",
        choices=("none", "computer", "all"),
        help="whose stones the simulated hand moves (default: the computers', and setting up; with --demo all)",
    )
    verb.add_argument("--pause", type=number(float, "seconds", 0, 3600), help="seconds between two of its moves")
    verb.add_argument("--seed", type=whole(), default=0, help="seed of the simulated contacts' bounce")
    for one in extensions():
        one.add_options(verb)
    verb.set_defaults(verb=_play)


def _play(arguments: argparse.Namespace) -> int:
    from firmware_host.commands.play import PlayOptions, play  # noqa: PLC0415 - other verbs start without the web server

    return play(
        PlayOptions(
            request=LaunchRequest(
                arguments.board, arguments.game, tuple(arguments.rule), arguments.sim or arguments.demo, arguments.kind
            ),
            mode=arguments.mode,
            host=arguments.host,
            names=arguments.name,
            port=arguments.port,
            data=arguments.data or data_folder(),
            unfinished=Unfinished.RESUME
            if arguments.resume
            else Unfinished.REPLACE
            if arguments.new or arguments.demo
            else Unfinished.ASK,
            demo=arguments.demo,
            hands=arguments.hands or ("all" if arguments.demo else "computer"),
            pause=arguments.pause,
            seed=arguments.seed,
            version=version(),
            command_line=arguments,
            unattended="NOTIFY_SOCKET" in os.environ,
        )
    )


def _add_host(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = verbs.add_parser(
        "host",
        help="print the link by which a phone becomes the table's host",
        description="Print the link by which a phone becomes the host of the table, as `lodestone play` does. It holds"
        " a word that is kept in the data folder; with --anew it is replaced, and who was host by the old one is no"
        " more, also while a table runs.",
    )
    verb.add_argument("--anew", action="store_true", help="make a new link; the old one is worth nothing from now on")
    where = "address on which the table listens (default: as it was opened last)"
    verb.add_argument("--host", type=host_word, help=where)
    verb.add_argument("--port", type=whole(1, MAX_PORT), default=None, help="its port (default: as opened last)")
    add_data(verb)
    verb.set_defaults(verb=_host)


def _host(arguments: argparse.Namespace) -> int:
    data = opened_data(arguments)
    if arguments.anew:
        renew_host_token(data)
    last = last_address(data) or EVERYWHERE
    host, port = arguments.host or last.host, arguments.port or last.port
    link = host_link(data, Addresses(host, port, scheme=last.scheme)[0])
    print(f"Host: {link}\n")
    print_code(link)
    return 0


def _add_replay(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = verbs.add_parser(
        "replay",
        help="show a played game again, on the screens and on the board's lights",
        description="Show a played game again, moment by moment, on the page /replay and on the board's lights. The"
        " record is verified first. What was taken back is left out: the game is shown as it counted. It plays at once;"
        " every screen can stop it, step, and jump to any moment.",
    )
    verb.add_argument("what", help="an exported record, or the beginning of a game's id in the journal")
    verb.add_argument("--board", default=None, help="whose lights: a board file, or the name of a shipped one"
                      " (default: one for the game, simulated)")  # fmt: skip
    verb.add_argument("--sim", action="store_true", help="simulate the board of --board instead of opening its pins")
    pace = f"seconds a moment (default {PACE_S:g})"
    verb.add_argument("--pace", type=number(float, "seconds", SHORTEST_S, MAX_S), default=PACE_S, help=pace)
    verb.add_argument("--once", action="store_true", help="end after the last moment, instead of waiting for orders")
    add_address(verb)
    add_data(verb, holds="games")
    verb.set_defaults(verb=_replay)


def _replay(arguments: argparse.Namespace) -> int:
    from firmware_host.commands.replay import ReplayOptions, replay  # noqa: PLC0415 - as in _play

    return replay(
        ReplayOptions(
            what=arguments.what,
            data=arguments.data or data_folder(),
            board=arguments.board,
            simulate=arguments.sim,
            pace=arguments.pace,
            host=arguments.host,
            names=arguments.name,
            port=arguments.port,
            once=arguments.once,
            command_line=arguments,
        )
    )


if __name__ == "__main__":
    sys.exit(main())

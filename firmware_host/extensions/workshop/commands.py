"""``lodestone hardware``: its command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from firmware_host.commands.options import add_output, number
from firmware_host.extensions.workshop.terminal import Opened, add_options, describe, open_for
from firmware_host.extensions.workshop.wizard import Patience
from firmware_host.link.results import target_of
from firmware_host.plug import branch
from firmware_host.text.json_reader import MAX_SECONDS
from firmware_host.text.words import Refused

INTERRUPTED = 130
"""Exit code after Ctrl-C, as in shells."""
HELPED = Patience(hint=2.0, give_up=3.0, clear=0.5)
"""Waits for the simulated hand, which is quick; without a person the wizard must give up by itself."""


def add_hardware(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``hardware`` and its subcommands to the commands of ``lodestone``."""
    parts = branch(verbs, "hardware")
    _add_check(parts)
    _add_map(parts)
    _add_calibrate(parts)
    watch = _part(parts, "monitor", "live readings (while a table runs: the page /hardware of its panel)", _monitor)
    watch.add_argument(
        "--seconds",
        type=number(float, "seconds", 0, MAX_SECONDS),
        default=None,
        help="end after so long (default: Ctrl-C)",
    )
    watch.add_argument("--json", action="store_true", help="each change as a JSON object a line")
    bench = _part(parts, "bench", "scan rate, time from scan to lights, GPIO calls a scan", _bench)
    bench.add_argument("--json", action="store_true", help="the figures as one JSON object")
    prove = _part(
        parts, "prove", "all that only a real board shows, in a file to send in: 15 minutes", _prove, hands=True
    )
    add_output(prove, "--out", default=Path("lodestone-proved.txt"), help="the file (default: %(default)s)")


def patience(board: Opened) -> Patience:
    """Return a wizard's waits for this board."""
    return HELPED if board.helped else Patience()


def _part(
    parts: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    text: str,
    verb: Callable[[argparse.Namespace], int],
    *,
    hands: bool = False,
) -> argparse.ArgumentParser:
    part = parts.add_parser(name, help=text)
    add_options(part, hands=hands)
    part.set_defaults(verb=lambda arguments: _interruptible(verb, arguments))
    return part


def _interruptible(verb: Callable[[argparse.Namespace], int], arguments: argparse.Namespace) -> int:
    try:
        return verb(arguments)
    except KeyboardInterrupt:
        print("lodestone: interrupted", file=sys.stderr)
        return INTERRUPTED


def _add_check(parts: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    part = _part(parts, "check", "every pin, sensor and pixel, in one report", _check, hands=True)
    part.add_argument("--stones", action="store_true", help="ask for a stone at each light: proves sensors and pixels")
    part.add_argument("--json", action="store_true", help="the report as one JSON object")


def _add_map(parts: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    part = _part(parts, "map", "learn channel and pixel of each node, stone by stone", _map, hands=True)
    part.add_argument(
        "--what",
        choices=("both", "channels", "pixels"),
        default=None,
        help="what is learned; the other is right in the board file (default: both, a stone for each twice; with "
        "--resume, as it was begun)",
    )
    _add_writing(part)


def _add_calibrate(parts: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    part = _part(parts, "calibrate", "measure what each linear sensor reads (kind level)", _calibrate, hands=True)
    part.add_argument("--nodes", nargs="+", metavar="NODE", help="only these nodes")
    add_output(part, "--svg", help="draw the margins into this file")
    _add_writing(part)


def _add_writing(part: argparse.ArgumentParser) -> None:
    part.add_argument("--out", metavar="FILE", help="write here instead of into the board file")
    part.add_argument("--resume", action="store_true", help="go on with what an earlier run has learned")


def _check(arguments: argparse.Namespace) -> int:
    from firmware_host.extensions.workshop import checking  # noqa: PLC0415 - other commands do not load its libraries

    _, description = describe(arguments)
    try:
        with open_for(arguments) as board:
            helped = arguments.stones or board.helped
            return checking.run(board, stones=helped, as_json=arguments.json, patience=patience(board))
    except Refused as error:
        return checking.not_opened(description, str(error), as_json=arguments.json)


def _map(arguments: argparse.Namespace) -> int:
    from firmware_host.extensions.workshop import mapping  # noqa: PLC0415

    with open_for(arguments) as board:
        target = target_of(arguments.board, arguments.out, board.path)
        return mapping.run(board, target, arguments.what, patience(board), resume=arguments.resume)


def _calibrate(arguments: argparse.Namespace) -> int:
    from firmware_host.extensions.workshop import calibration  # noqa: PLC0415

    with open_for(arguments, levels=True) as board:
        target = target_of(arguments.board, arguments.out, board.path)
        job = calibration.CalibrationTask(target, arguments.nodes, arguments.svg, resume=arguments.resume)
        return calibration.run(board, job, patience(board))


def _monitor(arguments: argparse.Namespace) -> int:
    from firmware_host.extensions.workshop import measure  # noqa: PLC0415

    with open_for(arguments) as board:
        return measure.monitor(board, seconds=arguments.seconds, as_json=arguments.json)


def _bench(arguments: argparse.Namespace) -> int:
    from firmware_host.extensions.workshop import measure  # noqa: PLC0415

    calls = measure.calls_of_a_scan(arguments)
    with open_for(arguments) as board:
        measure.print_figures(board.description, measure.figures(board, calls), as_json=arguments.json)
    return 0


def _prove(arguments: argparse.Namespace) -> int:
    from firmware_host.extensions.workshop import proving  # noqa: PLC0415

    with open_for(arguments) as board:
        return proving.run(board, arguments.out)

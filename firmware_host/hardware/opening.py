"""Opening the board for a hardware command: a real one, or a simulated one with its helper."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firmware_host.boardfile.load import BoardFileError, find_board, load_board
from firmware_host.text.refusal import Refused
from hw.backends import open_board
from hw.ports import CODED, BoardDescription, HardwareError, OpenBoard
from hw.registry import scheme_of

SHIPPED_BOARD = "spokes-45"
HAND_PAUSE_S = 0.05
"""Pause of the simulated hand before a task."""


@dataclass(frozen=True)
class Opened:
    """An open board: its description and its parts."""

    path: Path
    description: BoardDescription
    """The board file's description, with which results are compared."""
    parts: OpenBoard
    helped: bool
    """Whether the simulated hand does the wizards' tasks."""


def add_options(parser: argparse.ArgumentParser, *, hands: bool) -> None:
    """Add the options that select a board; ``hands`` adds the option for the simulated hand."""
    parser.add_argument("--board", default=SHIPPED_BOARD, help=f"a board file, or a shipped one ({SHIPPED_BOARD})")
    parser.add_argument("--sim", action="store_true", help="simulate the board instead of opening its pins")
    parser.add_argument("--kind", choices=("presence", "polarity", "level"), help="what simulated sensors can tell")
    parser.add_argument("--wired-as", metavar="BOARD", help="solder the simulated board as another board file says")
    parser.add_argument("--seed", type=int, default=0, help="seed of the simulated contacts' bounce")
    if hands:
        parser.add_argument(
            "--hands", choices=("none", "help"), default="none", help="with --sim: help lets the simulated hand do it"
        )


def describe(arguments: argparse.Namespace) -> tuple[Path, BoardDescription]:
    """Return the board file's path and description. Raise Refused."""
    simulated = arguments.sim or arguments.board == "sim"
    for option, given in (("--kind", arguments.kind), ("--wired-as", arguments.wired_as)):
        if given is not None and not simulated:
            raise Refused(f"{option} is for simulated boards: add --sim")
    if getattr(arguments, "hands", "none") == "help" and not simulated:
        raise Refused("--hands help is for simulated boards: add --sim")
    try:
        path = find_board(SHIPPED_BOARD if arguments.board == "sim" else arguments.board)
        return path, load_board(path, backend="sim" if simulated else None, kind=arguments.kind)
    except BoardFileError as error:
        raise Refused(str(error)) from error


@contextmanager
def opened(arguments: argparse.Namespace, *, levels: bool = False, **options: Any) -> Iterator[Opened]:
    """Open the board of the command line, and close it at the end. Raise Refused.

    With ``levels``, a converter's levels are read for any kind in the board file.
    """
    path, description = describe(arguments)
    if levels and scheme_of(description).measures_levels and description.kind != CODED:
        description = replace(description, kind="level")
    wired = description
    if description.backend == "sim":
        options = {"seed": arguments.seed, "pause_s": HAND_PAUSE_S, **options}
    try:
        if arguments.wired_as is not None:
            wired = load_board(find_board(arguments.wired_as), backend="sim", kind=description.kind)
            if set(wired.nodes) != set(description.nodes):
                raise Refused(f"--wired-as {arguments.wired_as}: expected a board of the same nodes")
        parts = open_board(wired, **options)
    except (BoardFileError, HardwareError) as error:
        raise Refused(str(error)) from error
    try:
        yield Opened(path, description, parts, getattr(arguments, "hands", "none") == "help")
    except HardwareError as error:
        raise Refused(str(error)) from error
    finally:
        parts.close()


def target_of(arguments: argparse.Namespace, path: Path) -> Path:
    """Return the path for a changed board file: ``--out``, the file itself, or (shipped board) the current folder."""
    if arguments.out is not None:
        return Path(arguments.out)
    named = Path(arguments.board)
    return named if named.suffix == ".toml" or "/" in arguments.board else Path.cwd() / path.name

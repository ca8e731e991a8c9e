"""``lodestone board sketch`` and ``lodestone hardware pair``: the firmware's configuration, and its pairing code."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from firmware_host.archive.files import check_output, write_output
from firmware_host.boardfile.load import BoardFileError, find_board, load_board
from firmware_host.commands.options import add_output
from firmware_host.extensions.scanner.configuration import (
    WITH_RADIO,
    ConfigError,
    Wires,
    configuration,
    lines_for,
    plan_scanner,
)
from firmware_host.extensions.scanner.device.digest import CHIPS
from firmware_host.extensions.scanner.microcontrollers import MICROCONTROLLERS
from firmware_host.extensions.scanner.wireless import PREFIX, new_code
from firmware_host.link.results import named_board, target_of, write_sensors
from firmware_host.plug import Verbs
from firmware_host.text.words import Refused
from hw.ports import BoardDescription

FIRMWARE = {".py": "device", ".h": "arduino/lodestone_scanner"}
"""How the configuration's name ends → folder of the firmware that it is for."""


def add_sketch(parts: Verbs) -> None:
    """Add ``sketch``."""
    part = parts.add_parser(
        "sketch", help="the configuration of a scanner's firmware: config.h (Arduino) or config.py (MicroPython)"
    )
    part.add_argument("board", help="a board file, or the name of a shipped one")
    part.add_argument("--on", choices=list(MICROCONTROLLERS), help="the microcontroller; without it the board file's")
    part.add_argument("--chip", choices=CHIPS, help="what the sensors hang on; without it as in the board file")
    add_output(part, "--out", required=True, help="config.h or config.py")
    part.add_argument(
        "--firmware", action="store_true", help="put the firmware's other files beside it, those that are not there yet"
    )
    part.set_defaults(verb=_sketch)


def add_pair(parts: Verbs) -> None:
    """Add ``pair``."""
    part = parts.add_parser("pair", help="let a scanner report over Wi-Fi: its address and pairing code")
    part.add_argument("--board", required=True, help="a board file, or the name of a shipped one")
    part.add_argument("--device", default=f"{PREFIX}lodestone-scanner.local", help="its address (default: %(default)s)")
    part.add_argument("--on", choices=WITH_RADIO, help="the microcontroller (default: the board file's, or pico-w)")
    part.add_argument("--code", help="the code that the scanner has already (default: a new one)")
    part.add_argument("--out", metavar="FILE", help="write here instead of into the board file")
    part.set_defaults(verb=_pair)


def _sketch(arguments: argparse.Namespace) -> int:
    path: Path = arguments.out
    if path.suffix not in FIRMWARE:
        raise Refused(f"--out: expected a file that ends in .h (Arduino) or .py (MicroPython), got {str(path)!r}")
    board = named_board(arguments.board)
    try:
        text = configuration(board, arguments.on, arguments.chip, python=path.suffix == ".py")
        plan = plan_scanner(board, arguments.on, arguments.chip)
    except ConfigError as error:
        raise Refused(f"{board.name}: {error}") from error
    try:
        if path.exists():  # Before the others are put beside it.
            check_output(path, text.encode())
        if arguments.firmware:
            _put_firmware(path)
    except OSError as error:
        raise Refused(f"{path}: can't be written: {error.strerror}") from error
    write_output(path, text)
    sensors = f"{board.channels} sensors of kind {board.channel_kind}"
    print(f"{path}: {sensors} by {plan.chip} on a {plan.name}; solder to the pins in it")
    if plan.pins != _own_pins(board):
        print(f"The papers of {arguments.board} show other pins: first write {lines_for(plan)} into its [sensors].")
    return 0


def _put_firmware(configured: Path) -> None:
    """Copy a firmware's files beside its configuration, but for those that are there: wifi.py holds a password."""
    configured.parent.mkdir(parents=True, exist_ok=True)
    for file in (Path(__file__).parent / FIRMWARE[configured.suffix]).iterdir():
        if file.is_file() and not (configured.parent / file.name).exists():
            shutil.copyfile(file, configured.parent / file.name)


def _own_pins(board: BoardDescription) -> Wires | None:
    """Return the pins in the board's own papers; None where they have no microcontroller that can read it."""
    try:
        return plan_scanner(board).pins if "microcontroller" in board.options else None
    except ConfigError:
        return None


def _pair(arguments: argparse.Namespace) -> int:
    try:
        path = find_board(arguments.board)
        options = load_board(path).options
        if "microcontroller" not in options:
            raise Refused(f"{path}: expected a board that a microcontroller reads: microcontrollers.md")
        named = str(options["microcontroller"])
        on = arguments.on or (named if named in WITH_RADIO else WITH_RADIO[0])
        code = arguments.code or new_code()
        target = target_of(arguments.board, arguments.out, path)
        write_sensors(path, target, {"device": arguments.device, "code": code, "microcontroller": on})
    except BoardFileError as error:
        raise Refused(str(error)) from error
    print(
        f"{target}: the {on} at {arguments.device} reports over Wi-Fi, with the pairing code {code}. Now:\n"
        f"1. lodestone board sketch {target} --firmware --out scanner/config.py\n"
        "2. Name and password of your network: into scanner/wifi.py\n"
        "3. Copy the files of the folder scanner onto it, by cable: microcontrollers.md\n"
        f"4. lodestone hardware check --board {target}"
    )
    return 0

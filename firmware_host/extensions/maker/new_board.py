"""``lodestone board new``: a first board file for a game, with the sensor part and the magnet that work best on it."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from firmware_host.archive.files import reason_of
from firmware_host.boardfile.load import BoardFileError, board_of
from firmware_host.commands.options import number
from firmware_host.extensions.maker.magnets import best_fit, stretch
from firmware_host.games.game import GameError
from firmware_host.games.registry import game as find_game
from firmware_host.link.new_board import (
    PITCH_MM,
    USUAL,
    WELL_PITCH_MM,
    board_text,
    pieces_of,
    usual_pitch,
    with_comment,
)
from firmware_host.link.supplies import sensors_circuit
from hw.lights import STRIPS
from hw.magnets import STONE_MM
from hw.ports import KINDS, HardwareError
from hw.registry import SCHEMES

NOT_YET = "new board"
"""Stands for the file that is not written yet."""
MAX_MM = 1000
PART_WORDS = "the sensor under each node: `lodestone board magnets` says what works beside the neighbours"
MAGNET_WORDS = "of each piece; gap_mm is from its face to the sensor's element"
WIDER = (1.1, 1.2, 1.3, 1.5, 1.75, 2.0)
"""Factors by which a board is stretched to say from which pitch on it works."""


def add_sensor(text: str, pitch: float) -> str:
    """Return a board file's text with the sensor part and the magnet that work best on this board.

    Raise HardwareError when none work together; it names the pitch from which on some do.
    """
    board = board_of(Path(NOT_YET), text)
    fit = best_fit(board)
    if fit is None:
        wider = (factor for factor in WIDER if best_fit(stretch(board, factor)) is not None)
        enough = next((f"--pitch {pitch * factor:.0f} or more, or " for factor in wider), "")
        close = f"no sensor for scheme {board.scheme} with kind {board.kind} works beside the magnets of its neighbours"
        raise HardwareError(f"{close}: expected {enough}another --scheme or --kind")
    part, magnet = fit
    sizes = f"mm = {magnet.mm:g}, height_mm = {magnet.height_mm:g}, grade = {json.dumps(magnet.grade)}"
    height = "" if magnet.stone_mm == STONE_MM else f", stone_mm = {magnet.stone_mm:g}"
    lines = with_comment(f"part = {json.dumps(part)}", PART_WORDS)
    lines += with_comment(f"magnet = {{ {sizes}, gap_mm = {magnet.gap_mm:g}{height} }}", MAGNET_WORDS)
    return re.sub(r"^(kind = .*\n)", lambda found: found[1] + lines, text, count=1, flags=re.M)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a new board."""
    parser.add_argument("game", help="a game's name")
    parser.add_argument("file", type=Path, help="the board file to write, such as hex-7.toml")
    pitches = f"default {PITCH_MM:g}, with wells {WELL_PITCH_MM:g}"
    parser.add_argument(
        "--pitch", type=number(float, "mm", 1, MAX_MM), default=None, help=f"mm from node to node ({pitches})"
    )
    parser.add_argument("--scheme", default=None, help=f"how sensors are wired: {', '.join(SCHEMES.names())}")
    parser.add_argument("--on", metavar="NAME", help="the microcontroller that reads the sensors, such as pico or nano")
    parser.add_argument("--kind", choices=KINDS, help="what each sensor tells; without it the scheme's usual")
    parser.add_argument("--coded", action="store_true", help="nine sensors a well, for a game with tiles")
    lights = parser.add_mutually_exclusive_group()
    lights.add_argument("--strip", help=f"the kind of strip: {', '.join(STRIPS.names())} (default: {USUAL})")
    lights.add_argument("--no-lights", action="store_true", help="no pixels: people play by phones and screens")
    parser.add_argument("--force", action="store_true", help="write over a file that is there already")


def run(arguments: argparse.Namespace) -> int:
    """Write a file; return the exit code: 1 when game or scheme is unknown, or the board or its file can't be made."""
    try:
        game = find_game(arguments.game)
        layout = game.layout()
        about = f"{game.title} on {len(layout.nodes)} nodes"
        pieces = pieces_of(game, coded=arguments.coded)
        if arguments.coded and (pieces is None or not layout.wells):
            raise GameError(f"--coded: {game.title} has no tiles")
        if arguments.coded and arguments.kind:
            raise GameError("--coded: nine sensors a well read presence: leave --kind out")
        place, lights = arguments.file, None if arguments.no_lights else arguments.strip or USUAL
        pitch = arguments.pitch or usual_pitch(layout)
        named = (place.stem, game.name, layout, about, pitch, pieces, arguments.scheme)
        text = add_sensor(board_text(*named, kind=arguments.kind, on=arguments.on, lights=lights), pitch)
        sensors_circuit(board_of(Path(NOT_YET), text))
        with place.open("w" if arguments.force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        print(f"new_board: {arguments.file} is there already: choose another name, or add --force", file=sys.stderr)
        return 1
    except BoardFileError as error:  # The file that it speaks of is not there: its lines help nobody.
        reasons = dict.fromkeys(re.sub(rf"^{NOT_YET}:\d+: ", "", line) for line in str(error).splitlines())
        asked = " with ".join(one for one in (arguments.scheme, arguments.on, arguments.kind, arguments.strip) if one)
        print(f"new_board: {asked} make no board, and none was written: {'; '.join(reasons)}", file=sys.stderr)
        return 1
    except (GameError, HardwareError, OSError) as error:
        where = f"{arguments.file}: " if isinstance(error, OSError) else ""
        print(f"new_board: {where}{reason_of(error)}", file=sys.stderr)
        return 1
    print(f"{arguments.file}: {about}")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Write a file; return the exit code, as :func:`run` does."""
    parser = argparse.ArgumentParser(description="Write a first board file for a game.")
    add_arguments(parser)
    return run(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())

"""The verbs of ``lodestone board``: drawings and tables for makers, from a board file."""

from __future__ import annotations

import argparse
import contextlib
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path

from firmware_host.archive.files import write_output
from firmware_host.boardfile.load import BoardFileError, find_board
from firmware_host.commands.options import add_output
from firmware_host.extensions.maker import (
    files,
    gerbers,
    kicad,
    kicad_project,
    magnets,
    new_board,
    panels,
    printable,
    tile_sheet,
    whole_board,
)
from firmware_host.extensions.maker.parts_list import parts_csv, read_prices
from firmware_host.extensions.maker.plate import DrawingError, Plate, from_below, plate
from firmware_host.extensions.maker.schematic import pages, schematic
from firmware_host.extensions.maker.tables import TABLES
from firmware_host.link.results import named_board, write_wiring
from firmware_host.link.text_files import read_text
from firmware_host.plug import branch
from firmware_host.text.words import Refused
from hw import pi
from hw.ports import BoardDescription, HardwareError


def add_board(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``board`` and its parts to the command line."""
    whats = branch(verbs, "board")
    new = whats.add_parser("new", help="write a first board file for a game")
    new_board.add_arguments(new)
    new.set_defaults(verb=new_board.run)
    drawing = whats.add_parser("drawing", help="drawings at scale 1:1")
    drawing.add_argument("board", help="a board file, or the name of a shipped one")
    add_output(drawing, "--svg", help="SVG in millimetres")
    add_output(drawing, "--pdf", help="PDF, one page of the plate's size")
    for kind, words in _PAPER_WORDS.items():
        add_output(drawing, f"--{kind}", help=f"{words} to glue together")
    add_output(drawing, "--dxf", help="DXF in millimetres, a layer for each kind of work")
    drawing.add_argument("--below", action="store_true", help="as seen from below, for drilling and soldering")
    drawing.set_defaults(verb=_drawing)
    circuit = whats.add_parser("schematic", help="the whole circuit: Pi, sensors, level shifter, pixels, power")
    circuit.add_argument("board", help="a board file, or the name of a shipped one")
    for kind, words in {"svg": "SVG", "pdf": "PDF, one page", **_PAPER_WORDS}.items():
        add_output(circuit, f"--{kind}", help=words)
    circuit.set_defaults(verb=_schematic)
    making = whats.add_parser("tiles", help="a sheet for making the tiles, at scale 1:1: lines, magnets, numbers")
    making.add_argument("board", help="a board file, or the name of a shipped one")
    add_output(making, "--out", required=True, help=".pdf (pages of A4), .svg or .dxf (one large sheet)")
    making.add_argument("--below", action="store_true", help="as seen from below, for drilling: outlines and magnets")
    making.set_defaults(verb=_tiles)
    solid = whats.add_parser("printable", help="parts for a 3D printer: stones, tiles, cups, a drilling template")
    solid.add_argument("board", help="a board file, or the name of a shipped one")
    solid.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="a folder for STL and OpenSCAD files")
    solid.add_argument("--scad", action="store_true", help="OpenSCAD's source only")
    solid.set_defaults(verb=_printable)
    sheet = whats.add_parser("kicad", help="the circuit for KiCad: schematic, netlist, footprints")
    sheet.add_argument("board", help="a board file, or the name of a shipped one")
    sheet.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="a folder for the project's folder")
    sheet.set_defaults(verb=_kicad)
    _add_circuit_board(whats)
    for name, (_, text) in TABLES.items():
        table = whats.add_parser(name, help=text)
        table.add_argument("board", help="a board file, or the name of a shipped one")
        if name == "parts":
            add_output(table, "--csv", help="a file for a spreadsheet instead, with manufacturers' numbers")
            table.add_argument(
                "--prices",
                type=Path,
                metavar="FILE",
                help="with --csv: such a list whose column price you filled in, to be summed up",
            )
        table.set_defaults(verb=_table, table=name)
    libraries = whats.add_parser(
        "libraries", help="which GPIO library belongs on this machine, and whether it is there"
    )
    libraries.set_defaults(verb=_libraries)


def _add_circuit_board(whats: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    circuit_board = whats.add_parser(
        "pcb", help="a printed circuit board for KiCad and a workshop: a panel under a well, or a strip under a row"
    )
    circuit_board.add_argument("board", help="a board file, or the name of a shipped one")
    circuit_board.add_argument(
        "--row",
        nargs=2,
        metavar=("FIRST", "LAST"),
        help="a strip under the nodes from one to another; else a well's panel",
    )
    circuit_board.add_argument(
        "--all",
        action="store_true",
        help="all strips and panels of the board, inside the plate's edge, and a board file with its pixels as chained",
    )
    circuit_board.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="a folder for its folder")
    circuit_board.add_argument(
        "--gerbers", action="store_true", help="also the files for a workshop, made by KiCad's kicad-cli"
    )
    circuit_board.set_defaults(verb=_circuit_board)


def _prices(path: Path | None) -> dict[str, Decimal] | None:
    if path is None:
        return None
    try:
        return read_prices(read_text(path))
    except ValueError as error:
        raise Refused(f"{path}: {error}") from error


def _keep_prices(path: Path, known: Mapping[str, Decimal]) -> None:
    """Raise Refused for a list in which somebody has filled in prices that the new one would not have."""
    with contextlib.suppress(OSError, ValueError):  # It is none, or not there.
        if path.is_file() and set(read_prices(path.read_text(encoding="utf-8-sig"))) - set(known):
            raise Refused(f"{path}: prices are filled in here: write to another file, with --prices {path}")


def _table(arguments: argparse.Namespace) -> int:
    text, _ = TABLES[arguments.table]
    board = named_board(arguments.board)
    path: Path | None = getattr(arguments, "csv", None)
    priced: Path | None = getattr(arguments, "prices", None)
    if priced is not None and path is None:
        raise Refused("--prices: expected --csv FILE beside it, the list to write")
    if path is not None:
        with _as_refusal(path):
            prices = _prices(priced)
            _keep_prices(path, prices or {})
            write_output(path, parts_csv(board, prices))
        print(f"{path}: the parts of {arguments.board}")
        return 0
    with _as_refusal():
        table = text(board)
    print(table)
    why = magnets.refusal(board) if arguments.table == "magnets" else None
    if why is not None:
        raise Refused(f"{board.name}: {why}")
    return 0


def libraries_text(found: dict[str, str], choice: pi.PackageChoice) -> str:
    """Return the machine, the choice and the state of the libraries, one fact per line."""
    lines = [
        f"machine    {choice.model or 'no Raspberry Pi'}, kernel {choice.kernel}, Python {platform.python_version()}",
        f"needs      {f'lodestone-board[{choice.extra}]' if choice.extra else 'nothing'}: {choice.why}",
        f"installed  {', '.join(f'{name} {version}' for name, version in found.items()) or 'no GPIO library'}",
    ]
    wrong = pi.misfit(found, choice) if choice.extra or len(found) > 1 else None
    return "\n".join([*lines, f"to do      {wrong}" if wrong else "to do      nothing"])


def _libraries(_: argparse.Namespace) -> int:
    print(libraries_text(pi.gpio_packages(), pi.choose()))
    return 0


def _drawing(arguments: argparse.Namespace) -> int:
    wanted = {kind: getattr(arguments, kind) for kind in _WRITERS if getattr(arguments, kind) is not None}
    if not wanted:
        raise Refused("board drawing: expected at least one of --svg, --pdf, --pdf-a4, --pdf-letter, --dxf with a file")
    with _as_refusal():
        drawn = plate(named_board(arguments.board))
    if arguments.below:
        drawn = from_below(drawn)
    for kind, path in wanted.items():
        with _as_refusal(path):
            _WRITERS[kind](drawn, path)
        print(f"{path}: {drawn.width:.1f} x {drawn.height:.1f} mm at scale 1:1; measure the bar of 100 mm once printed")
    return 0


def _schematic(arguments: argparse.Namespace) -> int:
    kinds = ("svg", "pdf", *_PAPERS)
    wanted = {kind: path for kind in kinds if (path := getattr(arguments, kind)) is not None}
    if not wanted:
        raise Refused("board schematic: expected --svg, --pdf, --pdf-a4 or --pdf-letter with a file")
    board = named_board(arguments.board)
    for kind, path in wanted.items():
        with _as_refusal(path):
            if kind in _PAPERS:
                files.write_pages(pages(board, _PAPERS[kind]), path)
            else:
                _WRITERS[kind](schematic(board), path)
        print(f"{path}: the circuit of {arguments.board}")
    return 0


def _tiles(arguments: argparse.Namespace) -> int:
    path: Path = arguments.out
    writer = _TILE_WRITERS.get(path.suffix.lower())
    if writer is None:
        raise Refused(f"--out: expected a file that ends in {', '.join(_TILE_WRITERS)}, got {str(path)!r}")
    board = named_board(arguments.board)
    with _as_refusal(path):
        sheets = tile_sheet.pages(board) if path.suffix.lower() == ".pdf" else [tile_sheet.sheet(board)]
        writer([tile_sheet.from_below(sheet) for sheet in sheets] if arguments.below else sheets, path)
    print(f"{path}: {len(board.tiles)} tiles at scale 1:1; measure the bar of 100 mm once printed")
    return 0


def _printable(arguments: argparse.Namespace) -> int:
    board = named_board(arguments.board)
    with _as_refusal(arguments.out):
        for part, path in printable.write(board, arguments.out, solids=not arguments.scad):
            print(f"{path}: {' x '.join(f'{side:.1f}' for side in part.size)} mm; print {part.number}")
    return 0


def _kicad(arguments: argparse.Namespace) -> int:
    board = named_board(arguments.board)
    with _as_refusal(arguments.out):
        sheet, netlist = kicad_project.write(board, arguments.out)
    print(f"{sheet}: the circuit of {arguments.board}; open it with KiCad 8 or later")
    print(f"{netlist}: its netlist")
    return 0


def _circuit_board(arguments: argparse.Namespace) -> int:
    if arguments.all and arguments.row:
        raise Refused("--all: expected it, or --row with two nodes, not both")
    board = named_board(arguments.board)
    with _as_refusal(arguments.out):
        if arguments.all:
            return _whole_board(arguments, board)
        panel = panels.row_strip(board, *arguments.row) if arguments.row else panels.well_panel(board)
        _write_panel(panel, arguments.out, gerber_files=arguments.gerbers)
    return 0


def _write_panel(panel: panels.Panel, out: Path, *, gerber_files: bool) -> None:
    """Write a circuit board into a folder of its own, and say what it is."""
    try:
        from firmware_host.extensions.maker import kicad_board  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise Refused(kicad.MISSING) from error
    folder = out / panel.name
    written = kicad_board.write(panel, folder)
    parts = folder / f"{panel.name}-parts.csv"
    write_output(parts, panels.parts_csv(panel))
    print(f"{written[0]}: {panel.width:.1f} x {panel.height:.1f} mm, two layers; open it with KiCad 8 or later")
    print(f"{parts}: its parts, with manufacturers' numbers")
    if gerber_files:
        for path, what in gerbers.write(written[0]):
            print(f"{path}: {what}")
    for note in panel.notes:
        print(note)


def _whole_board(arguments: argparse.Namespace, board: BoardDescription) -> int:
    found = whole_board.whole_board(board)
    out: Path = arguments.out / f"{board.name}-boards"
    out.mkdir(parents=True, exist_ok=True)
    for panel in (*found.strips, *((found.well,) if found.well else ())):
        _write_panel(panel, out, gerber_files=arguments.gerbers)
    listed, drawn, renumbered = (out / f"{board.name}-boards{end}" for end in (".csv", ".svg", ".toml"))
    write_output(listed, whole_board.list_csv(found))
    files.write_svg(whole_board.layout(found), drawn)
    wiring = {
        name: (node.channels if node.ring else node.channel, node.pixel) for name, node in found.board.nodes.items()
    }
    try:
        write_wiring(find_board(arguments.board), renumbered, wiring)
    except BoardFileError as error:
        raise Refused(str(error)) from error
    print(f"{listed}: all circuit boards, in the order of their pixels: each one's DOUT leads to the next one's DIN")
    print(f"{drawn}: where each lies, seen from below")
    print(f"{renumbered}: the board file with its pixels as they are chained; play and print all papers with it")
    if found.left:
        print(f"By hand, because no circuit board fits there: {', '.join(found.left)}")
    if found.well and board.lights.has_strips:
        print("The pixels of the wells are single ones.")
    return 0


@contextlib.contextmanager
def _as_refusal(path: Path | None = None) -> Iterator[None]:
    try:
        yield
    except (DrawingError, HardwareError) as error:
        raise Refused(str(error)) from error
    except OSError as error:
        raise Refused(f"{path}: can't be written: {error.strerror}") from error


_TILE_WRITERS: dict[str, Callable[[Sequence[Plate], Path], None]] = {
    ".pdf": files.write_pages,
    ".svg": lambda sheets, path: files.write_svg(sheets[0], path),
    ".dxf": lambda sheets, path: files.write_dxf(sheets[0], path),
}
_PAPER_WORDS = {"pdf-a4": "PDF, A4 pages", "pdf-letter": "PDF, Letter pages"}
_PAPERS = {"pdf_a4": files.A4_MM, "pdf_letter": files.LETTER_MM}
_WRITERS: dict[str, Callable[[Plate, Path], None]] = {
    "svg": files.write_svg,
    "pdf": files.write_pdf,
    **{kind: partial(files.write_pdf, paper=paper) for kind, paper in _PAPERS.items()},
    "dxf": files.write_dxf,
}

"""``lodestone record text`` and ``read``: a game as text, and such a text played by the rules."""

from __future__ import annotations

import argparse
from pathlib import Path

from firmware_host.archive import records
from firmware_host.commands.options import add_output
from firmware_host.commands.record import add_data_behind, open_journal, put
from firmware_host.extensions.notation import notation
from firmware_host.link.text_files import read_text
from firmware_host.plug import Verbs, branch


def add_parts(verbs: Verbs) -> None:
    """Add both to the parts of ``lodestone record``."""
    parts = branch(verbs, "record")
    writer = parts.add_parser("text", help="a game in notation, a line a turn (game-text.md)")
    writer.add_argument("game", help="the game's id, or the beginning of it")
    add_output(writer, "--out", help="file to write (default: standard output)")
    writer.set_defaults(verb=_text)
    add_data_behind(writer)
    reader = parts.add_parser(
        "read",
        help="play a game in notation by the rules, and write it anew",
        description="Play a game in notation by the rules, and write it anew: Lodestone's own, or another program's"
        " that a game knows (game-text.md).",
    )
    reader.add_argument("file", type=Path, help="a text file")
    add_output(reader, "--out", help="file to write (default: standard output)")
    reader.set_defaults(verb=_read)


def _text(arguments: argparse.Namespace) -> int:
    path = Path(arguments.game)
    if path.suffix == ".jsonl" and path.exists():
        return put(notation.write(notation.of_record(records.file_lines(path))), arguments.out)
    with open_journal(arguments) as journal:
        text = notation.write(notation.of_record(records.export(journal, records.find(journal, arguments.game))))
    return put(text, arguments.out)


def _read(arguments: argparse.Namespace) -> int:
    return put(notation.write(notation.read(read_text(arguments.file))), arguments.out)

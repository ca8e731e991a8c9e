"""The list of parts for a spreadsheet: the rows of the Markdown table, and a number for whatever a catalogue has."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board, load_board, shipped_boards
from firmware_host.commands.cli import main
from firmware_host.extensions.maker import tables
from hw.sensor_parts import PARTS

BOARDS = [path.stem for path in shipped_boards()]
NO_NUMBER = re.compile("own supply|pixel|supply of|wire of|connector|stones|round pieces|tiles|disc magnets|plate|USB")
"""What is bought by its measures, or made."""


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(tables.parts_csv(load_board(find_board(name))), newline="")))


@pytest.mark.parametrize("name", BOARDS)
def test_it_has_the_rows_of_the_table_and_its_sums(name: str) -> None:
    table = [line.strip("| ").split(" | ") for line in tables.parts_text(load_board(find_board(name))).splitlines()[2:]]
    found = rows(name)
    assert [one["part"] for one in found] == [line[-2] for line in table]
    numbers = [int(line[0]) for line in table if line[0].isdigit()]
    assert sum(int(one["quantity"]) for one in found if one["quantity"]) == sum(numbers)
    for one in found:
        assert bool(one["manufacturer's number"]) != bool(NO_NUMBER.search(one["part"])), one["part"]
        assert bool(one["manufacturer"]) == bool(one["manufacturer's number"])


def test_each_sensor_part_has_its_own_number() -> None:
    known = {name: [number for words, (_, number) in tables.NUMBERS.items() if words in part.about]
             for name, part in PARTS.items()}  # fmt: skip
    assert all(len(found) == 1 for found in known.values()), known
    assert all(found[0].startswith(name) for name, found in known.items() if name.startswith("DRV")), known


def test_the_command_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "parts.csv"
    assert main(["board", "parts", "spokes-45", "--csv", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: the parts of spokes-45\n"
    assert path.read_bytes().startswith(b"quantity,part,manufacturer,manufacturer's number,note\r\n1,Raspberry Pi")
    assert main(["board", "parts", "spokes-45", "--csv", str(tmp_path / "no" / "parts.csv")]) == 1
    assert "can't be written" in capsys.readouterr().err

"""The list of parts for a spreadsheet: the rows of the Markdown table, and a number for whatever a catalogue has."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board, load_board, shipped_boards
from firmware_host.commands.cli import main
from firmware_host.extensions.maker import parts_list, tables
from hw.sensor_parts import PARTS
from tests.sampling import few

BOARDS = [path.stem for path in shipped_boards()]
NO_NUMBER = re.compile(
    "own supply|pixel|supply of|wire of|stones|round pieces|tiles|disc magnets|plate|USB|"
    "^socket|^adapter board|^board with holes|^closed fuse holder"
)
"""What is bought by its measures, or made."""


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(parts_list.parts_csv(load_board(find_board(name))), newline="")))


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", few(BOARDS, 4))
def test_it_has_the_rows_of_the_table_and_its_sums(name: str) -> None:
    table = [
        line.removeprefix("| ").removesuffix(" |").split(" | ")
        for line in tables.parts_text(load_board(find_board(name))).splitlines()[2:]
    ]
    found = rows(name)
    assert [(one["part"], one["names"]) for one in found] == [(line[1], line[3]) for line in table]
    numbers = [int(line[0]) for line in table if line[0].isdigit()]
    assert sum(int(one["quantity"]) for one in found if one["quantity"].isdigit()) == sum(numbers)
    for one in found:
        assert bool(one["manufacturer's number"]) != bool(NO_NUMBER.search(one["part"])), one["part"]
        assert bool(one["manufacturer"]) == bool(one["manufacturer's number"])


def test_each_sensor_part_has_its_own_number() -> None:
    known = {name: [number for words, (_, number) in parts_list.NUMBERS.items() if words in part.about]
             for name, part in PARTS.items()}  # fmt: skip
    assert all(len(found) == 1 for found in known.values()), known
    assert all(found[0].startswith(name) for name, found in known.items() if name.startswith("DRV")), known


def test_a_number_that_was_not_confirmed_says_so() -> None:
    numbers = {number for _, number in parts_list.NUMBERS.values()}
    assert numbers > parts_list.TO_CHECK
    said = {one["manufacturer's number"]: one["note"].endswith(parts_list.CHECK_WORDS) for one in rows("spokes-45")}
    assert said["DRV5032AJLPG"]
    assert not said["SN74HC165N"]
    assert not said["221-412"]
    assert not said[""]


def test_the_command_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "parts.csv"
    assert main(["board", "parts", "spokes-45", "--csv", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: the parts of spokes-45\n"
    heads = b"quantity,part,manufacturer,manufacturer's number,note,names,price"
    assert path.read_bytes().startswith(heads + b"\r\n1,Raspberry Pi")
    assert main(["board", "parts", "spokes-45", "--csv", str(tmp_path / "no" / "parts.csv")]) == 1
    assert "can't be written" in capsys.readouterr().err


def test_prices_are_the_maker_s_own_and_summed_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain, priced, summed = (tmp_path / f"{name}.csv" for name in ("plain", "priced", "summed"))
    assert main(["board", "parts", "spokes-45", "--csv", str(plain)]) == 0
    own = read(plain)
    told = {"74HC165": "0,40", "capacitor 100 nF": "0.05"}
    with priced.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(own[0]))
        writer.writeheader()
        writer.writerows({**row, "price": told.get(row["part"], "")} for row in own)
    assert main(["board", "parts", "spokes-45", "--csv", str(summed), "--prices", str(priced)]) == 0
    *found, whole = read(summed)
    number = {row["part"]: row["manufacturer's number"] for row in own}
    each = {number["74HC165"]: Decimal("0.40"), number["capacitor 100 nF"]: Decimal("0.05")}
    of_each = [each.get(row["manufacturer's number"]) for row in own]
    sums = [price * int(row["quantity"]) for price, row in zip(of_each, own, strict=True) if price is not None]
    assert [Decimal(row["sum"]) for row in found if row["sum"]] == sums
    assert len(sums) == 3  # The capacitors of chips, and those of pixels, are one part.
    assert Decimal(whole["sum"]) == sum(sums)
    assert whole["note"].startswith(f"{len(own) - len(sums)} ")
    priced.write_text("part,price\n74HC165,cheap\n", encoding="utf-8")
    assert main(["board", "parts", "spokes-45", "--csv", str(summed), "--prices", str(priced)]) == 1
    assert "line 2: price" in capsys.readouterr().err
    assert main(["board", "parts", "spokes-45", "--prices", str(priced)]) == 1
    assert "--csv" in capsys.readouterr().err


@pytest.mark.parametrize("name", BOARDS)
def test_magnets_and_wire_are_in_the_list(name: str) -> None:
    board = load_board(find_board(name))
    found = {row["part"]: row["quantity"] for row in rows(name)}
    (wire,) = (quantity for part, quantity in found.items() if "several colours" in part)
    assert wire == f"{math.ceil(parts_list.signal_wire_m(board))} m"
    assert 0 < parts_list.signal_wire_m(board) < board.channels * 3
    if board.magnet is not None:
        assert any(f"{board.magnet.mm:g} x {board.magnet.height_mm:g} mm" in part for part in found)


def test_the_length_of_wire_is_that_to_the_middle_of_each_chip() -> None:
    board = load_board(find_board("spokes-45"))
    nodes = {f"n{at}": replace(node, x=100.0 * at, y=0.0) for at, node in enumerate(list(board.nodes.values())[:3])}
    nodes = {name: replace(one, name=name, channel=at) for at, (name, one) in enumerate(nodes.items())}
    assert parts_list.signal_wire_m(replace(board, nodes=nodes)) == pytest.approx(1.25 * 3 * 0.2)

"""[sensors] of every scheme: the shipped files fit, and every mistake is refused with its line and reason."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.boardfile.load import BoardFileError, find_board, load_board, shipped_boards
from firmware_host.games.registry import game
from tests.sampling import together
from tests.schemes import FOUND as SCHEMES

SHIPPED = [path.stem for path in shipped_boards()]


def text_of(board: str) -> str:
    return find_board(board).read_text()


def refused(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "my.toml"
    path.write_text(text)
    with pytest.raises(BoardFileError) as caught:
        load_board(path)
    return str(caught.value).replace(str(path), "my.toml").splitlines()


def test_there_is_a_board_of_spokes_in_every_scheme_that_can_carry_it() -> None:
    """A Pi has fewer than forty-five pins for switches of scheme ``direct``."""
    boards = [load_board(find_board(name)) for name in SHIPPED]
    spokes = {board.scheme for board in boards if board.game == "spokes"}
    assert spokes == set(SCHEMES) - {"direct"}


@together("name", SHIPPED)
def test_a_shipped_board_is_in_order(name: str) -> None:
    board = load_board(find_board(name))
    assert board.name == name
    assert sorted(board.sensors()) == list(range(board.channels))
    assert set(board.options) == set(SCHEMES[board.scheme].options)


@pytest.mark.parametrize("name", [name for name in SHIPPED if name.startswith("spokes-45-")])
def test_boards_of_spokes_differ_in_their_sensors_only(name: str) -> None:
    board, original = load_board(find_board(name)), load_board(find_board("spokes-45"))
    assert (board.nodes, board.lines, board.lights) == (original.nodes, original.lines, original.lights)
    assert set(board.nodes) == set(game("spokes").layout().nodes)


def test_the_go_board_has_its_coordinates() -> None:
    board = load_board(find_board("go-9x9"))
    assert (board.game, len(board.nodes), board.lights.length) == ("phalanx", 81, 81)
    assert set(board.nodes) == {f"{column}{row}" for column in "ABCDEFGHJ" for row in range(1, 10)}
    corner, middle = board.nodes["A1"], board.nodes["E5"]
    assert (middle.x, middle.y) == (0, 0)
    assert corner.x < 0, "columns from the left"
    assert corner.y < 0, "rows from the bottom"
    assert board.nodes["J9"].x > 0
    assert sorted(map(len, board.lines)) == [9] * 18


def test_the_hexagon_has_its_rows() -> None:
    board = load_board(find_board("hexhex-7"))
    assert (board.game, len(board.nodes), board.lights.length) == ("coil", 127, 127)
    rows = {letter: [name for name in board.nodes if name[0] == letter] for letter in "abcdefghijklm"}
    assert [len(cells) for cells in rows.values()] == [7, 8, 9, 10, 11, 12, 13, 12, 11, 10, 9, 8, 7]
    assert board.nodes["a1"].y > board.nodes["m1"].y, "rows from the top"
    assert board.nodes["g1"].x < board.nodes["g13"].x, "cells from the left"
    assert (board.nodes["g7"].x, board.nodes["g7"].y) == (0, 0)
    spots = [(node.x, node.y) for node in board.nodes.values()]
    for name in ("g7", "b4", "l2"):
        here = board.nodes[name]
        near = [spot for spot in spots if 0 < (spot[0] - here.x) ** 2 + (spot[1] - here.y) ** 2 < 41**2]
        assert len(near) == 6, "an inner cell has six neighbours"
    assert sum(map(len, board.lines)) == 3 * 127


MISTAKES = [
    ("spokes-45-4067", "select = [5, 6, 13, 19]", "select = [5, 6, 13]", "select: expected a list of 4 pins"),
    (
        "spokes-45-4067",
        "select = [5, 6, 13, 19]",
        "select = [5, 6, 13, 99]",
        "select: expected whole numbers from 0 to",
    ),
    ("spokes-45-4067", "select = [5, 6, 13, 19]", "select = 5", "select: expected a list of 4 pins, got 5"),
    ("spokes-45-4067", "select = [5, 6, 13, 19], ", "", "select: expected a list of 4 pins, but it is missing"),
    ("spokes-45-4067", "common = [16, 20, 21]", "common = [16, 20, 5]", "common 2: pin 5 is select 0's already"),
    ("spokes-45-4067", "common = [16, 20, 21]", "common = [16, 20, 16]", "common 2: pin 16 is common 0's already"),
    ("spokes-45-4067", "common = [16, 20, 21]", "common = [16, 20, true]", "common: expected whole numbers from 0 to"),
    ("spokes-45-4067", "common = [16, 20, 21]", "common = [16, 20]", "45 inputs take 3 multiplexers of 16, expected 3"),
    ("spokes-45-4067", "common = [16, 20, 21]", "common = [16, 20, 21, 22]", "expected 3 pins here, got 4"),
    ("spokes-45-4067", "common = [16, 20, 21]", "common = [16, 20, 18]", "D18 is the sensors' common 2 already"),
    ("spokes-45-4067", "select = [5,", "enable = 16, select = [5,", "enable: pin 16 is common 0's already"),
    ("spokes-45-4067", 'kind = "presence"', 'kind = "level"', "kind: 4067 reads presence or polarity, got 'level'"),
    ("spokes-45-4067", "settle_us = 10", "settle_us = 1", "settle_us: expected a whole number from 5 to 1000, got 1"),
    ("spokes-45-4067", "settle_us = 10", "spi_bus = 0", "spi_bus: unknown, expected one of scheme, kind"),
    ("spokes-45-matrix", "rows = [5, 6, 13, 19, 26]", "rows = [5, 6, 13, 19]", "4 rows of 9 columns hold 36 inputs"),
    ("spokes-45-matrix", "rows = [5,", "rows = [4, 5,", "45 inputs fill 5 rows of 9, got 6 rows"),
    ("spokes-45-matrix", "columns = [12,", "columns = [13,", "columns 0: pin 13 is rows 2's already"),
    ("spokes-45-74hc165-spi", "load = 5 ", "load = 11 ", "load: pin 11 is SPI 0's clock already"),
    ("spokes-45-74hc165-spi", "load = 5 ", "load = 5, clock = 6 ", "clock: unknown, expected one of load"),
    (
        "spokes-45-74hc165-spi",
        "spi_hz = 1_000_000",
        "spi_hz = 50_000_000",
        "spi_hz: expected a whole number from 10000",
    ),
    ("spokes-45-74hc165-spi", "spi_bus = 0", "spi_bus = 2", "spi_bus: expected a whole number from 0 to 1, got 2"),
    ("spokes-45-mcp3008", "select = [5,", "select = [8,", "select 0: pin 8 is SPI 0's select 0 already"),
    ("spokes-45-mcp3008", "pins = { select = [5, 6, 13, 19] }", "", "at most 16 nodes on the ADC chips of this bus"),
    ("spokes-45-mcp3008", "pins = {", "pins = { common = 5,", "common: unknown, expected one of select"),
    (
        "spokes-45-mcp3008",
        "pins = { select = [5, 6, 13, 19] }",
        "pins = 7",
        "pins: expected { select } with BCM numbers",
    ),
    ("spokes-45-ads1115", "scan_hz = 13", "scan_hz = 50", "ads1115 reads 45 inputs at most 13 times a second"),
    ("spokes-45-ads1115", "address = 0x48", "address = 0x50", "address: expected a whole number from 72 to 75, got 80"),
    ("spokes-45-ads1115", "select = [5,", "select = [2,", "select 0: pin 2 is I2C 1's SDA already"),
    ("spokes-45-serial", 'device = "/dev/ttyACM0"', "device = 7", "device: expected a text, got 7"),
    ("spokes-45-serial", "baud = 115200", "baud = 7", "baud: expected a whole number from 1200"),
    ("spokes-45-serial", "baud = 115200", "pins = { load = 5 }", "pins: this scheme has none"),
]


INSTALLED = {path.stem for path in shipped_boards()}
"""Those of an extension that somebody has deleted are not there."""


@together(("board", "old", "new", "words"), [row for row in MISTAKES if row[0] in INSTALLED])
def test_a_mistake_is_refused_with_line_and_reason(tmp_path: Path, board: str, old: str, new: str, words: str) -> None:
    text = text_of(board)
    assert old in text, old
    messages = refused(tmp_path, text.replace(old, new, 1))
    told = [message for message in messages if words in message] or messages
    line = text[: text.index(old)].count("\n") + 1
    assert words in told[0], messages
    elsewhere = {"D18 is": 'pin = "D18"', "at most 16": "scheme =", "this scheme has none": "pins ="}
    for beginning, place in elsewhere.items():  # A misfit shows in other lines.
        if beginning in words and place in text:
            line = text[: text.index(place)].count("\n") + 1
    assert told[0].startswith(f"my.toml:{line}: "), told


values = st.sampled_from(
    ["true", "-1", "1e400", '""', "[]", "{}", "[[]]", "[1, 2, 3, 4]", "[5, 5, 5, 5]", "99999", "7"]
)
SENSOR_LINES = st.sampled_from([name for name in SHIPPED if name.startswith("spokes-45")])


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(board=SENSOR_LINES, at=st.integers(1, 12), value=values, whole=st.booleans())
def test_any_line_of_sensors_spoilt_is_accepted_or_refused_in_form(
    board: str, at: int, value: str, whole: bool
) -> None:
    lines = text_of(board).splitlines()
    first = lines.index("[sensors]")
    number = first + 1 + at % (lines.index("[lights]") - first - 1)
    if "=" not in lines[number]:
        return
    key, _, rest = lines[number].partition(" = ")
    lines[number] = f"{key} = {value}" if whole else f"{key} = {re.sub(r'[0-9]+', value, rest, count=1)}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "my.toml"
        path.write_text("\n".join(lines))
        try:
            load_board(path)
        except BoardFileError as error:
            for part in str(error).splitlines():
                assert re.match(r".*/my\.toml:\d+: \S", part), part

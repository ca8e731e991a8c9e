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
from tests.schemes import there

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
    ("spokes-45-74hc165-spi", "load = 5 ", "load = 11 ", "load: pin 11 is SPI 0's clock already"),
    ("spokes-45-74hc165-spi", "load = 5 ", "load = 5, clock = 6 ", "clock: unknown, expected one of load"),
    (
        "spokes-45-74hc165-spi",
        "spi_hz = 1_000_000",
        "spi_hz = 50_000_000",
        "spi_hz: expected a whole number from 10000",
    ),
    ("spokes-45-74hc165-spi", "spi_bus = 0", "spi_bus = 2", "spi_bus: expected a whole number from 0 to 1, got 2"),
    ("spokes-45-serial", 'device = "/dev/ttyACM0"', "device = 7", "device: expected a text, got 7"),
    ("spokes-45-serial", "baud = 115200", "baud = 7", "baud: expected a whole number from 1200"),
    ("spokes-45-serial", "baud = 115200", "pins = { load = 5 }", "pins: this scheme has none"),
]


@together(("board", "old", "new", "words"), there(MISTAKES))
def test_a_mistake_is_refused_with_line_and_reason(tmp_path: Path, board: str, old: str, new: str, words: str) -> None:
    is_refused(tmp_path, board, old, new, words)


def is_refused(tmp_path: Path, board: str, old: str, new: str, words: str) -> None:
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

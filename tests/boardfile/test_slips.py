"""Typical slips of editors and eyes in a board file: the cause is named first, once, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_host.boardfile.load import BoardFileError, check_layout, find_board, load_board
from firmware_host.games.registry import game
from hw.ports import BoardDescription
from simulator.board import open_board as open_simulated

SHIPPED = find_board("spokes-45")
TEXT = SHIPPED.read_text(encoding="utf-8")
LAYOUT = game("spokes").layout()


def loaded(tmp_path: Path, data: bytes | str) -> BoardDescription:
    path = tmp_path / "my.toml"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return load_board(path)


def refused(tmp_path: Path, data: bytes | str) -> list[str]:
    with pytest.raises(BoardFileError) as caught:
        loaded(tmp_path, data)
    return str(caught.value).replace(f"{tmp_path}/", "").splitlines()


def line(start: str, text: str = TEXT) -> int:
    return next(number for number, found in enumerate(text.splitlines(), 1) if found.startswith(start))


def without_lights(text: str = TEXT, *, pixels: bool = False) -> str:
    before, _, rest = text.partition("[lights]")
    text = before + "[drawing]" + rest.partition("[drawing]")[2]
    return text if pixels else "\n".join(part for part in _no_pixels(text))


def _no_pixels(text: str) -> list[str]:
    return [
        found[: found.index("pixel")] + found[found.index("x =") :] if "pixel =" in found else found
        for found in text.splitlines()
    ]


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    assert loaded(tmp_path, b"\xef\xbb\xbf" + TEXT.encode()) == load_board(SHIPPED)


def test_another_encoding_is_named_with_its_line(tmp_path: Path) -> None:
    latin = TEXT.replace('name = "spokes-45"', 'name = "Küche"').encode("latin-1")
    assert refused(tmp_path, latin) == [
        f"my.toml:{line('name =')}: expected a file in UTF-8, got the byte 0xfc ('ü' in Latin-1): "
        "save the file as UTF-8 in your editor"
    ]
    (told,) = refused(tmp_path, TEXT.encode("utf-16"))
    assert told.startswith("my.toml:1: expected a file in UTF-8, got UTF-16")


def test_a_letter_for_a_digit_is_told_once_at_the_node(tmp_path: Path) -> None:
    (told,) = refused(tmp_path, TEXT.replace("D10 = {", "Dl0 = {"))
    where = line("D10 ")
    assert told == (
        f"my.toml:{where}: lines: 'D10' is not among the nodes, but 'Dl0' (line {where}) is: "
        "the letter l for the digit 1?"
    )
    (told,) = refused(tmp_path, TEXT.replace('pin = "D18"', 'pin = "Dl8"'))
    assert "pin: expected D0 to D27 (D18? there is the letter l for the digit 1), got 'Dl8'" in told


def test_a_letter_for_a_digit_is_told_where_nothing_is_printed_through_the_node(tmp_path: Path) -> None:
    before, _, rest = TEXT.partition("lines = [")
    board = loaded(tmp_path, (before + rest.partition("\n]\n")[2]).replace("D10 = {", "DlO = {"))
    with pytest.raises(BoardFileError) as caught:
        check_layout(board, LAYOUT.nodes)
    assert str(caught.value).endswith("does not fit spokes: DlO has the letter l for the digit 1: expected D10")


def test_two_nodes_in_one_place_are_refused(tmp_path: Path) -> None:
    moved = TEXT.replace("x =   50.0, y =    0.0", "x =    0.0, y =   50.0", 1)
    (told,) = refused(tmp_path, moved)
    where = f"x = 0, y = 50 is where B1 lies (line {line('B1 ')})"
    assert told == f"my.toml:{line('B2 ')}: B2: {where}, expected a place of its own"


def test_the_pixel_after_the_last_one_is_one_mistake_with_its_cause(tmp_path: Path) -> None:
    (told,) = refused(tmp_path, TEXT.replace("pixel = 44", "pixel = 45"))
    assert told.startswith(f"my.toml:{line('16 ')}: 16: pixel: expected a whole number from 0 to 44, got 45: ")
    assert told.endswith("pixels are counted from 0, and those of [lights] end at 44 (length = 45)")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("length = 45", 'length = "45"', "length: expected a whole number from 1 to 512, got '45'"),
        ("load = 5", 'load = "5"', "load: expected a whole number from 0 to 27, got '5'"),
        ("x =    0.0, y =    0.0", "y =    0.0", "x: expected a number (mm), but it is missing"),
        ('order = "GRB"', 'order = "GRBX"', "order: expected one of GRB, "),
    ],
)
def test_one_slip_is_one_mistake(tmp_path: Path, old: str, new: str, words: str) -> None:
    (told,) = refused(tmp_path, TEXT.replace(old, new, 1))
    assert words in told


@pytest.mark.parametrize("pixels", [False, True])
def test_a_board_needs_no_lights(tmp_path: Path, *, pixels: bool) -> None:
    board = loaded(tmp_path, without_lights(pixels=pixels))
    assert not board.lights.has_strips
    opened = open_simulated(board)
    try:
        assert opened.strip.length == 45
        opened.strip.show([(255, 255, 255)] * 45)
        assert list(opened.sensors.scan()) == [0] * 45
    finally:
        opened.close()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('game = "spokes"', "game = “spokes”", '“ is a typographic quotation mark, expected a straight one: "'),
        ('game = "spokes"', "game = spokes", 'spokes has no quotation marks, expected "spokes"'),
        ("B1  = { channel =  1,", "B1  = { channel =  1", "expected a comma before pixel"),
        ("y =   50.0 }", "y =   50,5 }", "50,5 has a decimal comma, expected a point: 50.5"),
        ("y =   50.0 }", "y =   50.0", "a brace is open, expected } at the end of the line"),
        ('["D2", "2"]', '["D2" "2"]', 'expected a comma after "D2"'),
    ],
)
def test_slips_of_toml_are_named(old: str, new: str, told: str, tmp_path: Path) -> None:
    assert old in TEXT
    at = TEXT[: TEXT.index(old)].count("\n") + 1
    (told_once,) = refused(tmp_path, TEXT.replace(old, new, 1))
    assert told_once.startswith(f"my.toml:{at}: ")
    assert told_once.endswith(told)


@pytest.mark.parametrize("text", ["x", "[board", "[board]\nname = \n", "a = [\n", "\n\n= 3"])
def test_other_mistakes_of_toml_have_their_line(text: str, tmp_path: Path) -> None:
    (told,) = refused(tmp_path, text)
    assert told.startswith("my.toml:")

"""Board files: the shipped file fits its game, and every mistake is refused with its line and reason."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.boardfile.load import BoardFileError, check_layout, find_board, load_board
from firmware_host.games.registry import game
from tests.sampling import together
from tests.schemes import FOUND

SHIPPED = find_board("spokes-45")
TEXT = SHIPPED.read_text()


def refused(tmp_path: Path, text: str) -> str:
    path = tmp_path / "my.toml"
    path.write_text(text)
    with pytest.raises(BoardFileError) as caught:
        load_board(path)
    return str(caught.value).replace(str(path), "my.toml")


def line_of(text: str, start: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), 1) if line.startswith(start))


def test_the_shipped_board_fits_spokes() -> None:
    board = load_board(SHIPPED)
    layout = game("spokes").layout()
    check_layout(board, layout.nodes)
    assert (board.scheme, board.kind, board.lights.max_current_ma) == ("74hc165", "presence", 1500)
    for node, (x, y) in layout.nodes.items():
        wiring = board.nodes[node]
        assert (wiring.x, wiring.y) == pytest.approx((50 * x, 50 * y), abs=0.06)


def test_kind_and_back_end_can_be_overridden() -> None:
    board = load_board(SHIPPED, backend="sim", kind="level")
    assert (board.backend, board.kind) == ("sim", "level")


@together(
    ("old", "new", "words"),
    [
        ("B1  = { channel =  1", "B1  = { channel =  0", "B1: channel 0 is A1's"),
        ("pixel =  2, ", "pixel =  1, ", "pixel 1 is B1's"),
        ("B2  = {", "B1  = {", "B1 is named twice"),
        ("pixel =  2, ", "pixel = 45, ", "pixel: expected a whole number from 0 to 44, got 45"),
        ("B1  = { channel =  1", "B1  = { channel =  true", "channel: expected a whole number"),
        ("B1  = { channel =  1", "B1  = { channel =  77", "channel 77: expected 0 to 44"),
        ("B1  = { channel =  1,", "B1  = {", "channel: expected a whole number from 0 to 511, but it is missing"),
        ("x =    0.0, y =   50.0", 'x = "left", y =   50.0', "x: expected a number"),
        ('kind = "presence"', 'kind = "smell"', "kind: expected one of presence, polarity, level, coded, got 'smell'"),
        ('scheme = "74hc165"', 'scheme = "9000"', f"scheme: expected one of {min(FOUND)}, "),
        ('backend = "gpio"', 'backend = "wish"', "backend: expected one of gpio, sim"),
        ("clock = 6", "clock = 5", "clock: pin 5 is load's already"),
        ("clock = 6", "clock = 99", "clock: expected a whole number from 0 to 27, got 99"),
        ("clock = 6, ", "", "clock: expected a whole number from 0 to 27, but it is missing"),
        ("max_current_ma = 1500", "max_current_ma = 0", "max_current_ma: expected a whole number from 1"),
        ("scan_hz = 50", "scan_speed = 50", "scan_speed: unknown, expected one of"),
        ('["D2", "2"]', '["D2", "Q2"]', "'Q2' is not among the nodes"),
        ("[lights]", "[lamps]", "lamps: unknown"),
        ('pin = "D18"', 'pin = "D99"', "pin: expected D0 to D27, got 'D99'"),
        ('pin = "D18"', 'pin = "D6"', "pin: D6 is the sensors' clock already"),
        ('["D2", "2"]', '["D2", ["2"]]', "['2'] is not among the nodes"),
        ('["D2", "2"]', '["D2"]', "lines: expected two or more nodes a line, got ['D2']"),
        ('order = "GRB"', 'order = "GRBW"', "order: expected one of GRB"),
        ("node_mm = 22.0", "node_mm = true", "node_mm: expected a number"),
        ("circles_mm = [50.0", "circles_mm = [-50.0", "circles_mm: expected a list of radii"),
        ("load = 5, clock", "latch = 4, load = 5, clock", "latch: unknown, expected one of load, clock, data, inhibit"),
        ('name = "spokes-45"', 'name = ""', "name: expected a text"),
        ("scan_hz = 50", "scan_hz = ", "Invalid value"),
    ],
)
def test_a_mistake_is_refused_with_line_and_reason(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert TEXT.count(old) >= 1
    wrong = TEXT.replace(old, new, 1)
    message = refused(tmp_path, wrong)
    assert words in message
    line = TEXT[: TEXT.index(old)].count("\n") + 1
    assert any(part.startswith(f"my.toml:{line}: ") for part in message.splitlines()), message


def test_an_override_is_checked_like_the_file() -> None:
    with pytest.raises(BoardFileError, match="kind: expected one of presence, polarity, level, coded, got 'smell'"):
        load_board(SHIPPED, kind="smell")
    with pytest.raises(BoardFileError, match="backend: expected one of gpio, sim, got 'wish'"):
        load_board(SHIPPED, backend="wish")


def test_a_board_without_nodes_is_refused(tmp_path: Path) -> None:
    message = refused(tmp_path, TEXT[: TEXT.index("[nodes]")].replace("lines = [", "other = [") + "[nodes]\n")
    assert "there are no nodes, expected at least one" in message


def test_nodes_may_be_sections_of_their_own(tmp_path: Path) -> None:
    head, _, nodes = TEXT.partition("[nodes]")
    lines = nodes.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("A1"))
    lines[first] = ""
    path = tmp_path / "my.toml"
    table = "[nodes.A1]\nchannel = 0\npixel = 0\nx = 0\ny = 0\n"
    path.write_text(f"{head}[nodes]" + "\n".join(lines) + "\n" + table)
    assert set(load_board(path).nodes) == set(load_board(SHIPPED).nodes)
    message = refused(tmp_path, path.read_text().replace("[nodes.A1]\nchannel = 0", "[nodes.A1]\nchannel = 3"))
    lines_named = {int(part.split(":")[1]) for part in message.splitlines()}
    text = path.read_text()
    assert lines_named & {line_of(text, "[nodes.A1]"), line_of(text, "B3 ")}


@pytest.mark.parametrize("text", ["a = " + "9" * 5000, "a = " + "[" * 3000])
def test_monsters_are_refused_without_a_traceback(tmp_path: Path, text: str) -> None:
    assert refused(tmp_path, text).startswith("my.toml:1: ")


values = st.sampled_from(
    [
        "true",
        "-1",
        "1e400",
        "nan",
        '""',
        "[]",
        "{}",
        "[[]]",
        "[[[1], [2]]]",
        "{ a = 1 }",
        "1979-05-27",
        "99999",
        '"D18"',
    ]
)


@settings(max_examples=150, deadline=None)
@given(line=st.integers(0, TEXT.count("\n") - 1), value=values, cut=st.booleans(), word=st.integers(0, 3))
def test_any_line_spoilt_is_accepted_or_refused_in_form(line: int, value: str, cut: bool, word: int) -> None:
    lines = TEXT.splitlines()
    parts = lines[line].split("= ")
    if cut:
        lines[line] = lines[line][: len(lines[line]) // 2]
    elif len(parts) > 1:
        at = 1 + word % (len(parts) - 1)
        rest = parts[at].partition(",")[2] if "," in parts[at] else ""
        parts[at] = value + (f",{rest}" if rest else "")
        lines[line] = "= ".join(parts)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "my.toml"
        path.write_text("\n".join(lines))
        try:
            load_board(path)
        except BoardFileError as error:
            for part in str(error).splitlines():
                assert re.match(r".*/my\.toml:\d+: \S", part), part


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    message = refused(tmp_path, TEXT.replace('kind = "presence"', "kind = 7").replace("length = 45", "length = 0"))
    assert len(message.splitlines()) >= 2


def test_a_board_of_another_shape_does_not_fit() -> None:
    board = load_board(SHIPPED)
    with pytest.raises(BoardFileError, match=r"nodes missing: E1.*does not have: A1"):
        check_layout(board, ["E1", *list(board.nodes)[1:]])


@pytest.mark.parametrize("name", ["nowhere", "./nowhere.toml", "/tmp"])
def test_a_missing_board_is_named(name: str) -> None:
    with pytest.raises(BoardFileError):
        find_board(name)


def test_rubbish_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BoardFileError, match=r"my\.toml:1: expected a file in UTF-8"):
        load_board(path)
    assert "my.toml:" in refused(tmp_path, "")


def test_a_file_of_any_length_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    with path.open("wb") as file:
        file.truncate(100 << 20)
    with pytest.raises(BoardFileError, match=r"my\.toml:1: expected a board file of at most 1 MB"):
        load_board(path)

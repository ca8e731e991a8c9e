"""Board files with wells and tiles: valid files, and mistakes that are refused with line and reason."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firmware_host.boardfile.load import BoardFileError, check_layout, find_board, load_board
from firmware_host.games.octiles import board as octiles
from hw.ports import CODED
from hw.registry import inputs_of
from tests.sampling import together

TEXT = find_board("octiles-189").read_text()
PLAIN = find_board("octiles-53").read_text()


def refused(tmp_path: Path, text: str) -> str:
    path = tmp_path / "my.toml"
    path.write_text(text)
    with pytest.raises(BoardFileError) as caught:
        load_board(path)
    return str(caught.value).replace(str(path), "my.toml")


def loaded(tmp_path: Path, text: str) -> None:
    (tmp_path / "my.toml").write_text(text)
    load_board(tmp_path / "my.toml")


def test_the_shipped_boards_fit_the_game() -> None:
    layout = octiles.layout()
    for name, channels, kind in (("octiles-53", 53, "presence"), ("octiles-189", 189, CODED)):
        board = load_board(find_board(name))
        check_layout(board, layout.nodes, layout.wells)
        assert (board.channels, inputs_of(board), board.kind, board.channel_kind) == (
            channels,
            channels,
            kind,
            "presence",
        )
        assert sorted(board.sensors()) == list(range(channels))
        assert {node for node, wiring in board.nodes.items() if wiring.well} == set(octiles.WELLS)
        pitch = board.nodes["b3"].x - board.nodes["a3"].x
        for node, (x, y) in layout.nodes.items():
            assert (board.nodes[node].x, board.nodes[node].y) == pytest.approx((x * pitch, y * pitch), abs=0.051)
        assert {name: tile.lines for name, tile in board.tiles.items()} == {
            str(tile): lines for tile, lines in octiles.LINES.items()
        }, "the sheet for making tiles shows the game's lines"
        rings = tuple(tile.ring for tile in board.tiles.values())
        assert len(rings) == 18
        assert set(rings) == {""} if kind != CODED else len(set(rings)) == 18


def test_a_board_whose_wells_are_not_the_games_is_refused() -> None:
    board = load_board(find_board("octiles-53"))
    nodes = {**board.nodes, "b3": replace(board.nodes["b3"], well=False)}
    with pytest.raises(BoardFileError, match=r"expected just these wells \(well = true\): a2, .*; see b3$"):
        check_layout(replace(board, nodes=nodes), nodes, octiles.layout().wells)


def test_names_that_differ_only_in_their_case_are_two_nodes() -> None:
    board = load_board(find_board("octiles-189"))
    assert len({name.casefold() for name in board.nodes}) < len(board.nodes)
    assert board.nodes["b3"].ring
    assert not board.nodes["B3"].ring
    assert board.sensor_words(board.nodes["b3"].ring[4]) == "b3, ring sensor 4"
    assert board.sensor_words(board.nodes["b3"].channel) == "b3, middle sensor"
    assert board.sensor_words(board.nodes["B3"].channel) == "B3"


B3 = next(line for line in TEXT.splitlines() if line.startswith("b3 "))
LINE = TEXT.splitlines().index(B3) + 1
B4 = next(at for at, line in enumerate(TEXT.splitlines(), 1) if line.startswith("b4 "))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (", 143], pixel", "], pixel", "b3: channels: expected a list of nine channels: the ring clockwise from north,"),
        (", 143], pixel", ", 512], pixel", "b3: channels: expected a list of nine channels"),
        (", 143], pixel", ", '9'], pixel", "b3: channels: expected a list of nine channels"),
        (", 143], pixel", ",  56], pixel", "b3: channel 56 is given twice, expected nine different ones"),
        (", 143], pixel", ",  16], pixel", f"b3: channel 16 is b4's (line {B4}), expected its own"),
        (", 143], pixel", ", 143], channel = 3, pixel", "b3: expected channel or channels, got both"),
        (", 143], pixel", ", 143], well = false, pixel", "b3: well: expected true, got False"),
    ],
)
def test_a_wrong_well_is_refused_with_its_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    message = refused(tmp_path, TEXT.replace(B3, B3.replace(old, new)))
    assert f"my.toml:{LINE}: {words}" in message


@together(
    ("old", "new", "words"),
    [
        ('kind = "coded" ', 'kind = "presence" ', 'channels: nine sensors are read with kind = "coded", got'),
        ('ring = "11101000"', 'ring = "1110100"', "2: expected eight signs 0 or 1, clockwise from north, got"),
        ('ring = "11101000"', 'ring = "10001000"', "2: 10001000 looks the same when it is turned"),
        ('ring = "11101000"', 'ring = "00111100"', "2: 00111100 is tile 1's, turned"),
        ('ring = "11101000", ', "", "2: ring: expected the pattern of its magnets, but it is missing"),
        ('lines = "05 14 26 37"', 'lines = "05 14 26 38"', "2: lines: expected pairs of edges 0 to 7"),
        ('lines = "05 14 26 37"', 'lines = "05 14 26 33"', "2: lines: expected pairs of edges 0 to 7"),
        ('lines = "05 14 26 37"', "lines = 5", "2: lines: expected pairs of edges 0 to 7"),
        ('2  = { ring = "11101000"', '2  = { rings = "11101000"', "rings: unknown, expected one of ring, lines"),
        ("\n2  = {", "\nb  = {", "b: is a tile already, expected another letter"),
        ("\n2  = {", "\n2r2  = {", "2r2: expected a name of up to 8 letters and digits that does not"),
        ("\nr = 5", "\nred = 5", "red: expected a piece's letter, a to z"),
        ("\nr = 5", "\nr = -5", "r: expected a whole number from 0 to 500, got -5"),
        ("scan_hz = 50", "scan_hz = 50\ndeaf = 3", "deaf: expected a list of channels that are known to be broken"),
        ("scan_hz = 50", "scan_hz = 50\ndeaf = [160]", "deaf: channel 160 is not at a node with nine channels"),
        ("scan_hz = 50", "scan_hz = 50\ndeaf = [56, 143]", "both b3's: one of nine can be made good"),
        ("well_mm = 54.0", "well_mm = 'wide'", "well_mm: expected a number (mm), got 'wide'"),
        ("paths_mm = [", "paths_mm = [[[1, 2]], ", "paths_mm: expected lists of two or more points [x, y] in mm"),
        ("paths_mm = [", "paths_mm = [[[1, 2], [3, 'x']], ", "paths_mm: expected lists of two or more points"),
    ],
)  # fmt: skip
def test_what_tiles_can_not_be_is_refused(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert TEXT.count(old) >= 1
    assert words in refused(tmp_path, TEXT.replace(old, new, 1))


def test_a_board_that_reads_tiles_needs_wells_and_tiles(tmp_path: Path) -> None:
    begin, end = TEXT.index("[tiles]"), TEXT.index("[supply]")
    assert "[tiles]: expected this section" in refused(tmp_path, TEXT[:begin] + TEXT[end:])
    assert "there are no tiles" in refused(tmp_path, TEXT[:begin] + "[tiles]\n" + TEXT[end:])
    no_wells = PLAIN.replace('kind = "presence"', 'kind = "coded"').replace("{ lines", '{ ring = "11010000", lines', 1)
    assert "is missing" in refused(tmp_path, no_wells)
    alone = no_wells[: no_wells.index("\n2  = {")] + no_wells[no_wells.index("\n\n[supply]") :]
    assert "kind: coded: no node has nine channels" in refused(tmp_path, alone)


def test_a_tile_may_be_written_as_its_pattern_alone(tmp_path: Path) -> None:
    loaded(tmp_path, TEXT.replace('{ ring = "11101000", lines = "05 14 26 37" }', '"11101000"'))
    assert load_board(tmp_path / "my.toml").tiles["2"].ring == "11101000"


def test_sensors_known_to_be_broken_are_kept(tmp_path: Path) -> None:
    loaded(tmp_path, TEXT.replace("scan_hz = 50", "scan_hz = 50\ndeaf = [56, 142]"))
    assert load_board(tmp_path / "my.toml").disabled_channels == {56, 142}


def test_calibration_is_for_nodes_of_one_sensor(tmp_path: Path) -> None:
    entry = "= { rest = 128, north = 203, south = 53, stack = 168 }\n"
    assert "'b3' is not among" in refused(tmp_path, f"{TEXT}\n[calibration]\nb3 {entry}")
    loaded(tmp_path, f"{TEXT}\n[calibration]\nB3 {entry}")


@pytest.mark.parametrize(("name", "kind"), [("octiles-189", "presence"), ("octiles-53", CODED)])
def test_wells_can_not_be_read_as_they_are_not_wired(name: str, kind: str) -> None:
    with pytest.raises(BoardFileError, match=f"kind: {name} is wired with .*: it can't be '{kind}'"):
        load_board(find_board(name), kind=kind)


def test_a_chain_carries_189_channels(tmp_path: Path) -> None:
    """Pins and chips must carry nine inputs per well and one per other node."""
    begin, end = TEXT.index("scheme = "), TEXT.index("\n[lights]")
    sensors = 'scheme = "74hc165"\nkind = "coded"\nscan_hz = 20\npins = { load = 5, clock = 6, data = 13 }\n'
    loaded(tmp_path, TEXT[:begin] + sensors + TEXT[end:])


def test_a_board_description_counts_its_channels() -> None:
    board = load_board(find_board("octiles-189"))
    fewer = replace(board, nodes={name: node for name, node in board.nodes.items() if node.ring})
    assert fewer.channels == 17 * 9

"""Parts for a printer: closed solids of the right size, read back by another library; the source says the same."""

from __future__ import annotations

import io
import itertools
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firmware_host.boardfile.load import find_board, load_board, shipped_boards
from firmware_host.commands.cli import main
from firmware_host.extensions.maker import printable
from firmware_host.extensions.maker.plate import DrawingError, plate
from tests.sampling import cases

BOARDS = [path.stem for path in shipped_boards()]


def solid(part: printable.Part) -> Any:
    import trimesh  # noqa: PLC0415 - slow to import, and each worker imports all files of tests

    return trimesh.load(io.BytesIO(printable.stl(part)), file_type="stl")


def volume(part: printable.Part) -> float:
    """Return a part's volume by arithmetic: its holes do not meet, but for those of one shaft."""
    corners = [*part.outline, part.outline[0]]
    area = sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in itertools.pairwise(corners)) / 2
    return area * part.height - sum((hole.end - hole.begin) * _area(hole) for hole in part.holes)


def bodies(found: Any) -> int:
    """Return the number of pieces that hang together."""
    first = list(range(len(found.vertices)))

    def root(at: int) -> int:
        while first[at] != at:
            first[at] = at = first[first[at]]
        return at

    for one, other in found.edges:
        first[root(int(one))] = root(int(other))
    return len({root(at) for at in range(len(first))})


def _area(hole: printable.Hole) -> float:
    long, wide = hole.size
    corners = printable.SEGMENTS
    return long**2 / 8 * corners * math.sin(math.tau / corners) if hole.round else long * wide


@pytest.mark.parametrize("name", cases(BOARDS, "spokes-45"))
def test_each_part_is_one_closed_solid_of_its_size(name: str) -> None:
    board = load_board(find_board(name))
    for part in printable.parts(board):
        found = solid(part)
        assert found.is_watertight, part.name
        assert found.is_winding_consistent, part.name
        assert bodies(found) == 1, part.name
        assert found.extents == pytest.approx(part.size, abs=0.01), part.name
        assert max(part.size) <= max(printable.BED_MM, board.well_mm + 20), f"{part.name} fits the bed"
        if not part.name.startswith("cup"):
            assert found.volume == pytest.approx(volume(part), rel=1e-3), part.name


def test_a_stone_has_the_pocket_of_its_magnet() -> None:
    board = load_board(find_board("spokes-45"))
    assert board.magnet is not None
    stone = next(part for part in printable.parts(board) if part.name == "stone")
    assert stone.size == pytest.approx((board.node_mm, board.node_mm, board.magnet.stone_mm))
    found = solid(stone)
    heights = sorted({round(float(z), 3) for _, _, z in found.vertices})
    assert heights == pytest.approx([0.0, board.magnet.height_mm + printable.PLAY_MM, board.magnet.stone_mm], abs=0.02)
    assert stone.number == 2 * (len(board.nodes) - 1)


def test_a_tile_has_nine_pockets_where_the_board_reads_tiles() -> None:
    coded, plain = (load_board(find_board(name)) for name in ("octiles-189", "octiles-53"))
    pockets = [next(part for part in printable.parts(board) if part.name == "tile").holes for board in (coded, plain)]
    assert [len(one) for one in pockets] == [9, 1]
    radii = sorted(math.hypot(hole.x, hole.y) for hole in pockets[0])
    assert radii == pytest.approx([0.0, *[coded.sizes.ring_mm] * 8])


@pytest.mark.parametrize("name", ["spokes-45", "octiles-189"])
def test_the_template_has_every_hole_of_the_plate_once(name: str) -> None:
    board = load_board(find_board(name))
    pieces = [part for part in printable.parts(board) if part.name.startswith("template")]
    drawn = plate(board)
    assert sum(part.size[0] for part in pieces if part.name.startswith("template-1-")) == pytest.approx(drawn.width)
    sensors, corners = board.channels, 4
    assert sum(len(part.holes) for part in pieces) == sensors + len(board.nodes) + corners
    for part in pieces:
        for hole in part.holes:
            inside = (hole.x, hole.y, part.size[0] - hole.x, part.size[1] - hole.y)
            assert min(inside) > printable.PILOT_MM / 2, f"no cut goes through a hole of {part.name}"


def test_the_source_says_the_same() -> None:
    board = load_board(find_board("spokes-45"))
    for part in printable.parts(board):
        text = printable.scad(part)
        assert len(re.findall(r"^  translate\(", text, re.MULTILINE)) == len(part.holes)
        assert f"linear_extrude({part.height:.3f}) polygon" in text


@pytest.mark.thorough
def test_files_are_written_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "printable", "hexhex-7", "--out", str(tmp_path / "parts")]) == 0
    out = capsys.readouterr().out
    assert f"{tmp_path}/parts/stone.stl: 22.0 x 22.0 x 6.0 mm; print 127" in out
    written = {path.name for path in (tmp_path / "parts").iterdir()}
    assert {"stone.stl", "stone.scad", "cup.stl", "template-1-1.stl"} <= written


def test_what_finds_no_room_is_refused() -> None:
    board = load_board(find_board("spokes-45"))
    assert board.magnet is not None
    with pytest.raises(DrawingError, match="spokes-45: magnet: 30 x 2 mm finds no room in a stone of 22 x 6 mm"):
        printable.parts(replace(board, magnet=replace(board.magnet, mm=30.0)))
    with pytest.raises(DrawingError, match=r"magnet: expected the stones' magnet in \[sensors\]"):
        printable.parts(replace(board, magnet=None))

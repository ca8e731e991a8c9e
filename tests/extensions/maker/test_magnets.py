"""Magnets: a disc's field against integrals of its own, and which sensor part works beside its neighbours' magnets."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.commands.cli import main
from firmware_host.extensions.maker import magnets, tables
from firmware_host.extensions.maker.fields import GRADES_T, field_along, field_away, span
from firmware_host.extensions.maker.magnets import (
    MagnetJudge,
    SensorPlaces,
    Surroundings,
    best_fit,
    judge_of,
    parts_of,
    refusal,
)
from firmware_host.games.registry import game as find_game
from hw.magnets import REMANENCE_T, Magnet
from hw.ports import BoardDescription
from hw.sensor_parts import LINEAR_OUTPUT, PARTS
from tests.sampling import few
from tests.schemes import needs

SHIPPED = sorted(path.stem for path in find_board("spokes-45").parent.glob("*.toml"))
STRONG = Magnet(10, 3, "N42", 5)


# -- the field ---------------------------------------------------------------------------------------------------------


def of_loops(magnet: Magnet, aside: float, gap: float, around: int = 360, layers: int = 60) -> tuple[float, float]:
    """Return the field by Biot and Savart from the current sheet round the disc, mT: away from the axis, along it."""
    radius, across, along = magnet.mm / 2, 0.0, 0.0
    each = 1000 * REMANENCE_T[magnet.grade] * magnet.height_mm / layers * 2 * math.pi * radius / around / (4 * math.pi)
    for layer in range(layers):
        down = -(gap + (layer + 0.5) / layers * magnet.height_mm)
        for at in range(around):
            x, y = (radius * turn(2 * math.pi * (at + 0.5) / around) for turn in (math.cos, math.sin))
            away = math.sqrt((aside - x) ** 2 + y * y + down * down) ** 3
            across += each * x / radius * down / away
            along += each * (y * y - x / radius * radius * (aside - x)) / radius / away
    return across, along


def field(magnet: Magnet, aside: float, gap: float) -> tuple[float, float]:
    return field_away(magnet, aside, gap), field_along(magnet, aside, gap)


@pytest.mark.parametrize(("aside", "gap"), [(0.0, 5.0), (2.0, 3.0), (4.9, 5.0), (5.0, 5.0), (14.5, 5.0), (40.0, 4.0)])
def test_a_disc_s_field_is_that_of_the_current_round_it(aside: float, gap: float) -> None:
    assert field(STRONG, aside, gap) == pytest.approx(of_loops(STRONG, aside, gap), rel=0.002, abs=0.002)


def test_on_the_axis_it_is_the_textbook_s() -> None:
    assert field(STRONG, 0.0, 5.0) == pytest.approx((0.0, STRONG.mt))


def test_a_ring_of_six_and_a_full_board_of_coil() -> None:
    """Neighbours 40 mm apart: they look like a weak stone of the other pole."""
    ring = 6 * field(STRONG, 40.0, 5.0)[1]
    cells = [(q, r) for q in range(-6, 7) for r in range(-6, 7) if (q, r) != (0, 0) and abs(q + r) <= 6]
    full = sum(field(STRONG, 40.0 * math.sqrt(q * q + q * r + r * r), 5.0)[1] for q, r in cells)
    assert (round(ring, 2), round(full, 2)) == (-2.05, -3.47)


def test_a_go_board_of_24_mm() -> None:
    lines = range(-9, 10)
    full = sum(field(Magnet(8, 2, "N35", 5), 24 * math.hypot(x, y), 5.0)[1] for x in lines for y in lines if x or y)
    assert full == pytest.approx(-4.97, abs=0.01)


def test_a_magnet_of_its_grade_varies() -> None:
    assert all(GRADES_T[grade][0] < REMANENCE_T[grade] < GRADES_T[grade][1] for grade in REMANENCE_T)
    weak, strong = span(STRONG)
    assert (round(weak, 3), round(strong, 3)) == (0.935, 1.066)


# -- the worst case ----------------------------------------------------------------------------------------------------


def by_chance(board: BoardDescription, magnet: Magnet, chance: Random) -> tuple[float, float]:
    """Return the field at a sensor of stones at random, as they may lie: with its own stone, and without it."""
    weak, strong = span(magnet)
    here = chance.choice(list(board.nodes.values()))
    deeper = chance.uniform(-magnets.DEPTH_MM, magnets.DEPTH_MM)
    own = others = 0.0
    pole = chance.choice((1, -1))
    for node in board.nodes.values():
        if node is not here and chance.random() < 0.1:
            continue
        angle, off = chance.uniform(0, math.tau), chance.uniform(0, magnets.OFF_STONE_MM)
        place = node.x - here.x + off * math.cos(angle), node.y - here.y + off * math.sin(angle)
        each = chance.uniform(weak, strong) * field(magnet, math.hypot(*place), magnet.gap_mm + deeper)[1]
        if node is here:
            own = pole * each
        else:
            others += each * (chance.choice((1, -1)) if chance.random() < 0.2 else 1)
    return abs(own + others), abs(others)


@pytest.mark.parametrize("name", ["hexhex-7", "go-9x9"])
def test_stones_as_they_lie_are_within_the_worst_case(name: str) -> None:
    board, chance = load_board(find_board(name)), Random(29)
    worst = Surroundings(judge_of(board).places, STRONG)
    least, most = worst.least - worst.worst[0], worst.worst[0]
    seen = [by_chance(board, STRONG, chance) for _ in range(200)]
    assert min(own for own, _ in seen) >= least
    assert max(others for _, others in seen) <= most
    assert max(others for _, others in seen) > most / 3, "the bound is no wild one"


def test_a_stack_of_four_weakens_its_lowest_stone_and_disturbs_its_neighbours_more() -> None:
    near = {"A": (0.0, 0.0), "B": (50.0, 0.0)}
    alone, stacked, mixed = (
        Surroundings(SensorPlaces(near, {}, stack=stack, mixed=mixed), STRONG)
        for stack, mixed in ((1, False), (4, False), (4, True))
    )
    assert alone.worst[0] < stacked.worst[0] < 4 * alone.worst[0]
    assert stacked.least == alone.least
    upper = span(STRONG)[1] * sum(field(STRONG, 0.0, 4.5 + 6.0 * at)[1] for at in (1, 2, 3))
    assert mixed.least == pytest.approx(alone.least - upper)


def test_the_highest_stack_is_that_of_those_who_act_together() -> None:
    assert {name: judge_of(load_board(find_board(name))).places.stack for name in ("spokes-45", "go-9x9")} == {
        "spokes-45": max(len(find_game("spokes").seats(mode)) for mode in find_game("spokes").modes),
        "go-9x9": 1,
    }


def test_a_well_counts_the_magnets_of_one_tile() -> None:
    """A tile with all magnets but one: the sensor without one is disturbed by all the others."""
    ring = SensorPlaces({}, {"b3": (0.0, 0.0)}, patterns=((1, 2, 3, 4, 5, 6, 7, 8),), ring_mm=19.0)
    few = replace(ring, patterns=((3, 5),))
    magnet = Magnet(5, 2, "N35", 5)
    assert Surroundings(few, magnet).worst[0] < Surroundings(ring, magnet).worst[0] / 2
    apart = 2 * 19.0 * math.sin(math.pi / 8)
    two = 2 * abs(field(magnet, apart, 5.0)[1])
    assert two < Surroundings(few, magnet).worst[0] < 2 * two


def test_a_lying_reed_feels_little_of_what_stands_beside_it_and_nothing_right_below_a_disc() -> None:
    places = SensorPlaces({"A": (0.0, 0.0), "B": (40.0, 0.0)}, {})
    reed, hall = (Surroundings(places, STRONG, along_glass=along) for along in (True, False))
    assert reed.worst[0] < hall.worst[0] * 0.7
    assert reed._field_at(0.0, 0.0, 0.0) == pytest.approx(0.0, abs=1e-9)
    assert reed.least > 5


# -- verdicts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", few(SHIPPED, 5))
def test_the_part_and_magnet_of_every_shipped_board_work(name: str) -> None:
    board = load_board(find_board(name))
    assert board.magnet is not None
    assert board.part in parts_of(board)
    assert judge_of(board).verdict(board.part, board.magnet).why == ""
    assert refusal(board) is None


def test_a_lifted_stone_may_not_be_held_by_its_neighbours() -> None:
    """Coil, 10 x 3 mm of N42: up to 4.1 mT are left, and no switch but the coarsest surely opens there."""
    board = replace(load_board(find_board("hexhex-7")), part="DRV5033FA", magnet=STRONG)
    judge = judge_of(board)
    whys = {part: judge.verdict(part, STRONG).why for part in parts_of(board)}
    assert {part for part, why in whys.items() if not why} == {"DRV5032ZE"}
    assert whys["DRV5033FA"] == whys["DRV5032AJ"] == "a piece that was lifted may still show"
    told = refusal(board)
    assert told is not None
    assert told.startswith("DRV5033FA with 10 x 3 mm of N42, 5 mm from face to sensor: a piece that was lifted may")
    assert told.endswith(
        "expected DRV5032ZE with this magnet, or DRV5033FA with 5 x 1 mm of N35, 5 mm from face to sensor"
    )


def test_what_can_t_work_is_refused_with_what_can(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    text = find_board("go-9x9").read_text(encoding="utf-8")
    path.write_text(re.sub(r"mm = 8, height_mm = 2", "mm = 5, height_mm = 1", text), encoding="utf-8")
    assert main(["board", "magnets", str(path)]) == 0
    path.write_text(path.read_text(encoding="utf-8").replace("gap_mm = 5", "gap_mm = 7"), encoding="utf-8")
    assert main(["board", "magnets", str(path)]) == 1
    told = capsys.readouterr()
    assert "| **DRV5032AJ** |" in told.out
    assert "a piece may not show (it gives" in told.err
    assert "expected DRV5032FC with this magnet, or DRV5032AJ with 8 x 2 mm of N35" in told.err


def test_a_board_without_a_magnet_is_told_of_common_ones(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    text = find_board("hexhex-7").read_text(encoding="utf-8")
    path.write_text(re.sub(r"magnet = .*\n", "", text), encoding="utf-8")
    assert main(["board", "magnets", str(path)]) == 0
    told = capsys.readouterr().out
    assert "The board file names no magnet. With magnets of 8 x 2 mm of N35" in told
    assert "| 10 x 3 mm of N42 | DRV5032ZE | DRV5032ZE | DRV5032ZE |" in told


def test_a_new_board_that_is_too_close_is_refused_with_the_pitch_that_does(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "mine.toml"
    assert main(["board", "new", "phalanx", str(path), "--pitch", "15"]) == 1
    told = capsys.readouterr().err
    pitch = re.search(r"expected --pitch (\d+) or more, or another --scheme or --kind", told)
    assert pitch is not None
    assert not path.exists()
    assert main(["board", "new", "phalanx", str(path), "--pitch", pitch[1]]) == 0
    assert refusal(load_board(path)) is None


def test_two_switches_at_a_node_lie_beside_its_middle() -> None:
    board = replace(load_board(find_board("hexhex-7")), kind="polarity", part="")
    judge = judge_of(board)
    assert judge.places.aside_mm == 2.5
    fit = best_fit(board)
    assert fit is not None
    assert fit[0].startswith("DRV5023")
    middle = MagnetJudge(replace(judge.places, aside_mm=0.0), 3.3)
    assert middle.verdict(*fit).piece > judge.verdict(*fit).piece


@needs("spokes-45-mcp3008")
def test_a_linear_sensor_with_stacks_says_how_exactly_stones_must_lie() -> None:
    board = load_board(find_board("spokes-45-mcp3008"))
    judge, magnet = judge_of(board), board.magnet
    assert magnet is not None
    found = judge.verdict(board.part, magnet)
    assert 0.5 < found.stack_mm < 3
    assert judge.verdict(board.part, replace(magnet, stone_mm=12.0)).stack_mm < found.stack_mm
    assert f"tells stacks from stones up to {found.stack_mm:.1f} mm" in tables.magnets_text(board)


@needs("spokes-45-mcp3008")
@pytest.mark.parametrize("part", PARTS)
def test_every_part_works_somewhere(part: str) -> None:
    """Each part of the table works with some common magnet, so that none is there in vain."""
    name = "spokes-45-mcp3008" if PARTS[part].response == LINEAR_OUTPUT else "go-9x9"
    places = judge_of(load_board(find_board(name))).places
    judge = MagnetJudge(replace(places, stack=1, mixed=False), 3.3)
    discs = [Magnet(*disc, gap) for disc in magnets.DISCS for gap in magnets.GAPS_MM]
    assert any(judge.fitting([part], discs))

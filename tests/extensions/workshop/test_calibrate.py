"""Calibration of differing linear sensors, and the stacks that the table then can or can't recognise."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from firmware_host.boardfile.load import BoardFileError, find_board, load_board
from firmware_host.extensions.workshop.calibration import CalibrateWizard, svg_plot, terminal_plot
from firmware_host.extensions.workshop.wizard import Patience
from firmware_host.link.results import write_calibration
from firmware_host.sensing.debounce import Debouncer
from hw.ports import LevelBands, NodeLevels
from simulator.stones import Trait
from tests.extensions.workshop.workshop import NAMES, PATIENCE, Workshop, small_board

BOARD = small_board("level")
traits = st.builds(
    Trait,
    offset=st.integers(-20, 20),
    north=st.floats(0.6, 1.05),
    south=st.floats(0.6, 1.05),
    upper=st.floats(0.42, 0.58),
)


def workshop(**odd: Trait) -> Workshop:
    shop = Workshop(BOARD, seed=4)
    shop.world.traits.update(odd)
    return shop


def calibrated(shop: Workshop) -> CalibrateWizard:
    wizard = CalibrateWizard(BOARD, patience=PATIENCE)
    shop.run(wizard)
    return wizard


@pytest.mark.thorough
@settings(deadline=None, max_examples=5, phases=[Phase.explicit, Phase.generate])
@given(odd=st.fixed_dictionaries(dict.fromkeys(NAMES, traits)))
def test_after_calibrating_every_sensor_tells_stones_and_stacks(odd: dict[str, Trait]) -> None:
    shop = workshop(**odd)
    wizard = calibrated(shop)
    assert set(wizard.measured) == set(NAMES)
    assert not shop.world.stones()
    levels = {node: one.levels for node, one in wizard.measured.items()}
    feel = Debouncer(dataclasses.replace(BOARD, calibration=levels))
    for pieces, sensed in (("", ""), ("w", "N"), ("b", "S"), ("wb", "N<"), ("bw", "S<"), ("ww", "N>"), ("bb", "S>")):
        for node in NAMES:
            for piece in pieces:
                shop.hand.put(node, piece)
        for _ in range(8):
            shop.clock.now += 0.02
            list(feel.feed(list(shop.sensors.scan()), shop.clock.now))
        for node in NAMES:
            told = sensed if levels[node].stacks else sensed[:1]
            assert feel.stable[node] == told, f"{node} under {pieces or 'nothing'}: {levels[node]}"
            for _ in pieces:
                shop.hand.take_off(node)


@pytest.mark.thorough
def test_nodes_with_overlapping_bands_are_named() -> None:
    weak = Trait(north=0.2, south=0.2)
    shop = workshop(B1=weak, C2=Trait(offset=-9, north=0.25, south=0.22), C3=Trait(upper=0.06))
    wizard = calibrated(shop)
    ambiguous_stacks = {node for node, one in wizard.measured.items() if not one.levels.stacks}
    assert ambiguous_stacks == {"B1", "C2", "C3"}
    assert "B1: can't tell nothing and opposite stack (north" in shop.text
    assert "C3: can't tell opposite stack and stone (north" in shop.text
    assert "A1: can't tell" not in shop.text
    plot = terminal_plot(wizard.measured)
    assert sum("too close" in line for line in plot.splitlines()) == 3


@pytest.mark.thorough
def test_a_sensor_face_down_is_calibrated_as_it_lies() -> None:
    wizard = calibrated(workshop(B2=Trait(north=-0.9, south=-0.9)))
    levels = wizard.measured["B2"].levels
    assert levels.north < levels.rest < levels.south
    assert levels.stacks


def test_dead_and_stuck_sensors_are_named_and_the_others_calibrated() -> None:
    shop = workshop()
    shop.world.set_fault("stuck-off", "B3")
    shop.world.set_fault("stuck-on", "C1")
    wizard = calibrated(shop)
    assert set(wizard.failed) == {"B3", "C1"}
    assert "must move the sensor" in wizard.failed["B3"]
    assert "channel 5 reads 203 at rest" in wizard.failed["C1"]
    assert set(wizard.measured) == set(NAMES) - {"B3", "C1"}


@pytest.mark.thorough
def test_swapped_wires_are_told() -> None:
    def swapped(readings: list[int]) -> list[int]:
        readings[2], readings[3] = readings[3], readings[2]
        return readings

    shop = Workshop(BOARD, bend=swapped)
    wizard = calibrated(shop)
    assert set(wizard.failed) == {"B2", "B3"}
    assert "channel 3 (B3 in the board file) answers instead: map the board first" in shop.text


@pytest.mark.thorough
def test_interrupted_and_resumed() -> None:
    shop = workshop()
    first = CalibrateWizard(BOARD, patience=PATIENCE)
    shop.run(first, until=lambda: len(first.measured) == 3)
    kept = json.loads(json.dumps(first.saved_state()))
    for node in list(shop.world.stones()):
        shop.hand.take_off(node)
    second = CalibrateWizard(BOARD, patience=PATIENCE)
    second.resume(kept)
    shop.told.clear()
    shop.run(second)
    assert set(second.measured) == set(NAMES)
    assert {node: second.measured[node] for node in first.measured} == first.measured
    assert sum("put a white stone" in line for line in shop.told) == len(NAMES) - 3
    for rubbish in (None, {"board": "x"}, {"board": BOARD.name, "measured": {"A1": [1]}}):
        with pytest.raises(ValueError, match="expected"):
            CalibrateWizard(BOARD).resume(rubbish)


def test_undo_measures_the_last_node_anew() -> None:
    shop = workshop()
    wizard = CalibrateWizard(BOARD, patience=PATIENCE)
    shop.run(wizard, until=lambda: len(wizard.measured) == 2)
    wizard.say("u", shop.clock.now)
    assert list(wizard.measured) == ["A1"]
    shop.run(wizard)
    assert set(wizard.measured) == set(NAMES)


def test_the_board_file_keeps_everything_else(tmp_path: Path) -> None:
    source = find_board("spokes-45")
    target = tmp_path / "mine.toml"
    levels = {"A1": NodeLevels(128, 203, 53, 168), "1": NodeLevels(131, 160, 100, 150, stacks=False)}
    write_calibration(source, target, levels)
    assert target.read_text().startswith(source.read_text().rstrip("\n"))
    assert load_board(target).calibration == levels
    target.write_text(target.read_text().replace("stack = 168 }", "stack = 168 }   # the strong one"))
    write_calibration(target, target, {"A1": NodeLevels(120, 203, 53, 168), "B1": NodeLevels(128, 203, 53, 168)})
    text = target.read_text()
    assert "rest = 120, north = 203, south =  53, stack = 168 }   # the strong one" in text
    assert set(load_board(target).calibration) == {"A1", "1", "B1"}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("Z9 = { rest = 128, north = 200, south = 50, stack = 160 }", "'Z9' is not among the nodes"),
        ("A1 = { rest = 128, north = 200, south = 50 }", "stack: expected a whole number from 0 to 255"),
        ("A1 = { rest = 210, north = 200, south = 50, stack = 160 }", "expected rest between south and north"),
        ("A1 = { rest = 128, north = 200, south = 50, stack = 60 }", "expected stack between rest and north"),
        ("A1 = 7", "A1: expected { rest, north, south, stack }, got 7"),
        ("A1 = { rest = 128, north = 200, south = 50, stack = 160, stacks = 3 }", "stacks: expected true or false"),
    ],
)
def test_wrong_calibration_is_refused_with_its_line(tmp_path: Path, line: str, why: str) -> None:
    path = tmp_path / "mine.toml"
    text = find_board("spokes-45").read_text() + "\n[calibration]\n"
    path.write_text(f"{text}{line}\n")
    with pytest.raises(BoardFileError) as refusal:
        load_board(path)
    assert why in str(refusal.value)
    assert f"{path}:{len(text.splitlines()) + 1}:" in str(refusal.value)


@pytest.mark.thorough
def test_the_drawing_shows_every_node(tmp_path: Path) -> None:
    wizard = calibrated(workshop(B1=Trait(north=0.2, south=0.2)))
    drawing = ElementTree.fromstring(svg_plot("a board", wizard.measured, LevelBands()))
    texts = [element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert set(NAMES) <= set(texts)
    assert len(terminal_plot(wizard.measured).splitlines()) == len(NAMES) + 2


LEVELS = {"white": 1.0, "stack": 0.5, "bare": 0.0, "black": -1.0, "off": 0.0}
"""Stage → what lies there then, as a share of a stone's level."""


def measured_by_hand(stone: int, noise: int, words: float | None = None) -> tuple[CalibrateWizard, list[str]]:
    """Calibrate one node whose stones read so many steps from rest; Enter is pressed after every so many seconds."""
    wizard, random, at, told = CalibrateWizard(BOARD, ["A1"], Patience(hint=15.0)), Random(1), 0.0, list[str]()
    channel = BOARD.nodes["A1"].channel
    while not wizard.is_done and at < 120:
        at += 0.02
        readings = [128] * len(BOARD.nodes)
        level = round(128 + stone * LEVELS.get(wizard.doing().stage, 0.0))
        readings[channel] = level + random.randint(-noise, noise)
        wizard.feed(readings, at)
        told += wizard.news()
        if words is not None and at % words < 0.02:
            wizard.say("", at)
    return wizard, told


@pytest.mark.parametrize("noise", [9, 10])
def test_noise_is_told_and_enter_takes_the_middle(noise: int) -> None:
    wizard, told = measured_by_hand(75, noise)
    assert not wizard.is_done, "nobody has said to go on"
    (words,) = (line for line in told if "too noisy" in line)
    low, high = (int(one) for one in re.findall(r"reads (\d+) to (\d+)", words)[0])
    assert high - low > 8
    wizard, told = measured_by_hand(75, noise, words=5.0)
    assert wizard.is_done
    levels = wizard.measured["A1"].levels
    assert abs(levels.north - 203) <= noise
    assert abs(levels.south - 53) <= noise
    assert wizard.measured["A1"].spread > 4


@pytest.mark.parametrize("noise", [0, 1])
@pytest.mark.parametrize("stone", [6, 7, 8, 9, 10, 11, 12, 16, 30])
def test_a_stone_that_is_measured_is_sensed_and_a_weaker_one_is_refused(stone: int, noise: int) -> None:
    wizard, _ = measured_by_hand(stone, noise, words=5.0)
    assert wizard.is_done
    if stone <= 7:
        assert "take stronger magnets" in wizard.failed["A1"]
    if stone >= 12:
        assert not wizard.failed
    if wizard.failed:
        return
    feel = Debouncer(dataclasses.replace(BOARD, calibration={"A1": wizard.measured["A1"].levels}))
    channel, random = BOARD.nodes["A1"].channel, Random(2)
    for level, sensed in ((stone, "N"), (0, ""), (-stone, "S"), (0, "")):
        for number in range(20):
            readings = [128] * len(BOARD.nodes)
            readings[channel] = 128 + level + random.randint(-noise, noise)
            list(feel.feed(readings, number * 0.02))
        assert feel.stable["A1"][:1] == sensed, (stone, noise)

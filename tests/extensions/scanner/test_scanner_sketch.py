"""The Arduino sketch on a simulated ATmega328P with simulated chips: the board tests of the Pico's firmware.

Only a real Nano can test its ADC, levels, pull-ups, USB chip and boot loader. The same source for an ESP32 and a Pico
is only checked by a compiler (tests/extensions/scanner/test_scanner_config.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest

from lodestone.boards import Clock
from simulator.stones import World
from tests.extensions.scanner import firmware_bench
from tests.extensions.scanner.avr import compile as compiler
from tests.extensions.scanner.avr.nano import WIRINGS, Nano, config_text, count_of, need_avr, wiring_of
from tests.extensions.scanner.firmware_bench import Bench
from tests.schemes import described

WAYS = [
    ("74hc165", "presence"),
    ("74hc165", "polarity"),
    ("4067", "presence"),
    ("4067", "polarity"),
    ("4067", "level"),
    ("matrix", "presence"),
    ("direct", "presence"),
    ("direct", "polarity"),
]
SAMPLE = ("4067", "level")
"""The configuration of the quick test: it has outputs, the ADC, settling times, and all kinds of readings."""


@pytest.fixture(autouse=True)
def _installed() -> None:
    need_avr()


@contextmanager
def bench(chip: str, kind: str, *, changes: bool = False) -> Iterator[Bench]:
    made = Bench(lambda board, world: Nano(board, world, chip), kind, count_of(chip, kind), changes=changes)
    try:
        yield made
        assert made.machine.violations == [], "no chip has anything against the sketch"
    finally:
        made.close()


@pytest.mark.slow
def test_stones_are_read_through_the_pins_of_a_nano() -> None:
    with bench(*SAMPLE, changes=True) as at:
        assert at.bank.firmware == "lodestone-scanner 2.1 arduino"
        firmware_bench.what_lies_there_is_read(at, {0: "w", 16: "b", 44: "ww", 31: "wb"})
        firmware_bench.changes_tell_as_much_as_snapshots(at, [{index: "b", 44 - index: "w"} for index in range(3)])


@pytest.mark.thorough
def test_the_adc_is_averaged_and_the_led_blinks() -> None:
    with bench("4067", "level") as at:
        at.lay({3: "w"})
        at.until(lambda: at.reads({3: "w"}))
        at.machine.ripple = 100  # A tenth of the scale: every single reading is wrong.
        before = at.bank.counters.frames
        at.until(lambda: at.bank.counters.frames > before + 10)
        assert at.reads_at_once({3: "w"})
        assert isinstance(at.machine, Nano)
        lit = at.machine.lit
        at.until(lambda: lit[-3:] in ([0, 1, 0], [1, 0, 1]))


@pytest.mark.thorough
def test_pins_are_driven_while_a_conversion_hangs() -> None:
    """Else chips and firmware disagree about the select lines after the restart, and an open input is measured."""
    board = described("serial", "level", 45)
    nano = Nano(board, World(list(board.nodes), "level", Clock()), "4067")
    try:
        nano.unplug()
        nano.bench.pins.cleanup()
        nano.stuck = True
        assert nano._answer("out 2 0;write 2 1;wait 20;adc 14") == "stuck"
        assert nano.bench.pins.input(2) == 1
    finally:
        nano.close()


@pytest.mark.thorough
def test_a_loop_that_hangs_begins_anew() -> None:
    with bench("4067", "level") as at:
        at.machine.stuck = True
        at.until(at.lost)
        at.machine.stuck = False  # Only the watchdog ends that conversion.
        at.lay({3: "w"})
        at.until(lambda: at.reads({3: "w"}))


@pytest.mark.thorough
@pytest.mark.parametrize(("chip", "kind"), WAYS)
def test_every_board_test_of_the_pico(chip: str, kind: str) -> None:
    random = Random(4)
    count = count_of(chip, kind)
    boards = [
        {index: random.choice(["w", "b", "wb", "bb"]) for index in random.sample(range(count), count // 3)}
        for _ in range(8)
    ]
    for changes in (False, True):
        with bench(chip, kind, changes=changes) as at:
            for stacks in boards:
                firmware_bench.what_lies_there_is_read(at, stacks)
            firmware_bench.changes_tell_as_much_as_snapshots(at, boards)
            if not changes:
                firmware_bench.every_node_alone_is_told_from_every_other(at)
                firmware_bench.a_closed_port_is_free_for_the_next(at)


@pytest.mark.thorough
def test_it_is_unplugged_and_reset_as_a_pico_is() -> None:
    with bench("74hc165", "presence") as at:
        firmware_bench.unplugged_and_back_under_another_name(at)
        firmware_bench.a_reset_on_a_uart_is_survived(at)


@pytest.mark.thorough
def test_it_answers_as_the_page_of_the_protocol_says() -> None:
    board = described("serial", "presence", 45)
    nano = Nano(board, World(list(board.nodes), "presence", Clock()), "74hc165")
    try:
        firmware_bench.answers_as_the_page_says(nano)
    finally:
        nano.close()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("chip", "kind", "nodes", "pins", "why"),
    [
        ("74hc165", "presence", 45, {"load": 2, "clock": 3, "data": 13}, "PIN_DATA: a pin that this board has not"),
        ("74hc165", "presence", 45, {"load": 2, "clock": 3, "data": 3}, "there twice"),
        ("74hc165", "level", 45, WIRINGS["74hc165"], "expected KIND_PRESENCE or KIND_POLARITY"),
        ("74hc165", "presence", 0, WIRINGS["74hc165"], "NODES: expected 1 to 512"),
        ("4067", "level", 45, WIRINGS["4067"], "PINS_COMMON: a pin that this board has not"),
        ("4067", "presence", 81, WIRINGS["4067"], "PINS_COMMON: expected one for each 16 inputs"),
        ("matrix", "presence", 46, WIRINGS["matrix"], "fewer crossings than inputs"),
        ("direct", "presence", 12, WIRINGS["direct"], "PINS_INPUTS: expected one for each input"),
    ],
)
def test_a_wiring_that_cant_work_does_not_compile(chip: str, kind: str, nodes: int, pins: Any, why: str) -> None:
    with pytest.raises(compiler.CompileError, match=why):
        compiler.compiled(config_text(chip, kind, nodes, pins))


@pytest.mark.thorough
def test_the_configuration_that_comes_with_it_compiles_and_leaves_room() -> None:
    shipped = (compiler.SKETCH / "config.h").read_text()
    assert len(compiler.compiled(shipped)) < 16_000
    largest = config_text("74hc165", "presence", 189, wiring_of("74hc165", "presence"))
    assert compiler.memory(largest) < 1700, "of 2048 bytes; the rest is for the stack"

"""A Pi's driver against chips written from their datasheet, pin by pin."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.buses import ChipViolation, PinError, SimulatedGpio
from simulator.schemes.hc165 import Hc165Chain
from tests.sampling import together
from tests.schemes import Desk, opened

PINS = {"load": 5, "clock": 6, "data": 13, "inhibit": 19}


def soldered(levels: list[int]) -> tuple[SimulatedGpio, Hc165Chain]:
    gpio = SimulatedGpio()
    chain = Hc165Chain(lambda: levels, len(levels))
    gpio.drive(PINS["load"], chain.set_load)
    gpio.drive(PINS["clock"], chain.set_clock)
    gpio.drive(PINS["inhibit"], chain.set_inhibit)
    gpio.sense(PINS["data"], chain.data)
    gpio.setmode(gpio.BCM)
    return gpio, chain


@given(st.lists(st.booleans(), min_size=1, max_size=70))
def test_every_pattern_is_read_back_exactly(closed: list[bool]) -> None:
    gpio, _ = soldered([0 if one else 1 for one in closed])
    bank = opened("74hc165", "presence", len(closed), PINS, Desk(gpio))
    assert list(bank.scan()) == [int(one) for one in closed]
    assert list(bank.scan()) == [int(one) for one in closed], "a second scan begins anew"


@given(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=1, max_size=40))
def test_polarity_takes_two_inputs_a_channel(readings: list[int]) -> None:
    levels = [level for reading in readings for level in (1 - (reading & 1), 1 - (reading >> 1))]
    gpio, _ = soldered(levels)
    assert list(opened("74hc165", "polarity", len(readings), PINS, Desk(gpio)).scan()) == readings


def test_lists_of_pins_are_one_call() -> None:
    gpio, chain = soldered([1] * 8)
    gpio.setup([5, 6], gpio.OUT, initial=gpio.HIGH)
    before = gpio.calls
    gpio.output([6, 5], [gpio.LOW, gpio.LOW])
    assert gpio.calls - before == 1
    assert chain.data() == 1


@pytest.mark.parametrize("channels", [1, 8, 45, 81, 127])
def test_a_scan_takes_3n_calls(channels: int) -> None:
    gpio, _ = soldered([1] * channels)
    bank = opened("74hc165", "presence", channels, PINS, Desk(gpio))
    before = gpio.calls
    bank.scan()
    assert gpio.calls - before == 3 * channels <= 3 * channels + 4


def test_a_polarity_scan_takes_3n_calls_of_its_inputs() -> None:
    gpio, _ = soldered([1] * 90)
    bank = opened("74hc165", "polarity", 45, PINS, Desk(gpio))
    before = gpio.calls
    bank.scan()
    assert gpio.calls - before == 3 * 90


def test_without_an_inhibit_pin_the_wire_to_ground_does() -> None:
    gpio = SimulatedGpio()
    chain = Hc165Chain(lambda: [0, 1, 0], 3)
    gpio.drive(PINS["load"], chain.set_load)
    gpio.drive(PINS["clock"], chain.set_clock)
    gpio.sense(PINS["data"], chain.data)
    gpio.setmode(gpio.BCM)
    pins = {name: pin for name, pin in PINS.items() if name != "inhibit"}
    assert list(opened("74hc165", "presence", 3, pins, Desk(gpio)).scan()) == [1, 0, 1]


def test_inputs_are_latched_at_one_instant() -> None:
    levels = [1] * 16
    gpio, chain = soldered(levels)
    chain.set_load(0)
    chain.set_load(1)
    levels[:] = [0] * 16
    assert chain.data() == 1, "what changes after the latch is not seen before the next one"
    assert list(opened("74hc165", "presence", 16, PINS, Desk(gpio)).scan()) == [1] * 16


def test_reading_before_any_load_is_a_violation() -> None:
    _, chain = soldered([0] * 8)
    chain.set_load(1)  # SH/LD rests high: that is no load.
    with pytest.raises(ChipViolation, match="before anything was loaded"):
        chain.data()


def test_the_load_is_asynchronous_and_keeps_what_stands_at_its_end() -> None:
    levels = [1, 0]
    _, chain = soldered(levels)
    chain.set_load(0)
    assert chain.data() == 1
    levels[0] = 0
    assert chain.data() == 0, "while SH/LD is low, QH follows H"
    levels[0] = 1
    chain.set_load(1)
    levels[0] = 0
    assert chain.data() == 1


def test_loading_does_not_care_about_inhibit() -> None:
    """Many drivers hold CLK INH high while loading, and release it for shifting."""
    levels = [1, 0, 1, 1, 0, 1, 1, 1, 0]
    _, chain = soldered(levels)
    chain.set_load(0)
    chain.set_inhibit(1)
    chain.set_load(1)
    chain.set_inhibit(0)  # CLK is low: the OR of both falls, which shifts nothing.
    read = [chain.data()]
    for _ in levels[1:]:
        chain.set_clock(1)
        chain.set_clock(0)
        read.append(chain.data())
    assert read == levels


@pytest.mark.parametrize(("inputs", "chips"), [(1, 1), (8, 1), (9, 2), (45, 6), (90, 12)])
def test_spare_inputs_of_the_last_chip_are_tied_high(inputs: int, chips: int) -> None:
    _, chain = soldered([0] * inputs)
    chain.set_load(0)
    chain.set_load(1)
    read = []
    for _ in range(8 * chips):
        read.append(chain.data())
        chain.set_clock(1)
        chain.set_clock(0)
    assert chain.chips == chips
    assert read == [0] * inputs + [1] * (8 * chips - inputs)


def test_beyond_the_chain_comes_what_ser_is_tied_to() -> None:
    _, chain = soldered([1] * 8)
    chain.set_load(0)
    chain.set_load(1)
    for _ in range(8):
        chain.set_clock(1)
        chain.set_clock(0)
    assert chain.data() == 0


def test_a_clock_while_loading_is_a_violation() -> None:
    _, chain = soldered([1] * 8)
    chain.set_load(0)
    with pytest.raises(ChipViolation, match="SH/LD"):
        chain.set_clock(1)


def test_raising_inhibit_under_a_low_clock_is_a_violation() -> None:
    _, chain = soldered([1] * 8)
    with pytest.raises(ChipViolation, match="CLK INH"):
        chain.set_inhibit(1)


def test_an_inhibited_chip_does_not_shift() -> None:
    levels = [1, 0, 1, 1, 1, 1, 1, 1]
    _, chain = soldered(levels)
    chain.set_load(0)
    chain.set_load(1)
    chain.set_clock(1)  # input 1 is at QH now
    chain.set_inhibit(1)
    chain.set_clock(0)
    chain.set_clock(1)
    assert chain.data() == 0


@together(
    ("wrong", "words"),
    [
        (lambda gpio: gpio.input(13), "not set up"),
        (lambda gpio: gpio.output(5, 1), "not set up"),
        (lambda gpio: gpio.setup(13, gpio.OUT), "a chip drives it"),
        (lambda gpio: gpio.setup(7, gpio.IN), "floats"),
        (lambda gpio: [gpio.setup(5, gpio.OUT), gpio.setup(5, gpio.OUT)], "set up twice"),
        (lambda gpio: [gpio.setup(13, gpio.IN), gpio.output(13, 1)], "not set up as an output"),
        (lambda gpio: [gpio.setup(5, gpio.OUT), gpio.output(5, 2)], "expected level 0 or 1"),
        (lambda gpio: [gpio.setup([5, 6], gpio.OUT), gpio.output([5, 6], [1])], "2 pins, but 1 values"),
        (lambda gpio: gpio.sense(13, lambda: 0), "twice"),
        (lambda gpio: gpio.setmode(gpio.BOARD), "BCM"),
    ],
)
def test_pins_are_stricter_than_the_library(wrong: object, words: str) -> None:
    gpio, _ = soldered([1] * 8)
    with pytest.raises(PinError, match=words):
        wrong(gpio)  # type: ignore[operator]


def test_setup_before_setmode_is_refused() -> None:
    gpio = SimulatedGpio()
    with pytest.raises(PinError, match="before setmode"):
        gpio.setup(5, gpio.OUT)


def test_close_lets_go_of_the_pins() -> None:
    gpio, _ = soldered([1] * 8)
    bank = opened("74hc165", "presence", 8, PINS, Desk(gpio))
    bank.close()
    with pytest.raises(PinError):
        bank.scan()

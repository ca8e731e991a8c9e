"""One contract for every driver: the same stones give the same readings with every wiring of the sensors."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hw.buses import Computer
from hw.pins import pin_list
from hw.ports import HardwareError, LevelBands
from hw.registry import inputs_of
from lodestone.boards import Clock
from simulator.board import SimulatedBoard
from simulator.breadboard import Breadboard
from simulator.buses import PinError, SimulatedSpi
from tests.sampling import cases, few, some, together
from tests.schemes import FOUND, ON_PINS, WAYS, carries, described, largest

CALLS: dict[str, Callable[[int, int], int]] = {
    "74hc165": lambda inputs, _: 3 * inputs,
    "74hc165-spi": lambda *_: 2,
    "4067": lambda inputs, _: inputs + (16 if inputs > 8 else 8),
    "matrix": lambda inputs, rows: inputs + rows,
    "direct": lambda inputs, _: inputs,
    "mcp3008": lambda inputs, _: 16 if inputs > 8 else 0,
    "ads1115": lambda *_: 16,
    "mcp23017": lambda *_: 0,
    "pcf8575": lambda *_: 0,
}
"""Scheme → documented number of GPIO calls per scan, by inputs and rows."""
AT_REST = 10.0
"""Seconds after which no contact bounces."""
STACKS = st.sampled_from(["w", "b", "wb", "bw", "ww", "bb"])


def built(scheme: str, kind: str, count: int, clock: Clock | None = None, scan_hz: int = 50) -> SimulatedBoard:
    board = SimulatedBoard(replace(described(scheme, kind, count), scan_hz=scan_hz), clock or Clock())
    assert board.description.scheme == scheme, "the test's board is wired as it says"
    return board


def expected(kind: str, stack: str) -> tuple[int, int]:
    """Return the lowest and highest reading of a node with these stones, from the table of readings in hw.ports."""
    if kind == "presence":
        return (1, 1) if stack else (0, 0)
    if kind == "polarity":
        reading = {"": 0, "w": 1, "b": 2}[stack[:1]]
        return reading, reading
    bands = LevelBands()
    if not stack:
        return 128 - bands.rest + 1, 128 + bands.rest - 1
    weakest, strongest = {
        1: (bands.single, bands.double - 1),
        2: (bands.double, 127) if len(set(stack)) == 1 else (bands.rest, bands.single - 1),
    }[len(stack)]
    return (128 + weakest, 128 + strongest) if stack[0] == "w" else (128 - strongest, 128 - weakest)


def agrees(readings: object, kind: str, stacks: dict[int, str], count: int) -> bool:
    assert isinstance(readings, list)
    assert len(readings) == count
    bounds = [expected(kind, stacks.get(index, "")) for index in range(count)]
    return all(low <= reading <= high for reading, (low, high) in zip(readings, bounds, strict=True))


@pytest.mark.parametrize(("scheme", "kind"), few(WAYS, 9))
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_set_of_stones_reads_back_the_same(scheme: str, kind: str, data: st.DataObject) -> None:
    most = next(count for count in (60, 24, 12) if carries(FOUND[scheme], kind, count))
    count = data.draw(st.integers(1, most), "nodes")
    clock = Clock()
    board = built(scheme, kind, count, clock)
    sensors = board.sensors()
    assert (sensors.channels, sensors.kind) == (count, kind)
    for number in range(3):
        stacks = data.draw(st.dictionaries(st.integers(0, count - 1), STACKS, max_size=20), f"stacks {number}")
        for node, pieces in board.world.stones().items():
            board.world.lift("hand", node, pieces)
            board.world.drop("hand")
        for index, stack in stacks.items():
            for piece in stack:
                board.world.put(f"n{index}", piece)
        clock.now += AT_REST
        for _ in range(2):
            assert agrees(list(sensors.scan()), kind, stacks, count)


@pytest.mark.parametrize(("scheme", "kind"), few(cases(WAYS), 5))
def test_every_node_alone_is_told_from_every_other(scheme: str, kind: str) -> None:
    """A stone moves over the largest board, in the sample to every fifth node: no two inputs are confused."""
    count = largest(scheme, kind)[-1]
    clock = Clock()
    board = built(scheme, kind, count, clock)
    sensors = board.sensors()
    for index in some(range(count)):
        board.world.put(f"n{index}", "b")
        clock.now += AT_REST
        assert agrees(list(sensors.scan()), kind, {index: "b"}, count), index
        board.world.lift("hand", f"n{index}")
        board.world.drop("hand")


@together(("scheme", "kind"), WAYS)
def test_a_scan_takes_as_many_gpio_calls_as_its_driver_says(scheme: str, kind: str) -> None:
    for count in largest(scheme, kind):
        board = built(scheme, kind, count)
        sensors = board.sensors()
        sensors.scan()
        for _ in range(2):
            before = board.gpio.calls
            sensors.scan()
            calls = board.gpio.calls - before
            inputs = inputs_of(board.description)
            assert calls <= 3 * inputs + 4
            if scheme in CALLS:
                assert calls == CALLS[scheme](inputs, len(pin_list(board.description.pins, "rows")))


@pytest.mark.parametrize("kind", ["presence", "polarity"])
def test_spi_takes_one_transfer_a_scan(kind: str) -> None:
    board = built("74hc165-spi", kind, 127)
    sensors = board.sensors()
    sensors.scan()
    (spi,) = board.breadboard.opened
    assert isinstance(spi, SimulatedSpi)
    assert spi.transfers == 1


@together(("scheme", "kind"), WAYS)
def test_closed_pins_are_free_for_the_next(scheme: str, kind: str) -> None:
    board = built(scheme, kind, 8)
    first = board.sensors()
    first.scan()
    first.close()
    if board.description.pins:
        with pytest.raises((PinError, OSError, HardwareError)):
            first.scan()
    second = board.sensors()
    assert agrees(list(second.scan()), kind, {}, 8)


@together(("scheme", "kind"), WAYS)
def test_a_lost_board_is_told(scheme: str, kind: str) -> None:
    board = built(scheme, kind, 8)
    sensors = board.sensors()
    sensors.scan()
    board.world.set_fault("lost")
    with suppress(HardwareError):  # The walk may still show the readings from its start.
        sensors.scan()
    with pytest.raises(HardwareError, match="does not answer"):
        sensors.scan()
    board.world.clear_faults()
    board.world.put("n3", "w")
    board.world._clock.now += AT_REST  # type: ignore[attr-defined]
    assert agrees(list(sensors.scan()), kind, {3: "w"}, 8), "a scan broken off half-way leads none after it astray"


@pytest.mark.parametrize("scheme", ON_PINS)
def test_a_board_asked_for_another_kind_is_wired_anew(scheme: str) -> None:
    """``--kind`` may request readings that the board's wiring can't give."""
    file = described(scheme, FOUND[scheme].kinds[0], 8)
    for kind in {kind: None for _, kind in WAYS}:
        asked = SimulatedBoard(type(file)(**{**file.__dict__, "kind": kind}), Clock())
        asked.world.put("n5", "w")
        asked.world._clock.now += AT_REST  # type: ignore[attr-defined]
        assert agrees(list(asked.sensors().scan()), kind, {5: "w"}, 8)


def test_the_bench_is_what_drivers_ask_for() -> None:
    bench: Computer = Breadboard()
    assert bench.gpio() is not None
    with pytest.raises(HardwareError, match=r"/dev/spidev0\.1"):
        bench.spi(0, 1, 1_000_000)

"""No supply of any drawn circuit bears more than its limit: shipped boards, and all that can be generated."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.extensions.maker import budget as budgets
from firmware_host.extensions.maker import netlist, tables
from firmware_host.link.supplies import USB, consumers, limit_ma, load_ma
from hw.circuit import CAPACITOR, DIODE, FUSE, GROUND, HALL, RESISTOR, V5, V5_PI, V33, V33_OWN, Block, Circuit
from hw.ports import CODED, BoardDescription, HardwareError, LightsWiring, StripWiring, no_lights
from hw.sensor_parts import PARTS
from tests.sampling import together
from tests.schemes import EVERY_WAY, FOUND, choices_of, described, largest, loose_ends, needs, there

SHIPPED = [path.stem for path in sorted(find_board("spokes-45").parent.glob("*.toml"))]
OCTILES = load_board(find_board("octiles-189"))
FIGURES = {"74HC165": 0.5, "CD74HC4067": 0.1, "MCP3008": 0.7, "ADS1115": 0.3, "74AHCT125": 8.0}
"""Data sheets' largest supply currents, mA."""


def lit(board: BoardDescription) -> BoardDescription:
    return replace(board, lights=LightsWiring((StripWiring("D18", len(board.nodes)),)))


GENERATED = [
    (name, kind, nodes, part, lights)
    for name, kind in EVERY_WAY
    for nodes in {45, largest(name, kind)[-1]}
    for part in {"", max(FOUND[name].sensor_parts(kind), key=lambda part: PARTS[part].ma)}
    for lights in (True, False)
    if nodes in largest(name, kind)
]
"""Boards in each scheme and kind, with the usual part and with the one that takes most, with and without lights."""
SCANNED = [
    (on, chip, kind, device)
    for on in choices_of("microcontroller")
    for chip in choices_of("chip")
    for kind in ("presence", "polarity", "level")
    for device in ("/dev/ttyACM0", "/dev/serial0")
]
READERS = there(["74hc165", "4067", "mcp3008"])
CODED_BOARDS = [(name, part) for name in READERS for part in FOUND[name].sensor_parts("presence")]


def octiles_by(name: str, part: str) -> BoardDescription:
    pins = FOUND[name].example(OCTILES.channels)
    assert pins is not None
    options = {key: option.default for key, option in FOUND[name].options.items()}
    return replace(OCTILES, scheme=name, pins=pins, options=options, part=part)


def loads(circuit: Circuit) -> dict[str, float]:
    """Return supply → what is drawn on it, mA, from the figures of data sheets and not from those of the circuit."""
    volts = {V33: 3.3, V33_OWN: 3.3, "scanner's 3.3 V": 3.3, "scanner's 5 V": 5.0, V5: 5.0}
    found = dict.fromkeys(volts, 0.0)
    for pole in circuit.poles:
        if pole.kind == HALL:
            found[pole.supply] += PARTS[pole.part].ma
        elif pole.kind == RESISTOR and pole.other in volts:
            found[pole.other] += volts[pole.other] / 10.0
    for block in circuit.blocks:
        (supply,) = {pin.net for pin in block.pins if pin.net in volts} if block.part in FIGURES else {V5}
        found[supply] += FIGURES.get(block.part, 0.0)
    return found


def check(board: BoardDescription) -> Circuit:
    circuit = netlist.circuit_of(board)
    assert loose_ends(circuit) == []
    for supply, load in loads(circuit).items():
        lights = board.lights.length * (1 + 60) if supply == V5 and board.lights.has_strips else 0
        given = limit_ma(circuit, supply)
        assert load_ma(circuit, supply) >= load - 1e-6, supply
        assert load_ma(circuit, supply) <= given or not load, f"{supply}: {load_ma(circuit, supply)} mA of {given}"
        assert load <= given + lights
    takers = {pin.net for block in circuit.blocks for pin in block.pins if pin.takes_ma}
    takers |= {pole.supply for pole in circuit.poles if pole.takes_ma} | {"5 V in"} & circuit.nets
    for net in takers:
        assert load_ma(circuit, net) <= limit_ma(circuit, net), f"{net}: {consumers(circuit, net)}"
    return circuit


def check_papers(board: BoardDescription) -> None:
    regulated = V33_OWN in check(board).nets
    for text in (tables.power_text(board), tables.parts_text(board), tables.wiring_text(board)):
        assert ("LM1085" in text) == regulated


@together("name", SHIPPED)
def test_no_supply_of_a_shipped_board_bears_too_much(name: str) -> None:
    check_papers(load_board(find_board(name)))


@pytest.mark.thorough
@together("name, kind, nodes, part, lights", GENERATED)
def test_no_supply_of_a_generated_board_bears_too_much(
    name: str, kind: str, nodes: int, part: str, lights: bool
) -> None:
    board = replace(described(name, kind, nodes), part=part)
    with suppress(HardwareError):  # A Pico has too few pins for the largest: the papers say so.
        check(lit(board) if lights else replace(board, lights=no_lights(nodes)))


@together("name, part", CODED_BOARDS)
def test_no_supply_of_octiles_bears_too_much(name: str, part: str) -> None:
    check_papers(octiles_by(name, part))


@together("on, chip, kind, device", SCANNED)
def test_no_supply_behind_a_microcontroller_bears_too_much(on: str, chip: str, kind: str, device: str) -> None:
    part = max(FOUND["serial"].sensor_parts(kind), key=lambda part: PARTS[part].ma)
    with suppress(HardwareError):  # Too few pins, or more than an Arduino gives: the papers say so.
        check(on_microcontroller(on, kind, part, device, chip))


def regulator(circuit: Circuit) -> Block:
    return next(block for block in circuit.blocks if block.name == "regulator")


def test_189_hall_switches_have_a_regulator_and_capacitors() -> None:
    """189 x 3.5 mA, 192 pull-ups of 0.33 mA and 24 chips of 0.5 mA are 737 mA; the Pi's 3.3 V pin gives 300."""
    circuit = check(replace(OCTILES, part="DRV5033AJ"))
    assert {pin.number: pin.net for pin in regulator(circuit).pins} == {"1": GROUND, "2": V33_OWN, "3": V5_PI}
    assert load_ma(circuit, V33_OWN) == pytest.approx(736.9, abs=0.1)
    assert load_ma(circuit, V5_PI) == pytest.approx(746.9, abs=0.1)
    assert V33 not in circuit.nets
    held = {pole.one for pole in circuit.poles if pole.kind == CAPACITOR and pole.at == "regulator"}
    assert held == {V5_PI, V33_OWN}
    assert "| 2 | 5 V | the sensors' regulator |" in tables.wiring_text(replace(OCTILES, part="DRV5033AJ"))


def test_the_shipped_octiles_needs_none() -> None:
    circuit = check(OCTILES)
    assert load_ma(circuit, V33) < 80
    assert OCTILES.kind == CODED


@needs("mcp3008")
def test_what_a_pi_can_t_spare_comes_from_the_board_s_own_supply() -> None:
    """189 linear sensors of 10 mA: 1.9 A, without lights too."""
    many = octiles_by("mcp3008", "DRV5055A4")
    lit_ma = budgets.budget(many).lights_ma
    for board, rest in ((many, lit_ma + 8.0), (replace(many, lights=no_lights(53)), 0.0)):
        circuit = check(board)
        assert regulator(circuit).left[0].net == V5
        assert load_ma(circuit, V5) == pytest.approx(1890 + 1.2 + 1.4 + 10 + rest, abs=0.1)
        assert sum(pole.kind == FUSE for pole in circuit.poles) == 1
        assert "own supply" in tables.wiring_text(board)


@pytest.mark.parametrize("name", there(["mcp3008", "ads1115"]))
def test_a_converter_measures_against_the_supply_of_the_sensors(name: str) -> None:
    circuit = check(load_board(find_board(f"spokes-45-{name}")))
    chips = [block for block in circuit.blocks if not block.group]
    reference = [pin.net for block in chips for pin in block.pins if pin.name in {"VREF", "VDD"}]
    assert set(reference) == {V33_OWN} == {pole.supply for pole in circuit.poles if pole.kind == HALL}


def on_microcontroller(
    on: str, kind: str, part: str, device: str = "/dev/ttyACM0", chip: str = "usual"
) -> BoardDescription:
    board = described("serial", kind, 45)
    options = {**board.options, "microcontroller": on, "chip": chip, "device": device}
    return replace(lit(board), part=part, options=options)


def test_a_pico_measures_against_the_supply_of_the_sensors() -> None:
    board = on_microcontroller("pico", "level", "DRV5055A4")
    circuit = check(board)
    (pico,) = (block for block in circuit.blocks if block.name == "scanner")
    assert {"ADC_VREF": V33_OWN}.items() <= {pin.name: pin.net for pin in pico.pins}.items()
    assert "3V3(OUT)" not in {pin.name for pin in pico.pins}
    assert "| 35 | ADC_VREF |" in tables.wiring_text(board)
    assert load_ma(circuit, USB) == 100


def test_a_regulator_of_a_microcontroller_on_the_uart_takes_the_pi_s_5_v() -> None:
    circuit = check(on_microcontroller("pico", "polarity", "DRV5023BI", "/dev/serial0"))
    assert regulator(circuit).left[0].net == V5_PI
    assert any(pole.kind == DIODE and pole.one == V5_PI for pole in circuit.poles)
    assert load_ma(circuit, V5_PI) > 100 + 315


def test_an_arduino_whose_usb_gives_too_little_is_refused() -> None:
    """500 mA of USB less its own: a Nano feeds 45 linear sensors of 10 mA, a Uno does not."""
    assert load_ma(check(on_microcontroller("nano", "level", "DRV5055A4")), USB) == pytest.approx(40 + 450.3)
    with pytest.raises(HardwareError, match=r"take 450 mA, the Arduino Uno's 5V gives 440 mA: take pico or"):
        netlist.circuit_of(on_microcontroller("uno", "level", "DRV5055A4"))


@needs("spokes-45-4067", "spokes-45-matrix")
def test_the_pull_ups_of_multiplexers_are_few_and_a_matrix_has_none() -> None:
    muxed = check(replace(load_board(find_board("spokes-45-4067")), part="reed"))
    assert load_ma(muxed, V33) == pytest.approx(3 * 0.33 + 3 * 0.1)
    assert load_ma(check(load_board(find_board("spokes-45-matrix"))), V33) == 0


def test_a_board_without_a_part_says_what_others_would_take() -> None:
    board = replace(OCTILES, part="")
    assert "| other sensors | up to 662 mA | no `part` in [sensors]: all tables show DRV5032AJ;" in tables.power_text(
        board
    )
    assert "hall switch DRV5032AJ (TO-92: LPG), omnipolar, open drain | nine under each" in tables.parts_text(board)

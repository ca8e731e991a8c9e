"""Papers of a board that a microcontroller reads: its real pins, chips, levels and supply, as in its configuration."""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firmware_host.boardfile.load import BoardFileError, find_board, load_board
from firmware_host.commands.cli import main
from firmware_host.extensions.maker import netlist, tables
from firmware_host.extensions.maker.fields import steps
from firmware_host.extensions.maker.new_board import main as new_board
from firmware_host.extensions.maker.plate import Label
from firmware_host.extensions.maker.schematic import schematic
from firmware_host.extensions.scanner.configuration import (
    CHIPS,
    PYTHON_ON,
    ConfigError,
    configuration,
    digest_of,
    plan_scanner,
)
from firmware_host.extensions.scanner.device import boards as firmware
from firmware_host.extensions.scanner.microcontrollers import MICROCONTROLLERS
from firmware_host.sensing.diagnosis import Diagnosis, wire_words
from hw.circuit import CAPACITOR, DIODE, GROUND, HALL, RESISTOR, SWITCH, V5, V5_SCANNER, V33, Block, Circuit
from hw.magnets import Magnet
from hw.ports import BoardDescription
from hw.registry import SCHEMES, scheme_of
from lodestone.tables import SimulatedTable
from tests.sampling import together
from tests.schemes import described, loose_ends, needs

ROOT = Path(__file__).parents[3]
KINDS = ("presence", "polarity", "level")


def scanned(on: str, kind: str, nodes: int, **options: Any) -> BoardDescription:
    board = described("serial", kind, nodes)
    return replace(board, options={**board.options, "microcontroller": on, **options})


def possible(on: str, nodes: int) -> list[BoardDescription]:
    """Return a board for each chip and kind that the microcontroller can read."""
    found = []
    for chip in CHIPS:
        for kind in KINDS:
            board = scanned(on, kind, nodes, chip=chip)
            with contextlib.suppress(ConfigError):
                netlist.circuit_of(board)
                found.append(board)
    return found


SIZES = ("nano", 8), ("nano", 61), ("uno", 45), ("pico", 8), ("pico", 61), ("pico-w", 45), ("esp32", 61)
WAYS = [board for on, nodes in SIZES for board in possible(on, nodes)]
"""Every way that works: few nodes, and more than three multiplexers read."""


def named(board: BoardDescription) -> str:
    return f"{board.options['microcontroller']}-{board.options['chip']}-{board.kind}-{board.channels}"


def scanner(circuit: Circuit) -> Block:
    return next(block for block in circuit.blocks if block.name == "scanner")


@together("board", WAYS)
def test_a_circuit_has_no_loose_ends_every_sensor_once_and_real_pins(board: BoardDescription) -> None:
    circuit = netlist.circuit_of(board)
    assert loose_ends(circuit) == []
    sensors = [pole for pole in circuit.poles if pole.kind in {SWITCH, HALL}]
    assert len(sensors) == board.switches
    assert len({frozenset((pole.one, pole.other)) for pole in sensors}) == board.switches
    plan, own = plan_scanner(board), scanner(circuit)
    used = [pin for pin in own.left if pin.number]
    assert len({pin.number for pin in used}) == len(used)
    assert len({pin.name for pin in own.left}) == len(own.left), "no pin twice"
    allowed = {plan.machine.pin_label(pin) for pin in (*plan.machine.digital, *plan.machine.analogue)}
    assert {pin.name for pin in own.left} <= allowed


@together("board", WAYS)
def test_the_papers_name_the_pins_of_the_configuration(board: BoardDescription) -> None:
    plan, text = plan_scanner(board), tables.wiring_text(board)
    python = plan.name in PYTHON_ON and plan.chip != "direct"
    written = configuration(board, None, None, python=python)
    if python:
        values: dict[str, Any] = {}
        exec(written, values)
        pins = [pin for value in values["PINS"].values() for pin in (value if isinstance(value, tuple) else (value,))]
        names = {plan.machine.pin_label(pin) for pin in pins}
    else:
        listed = " ".join(re.findall(r"#define PINS?_\w+ (.*)", written)).replace(",", "").split()
        names = {pin if pin.startswith("A") else f"{plan.machine.prefix}{pin}" for pin in listed}
    own = scanner(netlist.circuit_of(board))
    assert {pin.name for pin in own.left} == names
    for pin in own.left:
        assert f"| {pin.number} | {pin.name} | sensors: {pin.net} |" in text


@together("board", WAYS)
def test_what_is_drawn_is_counted(board: BoardDescription) -> None:
    circuit, listing = netlist.circuit_of(board), tables.parts_text(board)
    decoupling = [pole for pole in circuit.poles if pole.kind == CAPACITOR and pole.value == "100n"]
    assert sum(pole.kind == HALL for pole in circuit.poles) < len(decoupling)
    beside = sum(not pole.at.startswith("pixel") for pole in decoupling)
    assert f"| {beside} | capacitor 100 nF |" in listing
    for name in ("74HC165", "CD74HC4067"):
        number = sum(block.part == name for block in circuit.blocks)
        assert (f"| {number} | {name} |" in listing) == bool(number)
    pull_ups = sum(pole.kind == RESISTOR and pole.value == "10k" for pole in circuit.poles)
    assert (f"| {pull_ups} | resistor 10 kΩ |" in listing) == bool(pull_ups)
    diodes = sum(pole.kind == DIODE for pole in circuit.poles)
    assert (f"| {diodes} | diode 1N4148 |" in listing) == bool(diodes)


@pytest.mark.parametrize("on", ["nano", "uno"])
def test_the_5_v_of_an_arduino_reaches_its_chips_and_nothing_else(on: str) -> None:
    for board in (board for board in WAYS if board.options["microcontroller"] == on):
        circuit = netlist.circuit_of(board)
        assert V33 not in {pin.net for block in circuit.blocks for pin in block.pins}
        assert V33 not in {end for pole in circuit.poles for end in (pole.one, pole.other, pole.supply)}
        for block in circuit.blocks:
            nets = {pin.net for pin in block.pins}
            if block.name in {"computer", "level shifter"} or block.name.startswith(("pixel", "feed", "supply")):
                assert V5_SCANNER not in nets
            else:
                assert V5 not in nets
            if block.part in {"74HC165", "CD74HC4067"}:
                assert V5_SCANNER in nets
    listing = tables.wiring_text(scanned(on, "level", 9))
    assert "Each linear sensor: supply to 5 V" in listing
    assert "no wire of theirs to a Pi's pin" in listing


def test_every_multiplexer_has_an_adc_of_its_own() -> None:
    """61 nodes take four: a Pico has three inputs with an ADC, an ESP32 six."""
    for on in ("esp32", "esp32-wrover"):
        plan = plan_scanner(scanned(on, "level", 61))
        circuit = netlist.circuit_of(scanned(on, "level", 61))
        muxes = [block for block in circuit.blocks if block.part == "CD74HC4067"]
        commons = [next(pin.net for pin in block.right if pin.name.startswith("common")) for block in muxes]
        adc = {pin.net: pin.name for pin in scanner(circuit).left if pin.net.startswith("common")}
        assert len(commons) == 4 == len(set(commons))
        assert [adc[net] for net in commons] == [plan.machine.pin_label(pin) for pin in plan.machine.analogue[:4]]


def test_papers_that_cant_be_right_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "large.toml"
    assert new_board(["phalanx", str(path), "--scheme", "serial"]) == 0
    text = path.read_text(encoding="utf-8").replace('kind = "presence"', 'kind = "level"')
    path.write_text(re.sub(r"part = .*", "", text), encoding="utf-8")
    for what in (["wiring"], ["parts"], ["schematic", "--svg", str(tmp_path / "x.svg")]):
        assert main(["board", what[0], str(path), *what[1:]]) == 1
        told = capsys.readouterr().err
        assert "81 inputs by 4067 take 6 pins with an ADC and 4 others, a pico has 3 and" in told
        assert "take esp32 or esp32-wrover" in told
    assert not (tmp_path / "x.svg").exists()
    path.write_text(text.replace('"pico"', '"esp32"').replace("DRV5032AJ", "DRV5055A3"), encoding="utf-8")
    assert main(["board", "wiring", str(path)]) == 0
    assert "| sensors: common[5] |" in capsys.readouterr().out


# -- the line to the Pi ------------------------------------------------------------------------------------------------


def changed(tmp_path: Path, *lines: tuple[str, str]) -> Path:
    text = find_board("spokes-45-serial").read_text(encoding="utf-8")
    for old, new in lines:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "my.toml"
    path.write_text(text, encoding="utf-8")
    return path


UART = ('"/dev/ttyACM0"', '"/dev/serial0"')


@pytest.mark.parametrize("on", ["nano", "uno"])
def test_5_v_on_the_uart_of_a_pi_is_refused(on: str, tmp_path: Path) -> None:
    with pytest.raises(BoardFileError, match=r"my.toml:\d+: device: the pins of an Arduino \w+ carry 5 V, the Pi's"):
        load_board(changed(tmp_path, UART, ('"pico"', f'"{on}"')))


@pytest.mark.parametrize(("on", "legs"), [("pico", ("GP0", "GP1")), ("esp32", ("GPIO 17", "GPIO 16"))])
def test_the_uart_is_drawn_crossed_and_configured(on: str, legs: tuple[str, str], tmp_path: Path) -> None:
    board = load_board(changed(tmp_path, UART, ('"pico"', f'"{on}"')))
    circuit = netlist.circuit_of(board)
    assert loose_ends(circuit) == []
    pi = {pin.net: (pin.number, pin.name) for pin in circuit.blocks[0].pins}
    own = {pin.name: pin.net for pin in scanner(circuit).pins}
    sends, receives = legs
    assert pi[own[sends]] == ("10", "GPIO 15"), "the Pi's RXD"
    assert pi[own[receives]] == ("8", "GPIO 14"), "the Pi's TXD"
    assert "USB" not in own
    (diode,) = (pole for pole in circuit.poles if pole.value == "1N5817")
    assert pi[diode.one] == ("2", "5 V")
    assert "| 1 | Schottky diode 1N5817 |" in tables.parts_text(board)
    assert "| 8 | GPIO 14 | sensors: UART's TXD |" in tables.wiring_text(board)
    values: dict[str, Any] = {}
    exec(configuration(board, None, None, python=True), values)
    machine = MICROCONTROLLERS[on]
    assert values["PORT"] == "uart"
    assert [machine.pin_label(values["UART"][name]) for name in ("tx", "rx")] == list(legs)
    with pytest.raises(ConfigError, match=r"the sketch speaks over USB only"):
        configuration(board, None, None, python=False)
    taken = changed(tmp_path, UART, ('pin = "D18"', 'pin = "D14"'))
    with pytest.raises(BoardFileError, match="UART's TXD"):
        load_board(taken)


# -- figures -----------------------------------------------------------------------------------------------------------


def test_the_pins_of_a_nano_are_those_of_the_sketch() -> None:
    """A Uno has no A6 and A7."""
    text = (ROOT / "firmware_host/extensions/scanner/arduino/lodestone_scanner/platform.h").read_text(encoding="utf-8")
    masks = dict(
        zip(
            ("nano", "esp32-wrover", "esp32", "pico"),
            re.findall(r"DIGITAL = (\w+), ANALOGUE = (\w+);", text),
            strict=True,
        )
    )
    for name, found in masks.items():
        digital, analogue = (int(mask.rstrip("UL"), 16) for mask in found)
        machine = MICROCONTROLLERS[name]
        assert digital == sum(1 << pin for pin in machine.digital)
        assert analogue == sum(1 << pin for pin in machine.analogue)
    uno, nano = MICROCONTROLLERS["uno"], MICROCONTROLLERS["nano"]
    assert (uno.digital, uno.analogue) == (nano.digital, nano.analogue[:6])
    assert set(firmware.BOARDS) == {name.replace("-2", "").replace("-", " ") for name in PYTHON_ON}


def test_legs_are_those_of_the_data_sheets() -> None:
    """Raspberry Pi Pico: GP0 1, GP1 2, GP2 4, GP15 20, GP16 21, GP22 29, GP26 31, GP28 34. Nano: D2 5, A0 19, A7 26."""
    pico, nano = MICROCONTROLLERS["pico"], MICROCONTROLLERS["nano"]
    assert [pico.leg(pin) for pin in (0, 1, 2, 15, 16, 22, 26, 28)] == ["1", "2", "4", "20", "21", "29", "31", "34"]
    assert [nano.leg(pin) for pin in (2, 12, 14, 21)] == ["5", "15", "19", "26"]
    assert all(MICROCONTROLLERS[name].legs == pico.legs for name in ("pico-w", "pico-2", "pico-2-w"))
    for machine in MICROCONTROLLERS.values():
        assert len(set(machine.legs.values())) == len(machine.legs)
        assert not machine.legs or set(machine.legs) == {*machine.digital, *machine.analogue}


def test_what_a_microcontroller_feeds() -> None:
    pico = tables.power_text(scanned("pico", "polarity", 45))
    assert "90 x DRV5023BI: 315 mA; from a regulator of their own, 3000 mA at most" in pico
    nano = tables.power_text(scanned("nano", "level", 36))
    assert "| chips and sensors at 5 V | 360 mA |" in nano
    assert "from the Arduino Nano's 5V, pin 27, 460 mA at most" in nano
    assert "| microcontroller and what it feeds | 400 mA |" in nano
    assert "48 x pull-up 10k: 24 mA" in tables.power_text(scanned("nano", "presence", 45))
    assert all(machine.feeds_ma + machine.own_ma <= netlist.USB_MA for machine in MICROCONTROLLERS.values())


def test_5_v_make_linear_sensors_more_sensitive() -> None:
    """±21, ±42, ±85 and ±169 mT instead of ±22, ±44, ±88 and ±176."""
    magnet = Magnet(10, 3, "N42", 5)
    assert (steps("DRV5055A4", magnet.mt), steps("DRV5055A4", magnet.mt, 5.0)) == (53, 59)
    assert "| DRV5055A4 | 59 steps |" in tables.magnets_text(replace(scanned("nano", "level", 9), magnet=magnet))


def test_a_ground_leg_is_at_ground() -> None:
    for on, leg in (("pico", "38"), ("nano", "29")):
        own = scanner(netlist.circuit_of(scanned(on, "presence", 9)))
        assert next(pin.net for pin in own.right if pin.number == leg) == GROUND


@needs("matrix")
@pytest.mark.parametrize("on", list(MICROCONTROLLERS))
def test_every_pin_is_on_the_page(on: str) -> None:
    board = scanned(on, "presence", 45, chip="matrix")
    texts = {label.text for label in schematic(board).of(Label)}
    own = scanner(netlist.circuit_of(board))
    assert {pin.name for pin in own.pins} <= texts
    assert any(text.endswith(f" {own.part} (scanner)") for text in texts)


@pytest.mark.parametrize(("on", "told"), [("nano", False), ("uno", False), ("pico", True)])
def test_no_advice_that_a_board_file_would_be_refused_for(on: str, told: bool) -> None:
    """An Arduino carries 5 V: the Pi's UART is not for it."""
    assert ("/dev/serial0" in tables.wiring_text(scanned(on, "presence", 9))) == told


@pytest.mark.parametrize("chip", ["4067", "matrix"])
def test_a_wiring_of_a_deleted_extension_is_read_and_only_its_papers_are_refused(
    chip: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The microcontroller reads it by itself: the table needs no drawing of it."""
    path = changed(tmp_path, ('chip = "usual" ', f'chip = "{chip}" '))
    monkeypatch.delitem(SCHEMES._entries, chip, raising=False)
    board = load_board(path, backend="sim")
    for what in (["wiring"], ["parts"], ["power"], ["schematic", "--svg", str(tmp_path / "x.svg")]):
        assert main(["board", what[0], str(path), *what[1:]]) == 1
        told = capsys.readouterr().err
        assert f"chip: no drawing of '{chip}' is installed, expected 74hc165 or " in told
    assert not (tmp_path / "x.svg").exists()
    assert digest_of(board)
    labels = {scheme_of(board).label(board, index) for index in range(board.switches)}
    assert len(labels) == board.switches
    assert wire_words(board)
    assert set(Diagnosis(board).nodes) == set(board.nodes)
    table = SimulatedTable(tmp_path / "table", board=str(path), seats=["Ann", "Bob"])
    try:
        table.wait(1)
        assert table.view["standstill"] is None
        assert table.view["phase"] == "sealing"
    finally:
        table.close()

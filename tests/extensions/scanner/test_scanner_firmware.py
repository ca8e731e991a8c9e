"""The scanner firmware in a real MicroPython with simulated chips: the board tests of every driver, and its own.

Only a real Pico can test its ADC, pull-ups, USB, UART, speed, and MicroPython's port for it.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_host.extensions.scanner.bank import SerialScannerBank
from firmware_host.extensions.scanner.device import boards
from firmware_host.extensions.scanner.link import FrameReader, ScannerFrame, Terms, encode
from firmware_host.extensions.scanner.wireless import WirelessPort, address_of
from hw.ports import HardwareError
from lodestone.boards import Clock
from simulator.board import SimulatedBoard
from simulator.stones import World
from tests.extensions.scanner import firmware_bench
from tests.extensions.scanner.firmware_bench import PATIENCE_S, Bench
from tests.extensions.scanner.micropython.pico import Pico, config_text
from tests.extensions.scanner.test_scanner_frames import VERSION, damaged, frames, mishaps, sent
from tests.hw.test_every_scheme import AT_REST, STACKS
from tests.sampling import cases
from tests.schemes import described
from tests.sensing import wells
from tests.waiting import eventually

LED = 25
WAYS = [
    ("74hc165", "presence"),
    ("74hc165", "polarity"),
    ("4067", "presence"),
    ("4067", "polarity"),
    ("4067", "level"),
    ("matrix", "presence"),
]
FEW = WAYS[1], WAYS[4], WAYS[5]
"""Each chip, and each kind, once."""
COUNT = 45


def bare(chip: str, kind: str, *, port: str = "usb", changes: bool = False) -> Bench:
    return Bench(lambda board, world: Pico(board, world, chip, port=port), kind, COUNT, changes=changes)


@contextmanager
def bench(chip: str = "74hc165", kind: str = "presence", **others: Any) -> Iterator[Bench]:
    made = bare(chip, kind, **others)
    try:
        yield made
        assert made.machine.violations == [], "no chip has anything against the firmware"
    finally:
        made.close()


@pytest.fixture(scope="module", params=cases([(way,) for way in WAYS], *((way,) for way in FEW)), ids="-".join)
def at(request: pytest.FixtureRequest) -> Iterator[Bench]:
    with bench(*request.param) as made:
        yield made


# -- the board tests of every driver ---------------------------------------------------------------------------------


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stacks=st.dictionaries(st.integers(0, COUNT - 1), STACKS, max_size=20))
def test_any_set_of_stones_reads_back_the_same(at: Bench, stacks: dict[int, str]) -> None:
    firmware_bench.what_lies_there_is_read(at, stacks)


def test_every_node_alone_is_told_from_every_other(at: Bench) -> None:
    firmware_bench.every_node_alone_is_told_from_every_other(at)


def test_a_board_with_wells_of_nine_sensors_is_189_nodes_to_it() -> None:
    board = wells.described()
    clock = Clock()
    parts = SimulatedBoard(board, clock)
    pico = Pico(board, parts.world, "74hc165")
    try:
        bank = SerialScannerBank(
            pico.pattern, 115200, Terms(board.channels, board.channel_kind, 10, False), patience_s=PATIENCE_S
        )
        try:
            parts.world.put("e3", "16r5")
            parts.world.put("E3", "y")
            clock.now += AT_REST
            wanted = {board.nodes["E3"].channel}
            wanted |= {board.nodes["e3"].ring[place] for place in (0, 1, 2, 5, 6, 7)}
            eventually(
                lambda: {channel for channel, reading in enumerate(_scanned(bank)) if reading} == wanted,
                lambda: (pico.violations, pico.stderr),
            )
        finally:
            bank.close()
    finally:
        pico.close()
    assert pico.violations == []


def _scanned(bank: SerialScannerBank) -> Sequence[int]:
    try:
        return bank.scan()
    except HardwareError:
        return ()


def test_a_closed_port_is_free_for_the_next(at: Bench) -> None:
    firmware_bench.a_closed_port_is_free_for_the_next(at)


def test_sensors_that_fail_are_named_and_come_back() -> None:
    at = bare("74hc165", "presence")
    try:
        at.world.set_fault("lost")
        at.until(lambda: "the board does not answer" in at.lost())
        at.world.clear_faults()
        at.lay({3: "w"})
        at.until(lambda: at.reads({3: "w"}))
        assert at.machine.resets >= 1, "it starts over by itself"
    finally:
        at.close()


# -- its own ---------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["presence", "polarity", "level"])
def test_changes_tell_as_much_as_snapshots(kind: str) -> None:
    random = Random(4)
    boards = [{index: random.choice(["w", "b"]) for index in random.sample(range(COUNT), 12)} for _ in range(15)]
    with bench("4067", kind, changes=True, port="uart") as at:
        firmware_bench.changes_tell_as_much_as_snapshots(at, boards)


@pytest.mark.thorough
def test_unplugged_and_back_under_another_name() -> None:
    with bench() as at:
        firmware_bench.unplugged_and_back_under_another_name(at)


def test_a_reset_on_a_uart_is_survived() -> None:
    with bench(port="uart") as at:
        firmware_bench.a_reset_on_a_uart_is_survived(at)


@pytest.mark.thorough
def test_reports_come_as_often_as_they_are_asked_for() -> None:
    with bench("4067", "level") as at:
        before, began = at.bank.counters.frames, time.monotonic()
        at.until(lambda: at.bank.counters.frames >= before + 150)
        assert time.monotonic() - began > 0.5, "100 a second, fewer on a busy machine; some were on their way"


CODE = "7K2M-90QT-XW4B-C8NE"
WIFI = 'NAME, PASSWORD, HOSTNAME = "home", "secret", "lodestone-scanner"\n'


@contextmanager
def wireless(chip: str = "74hc165", kind: str = "presence") -> Iterator[Bench]:
    config = config_text(chip, kind, "wifi", COUNT, CODE=CODE)
    made = Bench(lambda board, world: Pico(board, world, chip, config=config, wifi=WIFI), kind, COUNT, code=CODE)
    try:
        yield made
        assert made.machine.violations == [], "no chip has anything against the firmware"
    finally:
        made.close()


@pytest.mark.parametrize(("chip", "kind"), cases(list(FEW), FEW[1]))
def test_over_wi_fi_it_reads_as_over_a_cable(chip: str, kind: str) -> None:
    with wireless(chip, kind) as at:
        for stacks in ({3: "w"}, {0: "b", 44: "w"}, {}):
            firmware_bench.what_lies_there_is_read(at, stacks)


def test_over_wi_fi_it_comes_back_whatever_happens() -> None:
    """Lost Wi-Fi, a restart of the scanner, a host whose power went, strangers: silence each time, then the truth."""
    with wireless() as at:
        at.lay({3: "w"})
        at.until(lambda: at.reads({3: "w"}))
        at.machine.lose_wifi()
        at.until(at.lost)
        at.lay({4: "w"})
        assert at.lost()
        at.machine.has_wifi = True
        at.until(lambda: at.reads({4: "w"}))
        at.machine.reboot()
        at.lay({5: "w"})
        at.until(lambda: at.reads({5: "w"}))
        with contextlib.ExitStack() as doors:
            for noise in (b"", b"GET / HTTP/1.1\r\n\r\n", bytes(300)):
                doors.enter_context(socket.create_connection(address_of(at.machine.address))).sendall(noise)
            at.lay({6: "w"})
            at.until(lambda: at.reads({6: "w"}))
            another = WirelessPort(at.machine.address, CODE, 0.02)
            at.lay({7: "w"})
            at.until(lambda: at.reads({7: "w"}))
            another.close()
        with pytest.raises(HardwareError, match="another pairing code"):
            WirelessPort(at.machine.address, CODE[:-1] + "F", 0.02)


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"CHIP": "74hc595"}, "CHIP: expected 74hc165, 4067 or matrix, got '74hc595'"),
    ({"KIND": "level"}, "KIND: 74hc165 has switches: expected presence or polarity, got level"),
    ({"PINS": {"load": 2, "clock": 3}}, "PINS: expected data, but it is missing"),
    ({"PINS": {"load": 2, "clock": 3, "data": 3}}, "PINS: data: pin 3 is used already"),
    (
        {"PINS": {"load": 2, "clock": 3, "data": 23}},
        "PINS: data: expected pins of the pico from 0 to 22, 26 to 28, got 23",
    ),
    ({"BOARD": "esp32", "PINS": {"load": 34, "clock": 4, "data": 35}}, "PINS: load: expected pins of the esp32"),
    ({"BOARD": "nano"}, f"BOARD: expected {', '.join(sorted(boards.BOARDS))}, got 'nano'; this is JS with Emscripten"),
    ({"CHIP": "4067", "PINS": {"select": (2, 3, 4, 5), "common": (6,)}}, "45 inputs need 4 select pins and 3"),
    (
        {"CHIP": "matrix", "PINS": {"rows": (2, 3), "columns": (4, 5)}},
        "2 rows and 2 columns hold fewer than 45 inputs",
    ),
    ({"NODES": "45"}, "NODES: expected a whole number from 1, got '45'"),
    ({"PORT": "serial"}, "PORT: expected usb, uart or wifi, got 'serial'"),
    ({"PORT": "wifi", "CODE": "7K2M"}, "CODE: expected the pairing code (16 letters and digits), got '7K2M'"),
    ({"PORT": "wifi", "CODE": CODE}, "wifi.py: expected the name of your network as NAME, got nothing"),
    (
        {"CHIP": "matrix", "KIND": "polarity", "PINS": {"rows": (2, 3), "columns": (4, 5)}},
        "KIND: a matrix is for reeds: expected presence, got polarity",
    ),
]


@pytest.mark.parametrize(("changed", "why"), cases(MISTAKES, MISTAKES[4]))
def test_a_mistake_in_its_configuration_is_told_to_the_host(changed: dict[str, Any], why: str) -> None:
    board = described("serial", "presence", COUNT)
    world = World(list(board.nodes), "presence", Clock())
    pico = Pico(board, world, "74hc165", config=config_text("74hc165", "presence", **changed))
    try:
        said = refusal(pico, Terms(COUNT, "presence"))
        assert "can't scan: config.py: " in said
        assert why in said
    finally:
        pico.close()


@pytest.mark.thorough
def test_a_loop_that_hangs_begins_anew() -> None:
    with bench() as at:
        at.machine.stuck = True
        at.until(lambda: at.machine.resets)
        at.machine.stuck = False
        at.lay({3: "w"})
        at.until(lambda: at.reads({3: "w"}))


def test_the_adc_is_averaged_and_the_led_blinks_for_a_host() -> None:
    with bench("4067", "level") as at:
        at.lay({3: "w"})
        at.until(lambda: at.reads({3: "w"}))
        at.machine.ripple = 400  # A tenth of the scale: every single reading is wrong.
        before = at.bank.counters.frames
        at.until(lambda: at.bank.counters.frames > before + 10)
        assert at.reads_at_once({3: "w"})
        lit: list[int] = []
        at.machine.bench.pins._driven[LED] = lit.append
        at.until(lambda: lit[:3] in ([0, 1, 0], [1, 0, 1]))


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Raspberry Pi Pico with RP2040", "pico"),
        ("Raspberry Pi Pico W with RP2040", "pico w"),
        ("Raspberry Pi Pico2 with RP2350", "pico"),
        ("Raspberry Pi Pico 2 W with RP2350", "pico w"),
        ("Generic ESP32 module with ESP32", "esp32"),
        ("Generic ESP32 module with SPIRAM with ESP32", "esp32 wrover"),
        ("Generic ESP32S3 module with ESP32S3", ""),
        ("", ""),
    ],
)
def test_the_board_is_told_from_what_micropython_says(said: str, name: str) -> None:
    assert boards.board_name(said) == name


def test_a_micropython_that_is_too_old_is_named() -> None:
    boards.check_version((1, 20, 0))
    with pytest.raises(ValueError, match=r"needs MicroPython 1\.20 or newer, here is 1\.19"):
        boards.check_version((1, 19, 1))


def refusal(pico: Pico, terms: Terms) -> str:
    """Wait for the scanner's hello, which may take long on a busy machine, and return why the scanner is refused."""
    said = "not found yet"
    while "not found yet" in said:
        with pytest.raises(HardwareError) as raised:
            SerialScannerBank(pico.pattern, 115200, terms, patience_s=1.5)
        said = str(raised.value)
    return said


@pytest.mark.thorough
def test_a_board_file_for_other_sensors_is_refused() -> None:
    board = described("serial", "presence", COUNT)
    pico = Pico(board, World(list(board.nodes), "presence", Clock()), "74hc165")
    try:
        assert "scans 45 nodes of kind presence, expected 81 of kind presence" in refusal(pico, Terms(81, "presence"))
    finally:
        pico.close()


@pytest.mark.parametrize("beginning", cases([b"\r\x03", b"\x03\x03\x03"], b"\r\x03"))
def test_whoever_programs_it_gets_the_prompt(beginning: bytes) -> None:
    board = described("serial", "presence", 8)
    board = replace(board, nodes=dict(list(board.nodes.items())[:8]))
    pico = Pico(board, World(list(board.nodes), "presence", Clock()), "74hc165")
    try:
        assert pico._port is not None
        with open(next(pico.folder.iterdir()), "r+b", buffering=0) as terminal:
            terminal.write(beginning)
            assert pico.exit_status(PATIENCE_S) == 0
    finally:
        pico.close()


def test_it_answers_as_the_page_of_the_protocol_says() -> None:
    board = described("serial", "presence", COUNT)
    pico = Pico(board, World(list(board.nodes), "presence", Clock()), "74hc165")
    try:
        firmware_bench.answers_as_the_page_says(pico)
    finally:
        pico.close()


# -- its frames, against the host's libraries ------------------------------------------------------------------------

ECHO = """
import frames, time
from machine import UART, Pin
uart, reader = UART(0, baudrate=115200, tx=Pin(0), rx=Pin(1), rxbuf=256), frames.Reader()
while True:
    count = uart.any()
    if not count:
        time.sleep_ms(1)
    for version, payload in reader.feed(uart.read(count)) if count else ():
        uart.write(frames.encode(payload, version))
"""


class Echo:
    """A Pico that sends back every valid payload."""

    def __init__(self, folder: Path) -> None:
        (folder / "main.py").write_text(ECHO)
        (folder / "frames.py").write_text((Path("firmware_host/extensions/scanner/device") / "frames.py").read_text())
        board = described("serial", "presence", 8)
        self.pico = Pico(board, World(list(board.nodes), "presence", Clock()), "74hc165", firmware=folder)
        self._terminal = open(next(self.pico.folder.iterdir()), "r+b", buffering=0)  # noqa: SIM115
        self._marks = 0

    def understood(self, data: bytes) -> list[ScannerFrame]:
        """Send bytes; return the valid payloads in them."""
        self._marks += 1
        mark = ScannerFrame("p", self._marks & 0xFF, b"mark" + self._marks.to_bytes(4, "big"))
        self._terminal.write(data + b"\0" + encode(mark.type, mark.seq, mark.body))
        reader, got = FrameReader(frozenset("HCRPhsdpe")), []
        while mark not in got:
            got += reader.feed(self._terminal.read(4096) or b"")
        assert reader.dropped == 0, "what it sends is whole"
        return got[:-1]

    def close(self) -> None:
        self._terminal.close()
        self.pico.close()


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Echo]:
    made = Echo(tmp_path_factory.mktemp("echo"))
    yield made
    made.close()


@settings(max_examples=60, deadline=None)
@given(wanted=st.lists(frames, max_size=5))
def test_the_firmware_and_the_libraries_understand_each_other(echo: Echo, wanted: list[ScannerFrame]) -> None:
    assert echo.understood(sent(wanted)) == wanted


LENGTHS = {"H": 1, "C": 3, "R": 0, "P": 0}
asked = st.sampled_from(sorted(LENGTHS)).flatmap(
    lambda what: st.builds(
        ScannerFrame,
        st.just(what),
        st.integers(0, 255),
        st.binary(min_size=LENGTHS[what], max_size=LENGTHS[what]),
        VERSION,
    )
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(wanted=st.lists(asked, min_size=1, max_size=8), happened=mishaps)
def test_the_firmware_takes_nothing_that_was_not_sent(
    echo: Echo, wanted: list[ScannerFrame], happened: list[tuple[str, int, int]]
) -> None:
    rest = iter(wanted)
    for frame in echo.understood(damaged(sent(wanted), happened)):
        if len(frame.body) == LENGTHS.get(frame.type):  # Frames of another length are dropped.
            assert frame in rest


@settings(max_examples=60, deadline=None, derandomize=True)
@given(noise=st.binary(max_size=1500))
def test_noise_is_no_frame_to_the_firmware(echo: Echo, noise: bytes) -> None:
    assert echo.understood(noise) == []

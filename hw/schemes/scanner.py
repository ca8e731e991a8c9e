"""``serial``: a microcontroller that scans the sensors, on USB or a UART (see :mod:`hw.serial_scanner`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from hw.buses import Computer
from hw.circuit import GROUND, V33, Block, Circuit, Pin, input_nets, linear, pin_net
from hw.multiplexer import multiplexer_blocks
from hw.pins import Pins, number
from hw.ports import BoardDescription, HardwareError, Message, SensorBank
from hw.scheme import PULL_UPS, Option, Part, Scheme, count
from hw.schemes.hc165 import chain_circuit

BUSY_LINE = 0.7
"""Maximum share of the line's capacity for snapshots; above it only changes are requested."""


class Scanner(Scheme):
    """A microcontroller that reads the sensors by its own configuration."""

    name = "serial"
    about = "whatever a scanner on USB reads (a Pico, see hw/scanner)"
    kinds = ("presence", "polarity", "level")
    options: ClassVar = {"device": Option("/dev/ttyACM0"), "baud": Option(115200, 1200, 4000000)}
    comments: ClassVar = {"kind": "what the scanner says that it reads"}
    notes = (
        "The scanner's own configuration says where each channel is soldered; the Pi needs only USB or its UART. "
        "Chips and sensors hang on the Pico's 3V3(OUT), pin 36, and its ground, never on the Pi's 3.3 V."
    )
    setup = (
        'Over USB nothing is to be set. On the Pi\'s UART (`device = "/dev/serial0"`): console off and port on, '
        "`sudo raspi-config nonint do_serial_cons 1` and `do_serial_hw 0`, then restart; GPIO 14 (pin 8) to the "
        "scanner's RX, GPIO 15 (pin 10) to its TX, grounds joined. On a Pi 5 `/dev/serial0` is the small connector "
        "between the screens' ones: `dtparam=uart0=on` in `/boot/firmware/config.txt`, and `/dev/ttyAMA0`."
    )
    feeder = "the Pico's 3V3(OUT), pin 36"
    shared = Message("the scanner's own data line")
    scans_itself = True

    def open(self, board: BoardDescription, computer: Computer) -> SensorBank:
        from hw.scanner_frames import FrameError, snapshot_bytes  # noqa: PLC0415 - loads pyserial only when needed
        from hw.scanner_link import Terms  # noqa: PLC0415
        from hw.serial_scanner import SerialScannerBank  # noqa: PLC0415

        baud, channels, kind = number(board.options, "baud"), board.channels, board.channel_kind
        # Two reports per scan: confirmation by a second report then costs little time.
        period_ms = max(2, 500 // board.scan_hz)
        try:
            line_ms = snapshot_bytes(channels, kind) * 10_000 / baud
        except FrameError as error:
            raise HardwareError(f"{board.name}: {error}") from error
        terms = Terms(channels, kind, period_ms, changes=line_ms > BUSY_LINE * period_ms)
        return SerialScannerBank(computer.serial(str(board.options["device"])), baud, terms)

    def label(self, board: BoardDescription, index: int) -> str:
        return f"the scanner's channel {index}"

    def circuit(self, board: BoardDescription) -> Circuit:
        level = board.channel_kind == "level"
        nets = input_nets(board, self.inputs_of(board))
        commons = [f"common {at + 1}" for at in range(count(len(nets), 16))]
        wires = {"load": "load", "clock": "clock", "data": "data", "inhibit": GROUND}
        chips = multiplexer_blocks(nets, commons) if level else chain_circuit(board, len(nets), wires)
        own = [("31", "GP26"), ("32", "GP27"), ("34", "GP28")] if level else [("4", "GP2"), ("5", "GP3"), ("6", "GP4")]
        goes_to = commons if level else [wires[name] for name in ("load", "clock", "data")]
        signals = [Pin(leg, name, net) for (leg, name), net in zip(own, goes_to, strict=False)]
        if level:
            signals += [Pin("", f"S{bit}, as config.py says", pin_net("select", bit)) for bit in range(4)]
        supply = (Pin("36", "3V3(OUT)", V33), Pin("38", "GND", GROUND), Pin("USB", "to the Pi", "USB"))
        pico = Block("scanner", "Raspberry Pi Pico", tuple(signals), supply)
        sensors = tuple(map(linear, nets)) if level else ()
        return Circuit((pico,), sensors) + chips

    def example(self, inputs: int) -> Pins:
        return {}

    def parts(self, board: BoardDescription) -> Sequence[Part]:
        inputs, level = self.inputs_of(board), board.channel_kind == "level"
        at = "at the Pico's 3.3 V, 100 nF beside each; or as CHIP in hw/scanner/config.py has it"
        chips = Part(count(inputs, 16), "CD74HC4067", at) if level else Part(count(inputs, 8), "74HC165", at)
        pico = Part(1, "Raspberry Pi Pico with the scanner's firmware", "reads the sensors, sends them over USB")
        found = [pico, chips, *([] if level else [Part(inputs, *PULL_UPS)])]
        return (*found, Part(1, "USB cable", "from Pi to Pico: data and the Pico's supply"))


SCHEME = Scanner()

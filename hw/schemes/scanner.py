"""``serial``: a microcontroller that scans the sensors, on USB or a UART (see :mod:`hw.serial_scanner`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from hw.buses import Computer
from hw.pins import Pins, number
from hw.ports import BoardDescription, HardwareError, Message, SensorBank
from hw.scheme import Option, Part, Scheme

BUSY_LINE = 0.7
"""When snapshots would fill more of the line than this, only changes are asked for."""


class Scanner(Scheme):
    """Whatever a scanner reads, as its own configuration says."""

    name = "serial"
    about = "whatever a scanner on USB reads (a Pico, see hw/scanner)"
    kinds = ("presence", "polarity", "level")
    options: ClassVar = {"device": Option("/dev/ttyACM0"), "baud": Option(115200, 1200, 4000000)}
    comments: ClassVar = {"kind": "what the scanner says that it reads"}
    notes = "The scanner's own configuration says where each channel is soldered; the Pi needs only USB or its UART."
    shared = Message("the scanner's own data line")
    scans_itself = True

    def open(self, board: BoardDescription, computer: Computer) -> SensorBank:
        from hw.scanner_frames import FrameError, snapshot_bytes  # noqa: PLC0415 - pyserial, when it is needed
        from hw.scanner_link import Terms  # noqa: PLC0415
        from hw.serial_scanner import SerialScannerBank  # noqa: PLC0415

        baud, channels, kind = number(board.options, "baud"), board.channels, board.channel_kind
        # Two reports a scan: a reading that two reports agree on is not much later than one would be.
        period_ms = max(2, 500 // board.scan_hz)
        try:
            line_ms = snapshot_bytes(channels, kind) * 10_000 / baud
        except FrameError as error:
            raise HardwareError(f"{board.name}: {error}") from error
        terms = Terms(channels, kind, period_ms, changes=line_ms > BUSY_LINE * period_ms)
        return SerialScannerBank(computer.serial(str(board.options["device"])), baud, terms)

    def label(self, board: BoardDescription, index: int) -> str:
        return f"the scanner's channel {index}"

    def example(self, inputs: int) -> Pins:
        return {}

    def parts(self, board: BoardDescription) -> Sequence[Part]:
        return (Part(1, "Raspberry Pi Pico with the scanner's firmware", "reads the sensors, sends them over USB"),)


SCHEME = Scanner()

"""``serial``: a microcontroller that scans the sensors, on USB or a UART (see :mod:`hw.serial_scanner`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from hw.buses import Computer
from hw.circuit import Circuit, input_nets, linear, pin_net
from hw.microcontrollers import MICROCONTROLLERS, Microcontroller
from hw.multiplexer import MODULE_NOTES, SELECT_NOTES, multiplexer_blocks
from hw.pins import Options, Pins, listed, number
from hw.ports import BoardDescription, HardwareError, Message, SensorBank
from hw.scheme import Option, OwnPins, Part, Scheme, Supply
from hw.schemes import direct, hc165, hc4067, matrix
from hw.schemes.scanner_circuit import UART_PINS, own_rows, with_microcontroller
from hw.schemes.scanner_config import CHIPS, UARTS, USUAL, ConfigError, Plan, planned

BUSY_LINE = 0.7
"""Maximum share of the line's capacity for snapshots; above it only changes are requested."""
READ_BY = {"74hc165": hc165.SCHEME, "4067": hc4067.SCHEME, "matrix": matrix.SCHEME, "direct": direct.SCHEME}
"""``chip`` → the scheme whose chips the microcontroller reads in place of the Pi."""
LEVEL_NOTES = (
    f"Each CD74HC4067: pin 24 to {{supply}} with 100 nF to pin 12, pin 12 to ground, {SELECT_NOTES}, pin 15 (E) to "
    f"ground, pin 1 (common) to its own pin with an ADC. {MODULE_NOTES}"
)
MATRIX_NOTES = (
    "Each reed lies between its row and its column with a diode (1N4148) of its own, the ring towards the row. No hall "
    "switches here: they pull to their own ground."
)


class Scanner(Scheme):
    """A microcontroller that reads the sensors by its own configuration."""

    name = "serial"
    about = "whatever a scanner on USB reads (a Pico, see hw/scanner)"
    kinds = ("presence", "polarity", "level")
    options: ClassVar = {
        "device": Option("/dev/ttyACM0"),
        "baud": Option(115200, 1200, 4000000),
        "microcontroller": Option("pico", choices=tuple(MICROCONTROLLERS)),
        "chip": Option(USUAL, choices=(USUAL, *CHIPS)),
    }
    comments: ClassVar = {
        "kind": "what the scanner says that it reads",
        "microcontroller": f"what reads the sensors: {', '.join(MICROCONTROLLERS)}",
        "chip": f"{', '.join(CHIPS)}; {USUAL}: 4067 for linear sensors, else 74hc165",
    }
    notes = (
        "A microcontroller reads the sensors; the pins are those that `lodestone board sketch` writes into its "
        "configuration. Never connect the chips and sensors to the Pi's 3.3 V."
    )
    shared = Message("the scanner's own data line")
    scans_itself = True
    uart_notes = (
        'On the Pi\'s UART (`device = "/dev/serial0"`): console off and port on, '
        "`sudo raspi-config nonint do_serial_cons 1` and `do_serial_hw 0`, then restart; GPIO 14 (pin 8) to the "
        "scanner's RX, GPIO 15 (pin 10) to its TX, grounds joined. On a Pi 5 `/dev/serial0` is the small connector "
        "between the screens' ones: `dtparam=uart0=on` in `/boot/firmware/config.txt`, and `/dev/ttyAMA0`."
    )

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

    def inputs(self, channels: int, kind: str) -> int:
        return channels * (2 if kind == "polarity" else 1)

    def bus_pins(self, options: Options) -> dict[str, int]:
        return dict(UART_PINS) if options["device"] in UARTS else {}

    def wiring_error(self, pins: Pins, options: Options, inputs: int) -> str | None:
        machine = _machine(options)
        if options["device"] in UARTS and machine.uart is None:
            return (
                f"device: the pins of an {machine.title} carry {machine.volts:g} V, the Pi's UART bears 3.3 V: "
                f"expected its USB port (/dev/ttyUSB0, or its name under /dev/serial/by-id), got {options['device']!r}"
            )
        return None

    def label(self, board: BoardDescription, index: int) -> str:
        try:
            plan = planned(board)
        except ConfigError:
            return f"the microcontroller's input {index}"
        if plan.chip == "direct":
            return plan.machine.place(listed(plan.pins, "inputs")[index])
        if plan.chip == "matrix":
            columns = listed(plan.pins, "columns")
            row, column = divmod(index, len(columns))
            at = plan.machine.place(listed(plan.pins, "rows")[row]), plan.machine.place(columns[column])
            return f"row {row}, {at[0]}; column {column}, {at[1]}"
        return READ_BY[plan.chip].label(board, index)

    def supply(self, options: Options) -> Supply:
        machine = _machine(options)
        leg, name = machine.feeds
        words = f"the {machine.title}'s {name}" + (f", pin {leg}" if leg else "")
        return Supply(words, machine.volts, machine.feeds_ma)

    def notes_of(self, board: BoardDescription) -> str:
        plan, machine = planned(board), _machine(board.options)
        volts, name = f"{machine.volts:g} V", f"the {machine.title}"
        chips = {
            "74hc165": hc165.chip_notes(volts, name),
            "4067": hc4067.chip_notes(volts, "its own pin"),
            "matrix": MATRIX_NOTES,
            "direct": f"Each switch lies between its pin and ground; {name} pulls the pin up.",
        }
        used = LEVEL_NOTES.format(supply=volts) if board.channel_kind == "level" else chips[plan.chip]
        warning = f" {name[0].upper()}{name[1:]} works at 5 V, and so do its chips: no wire of theirs to a Pi's pin."
        line = "Over USB nothing is to be set." + (f" {self.uart_notes}" if machine.uart else "")
        return f"{self.notes}{warning if machine.volts > 3.3 else ''}\n\n{used}\n\n{line}"

    def own_pins(self, board: BoardDescription) -> OwnPins:
        plan = planned(board)
        return OwnPins(plan.machine.title, own_rows(plan, self.circuit(board)))

    def circuit(self, board: BoardDescription) -> Circuit:
        plan = planned(board)
        return with_microcontroller(plan, _chips(board, plan), measured=board.channel_kind == "level")

    def example(self, inputs: int) -> Pins:
        return {}

    def parts(self, board: BoardDescription) -> Sequence[Part]:
        plan = planned(board)
        own = Part(
            1, f"{plan.machine.title} with the scanner's firmware", "reads the sensors: docs/microcontrollers.md"
        )
        wired = _wired(board, plan)
        at = f"at {plan.machine.volts:g} V, 100 nF beside each"
        usual = Part(0, "").note
        chips = [replace(part, note=at) if part.note == usual else part for part in READ_BY[plan.chip].parts(wired)]
        if board.channel_kind == "level":
            chips = chips[:1]  # An ADC's common has no pull-up.
        cable = Part(1, "USB cable", f"from Pi to {plan.machine.title}: data and its supply")
        diode = Part(
            1, "Schottky diode 1N5817", f"from the Pi's 5 V to {plan.machine.fed[1]}; three wires for the UART"
        )
        return (own, *chips, diode if plan.uart else cable)


def _machine(options: Options) -> Microcontroller:
    return MICROCONTROLLERS[str(options["microcontroller"])]


def _wired(board: BoardDescription, plan: Plan) -> BoardDescription:
    """Return the board as the Pi would read it by the same chips: what their scheme draws and counts."""
    return replace(board, scheme=plan.chip, pins=plan.pins)


def _chips(board: BoardDescription, plan: Plan) -> Circuit:
    """Return chips and sensors at the microcontroller's pins, at 3.3 V."""
    if board.channel_kind != "level":
        return READ_BY[plan.chip].circuit(_wired(board, plan))
    nets = input_nets(board, board.channels)
    commons = [pin_net("common", at) for at in range(len(listed(plan.pins, "common")))]
    return multiplexer_blocks(nets, commons) + Circuit((), tuple(linear(board, net) for net in nets))


SCHEME = Scanner()

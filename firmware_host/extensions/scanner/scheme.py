"""``serial``: a microcontroller that scans the sensors, on USB or a UART (see bank.py)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import ClassVar

from firmware_host.extensions.scanner.configuration import (
    BAUD,
    UARTS,
    USUAL,
    WITH_RADIO,
    ConfigError,
    Plan,
    plan_scanner,
)
from firmware_host.extensions.scanner.device.digest import CHIPS
from firmware_host.extensions.scanner.microcontrollers import MICROCONTROLLERS, Microcontroller
from firmware_host.extensions.scanner.wireless import address_of, code_bytes, is_wireless
from firmware_host.link.adc import linear
from firmware_host.link.multiplexer import (
    MODULE_NOTES,
    SELECT_NOTES,
    multiplexer_blocks,
    multiplexer_label,
    switch_notes,
)
from firmware_host.link.supplies import CHARGER, USB, add_regulator, feed_for, load_ma, rename_nets
from hw.buses import Computer
from hw.circuit import (
    DIODE,
    GROUND,
    V5,
    V5_PI,
    V5_SCANNER,
    V33,
    V33_OWN,
    V33_SCANNER,
    Block,
    Circuit,
    Pin,
    Pole,
    input_nets,
    pin_net,
)
from hw.pins import HEADER, Options, Pins, number, pin_list
from hw.ports import BoardDescription, Message, SensorBank
from hw.registry import SCHEMES
from hw.scheme import Option, OwnPins, PowerSupply, Scheme
from hw.schemes import hc165

LEVEL_NOTES = (
    f"Each CD74HC4067: pin 24 to {{supply}} with 100 nF to pin 12, pin 12 to ground, {SELECT_NOTES}, pin 15 (E) to "
    f"ground, pin 1 (common) to its own pin with an ADC. {MODULE_NOTES}"
)
MATRIX_NOTES = (
    "Each reed lies between its row and its column with a diode (1N4148) of its own, the ring towards the row. No hall "
    "switches here: they pull to their own ground."
)


class ScannerScheme(Scheme):
    """A microcontroller that reads the sensors by its own configuration."""

    name = "serial"
    about = "whatever a scanner on USB reads (a Pico, see microcontrollers.md)"
    kinds = ("presence", "polarity", "level")
    options: ClassVar = {
        "device": Option("/dev/ttyACM0"),
        "code": Option(""),
        "baud": Option(BAUD, 1200, 4000000),
        "microcontroller": Option("pico", choices=tuple(MICROCONTROLLERS)),
        "chip": Option(USUAL, choices=(USUAL, *CHIPS)),
        "configuration": Option(""),
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

    wifi_notes = (
        "Over Wi-Fi: name and password of the network in the firmware's `wifi.py`, the pairing code in `config.py`, "
        "which `lodestone board sketch` writes. No wire leads to the Pi."
    )

    def open(self, board: BoardDescription, computer: Computer) -> SensorBank:
        from firmware_host.extensions.scanner.bank import SerialScannerBank  # noqa: PLC0415 - loads pyserial
        from firmware_host.extensions.scanner.link import terms_of  # noqa: PLC0415 - loads cobs

        device, baud, code = str(board.options["device"]), number(board.options, "baud"), str(board.options["code"])
        terms = terms_of(board)
        return SerialScannerBank(computer.serial(device), baud, terms, code=code)

    def inputs(self, channels: int, kind: str) -> int:
        return channels * (2 if kind == "polarity" else 1)

    def bus_pins(self, options: Options) -> dict[str, int]:
        return dict(UART_PINS) if options["device"] in UARTS else {}

    def wiring_error(self, pins: Pins, options: Options, inputs: int) -> str | None:
        machine, name = _machine(options), options["microcontroller"]
        configured = str(options["configuration"])
        if configured and not re.fullmatch("[0-9a-f]{8}", configured):
            return (
                "configuration: expected the eight digits and letters that `lodestone hardware check` says, "
                f"got {configured!r}"
            )
        if is_wireless(options["device"]):
            try:
                address_of(str(options["device"]))
                code_bytes(str(options["code"]))
            except ValueError as error:
                return str(error)
            if name not in WITH_RADIO:
                return f"device: expected a microcontroller with Wi-Fi ({', '.join(WITH_RADIO)}), got {name!r}"
        if options["device"] in UARTS and machine.uart is None:
            return (
                f"device: the pins of an {machine.title} carry {machine.volts:g} V, the Pi's UART bears 3.3 V: "
                f"expected its USB port (/dev/ttyUSB0, or its name under /dev/serial/by-id), got {options['device']!r}"
            )
        return None

    def label(self, board: BoardDescription, index: int) -> str:
        try:
            plan = plan_scanner(board)
        except ConfigError:
            return f"the microcontroller's input {index}"
        if plan.chip == "direct":
            return plan.machine.place(pin_list(plan.pins, "inputs")[index])
        if plan.chip == "matrix":
            columns = pin_list(plan.pins, "columns")
            row, column = divmod(index, len(columns))
            at = plan.machine.place(pin_list(plan.pins, "rows")[row]), plan.machine.place(columns[column])
            return f"row {row}, {at[0]}; column {column}, {at[1]}"
        return multiplexer_label(index) if plan.chip == "4067" else hc165.SCHEME.label(board, index)

    def supply(self, options: Options) -> PowerSupply:
        machine = _machine(options)
        leg, name = machine.feeds
        words = f"the {machine.title}'s {name}" + (f", pin {leg}" if leg else "")
        return PowerSupply(words, machine.volts, machine.feeds_ma)

    def notes_of(self, board: BoardDescription) -> str:
        plan, machine = plan_scanner(board), _machine(board.options)
        volts, name = f"{machine.volts:g} V", f"the {machine.title}"
        chips = {
            "74hc165": hc165.chip_notes(volts, name),
            "4067": switch_notes(volts, "its own pin"),
            "matrix": MATRIX_NOTES,
            "direct": f"Each switch lies between its pin and ground; {name} pulls the pin up.",
        }
        used = LEVEL_NOTES.format(supply=volts) if board.channel_kind == "level" else chips[plan.chip]
        warning = f" {name[0].upper()}{name[1:]} works at 5 V, and so do its chips: no wire of theirs to a Pi's pin."
        line = "Over USB nothing is to be set." + (f" {self.uart_notes}" if machine.uart else "")
        if plan.wireless:
            line = self.wifi_notes
        return f"{self.notes}{warning if machine.volts > 3.3 else ''}\n\n{used}\n\n{line}"

    def own_pins(self, board: BoardDescription) -> OwnPins:
        plan = plan_scanner(board)
        return OwnPins(plan.machine.title, own_rows(plan, self.circuit(board)))

    def circuit(self, board: BoardDescription) -> Circuit:
        plan = plan_scanner(board)
        return with_microcontroller(plan, _chips(board, plan), measured=board.channel_kind == "level")

    def example(self, inputs: int) -> Pins:
        return {}


def _machine(options: Options) -> Microcontroller:
    return MICROCONTROLLERS[str(options["microcontroller"])]


def _read_by_pi(board: BoardDescription, plan: Plan) -> BoardDescription:
    """Return the board as the Pi would read it by the same chips: what their scheme draws and counts."""
    return replace(board, scheme=plan.chip, pins=plan.pins)


def _scheme(chip: str) -> Scheme:
    """Return the scheme whose chips the microcontroller reads in place of the Pi. Raise ConfigError where it is gone.

    Some are of another extension, which may be deleted: the microcontroller reads them all the same.
    """
    known = [one for one in CHIPS if one in SCHEMES.names()]
    if chip not in known:
        raise ConfigError(f"chip: no drawing of {chip!r} is installed, expected {' or '.join(known)}")
    return SCHEMES.get(chip)


def _chips(board: BoardDescription, plan: Plan) -> Circuit:
    """Return chips and sensors at the microcontroller's pins, at 3.3 V. Raise ConfigError for an unknown wiring."""
    if board.channel_kind != "level":
        return _scheme(plan.chip).circuit(_read_by_pi(board, plan))
    nets = input_nets(board, board.channels)
    commons = [pin_net("common", at) for at in range(len(pin_list(plan.pins, "common")))]
    return multiplexer_blocks(nets, commons) + Circuit((), tuple(linear(board, net) for net in nets))


SCHEME = ScannerScheme()


# -- the microcontroller in a circuit and a table ----------------------------------------------------------------------


TXD, RXD = "UART's TXD", "UART's RXD"
UART_PINS: Mapping[str, int] = MappingProxyType({TXD: 14, RXD: 15})
"""Net of the Pi's UART → its pin (BCM)."""
FED = "5 V behind the diode"
CHARGER_MA = 1000.0
"""What the smallest USB chargers give."""
DIODE_MA = 1000.0
"""Rating of a 1N5817."""
REFERENCE_MA = 17.0
"""What a Pico's ADC_VREF takes at most: 3.3 V over the 200 Ω to its own 3.3 V, while that is off."""
SCANNER = "scanner"


def with_microcontroller(plan: Plan, chips: Circuit, *, measured: bool) -> Circuit:
    """Return chips, drawn at 3.3 V, with the microcontroller: its pins in use, its supply, and its line to the Pi.

    Where its own pin gives too little, they have a regulator. ``measured`` tells whether its ADC reads them: then it
    measures against their supply. Raise ConfigError for an Arduino that gives too little: another 5 V at its pin would
    meet that of its USB.
    """
    machine = plan.machine
    supply = V5_SCANNER if machine.volts > 3.3 else V33_SCANNER
    by_pin = rename_nets(chips, {V33: supply})
    load = load_ma(by_pin, supply)
    fed, right = load, [Pin(*machine.feeds, supply, gives_ma=machine.feeds_ma)] if V33 in chips.nets else []
    if load > machine.feeds_ma:
        fed = 0.0
        if machine.volts > 3.3:
            raise ConfigError(_too_much(machine, load))
        by_pin = add_regulator(chips, feed_for(chips, machine.own_ma) if plan.uart else V5)
        right = [Pin(*machine.reference, V33_OWN, takes_ma=REFERENCE_MA)] if measured and machine.reference else []
    takes = machine.own_ma + fed
    line = Pin(*machine.fed, FED, takes_ma=takes) if plan.uart else Pin("USB", "to the Pi", USB, takes_ma=takes)
    own: tuple[Block, ...] = ()
    if plan.wireless:
        line = Pin("USB", "to a charger", CHARGER, takes_ma=takes)
        own = (Block("charger", "USB charger", (), (Pin("USB", "USB", CHARGER, gives_ma=CHARGER_MA),)),)
    right += [Pin(machine.ground, "GND", GROUND), line]
    signals = tuple(Pin(machine.leg(pin), machine.pin_label(pin), net) for net, pin in _signals(plan))
    diodes = (Pole(DIODE, "1N5817", V5_PI, FED, gives_ma=DIODE_MA),) if plan.uart else ()
    return Circuit((Block(SCANNER, machine.title, signals, tuple(right)), *own), diodes) + by_pin


def _too_much(machine: Microcontroller, load: float) -> str:
    fitting = [one for one, known in MICROCONTROLLERS.items() if known.volts < machine.volts]
    return (
        f"chips and sensors take {load:.0f} mA, the {machine.title}'s {machine.feeds[1]} gives {machine.feeds_ma} mA: "
        f"take {' or '.join(fitting)}, which have a regulator then, or a part that takes less"
    )


def _signals(plan: Plan) -> Iterator[tuple[str, int]]:
    """Yield net and pin of each wire: those to the chips, then those of the serial port."""
    for name, value in plan.pins.items():
        for at, pin in enumerate(pin_list(plan.pins, name)):
            yield pin_net(name, None if isinstance(value, int) else at), pin
    if plan.uart is not None:
        yield RXD, plan.uart.sends
        yield TXD, plan.uart.receives


def own_rows(plan: Plan, circuit: Circuit) -> Sequence[tuple[str, str, str]]:
    """Return leg, printed name and destination of every pin in use."""
    (own,) = (block for block in circuit.blocks if block.name == SCANNER)
    words = {
        V33_SCANNER: f"3.3 V of the chips and sensors, {plan.machine.feeds_ma} mA at most",
        V5_SCANNER: f"5 V of the chips and sensors, {plan.machine.feeds_ma} mA at most",
        V33_OWN: "3.3 V of the regulator: the ADC measures against the sensors' own supply",
        GROUND: "ground of the chips and sensors" + (", and the Pi's" if plan.uart else ""),
        FED: "the ring (cathode) of a Schottky diode from the Pi's 5 V (pin 2)",
    }
    rows = [(pin.number, pin.name, _goes_to(pin.net)) for pin in own.left]
    rows += [(pin.number, pin.name, words[pin.net]) for pin in own.right if pin.net not in {USB, CHARGER}]
    if plan.wireless:
        rows.append(("", "USB", "a USB charger"))
    elif not plan.uart:
        own_pin = {V33_SCANNER, V5_SCANNER} & circuit.nets
        rows.append(("", "USB", f"the Pi: readings, and 5 V for {'all of this' if own_pin else 'itself'}"))
    return rows


def _goes_to(net: str) -> str:
    if net in UART_PINS:
        return f"the Pi's GPIO {UART_PINS[net]} (pin {HEADER[UART_PINS[net]]})"
    return f"sensors: {net}"

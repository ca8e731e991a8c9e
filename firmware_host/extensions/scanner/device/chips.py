"""The chips that read sensors: 74HC165 chains, 4067 multiplexers (switches, or linear sensors on the ADC), a matrix.

Each chip's ``scan`` returns one number per input: 1 for a closed switch, else 0; for a linear sensor 0 to 255.
"""

from time import sleep_us

from machine import ADC, Pin

CHANNELS_4067 = 16
MAX_AVERAGED = 64


class ShiftRegisters:
    """A chain of 74HC165; a switch pulls its input low."""

    def __init__(self, pins: dict, inputs: int) -> None:
        """Set the pins up."""
        self._load = Pin(pins["load"], Pin.OUT, value=1).value
        self._clock = Pin(pins["clock"], Pin.OUT, value=0).value
        self._data = Pin(pins["data"], Pin.IN).value
        self._found = bytearray(inputs)

    def scan(self) -> bytearray:
        """Latch all inputs at one instant and shift them out."""
        found, clock, data = self._found, self._clock, self._data
        self._load(0)
        self._load(1)
        found[0] = 1 - data()
        for index in range(1, len(found)):
            clock(1)
            clock(0)
            found[index] = 1 - data()
        return found


class Multiplexers:
    """CD74HC4067 with common select lines, walked in Gray-code order: each step changes one line."""

    def __init__(self, pins: dict, inputs: int, settle_us: int, average: int) -> None:
        """Set the pins up. ``average`` is the number of ADC readings per level; 0 for switches."""
        if "enable" in pins:
            Pin(pins["enable"], Pin.OUT, value=0)
        self._select = [Pin(pin, Pin.OUT, value=0).value for pin in pins["select"]]
        if average:
            self._read = [_adc_reader(pin, average) for pin in pins["common"]]
        else:
            self._read = [Pin(pin, Pin.IN, Pin.PULL_UP).value for pin in pins["common"]]
        self._analogue = average > 0
        self._settle_us = settle_us
        self._found = bytearray(inputs)

    def scan(self) -> bytearray:
        """Walk over all channels."""
        found, analogue, inputs = self._found, self._analogue, len(self._found)
        channel = 0
        for step in range(1, CHANNELS_4067 + 1):
            changed = 0
            while not step >> changed & 1 and changed < 3:
                changed += 1
            channel ^= 1 << changed
            self._select[changed](channel >> changed & 1)
            sleep_us(self._settle_us)
            index = channel
            for read in self._read:
                if index >= inputs:
                    break
                found[index] = read() if analogue else 1 - read()
                index += CHANNELS_4067
        return found


class Matrix:
    """Switches in rows and columns with diodes: one row at a time is pulled low, columns are pulled up."""

    def __init__(self, pins: dict, inputs: int, settle_us: int) -> None:
        """Set the pins up."""
        self._rows = [Pin(pin, Pin.OUT, value=1).value for pin in pins["rows"]]
        self._columns = [Pin(pin, Pin.IN, Pin.PULL_UP).value for pin in pins["columns"]]
        self._settle_us = settle_us
        self._found = bytearray(inputs)

    def scan(self) -> bytearray:
        """Pull one row after the other low and read its columns."""
        found = self._found
        index = 0
        for row in self._rows:
            row(0)
            sleep_us(self._settle_us)
            for column in self._columns[: len(found) - index]:
                found[index] = 1 - column()
                index += 1
            row(1)
        return found


def _adc_reader(pin: int, average: int) -> object:
    """Return a function that reads an ADC ``average`` times and returns the mean, 0 to 255."""
    adc = ADC(Pin(pin))
    if hasattr(ADC, "ATTN_11DB"):  # Without attenuation an ESP32 measures only up to 1 V.
        adc.atten(ADC.ATTN_11DB)
    read, turns = adc.read_u16, range(average)

    def measure() -> int:
        total = 0
        for _ in turns:
            total += read()
        return total // average >> 8

    return measure


def build(config: object, board: tuple) -> object:
    """Return the configured chips. Raise ValueError naming the fault in the configuration.

    ``board`` is the result of :func:`boards.choose_board`.
    """
    kind, chip, pins = config.KIND, config.CHIP, config.PINS
    if kind not in ("presence", "polarity", "level"):
        raise ValueError("KIND: expected presence, polarity or level, got %r" % (kind,))
    if not isinstance(config.NODES, int) or not 1 <= config.NODES <= 512:
        raise ValueError("NODES: expected a whole number from 1 to 512, got %r" % (config.NODES,))
    inputs = config.NODES * (2 if kind == "polarity" else 1)
    if chip == "74hc165":
        _check(pins, ("load", "clock", "data"), (), board, ("data",))
        if kind == "level":
            raise ValueError("KIND: 74hc165 has switches: expected presence or polarity, got level")
        return ShiftRegisters(pins, inputs)
    if chip == "4067":
        _check(pins, ("select", "common"), ("enable",), board, ("common",) if kind == "level" else ())
        _check_4067(pins, inputs, kind, board)
        average = config.AVERAGE
        if not isinstance(average, int) or not 1 <= average <= MAX_AVERAGED:
            raise ValueError("AVERAGE: expected a whole number from 1 to %d, got %r" % (MAX_AVERAGED, average))
        return Multiplexers(pins, inputs, config.SETTLE_US, average if kind == "level" else 0)
    if chip == "matrix":
        _check(pins, ("rows", "columns"), (), board, ())
        if kind != "presence":  # A hall switch pulls to its own ground, not to a row, and a reed feels no pole.
            raise ValueError("KIND: a matrix is for reeds: expected presence, got %s" % kind)
        if len(pins["rows"]) * len(pins["columns"]) < inputs:
            size = (len(pins["rows"]), len(pins["columns"]), inputs)
            raise ValueError("PINS: %d rows and %d columns hold fewer than %d inputs" % size)
        return Matrix(pins, inputs, config.SETTLE_US)
    raise ValueError("CHIP: expected 74hc165, 4067 or matrix, got %r" % (chip,))


def _check(pins: dict, needed: tuple, spare: tuple, board: tuple, read: tuple) -> None:
    """Raise ValueError for missing, unknown, unusable or doubled pins; names in ``read`` may be input-only pins."""
    name_of_board, usable, only_read = board[:3]
    for name in needed:
        if name not in pins:
            raise ValueError("PINS: expected %s, but it is missing" % name)
    for name in pins:
        if name not in needed and name not in spare:
            raise ValueError("PINS: %s: unknown, expected %s" % (name, ", ".join(needed + spare)))
    used = []
    for name in needed + spare:
        value = pins.get(name, ())
        for pin in value if isinstance(value, (tuple, list)) else (value,):
            if pin not in usable and not (name in read and pin in only_read):
                fit = _spans(usable + only_read if name in read else usable)
                raise ValueError("PINS: %s: expected pins of the %s from %s, got %r" % (name, name_of_board, fit, pin))
            if pin in used:
                raise ValueError("PINS: %s: pin %d is used already" % (name, pin))
            used.append(pin)


def _spans(pins: tuple) -> str:
    """Return a list of pins in words: ``0 to 22, 26 to 28``."""
    found = []
    for pin in sorted(pins):
        if found and found[-1][1] == pin - 1:
            found[-1][1] = pin
        else:
            found.append([pin, pin])
    return ", ".join("%d to %d" % (low, high) if low < high else str(low) for low, high in found)


def _check_4067(pins: dict, inputs: int, kind: str, board: tuple) -> None:
    needed = -(-inputs // CHANNELS_4067)
    if len(pins["select"]) != 4 or len(pins["common"]) != needed:
        raise ValueError("PINS: %d inputs need 4 select pins and %d common pins" % (inputs, needed))
    if kind == "level":
        for pin in pins["common"]:
            if pin not in board[3]:
                raise ValueError("PINS: common: pin %d has no ADC, expected %s" % (pin, _spans(board[3])))

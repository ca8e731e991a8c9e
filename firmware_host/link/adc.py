"""Linear hall sensors read by analogue-to-digital converters, behind multiplexers or direct.

Sensors and converters run on the same 3.3 V. Half of it (1.65 V) means no field. With multiplexers, input i is channel
i % 16 of the multiplexer whose common goes to ADC input i // 16. ADC inputs are numbered continuously over all chips.
Without multiplexers, input i is ADC input i.

Kinds: ``level`` returns the level itself. ``polarity`` and ``presence`` report a field from the threshold
(``bands.rest``; half a stone that is weaker than twice that) on, until it is :data:`HYSTERESIS` below the threshold.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar, Protocol

from firmware_host.link.multiplexer import (
    CHIP,
    MODULE_NOTES,
    SELECT_NOTES,
    SelectLines,
    multiplexer_blocks,
    multiplexer_label,
)
from hw.buses import Computer
from hw.circuit import GROUND, HALL, OPEN, V33, Block, Circuit, Pin, Pole, decoupling, input_nets
from hw.pins import EXAMPLES, Options, Pins, number, pin_list
from hw.ports import BoardDescription, NodeLevels
from hw.scheme import LINEAR, PinList, Scheme, count
from hw.sensor_parts import LINEAR as LINEAR_PARTS
from hw.sensor_parts import PARTS

NO_FIELD = 128
HYSTERESIS = 4
"""Level steps below the threshold at which a reported field ends; at most a third of it."""
MULTIPLEXER_NOTES = (
    f"With multiplexers: pin 1 (common) of each to its input of the ADC, {SELECT_NOTES}, pins 15 and 12 to ground, "
    f"pin 24 to 3.3 V with 100 nF beside it. {MODULE_NOTES}"
)


def linear(board: BoardDescription, net: str) -> Pole:
    """Return the linear hall sensor at an input."""
    part = board.part or LINEAR_PARTS[-1]
    return Pole(HALL, part, net, GROUND, V33, part=part, takes_ma=PARTS[part].ma, name=net)


class Converter(Protocol):
    """One ADC chip."""

    inputs: int

    def start(self, index: int) -> None:
        """Start a measurement of an input. Raise HardwareError when the chip does not answer."""
        ...

    def level(self) -> int:
        """Return the measured level, 0 (ground) to 255 (3.3 V). Raise HardwareError when the chip does not answer."""
        ...

    def close(self) -> None:
        """Close the bus."""
        ...


class AdcBank:
    """The sensors of a board behind converters, with or without multiplexers (pins ``select``) in front of them."""

    def __init__(self, board: BoardDescription, computer: Computer, converters: Sequence[Converter]) -> None:
        """``converters`` are open. The board's calibration gives the rest level and the direction of each channel."""
        self.channels, self.kind = board.channels, board.channel_kind
        self._converters = converters
        measured = {board.nodes[name].channel: levels for name, levels in board.calibration.items()}
        self._scales = [_scale(measured.get(at), board.bands.rest) for at in range(self.channels)]
        self._told = [0] * self.channels
        self._select, self._lines = list(pin_list(board.pins, "select")), None
        if self._select:
            self._gpio, settle_us = computer.gpio(), number(board.options, "settle_us")
            self._lines = SelectLines(self._gpio, self._select, self.channels, computer.wait_us, settle_us)
        width, each = CHIP.inputs if self._select else 1, converters[0].inputs
        self._batches = [[self._batch(channel, index, width) for index in range(each)] for channel in range(width)]
        """For each multiplexer channel: batches of converters that measure at once, each with its board channel."""

    def _batch(self, channel: int, index: int, width: int) -> list[tuple[Converter, int]]:
        each = self._converters[0].inputs
        found = ((one, (at * each + index) * width + channel) for at, one in enumerate(self._converters))
        return [(converter, wired) for converter, wired in found if wired < self.channels]

    def scan(self) -> Sequence[int]:
        """Measure every sensor; return one reading per channel. Raise HardwareError when a chip does not answer."""
        levels = [0] * self.channels
        steps: Iterable[int] = (0,) if self._lines is None else self._lines.walk()
        for channel in steps:
            for index, batch in enumerate(self._batches[channel]):
                for converter, _ in batch:
                    converter.start(index)
                for converter, wired in batch:
                    levels[wired] = converter.level()
        if self.kind == "level":
            return levels
        self._told = [self._tell(*each) for each in zip(levels, self._scales, self._told, strict=True)]
        return self._told

    def close(self) -> None:
        """Close the buses and release the pins."""
        for converter in self._converters:
            converter.close()
        if self._select:
            self._gpio.cleanup(self._select)

    def _tell(self, level: int, scale: tuple[int, int, int], before: int) -> int:
        rest, north, threshold = scale
        away = (level - rest) * north
        if abs(away) < threshold - (min(HYSTERESIS, threshold // 3) if before else 0):
            return 0
        return 1 if away > 0 or self.kind == "presence" else 2


def _scale(levels: NodeLevels | None, usual: int) -> tuple[int, int, int]:
    """Return a channel's level at rest, the sign of its change under a stone with north up, and its threshold."""
    if levels is None:
        return NO_FIELD, 1, usual
    north, south = levels.north - levels.rest, levels.south - levels.rest
    return levels.rest, -1 if north < 0 else 1, min(usual, (min(abs(north), abs(south)) + 1) // 2)


class AdcScheme(Scheme):
    """Base class of the schemes that read linear sensors by a converter chip."""

    kinds = LINEAR
    measures_levels = True
    lists: ClassVar = {"select": PinList(4, 4, needed=False)}
    comments: ClassVar = {
        "scheme": "channel c is channel c % 16 of the multiplexer before ADC input c // 16",
        "settle_us": "between choosing a channel and measuring it",
        "pins": "BCM numbers of S0 to S3; E to ground",
    }
    converter: str
    """Name of the chip."""
    each: int
    """Inputs of one chip."""
    called_input: str
    """Name of an input in the data sheet, without its number."""

    @abstractmethod
    def converters(self, board: BoardDescription, computer: Computer, chips: int) -> list[Converter]:
        """Return ``chips`` open converters. Raise HardwareError when a bus can't be opened."""

    @abstractmethod
    def converter_pins(self, board: BoardDescription, chip: int) -> tuple[Pin, ...]:
        """Return the pins of a converter that are not inputs."""

    @abstractmethod
    def input_pin(self, index: int) -> str:
        """Return the pin number of an input."""

    def circuit(self, board: BoardDescription) -> Circuit:
        nets = input_nets(board, board.channels)
        sensors = Circuit((), tuple(linear(board, net) for net in nets))
        if "select" in board.pins:
            commons = [f"common {at + 1}" for at in range(count(len(nets), CHIP.inputs))]
            sensors, nets = sensors + multiplexer_blocks(nets, commons), commons
        chips = self._chips(board)
        blocks: list[Block] = []
        nets = nets + [OPEN] * (chips * self.each - len(nets))
        for at in range(chips):
            own = enumerate(nets[at * self.each : (at + 1) * self.each])
            left = tuple(Pin(self.input_pin(index), f"{self.called_input}{index}", net) for index, net in own)
            blocks.append(Block(f"converter {at + 1} of {chips}", self.converter, left, self.converter_pins(board, at)))
        return sensors + Circuit(tuple(blocks), tuple(decoupling(block.name) for block in blocks))

    @abstractmethod
    def most_chips(self, options: Options) -> int:
        """Return the maximum number of chips on the bus, counted from the first address or chip select in use."""

    def open(self, board: BoardDescription, computer: Computer) -> AdcBank:
        return AdcBank(board, computer, self.converters(board, computer, self._chips(board)))

    def label(self, board: BoardDescription, index: int) -> str:
        chip, own = divmod(index // CHIP.inputs if "select" in board.pins else index, self.each)
        name = f"{self.converter} {chip + 1}, {self.called_input}{own}"
        return f"{multiplexer_label(index)}, whose common goes to {name}" if "select" in board.pins else name

    def example(self, inputs: int) -> Pins | None:
        usual = {name: option.default for name, option in self.options.items()}
        pins: Pins = {"select": EXAMPLES[:4]} if inputs > self.each else {}
        return None if self.wiring_error(pins, usual, inputs) else pins

    def wiring_error(self, pins: Pins, options: Options, inputs: int) -> str | None:
        most = self.most_chips(options) * self.each * (CHIP.inputs if "select" in pins else 1)
        by = "through multiplexers" if "select" in pins else "without multiplexers (select)"
        if inputs > most:
            return f"scheme: expected at most {most} nodes on the ADC chips of this bus {by}, got {inputs}"
        return None

    def _chips(self, board: BoardDescription) -> int:
        return count(board.channels, self.each * (CHIP.inputs if "select" in board.pins else 1))

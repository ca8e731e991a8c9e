"""The two small protocols of sensors and lights, and the description of a board that a board file gives.

A scan returns plain integers, one reading per channel:

========== ==========================================================================
kind       reading
========== ==========================================================================
presence   0 nothing, 1 a stone
polarity   0 nothing, 1 north up (white), 2 south up (black), 3 fault (both at once)
level      0 to 255, 128 no field; above: north up, below: south up
========== ==========================================================================

A board of kind ``coded`` has presence readings in all its channels; some of its nodes have nine channels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from hw.magnets import Magnet
from hw.pins import Options, Pins
from hw.sensor_parts import PARTS


@dataclass(frozen=True)
class Sizes:
    """Measures of a board's plate, with the defaults for a board file's section [drawing]."""

    hole_mm: float = 4.0
    """Diameter of the sensor's hole under the centre of each node, drilled from below; 0 for none."""
    slot_mm: tuple[float, float] | None = None
    """Length and width of the sensor's slot; None for the slot of its part, or the round hole without a part."""
    window_mm: float = 5.0
    """Diameter of the window over each pixel."""
    window_at: tuple[float, float] | None = None
    """Offset of the window from the node's centre, (right, up); None: just below the printed node, where no stone on
    the node hides it."""
    edge_mm: float = 30.0
    """Distance from the outermost nodes' centres to the edge of the plate."""
    ring_mm: float = 19.0
    """Distance from a well's centre to the sensors of its ring."""
    magnet_mm: float = 5.0
    """Diameter of the holes for magnets in the underside of a tile."""
    corner_mm: float = 3.2
    """Diameter of the screw holes in the four corners; 0 for none."""


KINDS = ("presence", "polarity", "level")
"""Kinds of readings of a single channel."""
CODED = "coded"
"""Board kind: nodes with nine channels read tiles, all others presence; each channel reads 0 or 1."""
BOARD_KINDS = (*KINDS, CODED)

RING = 8
"""Number of sensors in the ring of a node that reads tiles; one more is in the middle."""

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255 each."""


class Message(str):
    """A sentence that keeps its ``form`` with placeholders and their ``values``, so that it can be translated.

    A value may itself be a message.
    """

    __slots__ = ("form", "values")
    form: str
    values: Mapping[str, object]

    def __new__(cls, form: str, /, **values: object) -> Message:
        """Fill the placeholders of ``form`` with ``values``."""
        made = super().__new__(cls, form.format_map(values) if values else form)
        made.form, made.values = form, values
        return made


class HardwareError(RuntimeError):
    """A part can't be opened or has stopped answering; the message names the part and says what to do.

    Errors that can occur during play carry a :class:`Message`, which can be translated.
    """


class SensorBank(Protocol):
    """All sensors of a board."""

    channels: int
    kind: str

    def scan(self) -> Sequence[int]:
        """Return one reading per channel, in channel order. Raise HardwareError when the board does not answer."""
        ...

    def close(self) -> None:
        """Release pins and buses."""
        ...


@dataclass(frozen=True)
class LineCount:
    """Frames on the line to hardware that scans by itself, since the board was opened."""

    good: int
    damaged: int
    missing: int


def line_of(sensors: SensorBank) -> LineCount | None:
    """Return the frames of the sensors' line so far; None for sensors that are read directly."""
    return getattr(sensors, "line", None)


@dataclass(frozen=True)
class ConfigurationCheck:
    """Whether hardware that scans by itself is configured as the board file means."""

    agrees: bool | None
    """None where it can't be compared."""
    words: Message


def configuration_of(sensors: SensorBank) -> ConfigurationCheck | None:
    """Return how the sensors' own hardware is configured; None for sensors that are read directly."""
    return getattr(sensors, "configuration", None)


def complaint_of(sensors: SensorBank) -> Message | None:
    """Return what is wrong with a part although all its readings are good; None for nothing."""
    return getattr(sensors, "complaint", None)


class WrappedSensors:
    """Sensors that are others' with something around them: what those tell beside their readings is told on."""

    def __init__(self, bank: SensorBank) -> None:
        """``bank`` are the sensors within."""
        self.bank, self.channels, self.kind = bank, bank.channels, bank.kind

    @property
    def line(self) -> LineCount | None:
        """The frames on their line."""
        return line_of(self.bank)

    @property
    def configuration(self) -> ConfigurationCheck | None:
        """How their own hardware is configured."""
        return configuration_of(self.bank)

    @property
    def complaint(self) -> Message | None:
        """What is wrong with a part."""
        return complaint_of(self.bank)


class Strip(Protocol):
    """All pixels of a board, set by one owner in whole frames only."""

    length: int

    def show(self, colours: Sequence[Colour]) -> None:
        """Send one frame, one colour per pixel in strip order. Raise HardwareError when the strip can't be driven."""
        ...

    def close(self) -> None:
        """Turn all pixels off and release the pin."""
        ...


def sensor_name(node: str, place: int | None) -> str:
    """Return the name of a sensor: the node's name, or ``b3/4`` or ``b3/middle`` for one of nine."""
    if place is None:
        return node
    return f"{node}/middle" if place == RING else f"{node}/{place}"


@dataclass(frozen=True)
class NodeWiring:
    """One node of the board: its sensor channel, its pixel, and its place (mm from the centre, y upwards)."""

    name: str
    channel: int
    pixel: int
    """Unused on a board without lights."""
    x: float
    y: float
    ring: tuple[int, ...] = ()
    """The nine channels of a node that reads tiles: the ring clockwise from north, then the middle, which is also
    ``channel``; empty for other nodes."""
    well: bool = False
    """True for an octagonal well for tiles, False for a round node."""

    @property
    def channels(self) -> tuple[int, ...]:
        """All channels of the node."""
        return self.ring or (self.channel,)


@dataclass(frozen=True)
class TileMaking:
    """The make of one tile: its ring of magnets (see :mod:`hw.tile_codes`) and the lines drawn on it."""

    ring: str = ""
    """``11010000``: clockwise from north, 1 for a magnet; empty where the board's sensors do not read tiles."""
    lines: tuple[tuple[int, int], ...] = ()
    """The two edges (0 north to 7, clockwise) that each line joins."""


@dataclass(frozen=True)
class LevelBands:
    """Bounds of the strength of a level reading (its distance from 128)."""

    rest: int = 16
    """Below this: nothing."""
    single: int = 56
    """From ``rest`` to below this: a stack of opposite poles (weaker than a stone alone)."""
    double: int = 96
    """From ``single`` to below this: one stone. From this on: a stack of like poles."""


ABSENT = "absent"
"""The value of ``over`` for a board without a strip: nothing is opened, and frames are ignored."""


@dataclass(frozen=True)
class StripWiring:
    """One strip of pixels: its data pin, its number of pixels, and the order of their colour bytes."""

    pin: str = "D18"
    """The pin's name in Blinka: ``D18`` is BCM 18; or the address of what drives it over the network."""
    length: int = 45
    order: str = "GRB"
    over: str = "gpio"
    """How the data is sent: ``gpio`` (PWM, PCM, or PIO on a Pi 5), ``spi`` (``D10``), ``network`` or :data:`ABSENT`."""
    scheme: str = "ws2812"
    """The kind of its pixels: a name in :data:`hw.lights.STRIPS`."""


@dataclass(frozen=True)
class LightsWiring:
    """All strips of a board, with pixels numbered continuously over them, and their limits of brightness."""

    strips: tuple[StripWiring, ...] = (StripWiring(),)
    max_current_ma: int = 1500
    """Maximum current of all pixels together, without their idle current."""
    brightness: float = 1.0
    """Scale of every colour, above 0 and at most 1."""
    gamma: float = 1.0
    """1 sends colours unchanged; with about 2.2 half a value looks half as bright."""

    @property
    def length(self) -> int:
        """Number of pixels of all strips together."""
        return sum(strip.length for strip in self.strips)

    @property
    def has_strips(self) -> bool:
        """Whether the board has any strip; people can also play by phones and screens alone."""
        return any(strip.over != ABSENT for strip in self.strips)


def no_lights(nodes: int) -> LightsWiring:
    """Return the lights of a board without any: one absent pixel per node."""
    return LightsWiring((StripWiring("", nodes, "GRB", ABSENT),))


@dataclass(frozen=True)
class NodeLevels:
    """Measured levels (0 to 255) of one linear sensor."""

    rest: int
    """With nothing on the node."""
    north: int
    """Under one stone, north up."""
    south: int
    """Under one stone, south up."""
    stack: int
    """Under two stones of opposite poles, the lower one north up."""
    stacks: bool = True
    """Whether stacks differ enough from stones to be recognised; where False, the table asks the players."""


@dataclass(frozen=True)
class BoardDescription:
    """The checked contents of a board file: what a back end needs to open the board, and the program to use it."""

    name: str
    game: str
    backend: str
    """Name in the entry points ``lodestone.boards``: ``gpio`` or ``sim``."""
    kind: str
    """``presence``, ``polarity``, ``level`` or ``coded``."""
    scheme: str
    """The wiring of the sensors: a name in :data:`hw.registry.SCHEMES`."""
    nodes: Mapping[str, NodeWiring]
    pins: Pins
    """The scheme's name of a pin or list of pins → BCM numbers: ``load`` → 5, ``select`` → (5, 6, 13, 19)."""
    lights: LightsWiring = LightsWiring()
    scan_hz: int = 100
    lines: tuple[tuple[str, ...], ...] = ()
    """Straight printed lines, each through two or more nodes."""
    circles_mm: tuple[float, ...] = ()
    """Radii of printed circles round the centre."""
    paths_mm: tuple[tuple[tuple[float, float], ...], ...] = ()
    style: str = "holes"
    """Printed curves, each as its points (x, y) in order."""
    node_mm: float = 22.0
    """Diameter of a printed node."""
    well_mm: float = 56.0
    """Width of a well from flat to flat; tiles are a little smaller."""
    sizes: Sizes = field(default_factory=Sizes)
    """Sizes of holes and cuts."""
    bands: LevelBands = field(default_factory=LevelBands)
    """Level bands of nodes without calibration."""
    calibration: Mapping[str, NodeLevels] = field(default_factory=dict)
    """Name of a node → its measured levels, for nodes that were calibrated."""
    options: Options = field(default_factory=dict)
    """The scheme's settings, with defaults for those missing in the board file: ``settle_us`` → 10."""
    tiles: Mapping[str, TileMaking] = field(default_factory=dict)
    """Name → tile, for all tiles of the board."""
    supply: Mapping[str, int] = field(default_factory=dict)
    """Number of pieces of each letter, without tiles; empty for the usual white and black stones."""
    disabled_channels: frozenset[int] = frozenset()
    """Channels of broken sensors, which are ignored."""
    part: str = ""
    """The sensor under each node: a name in :data:`hw.sensor_parts.PARTS`; empty if the board file has none."""
    magnet: Magnet | None = None
    """The magnet of a stone; None if the board file has none."""

    @property
    def slot_mm(self) -> tuple[float, float]:
        """Length and width of a sensor's slot: the board file's, else the part's; equal for a round hole."""
        hole = self.sizes.hole_mm
        return self.sizes.slot_mm or (PARTS[self.part].slot_mm if self.part and hole else (hole, hole))

    @cached_property
    def channels(self) -> int:
        """Number of channels of a scan."""
        return sum(len(node.channels) for node in self.nodes.values())

    @property
    def channel_kind(self) -> str:
        """Kind of reading of each channel: ``kind``, but ``presence`` for kind ``coded``."""
        return "presence" if self.kind == CODED else self.kind

    @property
    def switches(self) -> int:
        """Number of switches if switches read the channels: two per channel with ``polarity``, else one."""
        return self.channels * (2 if self.channel_kind == "polarity" else 1)

    def sensors(self) -> Mapping[int, tuple[str, int | None]]:
        """Return channel → (node, place): place 0 to 7 in the ring, 8 in the middle, None for a node's only sensor."""
        return self._sensors

    @cached_property
    def _sensors(self) -> Mapping[int, tuple[str, int | None]]:
        return {
            channel: (node.name, place if node.ring else None)
            for node in self.nodes.values()
            for place, channel in enumerate(node.channels)
        }

    def sensor_names(self) -> Mapping[str, int]:
        """Return name of a sensor (``D12``, ``b3/4``, ``b3/middle``) → its channel, in the order of the nodes."""
        return {
            sensor_name(node.name, place if node.ring else None): channel
            for node in self.nodes.values()
            for place, channel in enumerate(node.channels)
        }

    def sensor_words(self, channel: int) -> str:
        """Return the words for a channel's sensor: ``D12``, ``b3, ring sensor 4``, ``b3, middle sensor``."""
        node, place = self.sensors()[channel]
        if place is None:
            return node
        return f"{node}, middle sensor" if place == RING else f"{node}, ring sensor {place}"


@dataclass
class OpenBoard:
    """An open board: sensors, lights, and in simulation its parts and the helper."""

    sensors: SensorBank
    strip: Strip
    description: BoardDescription
    simulated: Any = None
    """In simulation: its parts (``simulator.board.SimulatedBoard``); else None."""
    attend: Callable[[Sequence[Mapping[str, Any]]], None] | None = None
    """In simulation: do these tasks (see docs/view.md) as a helpful person would; else None."""
    eyes: Callable[[Sequence[int]], Colour] | None = None
    """In simulation: return the colour of the darkest of these pixels; else None."""
    close_hooks: list[Callable[[], None]] = field(default_factory=list)
    closed: bool = False

    def close(self) -> None:
        """Close strip and sensors, then run the hooks, the last one first; a second call does nothing."""
        if self.closed:
            return
        self.closed = True
        with ExitStack() as closing:  # Each part is closed, also when another one fails.
            for hook in self.close_hooks:
                closing.callback(hook)
            closing.callback(self.sensors.close)
            closing.callback(self.strip.close)

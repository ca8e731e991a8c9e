"""The two small protocols behind which every sensor and light sits, and what a board file says of them.

Readings of one scan are plain integers, a channel each:

========== ==========================================================================
kind       reading
========== ==========================================================================
presence   0 nothing, 1 a stone
polarity   0 nothing, 1 north up (white), 2 south up (black), 3 fault (both at once)
level      0 to 255, 128 no field; above: north up, below: south up
========== ==========================================================================

A board of kind ``coded`` has readings of presence in all its channels, of which some nodes have nine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from hw.magnets import Magnet
from hw.pins import Options, Pins
from hw.sensor_parts import PARTS
from hw.sizes import Sizes

KINDS = ("presence", "polarity", "level")
"""What a single channel can tell."""
CODED = "coded"
"""The kind of a board on which nodes with nine channels read tiles, all others presence; each channel reads 0 or 1."""
BOARD_KINDS = (*KINDS, CODED)

RING = 8
"""Sensors in the ring of a node that reads tiles; one more is in its middle."""

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255 each."""


class Message(str):
    """A sentence that keeps its ``form`` with gaps and their ``values``, so that it can be translated.

    A value may be a message again.
    """

    __slots__ = ("form", "values")
    form: str
    values: Mapping[str, object]

    def __new__(cls, form: str, /, **values: object) -> Message:
        """Fill the gaps."""
        made = super().__new__(cls, form.format_map(values) if values else form)
        made.form, made.values = form, values
        return made


class HardwareError(RuntimeError):
    """A part that can't be opened or has stopped answering; the message says which and what to do.

    What may happen while people play is :class:`Message`.
    """


class SensorBank(Protocol):
    """All sensors of a board."""

    channels: int
    kind: str

    def scan(self) -> Sequence[int]:
        """Return one reading a channel, in channel order. Raise HardwareError when the board is lost."""
        ...

    def close(self) -> None:
        """Let go of the pins."""
        ...


class Strip(Protocol):
    """All pixels of a board. One owner, whole frames only."""

    length: int

    def show(self, colours: Sequence[Colour]) -> None:
        """Send one frame, a colour a pixel in strip order. Raise HardwareError when the strip can't be driven."""
        ...

    def close(self) -> None:
        """Turn everything off and let go of the pin."""
        ...


def sensor_name(node: str, place: int | None) -> str:
    """Return the name of a sensor: that of its node, of one of nine ``b3/4`` or ``b3/middle``."""
    if place is None:
        return node
    return f"{node}/middle" if place == RING else f"{node}/{place}"


@dataclass(frozen=True)
class NodeWiring:
    """One node of the board: its sensor channel, its pixel, and where it lies (mm from the centre, y upwards)."""

    name: str
    channel: int
    pixel: int
    """Of a board without lights it means nothing."""
    x: float
    y: float
    ring: tuple[int, ...] = ()
    """Of a node that reads tiles its nine channels: the ring clockwise from north, then the middle, which is
    ``channel``, too."""
    well: bool = False
    """An octagonal well for tiles, else a round node."""

    @property
    def channels(self) -> tuple[int, ...]:
        """All channels of the node."""
        return self.ring or (self.channel,)


@dataclass(frozen=True)
class TileMaking:
    """One tile as it is made: its ring of magnets (see :mod:`hw.tile_codes`) and what is drawn on it."""

    ring: str = ""
    """``11010000``: clockwise from north, 1 for a magnet; empty where the board's sensors do not read it."""
    lines: tuple[tuple[int, int], ...] = ()
    """The edges (0 north to 7, clockwise) that its lines join."""


@dataclass(frozen=True)
class LevelBands:
    """How strong a level reading (distance from 128) is nothing, a stack of opposite poles, a stone, a like stack."""

    rest: int = 16
    """Below this: nothing there."""
    single: int = 56
    """From ``rest`` to below this: a stack of opposite poles (weaker than a stone alone)."""
    double: int = 96
    """From ``single`` to below this: one stone; from here on: like poles stacked."""


ABSENT = "absent"
"""How a strip is driven that a board does not have: nothing is opened, and what it shows is lost."""


@dataclass(frozen=True)
class StripWiring:
    """One strip of pixels: its data pin, how many pixels hang on it, and the order of their colour bytes."""

    pin: str = "D18"
    """Blinka's name of the pin: ``D18`` is BCM 18."""
    length: int = 45
    order: str = "GRB"
    over: str = "gpio"
    """What clocks the bytes out: ``gpio`` (PWM, PCM, or PIO on a Pi 5), ``spi`` (``D10``), or :data:`ABSENT`."""


@dataclass(frozen=True)
class LightsWiring:
    """All strips of a board, pixels numbered on from one strip to the next, and how bright they may get."""

    strips: tuple[StripWiring, ...] = (StripWiring(),)
    max_current_ma: int = 1500
    """All pixels of all strips together stay under this."""
    brightness: float = 1.0
    """Scales every colour, above 0 to 1."""
    gamma: float = 1.0
    """1 sends colours as they are; about 2.2 makes half a value look half as bright."""

    @property
    def length(self) -> int:
        """Pixels of all strips together."""
        return sum(strip.length for strip in self.strips)

    @property
    def wired(self) -> bool:
        """Whether there are any: people can play by phones and screens alone."""
        return any(strip.over != ABSENT for strip in self.strips)


def no_lights(nodes: int) -> LightsWiring:
    """Return what stands for the lights of a board that has none: a pixel a node, none of which is there."""
    return LightsWiring((StripWiring("", nodes, "GRB", ABSENT),))


@dataclass(frozen=True)
class NodeLevels:
    """What one linear sensor was measured to read (0 to 255)."""

    rest: int
    """With nothing there."""
    north: int
    """Under one stone, north up."""
    south: int
    """Under one stone, south up."""
    stack: int
    """Under two stones of opposite poles, the lower one north up."""
    stacks: bool = True
    """False where these lie too close together: there stacks can't be told from stones, and the table asks."""


@dataclass(frozen=True)
class BoardDescription:
    """A board file, read and checked: what a back end needs to open the board and the program to use it."""

    name: str
    game: str
    backend: str
    """Name in the entry points ``lodestone.boards``: ``gpio`` or ``sim``."""
    kind: str
    """``presence``, ``polarity``, ``level`` or ``coded``."""
    scheme: str
    """How the sensors are wired: a name in :data:`hw.registry.SCHEMES`."""
    nodes: Mapping[str, NodeWiring]
    pins: Pins
    """BCM numbers by the names that the scheme gives them, some in lists: ``load`` → 5, ``select`` → (5, 6, 13, 19)."""
    lights: LightsWiring = LightsWiring()
    scan_hz: int = 100
    lines: tuple[tuple[str, ...], ...] = ()
    """Straight printed lines, each through two or more nodes."""
    circles_mm: tuple[float, ...] = ()
    """Radii of printed circles round the centre."""
    paths_mm: tuple[tuple[tuple[float, float], ...], ...] = ()
    """Printed curves, each by its points in order."""
    node_mm: float = 22.0
    """Diameter of a printed node."""
    well_mm: float = 56.0
    """Width of a well from flat to flat; tiles are a little smaller."""
    sizes: Sizes = field(default_factory=Sizes)
    """What is drilled and cut."""
    bands: LevelBands = field(default_factory=LevelBands)
    """How levels are understood at nodes without calibration."""
    calibration: Mapping[str, NodeLevels] = field(default_factory=dict)
    """Nodes whose sensors were measured."""
    options: Options = field(default_factory=dict)
    """The scheme's settings, those too that the board file leaves out: ``settle_us`` → 10."""
    tiles: Mapping[str, TileMaking] = field(default_factory=dict)
    """The tiles that are played with, by their names."""
    supply: Mapping[str, int] = field(default_factory=dict)
    """How many pieces of each letter belong to the board, tiles left out; empty: white and black stones as usual."""
    disabled_channels: frozenset[int] = frozenset()
    """Channels that are known to be broken and done without."""
    part: str = ""
    """The sensor under each node: a name in :data:`hw.sensor_parts.PARTS`; empty where the file does not say."""
    magnet: Magnet | None = None
    """The magnet of a stone, where the file says."""

    @property
    def slot_mm(self) -> tuple[float, float]:
        """Length and width of the slot for each sensor: the file's, else its part's; both alike: a round hole."""
        hole = self.sizes.hole_mm
        return self.sizes.slot_mm or (PARTS[self.part].slot_mm if self.part and hole else (hole, hole))

    @property
    def channels(self) -> int:
        """How many channels a scan has."""
        return sum(len(node.channels) for node in self.nodes.values())

    @property
    def channel_kind(self) -> str:
        """What each single channel can tell: the kind, and ``presence`` for a board that reads tiles."""
        return "presence" if self.kind == CODED else self.kind

    @property
    def switches(self) -> int:
        """How many switches its channels have where each is read by switches: one for each pole with ``polarity``."""
        return self.channels * (2 if self.channel_kind == "polarity" else 1)

    def sensors(self) -> Mapping[int, tuple[str, int | None]]:
        """Return channel → (node, place in its ring, 8 for the middle; None where the node has one sensor)."""
        return {
            channel: (node.name, place if node.ring else None)
            for node in self.nodes.values()
            for place, channel in enumerate(node.channels)
        }

    def sensor_names(self) -> Mapping[str, int]:
        """Return the name of each sensor (``D12``, ``b3/4``, ``b3/middle``) → its channel, in the nodes' order."""
        return {
            sensor_name(node.name, place if node.ring else None): channel
            for node in self.nodes.values()
            for place, channel in enumerate(node.channels)
        }

    def sensor_words(self, channel: int) -> str:
        """Return what a channel's sensor is called: ``D12``, ``b3, ring sensor 4``, ``b3, middle sensor``."""
        node, place = self.sensors()[channel]
        if place is None:
            return node
        return f"{node}, middle sensor" if place == RING else f"{node}, ring sensor {place}"


@dataclass
class OpenBoard:
    """What a back end hands over: sensors, lights, and in simulation the virtual board's web pages and its hand."""

    sensors: SensorBank
    strip: Strip
    description: BoardDescription
    web: Any = None
    """A Flask blueprint to mount on the panel, or None."""
    attend: Callable[[Sequence[Mapping[str, Any]]], None] | None = None
    """In simulation: let the simulated hand do these tasks (see docs/view.md), as a helpful person would; else None."""
    gpio_calls: Callable[[], int] | None = None
    """How many reads and writes of pins there were so far, where somebody counts them; else None."""
    close_hooks: list[Callable[[], None]] = field(default_factory=list)
    closed: bool = False

    def close(self) -> None:
        """Close everything, last opened first; closing again does nothing."""
        if self.closed:
            return
        self.closed = True
        self.strip.close()
        self.sensors.close()
        for hook in reversed(self.close_hooks):
            hook()

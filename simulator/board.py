"""The back end ``sim``: the same drivers as on a Pi, over simulated parts."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from firmware_host.platform import now, patience
from hw.lights import BoardLights, open_lights
from hw.ports import (
    BoardDescription,
    Colour,
    HardwareError,
    OpenBoard,
    SensorBank,
    WrappedSensors,
)
from hw.registry import SCHEMES, open_bank, scheme_of, wire_faults, wiring_error
from hw.sensor_parts import PARTS
from simulator.breadboard import SIMULATED, Breadboard, connect
from simulator.buses import SimulatedGpio
from simulator.hand import Hand
from simulator.helper import Helper
from simulator.lights import connect_strips
from simulator.stones import World, trait_of
from simulator.tiles import Pieces

Clock = Callable[[], float]
_log = logging.getLogger(__name__)
RESTS = 9
"""Number of scans of an unchanged board that are skipped between two real ones, which linear sensors need for noise."""


class Resting(WrappedSensors):
    """Sensors that repeat their last readings while nothing changes, without driving each pin."""

    def __init__(self, bank: SensorBank, world: World) -> None:
        """``bank`` reads the sensors of ``world``."""
        super().__init__(bank)
        self.close, self._world = bank.close, world
        self._read: Sequence[int] = ()
        self._at, self._left = -1, 0

    def scan(self) -> Sequence[int]:
        """Return all readings, as the bank does."""
        if self._world.calm and self._world.changes == self._at and self._left:
            self._left -= 1
            return self._read
        self._at = self._world.changes if self._world.calm else -1
        self._read, self._left = self.bank.scan(), RESTS
        return self._read


class PluggedBank(WrappedSensors):
    """A driver together with the simulated device on its port; :meth:`close` ends both."""

    def __init__(self, bank: SensorBank, breadboard: Breadboard) -> None:
        """``bank`` is the driver that holds the port."""
        super().__init__(bank)
        self.scan = bank.scan
        self._breadboard = breadboard

    def close(self) -> None:
        """Close the port, then unplug."""
        self.bank.close()
        self._breadboard.unplug()


class Watcher:
    """Counts changes of stones and pixels, and wakes those that wait for one."""

    def __init__(self) -> None:
        """Begin without changes."""
        self.run = secrets.token_hex(4)
        """Identifies this run of the program: ``count`` starts at 0 in each run."""
        self.count = 0
        self._closed = False
        self._condition = threading.Condition()

    def note_change(self) -> None:
        """Report a change of stones or pixels."""
        with self._condition:
            self.count += 1
            self._condition.notify_all()

    def close(self) -> None:
        """End all streams."""
        self._closed = True
        self.note_change()

    def closing(self) -> bool:
        """Tell whether all streams end."""
        return self._closed

    def wait(self, after: int, timeout: float) -> int:
        """Wait for a count above ``after``, or ``timeout`` seconds; return the count."""
        with self._condition:
            self._condition.wait_for(lambda: self.count > after, patience(timeout))
            return self.count


def fit_wiring(board: BoardDescription) -> BoardDescription:
    """Return a board whose wiring can read its kind: a simulated board may be opened with a kind unlike its file's.

    If the wiring does not fit, choose new pins in its own scheme or else another scheme, and log that. Raise
    HardwareError for an unknown scheme, or when no scheme fits.
    """
    why = wiring_error(board)
    if why is None:
        return board
    others = sorted(SCHEMES.usable().values(), key=lambda one: (one.scans_itself, bool(one.most_scans(99)), one.name))
    for scheme in (scheme_of(board), *others):
        able = board.channel_kind in scheme.kinds and scheme.name in SIMULATED.names()
        pins = scheme.example(scheme.inputs_of(board)) if able else None
        if pins is not None:
            options = {name: option.default for name, option in scheme.options.items()}
            _log.info("%s: %s; simulated as %s", board.name, why, scheme.name)
            return replace(board, scheme=scheme.name, pins=pins, options=options)
    raise HardwareError(f"{board.name}: {why}")


class SimulatedBoard:
    """The parts of a simulated board, connected as described."""

    def __init__(
        self,
        description: BoardDescription,
        clock: Clock = now,
        seed: int = 0,
        soldered: BoardDescription | None = None,
        *,
        is_stepped: bool = False,
    ) -> None:
        """Wire world, chips, pins and strip; start no thread.

        With ``is_stepped`` hardware that scans by itself runs on ``clock``, too, which a test moves.

        The drivers follow ``description``, the parts ``soldered``: None for a board that is wired as described. Where
        they differ, chips do what real ones do that nobody drives rightly: they float, or do not answer.
        """
        self.description = description = fit_wiring(description)
        wired = description if soldered is None else fit_wiring(soldered)
        wirings = sorted(wired.nodes.values(), key=lambda wiring: wiring.channels)
        names = [wiring.name for wiring in wirings]
        sensors = [sensor for _, sensor in sorted(wired.sensors().items())]
        pieces = Pieces.of(description)
        self.world = World(names, description.kind, clock, seed, pieces=pieces, sensors=sensors)
        self.world.traits.update({node: trait_of(levels) for node, levels in description.calibration.items()})
        part = PARTS.get(wired.part)
        lonely = not any(
            node.ring for node in wired.nodes.values()
        )  # In wells magnets' fields are simulated, not time.
        if part is not None and part.period_ms and self.world.kind != "level" and lonely:
            self.world.sample(part.least_period_ms / 1000, part.period_ms / 1000)
        self._clock, self._is_stepped, self._wired = clock, is_stepped, wired
        self.breadboard = Breadboard(is_miswired=soldered is not None)
        connect(wired, self.world, self.breadboard)
        self._pixels = {wiring.pixel: wiring.name for wiring in wired.nodes.values()}
        self.world.break_by(wire_faults(wired))
        keeping = [chip for bus in self.breadboard.on_i2c.values() for chip in bus.values() if hasattr(chip, "restart")]
        if keeping:

            def restart() -> None:
                for chip in keeping:
                    chip.restart()

            self.world.restart = restart
        if soldered is not None:  # What is driven and leads nowhere.
            connect_strips(description.lights, self.breadboard)
        self.wire = connect_strips(wired.lights, self.breadboard)
        for wire in self.wire.wires:
            wire.is_strict = soldered is None
        self.watcher = Watcher()
        self.world.on_change = self.wire.on_frame = self.watcher.note_change

    @property
    def gpio(self) -> SimulatedGpio:
        """The pins, which count reads and writes."""
        return self.breadboard.pins

    def lit_node(self) -> str | None:
        """Return the node of the brightest pixel; None when all pixels are dark."""
        brightness = list(map(sum, self.wire.pixels()))
        return self._pixels.get(brightness.index(max(brightness))) if any(brightness) else None

    def shown_colour(self, among: Sequence[int] | None = None) -> Colour:
        """Return the colour that people see: that of the brightest pixel, or of the darkest ``among`` some."""
        pixels = self.wire.pixels()
        if among is None:
            return max(pixels, key=sum)
        return min((pixels[at] if at < len(pixels) else (0, 0, 0) for at in among), key=sum)

    def sensors(self) -> SensorBank:
        """Return the driver over the simulated chips. Raise HardwareError when it can't be opened."""
        in_step = SIMULATED.get(self.description.scheme).in_step
        if self._is_stepped and in_step is not None:
            return in_step(self.description, self._wired, self.world, self._clock)
        try:
            bank = open_bank(self.description, self.breadboard)
        except HardwareError:
            self.breadboard.unplug()
            raise
        return PluggedBank(bank, self.breadboard) if self.breadboard.plugged else bank

    def strip(self) -> BoardLights:
        """Return the drivers over the simulated strips. Raise HardwareError when one can't be opened."""
        return open_lights(self.description.lights, self.breadboard)


def open_board(
    description: BoardDescription,
    *,
    clock: Clock = now,
    seed: int = 0,
    pause_s: float = 0.5,
    rests: bool = False,
    soldered: BoardDescription | None = None,
) -> OpenBoard:
    """Open a simulated board with a helper that waits ``pause_s`` before each task.

    With ``rests`` an unchanged board is not scanned each time: a game takes a fifth of the processor then, measurements
    need all scans. ``soldered`` is the board as its parts are wired, where that is not as described.
    """
    parts = SimulatedBoard(description, clock, seed, soldered)
    helper = Helper(Hand(parts.world, "helper"), pause_s, lit_node=parts.lit_node)
    helper.start()
    sensors = parts.sensors()
    return OpenBoard(
        Resting(sensors, parts.world) if rests and not parts.breadboard.plugged else sensors,
        parts.strip(),
        parts.description,
        simulated=parts,
        attend=helper.attend,
        eyes=parts.shown_colour,
        close_hooks=[helper.close, parts.watcher.close],
    )

"""The sections of a board file, from TOML to what they describe; each mistake is recorded with its line.

[sensors] (scheme, kind, pins and options, checked against the scheme), [lights] (one or two strips, their brightness,
and the current limit of all pixels), [nodes] (each node's sensors, its pixel and its place), [tiles] and [supply] (the
pieces of a board), [calibration] (the measured levels of each linear sensor). [drawing] has its own module.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import dist

from firmware_host.boardfile.checks import MAX_PIXELS, Checks, Table, alike, difference, is_number
from hw.lights import GPIO, NETWORK, SPI, STRIPS, StripScheme
from hw.magnets import REMANENCE_T, STONE_MM, Magnet, fitting, saturates
from hw.pins import OptionValue
from hw.ports import (
    BOARD_KINDS,
    CODED,
    BoardDescription,
    HardwareError,
    LevelBands,
    LightsWiring,
    NodeLevels,
    NodeWiring,
    Sizes,
    StripWiring,
    TileMaking,
    no_lights,
)
from hw.registry import SCHEMES
from hw.scheme import Option, PinList, Scheme
from hw.sensor_parts import PARTS, UNNAMED
from hw.tile_codes import MAX_TILES, MIDDLE, PLACES, RING, problems

# -- [sensors] ---------------------------------------------------------------------------------------------------------

MAX_PIN = 27
MAGNET_KEYS = ("mm", "height_mm", "grade", "gap_mm")
STONE_KEY = "stone_mm"
COMMON_KEYS = ("scheme", "kind", "scan_hz", "pins", "rest", "single", "double", "deaf", "part", "magnet")


@dataclass(frozen=True)
class Sensing:
    """The contents of [sensors]."""

    scheme: Scheme
    kind: str
    pins: dict[str, int | tuple[int, ...]]
    options: dict[str, OptionValue]
    scan_hz: int
    bands: LevelBands
    taken: dict[str, int]
    """Use → BCM number of every pin for the sensors, those of a bus included."""
    disabled_channels: frozenset[int] = frozenset()
    """Channels of broken sensors, which are ignored."""
    part: str = ""
    magnet: Magnet | None = None


def read_sensors(checks: Checks, sensors: Table) -> Sensing:
    """Read the section; record mistakes in ``checks``. Raise BoardFileError at once for an unknown scheme."""
    scheme = _scheme(checks, sensors)
    checks.check_keys("sensors", sensors, (*COMMON_KEYS, *scheme.options))
    before = len(checks.mistakes)
    kind = checks.choice("sensors", sensors, "kind", BOARD_KINDS)
    if kind != CODED and kind not in scheme.kinds:
        reason = f" ({scheme.refuses[kind]})" if kind in scheme.refuses else ""
        checks.report("sensors", "kind", f"kind: {scheme.name} reads {' or '.join(scheme.kinds)}, got {kind!r}{reason}")
    options = {key: _option(checks, sensors, key, option) for key, option in scheme.options.items()}
    taken = scheme.bus_pins(options) if len(checks.mistakes) == before else {}
    pins = _pins(checks, sensors, scheme, taken)
    scan_hz = checks.whole("sensors", sensors, "scan_hz", 1, 1000, 50)
    part, magnet = _part(checks, sensors, scheme, kind), _magnet(checks, sensors)
    bands, disabled = _bands(checks, sensors), _disabled_channels(checks, sensors)
    volts = scheme.supply(options).volts
    if magnet is not None and part and saturates(part, magnet.mt, volts):
        range_mt = PARTS[part].linear_at(volts)[1]
        measured = f"{magnet.mt:.0f} mT at {magnet.gap_mm:g} mm saturate the {part} (±{range_mt:g} mT)"
        better = fitting(magnet.mt, volts)
        advice = "a thicker plate" if saturates(better, magnet.mt, volts) else better
        checks.report("sensors", "magnet", f"magnet: {measured}, expected {advice}, or a weaker magnet")
    return Sensing(scheme, kind, pins, options, scan_hz, bands, taken, disabled, part, magnet)


def check_fit(checks: Checks, sensing: Sensing, description: BoardDescription) -> None:
    """Check that the pins and the parts' speed suffice for a board; do nothing after other mistakes."""
    inputs = 0 if checks.mistakes else sensing.scheme.inputs_of(description)
    if not inputs:
        return
    why = sensing.scheme.wiring_error(sensing.pins, sensing.options, inputs)
    if why is not None:
        key = why.partition(":")[0]
        checks.report("sensors", "pins" if key in sensing.pins else key, why)
    most = sensing.scheme.most_scans(inputs)
    if most is not None and sensing.scan_hz > most:
        why = f"scan_hz: {sensing.scheme.name} reads {inputs} inputs at most {most} times a second"
        checks.report("sensors", "scan_hz", f"{why}, expected 1 to {most}, got {sensing.scan_hz}")


def _scheme(checks: Checks, sensors: Table) -> Scheme:
    name = sensors.get("scheme")
    try:
        if isinstance(name, str):
            return SCHEMES.get(name)
        checks.report_value("sensors", sensors, "scheme", SCHEMES.choice())
    except HardwareError as error:
        checks.report("sensors", "scheme", str(error))
    raise checks.refusal()


def _disabled_channels(checks: Checks, sensors: Table) -> frozenset[int]:
    value = sensors.get("deaf", [])
    if not isinstance(value, list) or not all(type(one) is int for one in value):
        checks.report_value("sensors", sensors, "deaf", "a list of channels that are known to be broken")
        return frozenset()
    return frozenset(value)


def _part(checks: Checks, sensors: Table, scheme: Scheme, kind: str) -> str:
    """Return the file's sensor part; empty if it names none, or one that can't read this kind (a mistake)."""
    if sensors.get("part", UNNAMED) == UNNAMED:
        return ""
    before = len(checks.mistakes)
    part = checks.choice("sensors", sensors, "part", tuple(PARTS))
    sensing = "presence" if kind == CODED else kind
    known = len(checks.mistakes) == before and sensing in scheme.kinds
    why = scheme.part_error(part, sensing) if known else None
    if why is not None:
        checks.report("sensors", "part", why)
    return part if len(checks.mistakes) == before else ""


def _magnet(checks: Checks, sensors: Table) -> Magnet | None:
    """Return the magnet of a stone; None if the file has none, or after a mistake."""
    table = sensors.get("magnet")
    if table is None:
        return None
    if not isinstance(table, dict):
        checks.report_value("sensors", sensors, "magnet", f"{{ {', '.join(MAGNET_KEYS)} }}")
        return None
    checks.check_keys("sensors", table, (*MAGNET_KEYS, STONE_KEY), "magnet")
    before = len(checks.mistakes)
    sizes = [checks.real("sensors", table, key, None, line="magnet") for key in ("mm", "height_mm", "gap_mm")]
    sizes.append(checks.real("sensors", table, STONE_KEY, STONE_MM, line="magnet"))
    if len(checks.mistakes) == before and min(sizes) <= 0:
        checks.report("sensors", "magnet", f"magnet: expected sizes of more than 0 mm, got {min(sizes):g}")
    grade = table.get("grade")
    if not isinstance(grade, str) or grade not in REMANENCE_T:
        checks.report_value("sensors", table, "grade", f"one of {', '.join(REMANENCE_T)}", "magnet")
    return Magnet(sizes[0], sizes[1], str(grade), sizes[2], sizes[3]) if len(checks.mistakes) == before else None


def _option(checks: Checks, sensors: Table, key: str, option: Option) -> OptionValue:
    if option.choices:
        return checks.choice("sensors", sensors, key, option.choices) if key in sensors else option.default
    if isinstance(option.default, str):
        return checks.word("sensors", sensors, key) if key in sensors else option.default
    return checks.whole("sensors", sensors, key, option.low, option.high, int(option.default))


def _pins(checks: Checks, sensors: Table, scheme: Scheme, taken: dict[str, int]) -> dict[str, int | tuple[int, ...]]:
    """Return the pins by name, and add them to ``taken``; a pin used twice is a mistake."""
    if "pins" in sensors and not (scheme.pins or scheme.spare_pins or scheme.lists):
        checks.report("sensors", "pins", "pins: this scheme has none, expected no such line")
        return {}
    table = sensors.get("pins", {} if not _required_pins(scheme) else None)
    if not isinstance(table, dict):
        wanted = ", ".join(_required_pins(scheme) or [*scheme.spare_pins, *scheme.lists])
        checks.report("sensors", "pins", f"pins: expected {{ {wanted} }} with BCM numbers, got {table!r:.60}")
        return {}
    checks.check_keys("sensors", table, (*scheme.pins, *scheme.spare_pins, *scheme.lists), "pins")
    found: dict[str, int | tuple[int, ...]] = {}
    for name, size in scheme.lists.items():
        if name in table or size.needed:
            found[name] = _list(checks, table, name, size, taken)
    for name in (*scheme.pins, *(name for name in scheme.spare_pins if name in table)):
        before = len(checks.mistakes)
        number = checks.whole("sensors", table, name, 0, MAX_PIN, line="pins")
        if name in table and len(checks.mistakes) == before:
            _claim_pin(checks, name, number, taken)
        found[name] = number
    return found


def _required_pins(scheme: Scheme) -> list[str]:
    return [*scheme.pins, *(name for name, size in scheme.lists.items() if size.needed)]


def _list(checks: Checks, table: Table, name: str, size: PinList, taken: dict[str, int]) -> tuple[int, ...]:
    value = table.get(name)
    few = f"{size.least} pins" if size.least == size.most else f"{size.least} to {size.most} pins"
    if not isinstance(value, list) or not size.least <= len(value) <= size.most:
        checks.report_value("sensors", table, name, f"a list of {few}", "pins")
        return ()
    for at, number in enumerate(value):
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= MAX_PIN:
            why = f"{name}: expected whole numbers from 0 to {MAX_PIN}, got {number!r:.60}"
            checks.report("sensors", "pins", why)
            return ()
        _claim_pin(checks, f"{name} {at}", number, taken)
    return tuple(value)


def _claim_pin(checks: Checks, name: str, number: int, taken: dict[str, int]) -> None:
    other = next((known for known, pin in taken.items() if pin == number), None)
    if other is not None:
        owner = f"{other} already" if "'s " in other else f"{other}'s already"
        checks.report("sensors", "pins", f"{name}: pin {number} is {owner}, expected its own")
    taken[name] = number


def _bands(checks: Checks, sensors: Table) -> LevelBands:
    usual = LevelBands()
    rest, single, double = (
        checks.whole("sensors", sensors, name, 1, 127, getattr(usual, name)) for name in ("rest", "single", "double")
    )
    if not rest < single < double:
        checks.report("sensors", "rest", f"expected rest < single < double, got {rest}, {single}, {double}")
    return LevelBands(rest, single, double)


# -- [lights] ----------------------------------------------------------------------------------------------------------


STRIP_KEYS = ("scheme", "pin", "address", "length", "order", "over")
USUAL_STRIP = StripWiring().scheme
PIN_NAMES = tuple(f"D{number}" for number in range(28))


def read_lights(checks: Checks, lights: Table, taken: Mapping[str, int]) -> LightsWiring:
    """Read [lights]; record mistakes in ``checks``. ``taken`` maps names of the sensors' pins to BCM numbers.

    A board file without this section has no lights: people play by phones and screens.
    """
    if not lights and "lights" not in checks.data:
        nodes = checks.data.get("nodes")
        return no_lights(len(nodes) if isinstance(nodes, dict) else 0)
    checks.check_keys("lights", lights, (*STRIP_KEYS, "second", "max_current_ma", "brightness", "gamma"))
    strips = [_strip(checks, lights, taken, "")]
    second = lights.get("second")
    if isinstance(second, dict):
        checks.check_keys("lights", second, STRIP_KEYS, "second")
        strips.append(_strip(checks, {"scheme": strips[0].scheme, **second}, taken, "second"))
        _check_two_strips(checks, *strips)
    elif second is not None:
        checks.report("lights", "second", f"second: expected {{ pin, length, order }}, got {second!r:.60}")
    return LightsWiring(
        strips=tuple(strips),
        max_current_ma=checks.whole("lights", lights, "max_current_ma", 1, 100_000),
        brightness=_share(checks, lights, "brightness", 0.01, 1.0),
        gamma=_share(checks, lights, "gamma", 1.0, 4.0),
    )


def _strip(checks: Checks, table: Table, taken: Mapping[str, int], entry: str) -> StripWiring:
    """Read one strip; ``entry`` is the key that contains it, or empty for [lights] itself."""
    scheme = _strip_scheme(checks, table, entry)
    if NETWORK in scheme.over:
        return _far_strip(checks, table, scheme, entry)
    if "address" in table:
        checks.report("lights", entry or "address", f"address: a {scheme.part} has none, expected a pin")
    pin = table.get("pin")
    number = re.fullmatch(r"D(\d|1\d|2[0-7])", pin) if isinstance(pin, str) else None
    if number is None:
        meant = alike(pin, PIN_NAMES) if isinstance(pin, str) else None
        slip = f" ({meant}? there is {difference(str(pin), meant)})" if meant else ""
        checks.report_value("lights", table, "pin", f"D0 to D27{slip}", entry)
    on_bus = number is not None and int(number.group(1)) in scheme.spi_pins
    over = table.get("over", SPI if on_bus or GPIO not in scheme.over else GPIO)
    if over not in scheme.over:
        checks.report_value("lights", table, "over", f"one of {', '.join(scheme.over)}", entry)
    strip = StripWiring(str(pin), *_length_and_order(checks, table, scheme, entry), str(over), scheme.name)
    if number is not None:
        _check_pin(checks, strip, scheme, taken, entry)
    return strip


def _far_strip(checks: Checks, table: Table, scheme: StripScheme, entry: str) -> StripWiring:
    """Read a strip that another device drives."""
    address = table.get("address")
    if not isinstance(address, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]{0,252}", address):
        checks.report_value("lights", table, "address", "a name or an address in the network: wled.local", entry)
    for key in ("pin", "over"):
        if key in table:
            checks.report(
                "lights", entry or key, f"{key}: a {scheme.part} hangs on none of the Pi's, expected an address"
            )
    return StripWiring(str(address), *_length_and_order(checks, table, scheme, entry), NETWORK, scheme.name)


def _length_and_order(checks: Checks, table: Table, scheme: StripScheme, entry: str) -> tuple[int, str]:
    length = checks.whole("lights", table, "length", 1, MAX_PIXELS, line=entry)
    order = table.get("order")
    if order not in scheme.orders:
        checks.report_value("lights", table, "order", f"one of {', '.join(scheme.orders)}{_white_words(order)}", entry)
    return length, str(order)


def _strip_scheme(checks: Checks, table: Table, entry: str) -> StripScheme:
    """Return the kind of strip, the usual one where it is a mistake."""
    name = table.get("scheme", USUAL_STRIP)
    if name not in STRIPS.names():
        checks.report_value("lights", table, "scheme", STRIPS.choice(), entry)
    else:
        try:
            return STRIPS.get(name)
        except HardwareError as error:
            checks.report("lights", entry or "scheme", str(error))
    return STRIPS.get(USUAL_STRIP)


def _white_words(order: object) -> str:
    """Return the words on schemes that take an order of four letters, if that is one."""
    able = [name for name, one in STRIPS.usable().items() if order in one.orders]
    return f"; with {order} the scheme is {' or '.join(able)}" if able else ""


def _check_pin(checks: Checks, strip: StripWiring, scheme: StripScheme, taken: Mapping[str, int], entry: str) -> None:
    """Record a mistake for a pin that the sensors use; over SPI also for sensors on any pin of that bus."""
    key, owner = entry or "pin", f"{entry}: " if entry else ""
    number, bus = int(strip.pin[1:]), scheme.bus(strip)
    if strip.over == SPI and bus is None:
        able = " or ".join(f"D{pin}" for pin in scheme.spi_pins)
        checks.report("lights", key, f"{owner}pin: {strip.pin} can't be driven over SPI, expected {able}")
        return
    theirs = [name for name in taken if name.startswith(f"SPI {scheme.spi_pins.get(number)}'s ")]
    if strip.over == GPIO and theirs:
        first = theirs[0].partition("'")[0]
        why = f'{strip.pin} belongs to {first}, which the sensors use, expected another pin or over = "spi"'
        checks.report("lights", key, f"{owner}pin: {why}")
    own = scheme.pins(strip) if bus is not None else ()
    for name, used in taken.items():
        if used == number:
            checks.report("lights", key, f"{owner}pin: {strip.pin} is the sensors' {name} already, expected its own")
        elif used in own and name not in theirs:
            takes = f"over SPI {strip.pin} takes pins {min(own)} to {max(own)}"
            why = f"{takes}, and the sensors' {name} is {used}, expected another there"
            checks.report("lights", key, f"{owner}pin: {why}")
    if bus is not None and theirs and "clock" in scheme.inputs:
        why = f"a strip with a clock shares SPI {bus} with nothing, and the sensors use it, expected another bus"
        checks.report("lights", key, f"{owner}pin: {why}")


def _check_two_strips(checks: Checks, first: StripWiring, second: StripWiring) -> None:
    if {first.over, second.over} == {NETWORK} and first.pin == second.pin:
        checks.report(
            "lights", "second", f"second: address {second.pin} is the first strip's already, expected its own"
        )
    if not re.fullmatch(r"D\d+", first.pin) or not re.fullmatch(r"D\d+", second.pin):
        return  # A mistake that is recorded already, or no pin.
    theirs, own = (set(STRIPS.get(one.scheme).pins(one)) for one in (first, second))
    if theirs & own:
        checks.report("lights", "second", f"second: pin {second.pin} is the first strip's already, expected its own")


def _share(checks: Checks, lights: Table, name: str, low: float, high: float) -> float:
    value = lights.get(name, 1.0)
    if not is_number(value) or not low <= value <= high:
        checks.report_value("lights", lights, name, f"a number from {low:g} to {high:g}")
        return 1.0
    return float(value)


# -- [nodes] -----------------------------------------------------------------------------------------------------------


NODES = "nodes"
MAX_CHANNELS = 512
APART_MM = 1.0
"""Minimum distance of two nodes; closer ones are probably a copied line that was not changed."""
NODE_KEYS = ("channel", "channels", "pixel", "x", "y", "well")


def read_nodes(checks: Checks, lights: LightsWiring, kind: str) -> dict[str, NodeWiring]:
    """Return the nodes of a board with these lights; record mistakes in ``checks``."""
    table = checks.section(NODES)
    if not table and NODES in checks.data:
        checks.report(NODES, "", "there are no nodes, expected at least one")
    nodes: dict[str, NodeWiring] = {}
    owners: tuple[dict[int, str], dict[int, str]] = ({}, {})
    for name, entry in table.items():
        if not isinstance(entry, dict):
            checks.report(NODES, name, f"{name}: expected {{ channel, pixel, x, y }}, got {entry!r}")
            continue
        checks.check_keys(NODES, entry, NODE_KEYS, name)
        channels = _channels(checks, name, entry, kind)
        for number in channels:
            _claim_number(checks, name, "channel", number, owners[0])
        pixel = _pixel(checks, name, entry, lights, owners[1]) if lights.has_strips else len(nodes)
        x, y = _place(checks, name, entry, nodes)
        ring = channels if len(channels) == PLACES else ()
        well = entry.get("well", bool(ring))
        if not isinstance(well, bool) or (ring and not well):
            checks.report_value(NODES, entry, "well", "true" if ring else "true or false", name)
        nodes[name] = NodeWiring(name, channels[MIDDLE] if ring else (*channels, 0)[0], pixel, x, y, ring, bool(well))
    _check_gaps(checks, owners[0])
    return nodes


def check_coded(checks: Checks, sensing: Sensing, nodes: dict[str, NodeWiring]) -> None:
    """Check a board's nodes with nine sensors: kind ``coded`` needs one, and at most one sensor of each is broken."""
    if sensing.kind == CODED and not checks.mistakes and not any(node.ring for node in nodes.values()):
        checks.report("sensors", "kind", "kind: coded: no node has nine channels, expected one or more")
    owners = {channel: node.name for node in nodes.values() for channel in node.ring}
    found: dict[str, int] = {}
    for channel in sensing.disabled_channels:
        owner = owners.get(channel)
        if owner is None:
            why = f"deaf: channel {channel} is not at a node with nine channels; only there one can be left out"
            checks.report("sensors", "deaf", why)
        elif owner in found:
            why = f"deaf: channels {found[owner]} and {channel} are both {owner}'s: one of nine can be made good"
            checks.report("sensors", "deaf", why)
        else:
            found[owner] = channel


def _channels(checks: Checks, name: str, entry: Table, kind: str) -> tuple[int, ...]:
    """Return a node's channels: one, or nine; empty after a mistake."""
    if "channels" not in entry:
        before = len(checks.mistakes)
        channel = checks.whole(NODES, entry, "channel", 0, MAX_CHANNELS - 1, line=name)
        return (channel,) if len(checks.mistakes) == before else ()
    if "channel" in entry:
        checks.report(NODES, name, f"{name}: expected channel or channels, got both")
    elif kind != CODED:
        checks.report(NODES, name, f'{name}: channels: nine sensors are read with kind = "coded", got {kind!r}')
    else:
        value = entry["channels"]
        whole = isinstance(value, list) and all(type(one) is int and 0 <= one < MAX_CHANNELS for one in value)
        if whole and len(value) == PLACES:
            return tuple(value)
        what = "a list of nine channels: the ring clockwise from north, then the middle"
        checks.report_value(NODES, entry, "channels", what, name)
    return ()


def _pixel(checks: Checks, name: str, entry: Table, lights: LightsWiring, owners: dict[int, str]) -> int:
    """Return a node's pixel; a pixel beyond the strips, or one of another node, is a mistake."""
    before = len(checks.mistakes)
    pixels = MAX_PIXELS if checks.has_mistake("lights", "length") else lights.length
    if entry.get("pixel") == pixels:
        why = f"pixels are counted from 0, and those of [lights] end at {pixels - 1} (length = {pixels})"
        found = f"{name}: pixel: expected a whole number from 0 to {pixels - 1}, got {pixels}: {why}"
        checks.report(NODES, name, found)
        return 0
    pixel = checks.whole(NODES, entry, "pixel", 0, max(0, pixels - 1), line=name)
    if len(checks.mistakes) == before:
        _claim_number(checks, name, "pixel", pixel, owners)
    return pixel


def _place(checks: Checks, name: str, entry: Table, nodes: Mapping[str, NodeWiring]) -> tuple[float, float]:
    """Return a node's place (x, y) in mm; the place of another node is a mistake."""
    before = len(checks.mistakes)
    x, y = (checks.real(NODES, entry, axis, None, line=name) for axis in "xy")
    if len(checks.mistakes) == before:
        other = next((one for one in nodes.values() if dist((x, y), (one.x, one.y)) < APART_MM), None)
        if other is not None and not checks.has_mistake(NODES, other.name):
            where = checks.line(NODES, other.name)
            why = f"x = {x:g}, y = {y:g} is where {other.name} lies (line {where})"
            checks.report(NODES, name, f"{name}: {why}, expected a place of its own")
    return x, y


def _claim_number(checks: Checks, name: str, what: str, number: int, owners: dict[int, str]) -> None:
    """Record the node that owns a number; a number with an owner is a mistake."""
    if number not in owners:
        owners[number] = name
    elif owners[number] == name:
        checks.report(NODES, name, f"{name}: {what} {number} is given twice, expected nine different ones")
    else:
        other = owners[number]
        where = checks.line(NODES, other)
        checks.report(NODES, name, f"{name}: {what} {number} is {other}'s (line {where}), expected its own")


def _check_gaps(checks: Checks, owners: dict[int, str]) -> None:
    highest = max(owners, default=-1)
    if not checks.mistakes and highest >= len(owners):
        name = owners[highest]
        checks.report(NODES, name, f"{name}: channel {highest}: expected 0 to {len(owners) - 1}, without gaps")


# -- [tiles] and [supply] ----------------------------------------------------------------------------------------------


TILES, SUPPLY = "tiles", "supply"
MAX_PIECES = 500
STONES = frozenset({"w", "b"})
_LINES = re.compile(r"[0-7]{2}( [0-7]{2})*")


def read_tiles(checks: Checks, kind: str) -> dict[str, TileMaking]:
    """Return name → tile; record mistakes in ``checks``. With kind ``coded`` each tile needs its ring of magnets."""
    table = checks.section(TILES, needed=kind == CODED)
    tiles: dict[str, TileMaking] = {}
    for name, entry in table.items():
        if isinstance(entry, str):
            tiles[name] = TileMaking(entry)
        elif isinstance(entry, dict):
            checks.check_keys(TILES, entry, ("ring", "lines"), name)
            ring = checks.word(TILES, entry, "ring") if "ring" in entry else ""
            tiles[name] = TileMaking(ring, _edge_pairs(checks, name, entry.get("lines", "")))
        else:
            checks.report(TILES, name, f'{name}: expected {{ ring = "11010000", lines = "04 15" }}, got {entry!r:.60}')
            continue
        if kind == CODED and not tiles[name].ring:
            checks.report(TILES, name, f"{name}: ring: expected the pattern of its magnets, but it is missing")
    rings = {name: tile.ring for name, tile in tiles.items() if tile.ring}
    for name, why in problems(rings):
        checks.report(TILES, name, f"{name}: {why}")
    if len(tiles) > MAX_TILES:
        checks.report("", TILES, f"[{TILES}]: expected at most {MAX_TILES} tiles, got {len(tiles)}")
    if kind == CODED and not tiles and TILES in checks.data:
        checks.report("", TILES, f"[{TILES}]: there are no tiles, expected at least one")
    return tiles


def read_supply(checks: Checks, tiles: dict[str, TileMaking]) -> dict[str, int]:
    """Return letter → number of such pieces; record mistakes in ``checks``."""
    supply = {}
    table = checks.section(SUPPLY, needed=False)
    for letter in table:
        if not re.fullmatch("[a-z]", letter):
            checks.report(SUPPLY, letter, f"{letter}: expected a piece's letter, a to z")
        elif letter in tiles:
            checks.report(SUPPLY, letter, f"{letter}: is a tile already, expected another letter")
        supply[letter] = checks.whole(SUPPLY, table, letter, 0, MAX_PIECES)
    if not table:
        for name in STONES & tiles.keys():
            checks.report(TILES, name, f"{name}: stones have this name, expected another")
    return supply


def _edge_pairs(checks: Checks, name: str, value: object) -> tuple[tuple[int, int], ...]:
    """Return the pairs of edges in a text like ``04 15 26 37``; empty after a mistake."""
    if value == "":
        return ()
    pairs = value.split() if isinstance(value, str) and _LINES.fullmatch(value) else []
    edges = [int(edge) for pair in pairs for edge in pair]
    if not pairs or len(set(edges)) != len(edges):
        what = f"pairs of edges 0 to {RING - 1}, each edge once, such as '04 15 26 37'"
        checks.report(TILES, name, f"{name}: lines: expected {what}; got {value!r:.60}")
        return ()
    return tuple(zip(edges[::2], edges[1::2], strict=True))


# -- [calibration] -----------------------------------------------------------------------------------------------------


CALIBRATION = "calibration"
LEVEL_KEYS = ("rest", "north", "south", "stack")


def read_calibration(checks: Checks, nodes: Collection[str]) -> dict[str, NodeLevels]:
    """Return node → measured levels; record mistakes in ``checks``."""
    found: dict[str, NodeLevels] = {}
    for name, entry in checks.section(CALIBRATION, needed=False).items():
        if name not in nodes:
            checks.report(CALIBRATION, name, f"{CALIBRATION}: {name!r:.60} is not among the nodes")
        elif not isinstance(entry, dict):
            checks.report(CALIBRATION, name, f"{name}: expected {{ {', '.join(LEVEL_KEYS)} }}, got {entry!r:.60}")
        else:
            checks.check_keys(CALIBRATION, entry, (*LEVEL_KEYS, "stacks"), name)
            before = len(checks.mistakes)
            rest, north, south, stack = (checks.whole(CALIBRATION, entry, key, 0, 255, line=name) for key in LEVEL_KEYS)
            stacks = entry.get("stacks", True)
            if not isinstance(stacks, bool):
                checks.report_value(CALIBRATION, entry, "stacks", "true or false", name)
            if len(checks.mistakes) == before:
                levels = NodeLevels(rest, north, south, stack, stacks)
                _check_order(checks, name, levels)
                found[name] = levels
    return found


def _check_order(checks: Checks, name: str, levels: NodeLevels) -> None:
    """Check that opposite poles move the level in opposite directions, and a stack no further than a stone."""
    low, high = sorted((levels.south, levels.north))
    if not low < levels.rest < high:
        checks.report(
            CALIBRATION,
            name,
            f"{name}: expected rest between south and north, got {levels.south}, {levels.rest}, {levels.north}",
        )
    elif not min(levels.rest, levels.north) <= levels.stack <= max(levels.rest, levels.north):
        checks.report(
            CALIBRATION,
            name,
            f"{name}: expected stack between rest and north, got {levels.rest}, {levels.stack}, {levels.north}",
        )


# -- [drawing]: the print on the plate, and the sizes of holes and cuts ------------------------------------------------


KEYS = (
    "circles_mm",
    "style",
    "lines",
    "paths_mm",
    "hole_mm",
    "slot_mm",
    "window_mm",
    "window_at",
    "edge_mm",
    "ring_mm",
    "magnet_mm",
    "corner_mm",
)
STYLES = ("holes", "crossings", "cells")
"""What a node may look like on screens; see :class:`firmware_host.games.game.Layout`."""
USUAL = Sizes()
MAX_MM = 1000


def read_lines(checks: Checks, drawing: Table, nodes: Collection[str]) -> tuple[tuple[str, ...], ...]:
    """Return the printed lines, each through two or more nodes."""
    lines = drawing.get("lines", [])
    if not isinstance(lines, list):
        checks.report("drawing", "lines", f"lines: expected lists of two or more nodes, got {lines!r:.60}")
        return ()
    drawn: list[tuple[str, ...]] = []
    reported: set[str] = set()
    for line in lines:
        names = line if isinstance(line, list) else [line]
        words = [name for name in names if isinstance(name, str)]
        if names is not line or len(names) < 2:
            why = f"lines: expected two or more nodes a line, got {line!r:.60}"
            checks.mistakes.append((checks.line_quoting(*words), why))
        for name in names:
            meant = alike(name, nodes) if name in words and name not in nodes else None
            if meant is not None:
                if name not in reported:  # A misspelt name may be in many lines: report it once, at its place.
                    _slip(checks, name, meant)
                reported.add(name)
            elif name not in words or name not in nodes:
                where = (name,) if name in words else words
                checks.mistakes.append((checks.line_quoting(*where), f"lines: {name!r:.60} is not among the nodes"))
        drawn.append(tuple(words))
    return tuple(drawn)


def _slip(checks: Checks, name: str, node: str) -> None:
    where = checks.line("nodes", node)
    why = f"lines: {name!r:.60} is not among the nodes, but {node!r:.60} (line {where}) is: {difference(node, name)}?"
    mistyped = sum(map(str.isdigit, node)) < sum(map(str.isdigit, name))
    checks.mistakes.append((where if mistyped else checks.line_quoting(name), why))


def read_circles(checks: Checks, drawing: Table) -> tuple[float, ...]:
    """Return the radii of the printed circles, mm."""
    circles = drawing.get("circles_mm", [])
    if not isinstance(circles, list) or not all(is_number(radius) and radius > 0 for radius in circles):
        checks.report("drawing", "circles_mm", f"circles_mm: expected a list of radii in mm, got {circles!r:.60}")
        return ()
    return tuple(map(float, circles))


def read_style(checks: Checks, drawing: Table) -> str:
    """Return what a node looks like on screens."""
    return checks.choice("drawing", drawing, "style", STYLES) if "style" in drawing else STYLES[0]


def read_paths(checks: Checks, drawing: Table) -> tuple[tuple[tuple[float, float], ...], ...]:
    """Return the printed curves, each as two or more points (x, y) in mm from the board's centre."""
    paths = drawing.get("paths_mm", [])
    for path in paths if isinstance(paths, list) else [paths]:
        points = path if isinstance(path, list) else []
        if len(points) < 2 or not all(map(_is_point, points)):
            why = f"paths_mm: expected lists of two or more points [x, y] in mm, got {path!r:.60}"
            checks.report("drawing", "paths_mm", why)
            return ()
    return tuple(tuple((float(x), float(y)) for x, y in path) for path in paths)


def read_sizes(checks: Checks, drawing: Table) -> Sizes:
    """Return the sizes of holes, windows and edge, in mm."""
    return Sizes(
        hole_mm=_length(checks, drawing, "hole_mm", 0.0),
        slot_mm=_slot(checks, drawing),
        window_mm=_length(checks, drawing, "window_mm", 0.5),
        window_at=_window_at(checks, drawing),
        edge_mm=_length(checks, drawing, "edge_mm", 1.0),
        ring_mm=_length(checks, drawing, "ring_mm", 1.0),
        magnet_mm=_length(checks, drawing, "magnet_mm", 0.5),
        corner_mm=_length(checks, drawing, "corner_mm", 0.0),
    )


def _is_point(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(is_number, value))


def _length(checks: Checks, drawing: Table, name: str, least: float) -> float:
    usual: float = getattr(USUAL, name)
    value = drawing.get(name, usual)
    if not is_number(value) or not least <= value <= MAX_MM:
        checks.report_value("drawing", drawing, name, f"a number (mm) from {least:g} to {MAX_MM}")
        return usual
    return float(value)


def _slot(checks: Checks, drawing: Table) -> tuple[float, float] | None:
    value = drawing.get("slot_mm")
    if value is None:
        return None
    if not isinstance(value, list) or not _is_point(value) or not 0 < value[1] <= value[0] <= MAX_MM:
        checks.report_value("drawing", drawing, "slot_mm", "[length, width] in mm, the length first")
        return None
    return float(value[0]), float(value[1])


def _window_at(checks: Checks, drawing: Table) -> tuple[float, float] | None:
    value = drawing.get("window_at")
    if value is None:
        return None
    if not isinstance(value, list) or not _is_point(value):
        checks.report_value("drawing", drawing, "window_at", "[right, up] in mm from the node's centre")
        return None
    return float(value[0]), float(value[1])

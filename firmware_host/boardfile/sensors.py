"""The section [sensors] of a board file: scheme, kind, pins and options, checked against the scheme."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.boardfile.checks import Checks, Table
from hw.magnets import REMANENCE_T, STONE_MM, Magnet, fitting, saturates
from hw.pins import OptionValue
from hw.ports import BOARD_KINDS, CODED, BoardDescription, HardwareError, LevelBands
from hw.registry import SCHEMES
from hw.scheme import Option, PinList, Scheme
from hw.sensor_parts import PARTS, UNNAMED

HIGHEST_PIN = 27
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
    checks.known("sensors", sensors, (*COMMON_KEYS, *scheme.options))
    before = len(checks.mistakes)
    kind = checks.choice("sensors", sensors, "kind", BOARD_KINDS)
    if kind != CODED and kind not in scheme.kinds:
        reason = f" ({scheme.refuses[kind]})" if kind in scheme.refuses else ""
        checks.wrong("sensors", "kind", f"kind: {scheme.name} reads {' or '.join(scheme.kinds)}, got {kind!r}{reason}")
    options = {key: _option(checks, sensors, key, option) for key, option in scheme.options.items()}
    taken = scheme.bus_pins(options) if len(checks.mistakes) == before else {}
    pins = _pins(checks, sensors, scheme, taken)
    scan_hz = checks.whole("sensors", sensors, "scan_hz", 1, 1000, 50)
    part, magnet = _part(checks, sensors, scheme, kind), _magnet(checks, sensors)
    bands, disabled = _bands(checks, sensors), _disabled(checks, sensors)
    volts = scheme.supply(options).volts
    if magnet is not None and part and saturates(part, magnet.mt, volts):
        range_mt = PARTS[part].linear_at(volts)[1]
        told = f"{magnet.mt:.0f} mT at {magnet.gap_mm:g} mm saturate the {part} (±{range_mt:g} mT)"
        better = fitting(magnet.mt, volts)
        advice = "a thicker plate" if saturates(better, magnet.mt, volts) else better
        checks.wrong("sensors", "magnet", f"magnet: {told}, expected {advice}, or a weaker magnet")
    return Sensing(scheme, kind, pins, options, scan_hz, bands, taken, disabled, part, magnet)


def check_fit(checks: Checks, sensing: Sensing, description: BoardDescription) -> None:
    """Check that the pins and the parts' speed suffice for a board; do nothing after other mistakes."""
    inputs = 0 if checks.mistakes else sensing.scheme.inputs_of(description)
    if not inputs:
        return
    why = sensing.scheme.wiring_error(sensing.pins, sensing.options, inputs)
    if why is not None:
        key = why.partition(":")[0]
        checks.wrong("sensors", "pins" if key in sensing.pins else key, why)
    most = sensing.scheme.most_scans(inputs)
    if most is not None and sensing.scan_hz > most:
        why = f"scan_hz: {sensing.scheme.name} reads {inputs} inputs at most {most} times a second"
        checks.wrong("sensors", "scan_hz", f"{why}, expected 1 to {most}, got {sensing.scan_hz}")


def _scheme(checks: Checks, sensors: Table) -> Scheme:
    name = sensors.get("scheme")
    try:
        if isinstance(name, str):
            return SCHEMES.get(name)
        checks.expected("sensors", sensors, "scheme", f"one of {', '.join(SCHEMES.names())}")
    except HardwareError as error:
        checks.wrong("sensors", "scheme", str(error))
    raise checks.refusal()


def _disabled(checks: Checks, sensors: Table) -> frozenset[int]:
    value = sensors.get("deaf", [])
    if not isinstance(value, list) or not all(type(one) is int for one in value):
        checks.expected("sensors", sensors, "deaf", "a list of channels that are known to be broken")
        return frozenset()
    return frozenset(value)


def _part(checks: Checks, sensors: Table, scheme: Scheme, kind: str) -> str:
    """Return the file's sensor part; empty if it names none, or one that can't read this kind (a mistake)."""
    if sensors.get("part", UNNAMED) == UNNAMED:
        return ""
    before = len(checks.mistakes)
    part = checks.choice("sensors", sensors, "part", tuple(PARTS))
    told = "presence" if kind == CODED else kind
    known = len(checks.mistakes) == before and told in scheme.kinds
    why = scheme.part_error(part, told) if known else None
    if why is not None:
        checks.wrong("sensors", "part", why)
    return part if len(checks.mistakes) == before else ""


def _magnet(checks: Checks, sensors: Table) -> Magnet | None:
    """Return the magnet of a stone; None if the file has none, or after a mistake."""
    table = sensors.get("magnet")
    if table is None:
        return None
    if not isinstance(table, dict):
        checks.expected("sensors", sensors, "magnet", f"{{ {', '.join(MAGNET_KEYS)} }}")
        return None
    checks.known("sensors", table, (*MAGNET_KEYS, STONE_KEY), "magnet")
    before = len(checks.mistakes)
    sizes = [checks.real("sensors", table, key, None, line="magnet") for key in ("mm", "height_mm", "gap_mm")]
    sizes.append(checks.real("sensors", table, STONE_KEY, STONE_MM, line="magnet"))
    if len(checks.mistakes) == before and min(sizes) <= 0:
        checks.wrong("sensors", "magnet", f"magnet: expected sizes of more than 0 mm, got {min(sizes):g}")
    grade = table.get("grade")
    if not isinstance(grade, str) or grade not in REMANENCE_T:
        checks.expected("sensors", table, "grade", f"one of {', '.join(REMANENCE_T)}", "magnet")
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
        checks.wrong("sensors", "pins", "pins: this scheme has none, expected no such line")
        return {}
    table = sensors.get("pins", {} if not _needed(scheme) else None)
    if not isinstance(table, dict):
        wanted = ", ".join(_needed(scheme) or [*scheme.spare_pins, *scheme.lists])
        checks.wrong("sensors", "pins", f"pins: expected {{ {wanted} }} with BCM numbers, got {table!r:.60}")
        return {}
    checks.known("sensors", table, (*scheme.pins, *scheme.spare_pins, *scheme.lists), "pins")
    found: dict[str, int | tuple[int, ...]] = {}
    for name, size in scheme.lists.items():
        if name in table or size.needed:
            found[name] = _list(checks, table, name, size, taken)
    for name in (*scheme.pins, *(name for name in scheme.spare_pins if name in table)):
        before = len(checks.mistakes)
        number = checks.whole("sensors", table, name, 0, HIGHEST_PIN, line="pins")
        if name in table and len(checks.mistakes) == before:
            _take(checks, name, number, taken)
        found[name] = number
    return found


def _needed(scheme: Scheme) -> list[str]:
    return [*scheme.pins, *(name for name, size in scheme.lists.items() if size.needed)]


def _list(checks: Checks, table: Table, name: str, size: PinList, taken: dict[str, int]) -> tuple[int, ...]:
    value = table.get(name)
    few = f"{size.least} pins" if size.least == size.most else f"{size.least} to {size.most} pins"
    if not isinstance(value, list) or not size.least <= len(value) <= size.most:
        checks.expected("sensors", table, name, f"a list of {few}", "pins")
        return ()
    for at, number in enumerate(value):
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= HIGHEST_PIN:
            why = f"{name}: expected whole numbers from 0 to {HIGHEST_PIN}, got {number!r:.60}"
            checks.wrong("sensors", "pins", why)
            return ()
        _take(checks, f"{name} {at}", number, taken)
    return tuple(value)


def _take(checks: Checks, name: str, number: int, taken: dict[str, int]) -> None:
    other = next((known for known, pin in taken.items() if pin == number), None)
    if other is not None:
        owner = f"{other} already" if "'s " in other else f"{other}'s already"
        checks.wrong("sensors", "pins", f"{name}: pin {number} is {owner}, expected its own")
    taken[name] = number


def _bands(checks: Checks, sensors: Table) -> LevelBands:
    usual = LevelBands()
    rest, single, double = (
        checks.whole("sensors", sensors, name, 1, 127, getattr(usual, name)) for name in ("rest", "single", "double")
    )
    if not rest < single < double:
        checks.wrong("sensors", "rest", f"expected rest < single < double, got {rest}, {single}, {double}")
    return LevelBands(rest, single, double)

"""A first board file for any game, from its layout.

Sensors and pixels are numbered row by row; the owner edits the numbers for another wiring.
"""

from __future__ import annotations

import itertools
import json
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import dist, hypot
from typing import Any

from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Game, GameError, Layout
from hw.lights import GPIO, NETWORK, SPI, STRIPS
from hw.pins import EXAMPLES, pin_list
from hw.ports import CODED, HardwareError, StripWiring
from hw.registry import SCHEMES
from hw.scheme import Option, Scheme
from hw.tile_codes import LEAST_MAGNETS, PLACES, RING, magnets, mask, turn_ring

USUAL = StripWiring().scheme
PITCH_MM = 40.0
"""Distance of neighbouring nodes on the plate."""
WELL_PITCH_MM = 62.0
"""The same for wells of 54 mm, with room for a light between two of them."""
WELL_MM = 54.0

SCHEME, CODED_SCHEME = "74hc165", "74hc165-spi"
"""Default schemes; the second is for wells of nine sensors."""
SCAN_HZ = 50
CODED_WORDS = "wells of nine sensors read tile and turning, all other nodes presence"
READER = "microcontroller"
"""The option of a scheme whose sensors a microcontroller reads."""
BANDS = """\
rest = 16                   # weaker than this (of 128): nothing there; the next two part stacks from stones
single = 56
double = 96
"""
ROUND = "Channels run row by row from the top left, the strip to and fro; wire yours as you like and say so below."
RINGS = """\
Channels: the first chips read the ring of a well each (clockwise from north), then come the wells' middles, then all
# other nodes; the strip runs row by row from the top left, to and fro. Wire yours as you like and say so below."""


@dataclass(frozen=True)
class BoardPieces:
    """The pieces of a board for tiles."""

    tiles: Mapping[str, Sequence[tuple[int, int]]]
    """Name of a tile → its lines from edge to edge."""
    supply: Mapping[str, int]
    """Letter → number of such round pieces."""
    coded: bool = False
    """Whether wells have nine sensors and tiles a ring of magnets."""


def pieces_of(game: Game[Any], *, coded: bool) -> BoardPieces | None:
    """Return the tiles of a game and the largest number of round pieces in any of its modes; None without tiles."""
    tiled = capabilities_of(game).tiles
    if tiled is None:
        return None
    supply: dict[str, int] = {}
    for mode in game.modes:
        lying = Counter(piece for stack in game.occupancy(game.start(mode)).values() for piece in stack)
        for piece, number in lying.items():
            if len(piece) == 1:
                supply[piece] = max(number, supply.get(piece, 0))
    return BoardPieces(tiled.tiles, supply, coded)


def usual_pitch(layout: Layout) -> float:
    """Return the distance of neighbouring nodes where nobody asks for another, mm."""
    return WELL_PITCH_MM if layout.wells else PITCH_MM


def board_text(
    name: str,
    game: str,
    layout: Layout,
    about: str,
    pitch_mm: float | None = None,
    pieces: BoardPieces | None = None,
    scheme: str | None = None,
    *,
    kind: str | None = None,
    on: str | None = None,
    lights: str | None = USUAL,
) -> str:
    """Return a board file with channels row by row from the top left, and the strip to and fro.

    It names no sensor part. ``about`` begins its first line; ``pitch_mm`` is the distance of neighbours; ``pieces`` are
    those of a game with tiles; ``kind`` is the scheme's usual one if it is None; ``on`` names the microcontroller that
    reads the sensors, ``lights`` the kind of strip (None for no lights). Raise HardwareError when the scheme can't
    carry the board.
    """
    pitch = pitch_mm or usual_pitch(layout)
    coded = pieces is not None and pieces.coded
    rows = _rows(layout)
    nodes = [node for row in rows for node in row]
    strip = [node for at, row in enumerate(rows) for node in (row if at % 2 == 0 else reversed(row))]
    channels = _channels(nodes, layout.wells if coded else frozenset())
    wired = _read_by(on, scheme) if on else SCHEMES.get(scheme or (CODED_SCHEME if coded else SCHEME))
    sensors = sensors_text(wired, sum(map(len, channels.values())), CODED if coded else kind or wired.kinds[0], on)
    circles = ", ".join(f"{radius * pitch:.1f}" for radius in layout.circles)
    drawn = "\n".join("    [" + ", ".join(json.dumps(node) for node in line) + "]," for line in _straight(layout))
    wells = f"well_mm = {WELL_MM}              # a well from flat to flat\n" if layout.wells else ""
    style = "" if layout.style == "holes" else f'style = "{layout.style}"\n'
    pixel_word = ", its pixel," if lights else ""
    lit = ""
    if lights:
        lit, sensors = _lights_text(lights, len(nodes), sensors)
    return f"""\
# {about}: {wired.about}, {"one NeoPixel under each node" if lights else "without lights"}.
#
# One node a line: its sensor channel{pixel_word} and where it lies (mm from the centre, x to the right, y upwards).
# {RINGS if coded else ROUND}

[board]
name = "{name}"
game = "{game}"
backend = "gpio"            # "sim" simulates the very same wiring
node_mm = 22.0              # diameter of a printed node: a stone's
{wells}
[sensors]
{sensors}
{lit}[drawing]
{style}{f"circles_mm = [{circles}]{chr(10)}" if circles else ""}{_paths(layout, pitch)}lines = [
{drawn}
]

{_pieces(pieces) if pieces else ""}[nodes]
{_node_lines(layout, pitch, channels, strip if lights else ())}
"""


def _lights_text(name: str, pixels: int, sensors: str) -> tuple[str, str]:
    """Return the sections [lights] and [sensors] for a kind of strip.

    It hangs on a pin or bus that the sensors' buses leave; where the example's single pins are in its way, they move.
    """
    scheme = STRIPS.get(name)
    pins = list(scheme.spi_pins) if SPI in scheme.over and GPIO not in scheme.over else [18]
    strips = [StripWiring(f"D{pin}", pixels, scheme.orders[0], scheme.over[0], name) for pin in pins]
    read = tomllib.loads(sensors)
    bus = set(SCHEMES.get(read["scheme"]).bus_pins(read).values())
    single = [pin for one in read.get("pins", {}) for pin in pin_list(read["pins"], one)]
    usable = [one for one in strips if not bus & set(scheme.pins(one))] or strips
    strip = min(usable, key=lambda one: len({*single} & {*scheme.pins(one)}))
    taken = {*scheme.pins(strip)}
    free = iter([pin for pin in EXAMPLES if pin not in {*single, *bus, *taken}])
    moved = {pin: next(free, pin) for pin in single if pin in taken}
    sensors = re.sub(
        r"^pins = .*$", lambda line: re.sub(r"\d+", lambda pin: str(moved.get(int(pin[0]), pin[0])), line[0]), sensors,
        flags=re.M,
    )  # fmt: skip
    kind = "" if name == USUAL else f'scheme = "{name}"\n'
    where = 'address = "wled.local"' if NETWORK in scheme.over else f'pin = "{strip.pin}"'
    lights = f"""\
[lights]
{kind}{where}
length = {pixels}
order = "{strip.order}"
max_current_ma = 1500       # 20 mA a colour channel at full; the whole board stays under this

"""
    return lights, sensors


def _read_by(on: str, scheme: str | None) -> Scheme:
    """Return the scheme whose sensors a microcontroller reads. Raise HardwareError where ``scheme`` is another one."""
    found = next((one for one in SCHEMES.usable().values() if READER in one.options), None)
    if found is None:
        raise HardwareError(f"--on: no scheme that is installed has a microcontroller, got {on!r}")
    if scheme not in {None, found.name}:
        raise HardwareError(f"--on: scheme {scheme} has no microcontroller: leave one of both out, got {on!r}")
    return found


def sensors_text(scheme: Scheme, channels: int, kind: str, on: str | None = None) -> str:
    """Return the section [sensors] for this number of channels, with the scheme's example of pins, without its part.

    Raise HardwareError when the scheme can't read the kind, or a Pi has too few pins.
    """
    channel_kind = "presence" if kind == CODED else kind
    if channel_kind not in scheme.kinds:
        raise HardwareError(f"scheme {scheme.name} can't read kind {kind}; use {' or '.join(scheme.kinds)}")
    inputs = scheme.inputs(channels, channel_kind)
    pins = scheme.example(inputs)
    if pins is None:
        others = ", ".join(_carrying(channels, channel_kind))
        largest = next((fewer for fewer in range(inputs, 0, -1) if scheme.example(fewer) is not None), 0)
        raise HardwareError(
            f"scheme {scheme.name} can't carry {inputs} inputs, {largest} at most: expected one of {others}"
        )
    most = scheme.most_scans(inputs)
    values = {
        "scheme": json.dumps(scheme.name),
        "kind": json.dumps(kind),
        "scan_hz": str(SCAN_HZ if most is None else min(SCAN_HZ, most)),
        **{name: _value(option) for name, option in scheme.options.items() if option.default != ""},
        **({READER: json.dumps(on)} if on else {}),
        **({"pins": f"{{ {', '.join(f'{name} = {_pin(pin)}' for name, pin in pins.items())} }}"} if pins else {}),
    }
    comments = {**scheme.comments, **({"kind": CODED_WORDS} if kind == CODED else {})}
    lines = (with_comment(f"{key} = {value}", comments.get(key, "")) for key, value in values.items())
    return "".join(lines) + (BANDS if channel_kind == "level" else "")


def _carrying(channels: int, kind: str) -> list[str]:
    """Return the schemes that can carry these channels on a Pi's pins."""
    found = ((name, scheme) for name, scheme in SCHEMES.usable().items() if kind in scheme.kinds)
    return [name for name, scheme in found if scheme.example(scheme.inputs(channels, kind)) is not None]


def _value(option: Option) -> str:
    return json.dumps(option.default) if isinstance(option.default, str) else format(option.default, option.form)


def _pin(pins: int | tuple[int, ...]) -> str:
    return str(pins if isinstance(pins, int) else list(pins))


def with_comment(line: str, comment: str) -> str:
    """Return a line of a board file with a comment behind it."""
    return f"{line:<25}   # {comment}\n" if comment else f"{line}\n"


def _channels(nodes: Sequence[str], rings: Collection[str]) -> dict[str, tuple[int, ...]]:
    """Return node → its channel, or nine: each chip of eight inputs reads one ring, then come all other sensors."""
    wells = [node for node in nodes if node in rings]
    found: dict[str, tuple[int, ...]] = {}
    for number, well in enumerate(wells):
        found[well] = (*range(RING * number, RING * (number + 1)), RING * len(wells) + number)
    rest = [node for node in nodes if node not in rings]
    return found | {node: (PLACES * len(wells) + number,) for number, node in enumerate(rest)}


def _node_lines(layout: Layout, pitch: float, channels: Mapping[str, tuple[int, ...]], strip: Sequence[str]) -> str:
    width = max(len(_toml_key(node)) for node in channels)
    lines = []
    for node, own in channels.items():
        x, y = (part * pitch + 0.0 for part in layout.nodes[node])
        wired = f"channel = {own[0]:3}" if len(own) == 1 else f"channels = [{', '.join(f'{one:3}' for one in own)}]"
        well = ", well = true" if len(own) == 1 and node in layout.wells else ""
        pixel = f"pixel = {strip.index(node):3}, " if strip else ""
        place = f"{pixel}x = {x:7.1f}, y = {y:7.1f}{well}"
        lines.append(f"{_toml_key(node):<{width}} = {{ {wired}, {place} }}")
    return "\n".join(lines)


def _paths(layout: Layout, pitch: float) -> str:
    if not layout.paths:
        return ""
    points = [", ".join(f"[{x * pitch + 0.0:.1f}, {y * pitch + 0.0:.1f}]" for x, y in path) for path in layout.paths]
    drawn = "".join(f"    [{path}],\n" for path in points)
    return f"paths_mm = [               # printed curves, each by its points\n{drawn}]\n"


def _pieces(pieces: BoardPieces) -> str:
    count = len(pieces.tiles)
    try:
        rings = ("",) * count if not pieces.coded else PATTERNS if count == len(PATTERNS) else choose(count)
    except ValueError as error:
        raise GameError(f"--coded: there are not enough patterns of magnets: {error}") from error
    width = max(map(len, pieces.tiles), default=0)
    made = "\n".join(
        f"{name:<{width}} = {{ "
        + (f'ring = "{ring}", ' if ring else "")
        + f'lines = "{" ".join(f"{one}{other}" for one, other in lines)}" }}'
        for (name, lines), ring in zip(pieces.tiles.items(), rings, strict=True)
    )
    what = "the edges (0 north to 7, clockwise) that a tile's lines join"
    about = f"magnets clockwise from north; {what}" if pieces.coded else what
    supply = "\n".join(f"{letter} = {number}" for letter, number in pieces.supply.items())
    return f"[tiles]                     # {about}\n{made}\n\n[supply]                    # round pieces\n{supply}\n\n"


def _toml_key(node: str) -> str:
    return node if re.fullmatch(r"[A-Za-z0-9_-]+", node) else json.dumps(node)


def _rows(layout: Layout) -> list[list[str]]:
    """Return the nodes in rows from the top, each row from the left."""
    rows: dict[float, list[str]] = {}
    for node, (_, y) in layout.nodes.items():
        rows.setdefault(round(y, 3) + 0.0, []).append(node)
    return [sorted(rows[y], key=lambda node: layout.nodes[node][0]) for y in sorted(rows, reverse=True)]


def _straight(layout: Layout) -> Sequence[Sequence[str]]:
    """Return the layout's lines, sorted by direction, joined where they go straight on, without those on circles."""
    ways: dict[tuple[str, tuple[float, float]], str] = {}
    for pair in sorted(layout.lines, key=lambda pair: -round(_apart(layout, *pair), 3)):  # A shorter line overrides.
        if not _on_circle(layout, *pair) and not _by_path(layout, *pair):
            ways |= {(one, _direction(layout, one, other)): other for one, other in (pair, pair[::-1])}
    left = {
        (one, (right, up)): other
        for (one, (right, up)), other in ways.items()
        if ways.get((other, (-right, -up))) == one  # Shorter lines draw the others already.
    }
    found = []
    while left:
        node, (right, up) = next(iter(left))
        while (before := left.get((node, (-right, -up)))) is not None:
            node = before
        line = [node]
        while (following := left.pop((node, (right, up)), None)) is not None:
            del left[following, (-right, -up)]
            line.append(following)
            node = following
        found.append(((right, up), line))
    return [line for _, line in sorted(found, key=lambda one: one[0], reverse=True)]


def _direction(layout: Layout, one: str, other: str) -> tuple[float, float]:
    """Return a line's unit vector, rounded so that equal directions compare equal and opposite ones are negatives."""
    (x, y), (to_x, to_y) = layout.nodes[one], layout.nodes[other]
    length = hypot(to_x - x, to_y - y)
    return round((to_x - x) / length, 3), round((to_y - y) / length, 3)


def _on_circle(layout: Layout, one: str, other: str) -> bool:
    radii = [hypot(*layout.nodes[node]) for node in (one, other)]
    return any(all(abs(radius - circle) < 1e-6 for radius in radii) for circle in layout.circles)


def _by_path(layout: Layout, one: str, other: str) -> bool:
    """Return whether two wells are joined by a printed curve only, because they are too far apart for a line."""
    return one in layout.wells and other in layout.wells and _apart(layout, one, other) > 1.01


def _apart(layout: Layout, one: str, other: str) -> float:
    return dist(layout.nodes[one], layout.nodes[other])


# -- the magnets of tiles ----------------------------------------------------------------------------------------------


def rings() -> list[str]:
    """Return the thirty patterns that differ from all their turnings, each in its greatest turning."""
    every = ("".join(signs) for signs in itertools.product("10", repeat=RING))
    return [ring for ring in every if all(ring > turn_ring(ring, turn) for turn in range(1, RING))]


def choose(count: int = 18) -> tuple[str, ...]:
    """Return the patterns for ``count`` tiles: of the thirty rings that differ from all their turnings those that

    1. have at least four magnets, the middle one included: a tile that loses two must not look like nothing;
    2. have as few magnets as possible (for 18 tiles the fifteen rings with four, and three of the ten with six): of
       tiles with equally many magnets none becomes another by losing some;
    3. make the fewest stacks of two tiles that look like a tile (their magnets add up, and wells are often covered),
       then the fewest confusions by two silent sensors, then by any two wrong sensors.

    Fewer magnets come first, then greater patterns. Raise ValueError when there are too few patterns.
    """
    by_magnets: dict[int, list[str]] = {}
    for ring in rings():
        by_magnets.setdefault(sum(magnets(ring)), []).append(ring)
    chosen: list[str] = []
    for number in sorted(by_magnets):
        if number < LEAST_MAGNETS or len(chosen) == count:
            continue
        room = count - len(chosen)
        ways = itertools.combinations(by_magnets[number], min(room, len(by_magnets[number])))
        best = min(ways, key=lambda more: _confusions((*chosen, *more)))  # Of equals the first: greater patterns.
        chosen += best
    if len(chosen) != count:
        raise ValueError(f"expected at most {len(chosen)} tiles, got {count}")
    return tuple(chosen)


def _confusions(patterns: Sequence[str]) -> tuple[int, int, int]:
    """Return how many stacks of two look like a tile, and how many confusions two silent or two wrong sensors make."""
    words = [(mask(magnets(ring, turn)), ring) for ring in patterns for turn in range(RING)]
    whole = {word for word, _ in words}
    stacked = silent = pairs = 0
    for (one, ring), (other, other_ring) in itertools.combinations(words, 2):
        stacked += ring != other_ring and (one | other) in whole
        if (one ^ other).bit_count() == 2:
            pairs += 1
            silent += one | other in {one, other}
    return stacked, silent, pairs


PATTERNS = (
    "11110000", "11101000", "11100100", "11100010", "11100000", "11011000",
    "11010100", "11010010", "11010000", "11001010", "11001000", "11000100",
    "11000010", "10101000", "10100100", "11111100", "11111010", "11110110",
)  # fmt: skip
"""The result of :func:`choose` for 18 tiles."""

"""Colours by day and in the evening, computed from the sheets: stones, rings, lamps and words are seen by everybody."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path

import pytest

import web_panel
from tests.sampling import together

SHARED = Path(web_panel.__file__).parent / "static" / "shared"
TOKENS, EVENING, BOARD, PIECES = (
    (SHARED / name).read_text(encoding="utf-8") for name in ("tokens.css", "dark.css", "board.css", "pieces.js")
)
Colour = tuple[float, float, float]
SEATS = tuple(f"s{number}" for number in range(1, 9))
LIGHTS = ("white", "cyan", "amber", "red", "magenta", "violet")
DISC_INK = "#1a1206"
"""The number of a disc and the signs of lamps."""
WORDS = {
    "ink": ("bg", "card", "card-2"), "soft": ("bg", "card", "card-2"), "link": ("bg", "card", "card-2"),
    "on-brass": ("brass", "brass-2"), "good": ("bg", "card"), "bad": ("bg", "card", "bad-bg"),
    "hole-ink": ("hole", "wood", "well"),
}  # fmt: skip
"""Words, and what they stand on."""
EDGES = {
    "edge": ("bg", "card", "card-2"), "brass-edge": ("card",), "focus": ("bg", "card"),
    "pick": ("wood", "hole", "open", "cell", "cell-2"), "made": ("case",), "slit": ("ivory",),
    "hole-ink": ("cell", "cell-2"), "off": ("card-2",),
}  # fmt: skip
"""Rings, edges and marks, and what they lie on."""


def told(sheet: str) -> dict[str, str]:
    """Return the colours that a sheet gives names to."""
    found = re.findall(r"--([a-z0-9-]+):\s*#([0-9a-f]{6}|[0-9a-f]{3})\b", sheet)
    return {name: "#" + (value if len(value) == 6 else "".join(2 * one for one in value)) for name, value in found}


DAY = told(TOKENS)
THEMES = {"day": DAY, "evening": DAY | told(EVENING)}


def linear(text: str) -> Colour:
    red, green, blue = (int(text[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return _linear(red), _linear(green), _linear(blue)


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def luminance(text: str) -> float:
    red, green, blue = linear(text)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    return ratio(luminance(one), luminance(other))


def ratio(one: float, other: float) -> float:
    dark, light = sorted((one, other))
    return (light + 0.05) / (dark + 0.05)


def ball(name: str) -> float:
    """Return how bright a stone is on the whole: the mean over its disc, which the gradient's centre lies aside of."""
    stops = re.search(rf'"ball-{name}": \[BALL, ([^\]]*)\]', PIECES)
    place = re.search(r'BALL = "radial ([.\d]+) ([.\d]+) ([.\d]+)"', PIECES)
    assert stops is not None
    assert place is not None
    x, y, far = map(float, place.groups())
    made = [(float(at), told(f"--a: {colour}")["a"]) for at, colour in re.findall(r'"([\d.]+) (#\w+)"', stops[1])]
    grid = [(across / 40, down / 40) for across in range(41) for down in range(41)]
    disc = [math.dist(point, (x, y)) / far for point in grid if math.dist(point, (0.5, 0.5)) <= 0.5]
    return sum(_between(made, at) for at in disc) / len(disc)


def _between(made: Sequence[tuple[float, str]], at: float) -> float:
    for (low, one), (high, other) in pairwise(made):
        if at <= high:
            part = (at - low) / (high - low)
            pairs = ((int(one[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
            return luminance("#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in pairs))
    return luminance(made[-1][1])


def seen(theme: str, pairs: dict[str, tuple[str, ...]]) -> Iterator[tuple[float, str, str]]:
    colours = THEMES[theme]
    for name, grounds in pairs.items():
        for ground in grounds:
            yield contrast(colours[name], colours[ground]), name, ground


@together("theme", THEMES)
def test_words_are_read_on_whatever_they_stand(theme: str) -> None:
    assert min(seen(theme, WORDS)) >= (4.5,), min(seen(theme, WORDS))
    colours = THEMES[theme]
    for seat in SEATS:
        assert contrast(DISC_INK, colours[seat]) >= 4.5, f"the number on the disc {seat}"


@together("theme", THEMES)
def test_every_ring_is_seen_on_what_it_lies_on(theme: str) -> None:
    assert min(seen(theme, EDGES)) >= (3,), min(seen(theme, EDGES))


@together("theme", THEMES)
def test_lamps_and_homes_are_seen_in_their_dark_wells(theme: str) -> None:
    """A lamp's recess, a home's ring and its edge on the rim all have the same dark ground in both themes."""
    colours = THEMES[theme]
    assert re.search(r"\.home-well, \.lampwell \{ fill: var\(--lamp\) \}", BOARD)
    assert re.search(r"\.home-case \{[^}]*stroke: var\(--lamp\)", BOARD)
    for name in (*SEATS, *LIGHTS):
        assert contrast(colours[name], colours["lamp"]) >= 4.5, name


def test_a_lamp_is_seen_in_its_off_phase() -> None:
    """What pulses or breathes, at its darkest: its ring in its well; its light on the wood may go further down."""
    found = re.findall(r"\.glow\.\w+ \{ animation: (breathe|pulse) ", BOARD)
    assert set(found) == {"breathe", "pulse"}
    for name in found:
        dimmed = re.search(rf"@keyframes {name} \{{ 50% \{{ opacity: ([.\d]+) \}} \}}", BOARD)
        assert dimmed is not None
        for hue in (*SEATS, *LIGHTS):
            assert contrast(_over(DAY[hue], DAY["lamp"], float(dimmed[1])), DAY["lamp"]) >= 3, (name, hue)


def _over(colour: str, ground: str, opacity: float) -> str:
    parts = ([int(one[at : at + 2], 16) for at in (1, 3, 5)] for one in (colour, ground))
    return "#" + "".join(f"{round(a * opacity + b * (1 - opacity)):02x}" for a, b in zip(*parts, strict=True))


def test_white_and_black_stones_differ_by_more_than_ten_to_one() -> None:
    assert ratio(ball("white"), ball("black")) >= 10


@together("theme", THEMES)
@together("stone", ["white", "black"])
def test_every_stone_is_seen_on_wood_and_cells(theme: str, stone: str) -> None:
    """By its surface or by its edge."""
    colours = THEMES[theme]
    edge = luminance(colours[f"stone-edge-{stone[0]}"])
    for ground in ("wood", "grain", "cell", "cell-2", "hole"):
        on = luminance(colours[ground])
        assert max(ratio(ball(stone), on), ratio(edge, on)) >= 3, ground


@pytest.mark.parametrize("names", [SEATS, LIGHTS], ids=["seats", "lights"])
def test_two_hues_look_different(names: tuple[str, ...]) -> None:
    """Seen without red-green deficiency; with it lightness, numbers, signs, dashes and places help, too."""
    for one, other in combinations(names, 2):
        assert distance(DAY[one], DAY[other]) > 0.1, (one, other)


def distance(one: str, other: str) -> float:
    """Return how far two colours are from each other as the eye sees them (Oklab)."""
    return float(sum((a - b) ** 2 for a, b in zip(_oklab(one), _oklab(other), strict=True)) ** 0.5)


def _oklab(text: str) -> Colour:
    red, green, blue = linear(text)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )

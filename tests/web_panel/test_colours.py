"""Colours of the drawings: every ring is seen on whatever it may lie on, on paper and in the dark (WCAG 1.4.11)."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest

import web_panel
from tests.sampling import together

SHARED = Path(web_panel.__file__).parent / "static" / "shared"
STYLE, BOARD, EVENING = ((SHARED / f"{name}.css").read_text(encoding="utf-8") for name in ("style", "board", "dark"))
LIGHTS = ("white", "cyan", "amber", "red", "magenta", "violet")
Colour = tuple[float, float, float]


def told(block: str) -> dict[str, str]:
    """Return the colours that a block of declarations gives names to."""
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", block))


def glows(sheet: str) -> dict[str, str]:
    found = {
        name: re.findall(rf"^\.{name}\b[^{{]*{{[^}}]*--glow: (#[0-9a-f]{{6}})", sheet, re.MULTILINE) for name in LIGHTS
    }
    return {f"glow-{name}": colours[0] for name, colours in found.items() if colours}


PAPER = told(STYLE)
NIGHT = PAPER | told(EVENING)
LIT = glows(BOARD) | {f"lit-{number}": colour for number, colour in enumerate(re.findall(r"--lit: (#\w{6})", STYLE), 1)}
THEMES = {"paper": PAPER, "dark": NIGHT}
RINGS = tuple(f"ring-{number}" for number in range(1, 9))
OWN = ("own-blue", "own-red", "own-yellow", "own-green")
GROUNDS = ("bg", "card", "wood", "disc")


def linear(text: str) -> Colour:
    red, green, blue = (int(text[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return _linear(red), _linear(green), _linear(blue)


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def luminance(text: str) -> float:
    red, green, blue = linear(text)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@together("theme", THEMES)
@together("name", [*RINGS, *OWN, "wood-line"])
def test_every_ring_is_seen_on_what_it_lies_on(theme: str, name: str) -> None:
    colours = THEMES[theme]
    found = {ground: round(contrast(colours[name], colours[ground]), 2) for ground in GROUNDS}
    assert min(found.values()) >= 3, found


@together("name", [*(f"glow-{light}" for light in LIGHTS), *(f"lit-{number}" for number in range(1, 9))])
def test_every_lamp_is_seen_in_its_dark_well(name: str) -> None:
    assert contrast(LIT[name], PAPER["lamp"]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_rings_of_two_seats_look_different(theme: str) -> None:
    """Seen without red-green deficiency; with it lightness, numbers, names and places help, too."""
    colours = THEMES[theme]
    for names in (RINGS, OWN):
        for one, other in combinations(names, 2):
            assert distance(colours[one], colours[other]) > 0.1, (one, other)


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

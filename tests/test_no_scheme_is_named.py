"""A scheme of sensors or strips is two files: no other file of the program names one, nor do the tests' own helpers."""

from __future__ import annotations

import re
from pathlib import Path

from hw.lights import STRIPS
from hw.registry import SCHEMES
from tests.deleted import is_deleted

ROOT = Path(__file__).parents[1]
PACKAGES = ("firmware_host", "hw", "simulator", "web_panel", "tools")
HOMES = (
    *("hw/schemes", "simulator/schemes", "hw/strips", "simulator/strips"),
    *(f"firmware_host/extensions/{name}" for name in ("chips", "scanner", "strips")),
)
KINDS = {".py", ".html", ".js", ".css"}
HELPERS = ("tests/schemes.py", "tests/bench_schemes.py")

ALLOWED = {
    ("hw/ports.py", "ws2812"): "the kind of strip of a board file that names none",
    (
        "firmware_host/link/new_board.py",
        "74hc165",
    ): "what a first board file has unless it is asked for another",
    ("firmware_host/link/new_board.py", "74hc165-spi"): "the same for wells of nine sensors",
    ("web_panel/static/shared/steps.js", "direct"): "a step that is one touch: another meaning of the word",
    (
        "firmware_host/extensions/scanner/device/main.py",
        "serial",
    ): "the firmware tells how it is written into a board file",
}


def sources() -> list[Path]:
    found = [path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.suffix in KINDS]
    homes = [ROOT / home for home in HOMES]
    return sorted(path for path in found if not any(home in path.parents for home in homes)) + [
        ROOT / helper for helper in HELPERS
    ]


def named_in(text: str) -> set[str]:
    """Return the schemes named in quotes; those with a number in their names anywhere, comments included."""
    found = set()
    for name in (*SCHEMES.names(), *STRIPS.names()):
        quoted = rf"""(["'`]){re.escape(name)}\1"""
        bare = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
        if re.search(bare if any(map(str.isdigit, name)) else quoted, text):
            found.add(name)
    return found


def test_no_scheme_is_named_outside_of_its_files() -> None:
    named = {
        (str(path.relative_to(ROOT)), name) for path in sources() for name in named_in(path.read_text(encoding="utf-8"))
    }
    assert named - ALLOWED.keys() == set()


def test_every_exception_is_still_one() -> None:
    there = [(here, name) for here, name in ALLOWED if not is_deleted(ROOT / here)]
    assert all(name in named_in((ROOT / here).read_text(encoding="utf-8")) for here, name in there)


def test_names_would_be_found() -> None:
    assert len(sources()) > 200
    assert named_in('if scheme == "direct":') == {"direct"}
    assert named_in("# as with the 74hc165") == {"74hc165"}
    assert named_in("a SN74hc165 in a matrix, direct or serial") == set()
    assert named_in('"74hc165-spi"') == {"74hc165-spi"}

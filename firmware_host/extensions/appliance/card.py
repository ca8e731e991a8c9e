"""Codes for phones of guests: joining the hotspot, and a card to print for a board without a screen."""

from __future__ import annotations

import importlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import segno
from segno.helpers import make_wifi_data

from firmware_host.archive.files import write_output
from firmware_host.text.words import Refused

MISSING = "install the drawing libraries: pip install 'lodestone-board[drawing]'"
WIDE_MM, HIGH_MM = 148.0, 105.0
"""A6, on its side."""
CODE_MM = 56.0


def wifi_code(ssid: str, password: str) -> str:
    """Return what a phone scans to join a Wi-Fi: ``WIFI:T:WPA;S:…;P:…;;``, its signs escaped."""
    return str(make_wifi_data(ssid=ssid, password=password, security="WPA"))


class CardPart(NamedTuple):
    """A code of a card, with what stands above and below it."""

    title: str
    code: str
    below: Sequence[str]


def write_card(parts: Sequence[CardPart], path: Path) -> None:
    """Write the codes side by side on one page. Raise Refused."""
    try:
        fpdf: Any = importlib.import_module("fpdf")
    except ImportError as error:
        raise Refused(f"card: --pdf needs fpdf2; {MISSING}") from error
    page = fpdf.FPDF(unit="mm", format=(HIGH_MM, WIDE_MM), orientation="landscape")
    page.set_auto_page_break(auto=False)
    page.add_page()
    wide = WIDE_MM / len(parts)
    for number, part in enumerate(parts):
        left = number * wide
        image = io.BytesIO()
        segno.make(part.code, error="m").save(image, kind="png", scale=10, border=3)
        for words, y, size in [(part.title, 10, 15), *((line, 78 + 8 * at, 11) for at, line in enumerate(part.below))]:
            page.set_font("helvetica", "B" if y == 10 else "", size)
            page.set_xy(left, y)
            page.cell(wide, 8, words.encode("latin-1", "replace").decode("latin-1"), align="C")
        page.image(image, left + (wide - CODE_MM) / 2, 20, CODE_MM, CODE_MM)
    write_output(path, bytes(page.output()))

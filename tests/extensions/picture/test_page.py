"""The end of a game as a picture that a phone draws, saves and shares."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from firmware_host.table.subjects.resolving import Resigned
from tests.analysers import ScriptedAnalyser
from tests.e2e.test_analysis import resolving
from tests.web_panel.table import ServedTable

COLOURS = """async () => {
  const image = document.querySelector(".shared-picture");
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [270, 338];
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0, 270, 338);
  const found = new Set();
  const { data } = pen.getImageData(0, 0, 270, 338);
  for (let at = 0; at < data.length; at += 4) found.add(`${data[at] >> 2} ${data[at + 1] >> 2} ${data[at + 2] >> 2}`);
  return found.size;
}"""
pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path, analyser=ScriptedAnalyser("wC2")) as served:
        yield served


def test_a_picture_of_the_end_is_drawn_and_saved(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, _ = resolving(table, phones)
    table.runtime.submit(Resigned(at=table.runtime.now(), seat=2))
    table.until("over")
    ann.set_viewport_size({"width": 320, "height": 640})
    ann.locator("#how-it-went").click()
    the_picture_is_shared(ann, table.view["game"]["id"])
    expect(ann.locator(".shared-link")).to_have_css("text-align", "center")
    ann.get_by_role("button", name="Back").click()
    assert ann.evaluate("document.documentElement.scrollWidth") <= 320


def the_picture_is_shared(page: Page, game: str) -> None:
    """It is a PNG with the board in its colours, and the link is beside it."""
    page.get_by_role("button", name="Share a picture").click()
    expect(page.locator(".shared-link a")).to_have_attribute("href", re.compile(rf"/replay/{game}$"))
    with page.expect_download() as kept:
        page.get_by_role("link", name="Save the picture").click()
    drawn = Path(kept.value.path()).read_bytes()
    assert kept.value.suggested_filename == f"{game}.png"
    assert drawn.startswith(b"\x89PNG")
    assert struct.unpack(">II", drawn[16:24]) == (1080, 1350)
    colours = page.evaluate(COLOURS)
    assert colours > 200, "the wood, the stones and the gradients are there"

"""The big screen, read from afar: in every moment, on every usual television, nothing is small, cut off or covered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.e2e.staged import house, scenes, show, staged

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

SIZES = ((1280, 720), (1366, 768), (1920, 1080), (3840, 2160))
SMALLEST = 0.022
"""Of the screen's height: 24 px at 1080 lines."""

LOOK = """(smallest) => {
  const told = [];
  const name = (one) => `${one.tagName.toLowerCase()}#${one.id}.${one.getAttribute("class")} ${one.textContent.trim().slice(0, 40)}`;
  const texts = [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.tagName !== "title"
    && !one.closest(".unseen, noscript") && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  const boxes = texts.map((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return range.getBoundingClientRect();
  });
  texts.forEach((one, at) => {
    const svg = one.ownerSVGElement;
    const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    const size = parseFloat(getComputedStyle(one).fontSize) * scale * (one.closest("[transform*=scale]") ? 1.35 : 1);
    if (!svg && size < smallest * innerHeight - 0.3) told.push(`small ${size.toFixed(1)}: ${name(one)}`);
    const box = boxes[at];
    if (box.bottom > innerHeight + 1 || box.right > innerWidth + 1 || box.left < -1 || box.top < -1) told.push(`cut off: ${name(one)}`);
  });
  const flat = texts.map((one, at) => [one, boxes[at]]).filter(([one]) => !one.ownerSVGElement);
  flat.forEach(([one, a], at) => flat.slice(at + 1).forEach(([other, b]) => {
    if (one.contains(other) || other.contains(one)) return;
    const [x, y] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
    if (x > 3 && y > 8 && !one.closest("p, li")?.contains(other)) told.push(`covered: ${name(one)} / ${name(other)}`);
  }));
  for (const one of document.querySelectorAll("img")) {
    const box = one.getBoundingClientRect();
    if (one.checkVisibility() && (box.bottom > innerHeight + 1 || box.width < innerHeight / 9)) told.push(`code: ${name(one)} ${box.width}`);
  }
  return told;
}"""


def long_story(view: Any) -> dict[str, Any]:
    """The same moment after a long evening: as many lines as the log may have, each longer than a line."""
    text = "Bartholomäus v. Stein has moved a stack of three stones from D12 to D13, and one of them to its home."
    return {**view, "you": None, "log": [{"n": number, "text": text} for number in range(40)]}


@pytest.mark.parametrize("language", ["en", "de"])
def test_all_is_seen_from_the_sofa(browser: Browser, tmp_path: Path, language: str) -> None:
    views = scenes(tmp_path, language)
    (tmp_path / "house").mkdir()
    found: list[str] = []
    with house(tmp_path / "house") as base:
        context, page = staged(browser, locale=language)
        page.goto(f"{base}/tv")
        for name, view in views.items():
            if name.startswith("resolving from"):
                continue
            show(page, long_story(view))
            page.evaluate("Promise.all([...document.images].map((one) => one.decode().catch(() => null)))")
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
                found += [f"{name} {width}x{height} {one}" for one in page.evaluate(LOOK, SMALLEST)]
        context.close()
    print("\n".join(found))
    assert found == []

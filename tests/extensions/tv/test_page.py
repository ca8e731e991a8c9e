"""The big screen, read from afar: in every moment, on every usual television, nothing is small, cut off or covered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.staged import house, scenes, show, staged
from tests.sampling import cases
from web_panel.pages.assets import bundle

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

SIZES = {
    "en": ((1280, 720), (3840, 2160)), "de": ((1366, 768),), "nl": ((1920, 1080),), "pt_BR": ((1366, 768),),
    "pl": ((1280, 720),), "fr": ((1920, 1080),), "es": ((1280, 720),), "it": ((1366, 768),),
}  # fmt: skip
SMALLEST = 19 / 1080
"""Of the screen's height: 19 px at 1080 lines (docs/look.md)."""

LOOK = """async (smallest) => {
  await Promise.all([...document.images].map((one) => one.decode().catch(() => null)));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const told = [];
  const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest(".unseen, noscript, title");
  const speaks = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const name = (one) => `${one.tagName.toLowerCase()}#${one.id} ${one.textContent.trim().slice(0, 40)}`;
  const texts = [...document.querySelectorAll("body *")].filter((one) => seen(one) && speaks(one)).map((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return { one, box: range.getBoundingClientRect(), drawn: Boolean(one.ownerSVGElement) };
  });
  for (const { one, box, drawn } of texts) {
    const size = parseFloat(getComputedStyle(one).fontSize);
    if (!drawn && size < smallest * innerHeight - 0.3) told.push(`small ${size.toFixed(1)}: ${name(one)}`);
    const out = Math.max(box.bottom - innerHeight, box.right - innerWidth, -box.left, -box.top);
    if (out > 1) told.push(`cut off: ${name(one)}`);
  }
  const flat = texts.filter(({ drawn }) => !drawn);
  flat.forEach(({ one, box: a }, at) => flat.slice(at + 1).forEach(({ one: other, box: b }) => {
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    const inside = one.contains(other) || other.contains(one) || one.closest("p, li")?.contains(other);
    if (across > 3 && down > 8 && !inside) told.push(`covered: ${name(one)} / ${name(other)}`);
  }));
  for (const one of [...document.images].filter(seen)) {
    const { bottom, width } = one.getBoundingClientRect();
    if (bottom > innerHeight + 1 || width < innerHeight / 9) told.push(`code: ${width}`);
  }
  return told;
}"""


def long_story(view: Any) -> dict[str, Any]:
    """The same moment after a long evening: as many lines as the log may have, each longer than a line."""
    text = "Bartholomäus v. Stein has moved a stack of three stones from D12 to D13, and one of them to its home."
    return {**view, "you": None, "log": [{"n": number, "text": text} for number in range(40)]}


@pytest.mark.thorough
@pytest.mark.parametrize("language", cases(list(SIZES), "de"))
def test_all_is_seen_from_the_sofa(browser: Browser, tmp_path: Path, language: str) -> None:
    views = scenes(tmp_path, language)
    (tmp_path / "house").mkdir()
    found: list[str] = []
    with house(tmp_path / "house") as base:
        context, page = staged(browser, locale=language.replace("_", "-"))
        page.goto(f"{base}/tv")
        for width, height in SIZES[language]:
            page.set_viewport_size({"width": width, "height": height})
            for name, view in views.items():
                if not name.startswith("resolving from"):
                    show(page, long_story(view))
                    found += [f"{name} {width}x{height} {one}" for one in page.evaluate(LOOK, SMALLEST)]
        context.close()
    assert found == []


def test_what_the_end_shows_stays_as_long_as_it_is_the_same(browser: Browser, tmp_path: Path) -> None:
    """A crown that is made anew drops again."""
    view = scenes(tmp_path, "en")["phalanx over"]
    (tmp_path / "house").mkdir()
    with house(tmp_path / "house") as base:
        context, page = staged(browser, viewport={"width": 1280, "height": 720})
        page.goto(f"{base}/tv")
        show(page, view)
        before = page.locator("#result").evaluate_handle("(one) => [...one.children]")
        for more in (1, 2):
            show(page, {**view, "seq": view["seq"] + more})
        kept = page.locator("#result").evaluate(
            "(one, before) => [...one.children].filter((child, at) => child === before[at]).map((one) => one.tagName)",
            before,
        )
        assert kept[:3] == ["svg", "svg", "H1"]
        assert len(kept) == page.locator("#result > *").count()
        context.close()


def test_during_a_game_languages_are_shown_to_who_is_at_the_screen(browser: Browser, tmp_path: Path) -> None:
    views = scenes(tmp_path, "en")
    (tmp_path / "house").mkdir()
    with house(tmp_path / "house") as base:
        context, page = staged(browser, locale="en")
        page.set_viewport_size({"width": 1280, "height": 720})
        page.goto(f"{base}/tv")
        languages = page.locator(".languages")
        show(page, next(view for name, view in views.items() if name.startswith("sealing")))
        expect(languages).to_have_css("opacity", "0")
        page.mouse.move(300, 300)
        expect(languages).to_have_css("opacity", "1")
        languages.get_by_role("button", name="Deutsch").click()
        expect(page.locator("html")).to_have_attribute("lang", "de")
        context.close()


@pytest.mark.thorough
def test_a_card_of_an_extension_is_seen(browser: Browser, tmp_path: Path) -> None:
    card = 'Object.assign(document.createElement("p"), { textContent: `applause ${seat}` })'
    adds = f'need("shared/added.js").add("card", (view, seat) => {card});'
    script = bundle("tv/tv.js").decode().replace('need("tv/tv.js");', f'{adds} need("tv/tv.js");')
    views = scenes(tmp_path, "en")
    (tmp_path / "house").mkdir()
    with house(tmp_path / "house") as base:
        context, page = staged(browser, locale="en")
        page.route("**/script/tv/tv.js*", lambda route: route.fulfill(body=script, content_type="text/javascript"))
        page.goto(f"{base}/tv")
        page.set_viewport_size({"width": 1280, "height": 720})
        shown = [view for view in views.values() if not view["result"] and not view["lesson"]]
        for view in shown:
            show(page, view)
            assert page.text_content("#added p") == "applause null"
            assert page.evaluate(LOOK, SMALLEST) == []
        assert any(page.is_visible("#added") for view in shown if show(page, view) is None)
        context.close()

"""The pages of a game in Chromium: bytes and time until they can be used, and how smoothly a turn is drawn.

The turn is one on 127 cells, half of them full, on a phone whose processor is slowed four times: a cell is lit, a stone
falls there, its light goes out, the next player's turn rises. Frames are those of the page's main thread; each figure
is the median of several turns, because one turn is short and the rest of the machine is in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tests.e2e.chromium import launched
from tests.e2e.staged import STREAM, house, scenes

PHONE = {"width": 390, "height": 844}
SLOWED = 4
TURNS = 7
FIRST = {"/play": "#board .node", "/tv": "#board .node", "/": "main button"}
"""What there is on a page once it can be used."""
USABLE = """(what) => new Promise((done, fail) => {
  setTimeout(() => fail(new Error("it can't be used")), 20000);
  const look = () => document.querySelector(what)
    ? requestAnimationFrame(() => done(performance.now())) : setTimeout(look, 5);
  look();
})"""
BYTES = """() => [...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")]
  .reduce((sum, one) => sum + one.encodedBodySize, 0)"""
TURN = """async (views) => {
  const frames = [];
  let going = true;
  const note = (at) => { frames.push(at); if (going) requestAnimationFrame(note); };
  requestAnimationFrame(note);
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  await pause(300);
  for (const view of views) { await window.stage(view); await pause(700); }
  going = false;
  return frames.slice(1).map((at, number) => at - frames[number]);
}"""


def figures() -> list[tuple[str, float, str]]:
    """Return sizes, times and frames."""
    rows: list[tuple[str, float, str]] = []
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        place = Path(folder)
        views = scenes(place)
        (place / "house").mkdir()
        browser = launched(playwright)
        with house(place / "house") as base:
            for path in FIRST:
                rows += _first_view(browser, base, path, views["lobby empty" if path == "/" else "sealing"])
            rows += _turn(browser, base, _moments(views))
        browser.close()
    return rows


def _page(browser: Browser, view: Mapping[str, Any]) -> Page:
    context = browser.new_context(
        viewport=PHONE,  # type: ignore[arg-type]
        is_mobile=True,
        has_touch=True,
        reduced_motion="no-preference",
    )
    context.add_init_script(STREAM)
    page = context.new_page()
    page.add_init_script(f"addEventListener('DOMContentLoaded', () => window.stage({json.dumps(view)}))")
    return page


def _first_view(browser: Browser, base: str, path: str, view: Mapping[str, Any]) -> list[tuple[str, float, str]]:
    page = _page(browser, view)
    page.goto(base + path)
    page.evaluate(USABLE, FIRST[path])
    size = page.evaluate(BYTES)
    page.context.close()
    page = _page(browser, view)  # Once more, as the server has made its bundles by now.
    page.goto(base + path)
    at = page.evaluate(USABLE, FIRST[path])
    page.context.close()
    return [
        (f"{path}: first view (at most: 150,000)", size, "bytes"),
        (f"{path}: until it can be used (at most: 1,000)", at, "ms"),
    ]


def _moments(views: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the moments of a turn on a half full board."""
    acting = dict(views["coil acting"])
    cells = list(acting["layout"]["nodes"])
    board = {cell: ["bw"[number % 2]] for number, cell in enumerate(cells) if number % 7 < 4}
    free = next(cell for cell in cells[60:] if cell not in board)
    put = {"meaning": "put", "words": "", "seat": 1}
    lit = {**acting, "board": board, "lights": {free: put}}
    laid = {**lit, "board": {**board, free: ["b"]}, "lights": {}, "brought": [free]}
    others = {**laid, "turn": acting["turn"] + 1, "resolver": 3 - acting["resolver"], "steps": []}
    return [{**acting, "board": board, "lights": {}}, lit, laid, others]


def _turn(browser: Browser, base: str, moments: list[dict[str, Any]]) -> list[tuple[str, float, str]]:
    page = _page(browser, moments[0])
    page.goto(f"{base}/play")
    page.evaluate(USABLE, FIRST["/play"])
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    idle = _frames(page, session, [moments[0]])[0]
    turns = []
    for _ in range(TURNS):
        _frames(page, session, [moments[0]])
        turns.append(_frames(page, session, moments[1:]))
    page.context.close()
    rate = median(1000 * len(gaps) / sum(gaps) for gaps, _ in turns)
    return [
        ("a turn on 127 cells, processor slowed four times (at least: 58)", rate, "frames/s"),
        ("  nothing happens, the same", 1000 * len(idle) / sum(idle), "frames/s"),
        ("  longest frame (at most: 51)", median(max(gaps) for gaps, _ in turns), "ms"),
        *(
            (f"  {name}, of the whole turn", 1000 * median(work[name] for _, work in turns), "ms")
            for name in turns[0][1]
        ),
    ]


def _frames(page: Page, session: CDPSession, moments: list[dict[str, Any]]) -> tuple[list[float], dict[str, float]]:
    """Return the gaps between frames, and the seconds of the main thread's work by kind."""
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    before = _work(session)
    gaps: list[float] = page.evaluate(TURN, moments)
    after = _work(session)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    return gaps, {name: after[name] - before[name] for name in after}


def _work(session: CDPSession) -> dict[str, float]:
    told = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return {
        name: told[key]
        for name, key in {
            "scripts": "ScriptDuration",
            "styles": "RecalcStyleDuration",
            "layout": "LayoutDuration",
        }.items()
    }

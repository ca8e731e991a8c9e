"""What only a browser shows of tones and speech: they are silent until asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from firmware_host.table.subjects.resolving import Resigned
from tests.e2e.room import menu, shut
from tests.e2e.staged import house, scenes, show, staged
from tests.e2e.test_phones import start
from tests.e2e.test_whole_game import seal
from tests.javascript.node import call
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

LISTEN = """() => {
  window.tones = [];
  window.spoken = [];
  const begin = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (at) {
    window.tones.push([at, this.frequency.value]);
    begin.call(this, at);
  };
  speechSynthesis.speak = (words) => window.spoken.push([words.lang, words.text]);
}"""
"""Writes down what goes into Web Audio's graph, when, and what speech is given."""


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path) as served:
        yield served


def tones(page: Page) -> list[list[float]]:
    return list(page.evaluate("window.tones"))


HEARD = """(pitches) => {
  const from = window.heard ?? 0;
  for (let at = from; at + pitches.length <= window.tones.length; at += 1) {
    const run = window.tones.slice(at, at + pitches.length);
    if (run.every(([, hertz], place) => hertz === pitches[place])) {
      window.heard = at + pitches.length;
      return run;
    }
  }
  return null;
}"""
"""Returns the first run of tones of these pitches that was not asked for before; others may have followed it."""


def sounded(page: Page, name: str, told: Any) -> None:
    """Wait until this one was scheduled: its pitches, and its rhythm."""
    wanted = told[name]
    played = page.wait_for_function(HEARD, arg=[hertz for _, _, hertz in wanted]).json_value()
    begins = [at - played[0][0] for at, _ in played]
    assert begins == pytest.approx([at - wanted[0][0] for at, _, _ in wanted], abs=1e-6)


@pytest.mark.thorough
def test_tones_and_speech(table: ServedTable, phones: Sequence[BrowserContext], browser: Browser) -> None:
    told = call("../../firmware_host/extensions/audio/static/tones.js", "(it) => it.TONES", None)
    for phone in phones[:2]:
        phone.add_init_script(f"({LISTEN})()")
    ann, bob = start(table, phones)
    german = browser.new_context(locale="de-DE")
    german.add_init_script(f"({LISTEN})()")
    tv = german.new_page()
    tv.goto(f"{table.base}/tv")

    # Off, until somebody switches it on, here and nowhere else.
    tones_of_ann = menu(ann, "sound-line").get_by_role("switch", name="Tones")
    tones_of_ann.click()
    expect(tones_of_ann).to_have_attribute("aria-checked", "true")
    shut(ann)
    sounded(ann, "turn", told)
    tv.mouse.move(9, 9)  # During a game the big screen shows its buttons to who moves.
    tv.locator("#sound-speech").click()
    tv.locator("#sound-tones").click()
    assert tv.evaluate("window.spoken") == [["de", "Die Sprachausgabe ist an."]]
    seal(bob, "bD13")
    sounded(ann, "sealed", told)
    sounded(tv, "sealed", told)
    spoken = [text for _, text in tv.evaluate("window.spoken")]
    assert not any("D13" in text for text in spoken)
    seal(ann, "wD12")
    table.until("placing")
    sounded(tv, "reveal", told)
    tv.wait_for_function("window.spoken.some(([, text]) => text.startsWith('Zug 1: Ann weiß auf D12'))")
    assert tones(bob) == []
    assert bob.evaluate("window.spoken") == []

    # It is kept for the next page of this device.
    ann.reload()
    expect(menu(ann, "sound-line").locator("#sound-tones")).to_have_attribute("aria-checked", "true")
    shut(ann)
    table.put("wD12", "bD13")
    table.until("resolving")
    table.runtime.submit(Resigned(at=table.runtime.now(), seat=2))
    sounded(tv, "won", told)
    german.close()


STALLED = """() => {
  window.audio = "suspended";
  Object.defineProperty(AudioContext.prototype, "state", { get: () => window.audio });
  AudioContext.prototype.resume = async () => { window.woken = true; };
}"""
"""Lets the audio of a page stand in ``window.audio``, as a browser before the first touch or during a call."""


def hears(page: Page, before: Any, after: Any) -> bool:
    """Show two moments, the second of which has a tone; tell whether it was scheduled."""
    show(page, before)
    known = len(tones(page))
    show(page, after)
    return len(tones(page)) > known


@pytest.mark.thorough
def test_tones_that_nobody_could_hear_are_dropped(browser: Browser, tmp_path: Path) -> None:
    """And audio that a call has interrupted is woken by the next touch."""
    views = scenes(tmp_path)
    now = {**views["sealing"], "you": None}
    sealed = {**now, "seats": [{**seat, "sealed": True} for seat in now["seats"]]}
    (tmp_path / "house").mkdir()
    with house(tmp_path / "house") as base:
        context, page = staged(browser)
        page.add_init_script(f"({LISTEN})(); ({STALLED})();")
        page.goto(f"{base}/tv")
        page.mouse.move(9, 9)  # As a person does: what lies still shows no buttons.
        show(page, now)
        page.locator("#sound-tones").click()
        for state in ("suspended", "interrupted"):
            page.evaluate("(state) => { window.audio = state; window.woken = false; }", state)
            assert not hears(page, now, sealed)
            page.locator("#headline").click()
            assert page.evaluate("window.woken"), state
        assert tones(page) == []
        page.evaluate("window.audio = 'running'")
        assert tones(page) == [], "nothing has waited"
        assert hears(page, now, sealed)
        context.close()


@pytest.mark.thorough
def test_where_there_is_no_sound_the_switches_say_so(browser: Browser, tmp_path: Path) -> None:
    views = scenes(tmp_path)
    (tmp_path / "house").mkdir()
    with house(tmp_path / "house") as base:
        context, page = staged(browser, locale="en-GB")
        page.add_init_script("delete window.AudioContext; delete window.speechSynthesis;")
        page.goto(f"{base}/play")
        show(page, views["sealing"])
        sheet = menu(page, "sound-line")
        for name, words in (("Tones", "This browser plays no tones."), ("Speech", "This browser does not speak.")):
            switch = sheet.get_by_role("switch", name=name)
            expect(switch).to_be_disabled()
            expect(switch).to_contain_text(words)
        page.goto(f"{base}/tv")
        expect(page.locator("#sound-tones")).to_be_disabled()
        expect(page.locator("#sound-tones")).to_have_attribute("title", "This browser plays no tones.")
        context.close()

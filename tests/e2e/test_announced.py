"""What a screen reader is told over a round: what matters, once, in order; and no choice before it is revealed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from firmware_host.table.subjects.proposals import GamePaused, GameResumed, Proposed
from firmware_host.table.subjects.resolving import Resigned
from tests.e2e.room import begin_lesson, types
from tests.e2e.test_phones import start
from tests.e2e.test_whole_game import seal
from tests.sentences import sentence
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

HEARD = """() => {
  window.heard = [];
  const regions = "[role=status], [role=alert], [role=log], [aria-live]";
  const added = (one) => (one.type === "characterData" ? [one.target] : [...one.addedNodes]);
  new MutationObserver((all) => all.forEach((one) => {
    const at = one.target.nodeType === 1 ? one.target : one.target.parentElement;
    if (!at?.closest(regions)) return;
    window.heard.push(...added(one).map((node) => node.textContent.trim()).filter(Boolean));
  })).observe(document, { subtree: true, childList: true, characterData: true });
}"""
ORDER = ["choose in secret", "white on D12", "paused the game", "has won"]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path) as served:
        yield served


def heard(page: Page) -> list[str]:
    return list(page.evaluate("window.heard"))


def told(page: Page, text: str) -> None:
    """Wait until it is said, and see that it is said once."""
    expect(page.locator("#announced p", has_text=text)).to_have_count(1)
    assert sum(text in one for one in heard(page)) <= 1, heard(page)


@pytest.mark.thorough
def test_a_round_is_told(table: ServedTable, phones: Sequence[BrowserContext], browser: Browser) -> None:
    for phone in phones[:2]:
        phone.add_init_script(f"({HEARD})()")
    ann, bob = start(table, phones)
    tv = browser.new_context().new_page()
    tv.goto(f"{table.base}/tv")
    expect(tv.locator("#seats li")).to_have_count(2)
    told(ann, "Turn 1: choose in secret.")
    seal(ann, "wD12")
    expect(ann.get_by_role("heading", name="Sealed")).to_be_visible()
    for page in (ann, bob):
        assert not any("D12" in one for one in heard(page)), "what was sealed is nobody's business"
    seal(bob, "bD13")
    table.until("placing")
    for page in (ann, bob, tv):
        expect(page.locator("#announced p", has_text="Turn 1: Ann white on D12, Bob black on D13.")).to_have_count(1)
    table.put("wD12", "bD13")
    view = table.until("resolving")
    acts = (ann, bob)[view["resolver"] - 1]
    told(acts, "It is your turn.")
    table.runtime.submit(GamePaused(at=table.runtime.now()))
    told(ann, sentence("The host has paused the game."))
    table.runtime.submit(GameResumed(at=table.runtime.now()))
    expect(ann.locator("#message")).not_to_contain_text("paused")
    table.runtime.submit(Resigned(at=table.runtime.now(), seat=2))
    for page in (ann, bob):
        told(page, "Ann has won.")
        lines = [line for line in heard(page) if line != "It is your turn."]  # After a pause it is said anew.
        assert len(lines) == len(set(lines)), lines
    order = heard(ann)
    assert [text for one in order for text in ORDER if text in one] == ORDER
    tv.context.close()


def test_what_waits_for_me_is_told(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = start(table, phones)
    seal(ann, "wD12")
    expect(ann.get_by_role("heading", name="Sealed")).to_be_visible()
    table.runtime.submit(Proposed(at=table.runtime.now(), seat=1, what="reseal"))
    expect(bob.locator("#announced p", has_text="Do you agree?")).to_have_count(1)
    expect(ann.locator("#announced p", has_text="Do you agree?")).to_have_count(0)


def test_what_a_lesson_answers_is_told(table: ServedTable, browser: Browser) -> None:
    """The task, that a try was wrong and why, that it was right and what comes next."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    context.add_init_script(f"({HEARD})()")
    page = context.new_page()
    begin_lesson(page, table.base, "06-sealing")
    told(page, "Seal white on D3")
    for placement, words in (("bD3", "Not this way. Black on D3"), ("wD3", "nobody could look first")):
        types(page, placement)
        page.locator("#seal").click()
        told(page, words)
    told(page, "Put down, then resolve")
    lines: list[str] = page.locator("#announced p").all_text_contents()
    right = next(line for line in lines if "nobody could look first" in line)
    assert right.startswith("Right! Both choices")
    assert lines.index(right) < lines.index("Put down, then resolve")
    context.close()

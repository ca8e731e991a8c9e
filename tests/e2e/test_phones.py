"""What may happen to phones in an evening: naps, second tabs, lost answers, a dead stream, a lost seal."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from firmware_host.games.seals import commitment
from firmware_host.table.subjects.seats import GameStarted, ModeChosen, SeatTaken
from tests.e2e.program import eventually
from tests.e2e.room import menu, shut, types
from tests.e2e.test_whole_game import seal
from tests.sentences import sentence
from tests.web_panel.table import ServedTable, signed
from web_panel.access import SEAT_COOKIE

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path) as served:
        yield served


def start(table: ServedTable, phones: Sequence[BrowserContext]) -> tuple[Page, Page]:
    """Two people at the table, before their first seal."""
    now = table.runtime.now()
    for seat, (phone, name) in enumerate(zip(phones, ("Ann", "Bob"), strict=False), 1):
        table.runtime.submit(SeatTaken(at=now, seat=seat, name=name, claim=f"claim {seat}"))
        phone.add_cookies([{"name": SEAT_COOKIE, "value": signed([seat, f"claim {seat}"]), "url": table.base}])
    table.runtime.submit(GameStarted(at=now))
    table.until("sealing")
    ann, bob = (phone.new_page() for phone in phones[:2])
    for page in (ann, bob):
        page.goto(f"{table.base}/play")
        expect(page.get_by_role("heading", name="Choose in secret")).to_be_visible()
    return ann, bob


def shows_sealed(page: Page) -> None:
    expect(page.get_by_role("heading", name="Sealed")).to_be_visible()


# -- the hash ----------------------------------------------------------------------------------------------------------


def test_the_vendored_hash_is_sha_256(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    """NIST's messages and random ones, on the insecure origin where browsers offer no hash of their own."""
    page = phones[0].new_page()
    page.goto(f"{table.base}/join/1")
    assert page.evaluate("[isSecureContext, typeof crypto.subtle]") == [False, "undefined"]
    known = {
        "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq": (
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        "a" * 1_000_000: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
    }
    rng = random.Random(1)
    alphabet = "abcXYZ019 -\n\u00e9\u732b\U0001f9f2"
    texts = [*known, *("".join(rng.choices(alphabet, k=length)) for length in range(300))]
    found = page.evaluate(
        """async (texts) => {
          const { sha256, utf8ToBytes, bytesToHex } = await import("/static/vendor/noble-sha256-2.4.0.js");
          return texts.map((text) => bytesToHex(sha256(utf8ToBytes(text))));
        }""",
        texts,
    )
    assert found[: len(known)] == list(known.values())
    assert found == [hashlib.sha256(text.encode()).hexdigest() for text in texts]


def test_a_phone_commits_as_the_table_checks(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    page = phones[0].new_page()
    page.goto(f"{table.base}/join/1")
    found = page.evaluate(
        """async () => {
          const { commitment } = await import("/static/shared/seal.js");
          const seal = { tag: "lodestone-seal-v1", game: "g1", turn: 7, history: "00ff" };
          return commitment(seal, 2, "bD4", "7c1039287aa9aeaad5f3cdce182435ca");
        }"""
    )
    assert found == commitment("g1", 7, 2, "00ff", "bD4", "7c1039287aa9aeaad5f3cdce182435ca")


# -- seals that get lost -----------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_stale_second_tab_does_not_spoil_the_seal(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = start(table, phones)
    stale = table.view["seal"]
    tab = phones[0].new_page()
    tab.goto(f"{table.base}/tv")
    seal(ann, "wD2")
    said = tab.evaluate(
        """async (seal) => {
          const { commit } = await import("/static/shared/seal.js");
          return commit(seal, 1, "bD5").then(() => "taken", (error) => error.message);
        }""",
        stale,
    )
    assert "a seal is final" in said
    seal(bob, "bD10")
    assert table.until("placing")["board"] == {"D2": ["w"], "D10": ["b"]}


@pytest.mark.thorough
def test_lost_answers_are_made_good(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    """The answer to a seal is lost after the table took it; the first openings never reach the table."""
    ann, bob = start(table, phones)

    def lose_the_answer(route: Route) -> None:
        route.fetch(url=route.request.url.replace(table.base, table.local), headers=headers(route, table))
        route.abort()

    ann.route("**/api/seal", lose_the_answer)
    lost: list[str] = []

    def lose_the_request(route: Route) -> None:
        lost.append(route.request.url)
        if len(lost) <= 1:
            route.abort()
        else:
            route.continue_()

    ann.route("**/api/open", lose_the_request)
    seal(ann, "wD2")
    shows_sealed(ann)
    expect(ann.locator("#error")).to_be_hidden()
    seal(bob, "bD10")
    expect(ann.get_by_role("heading", name="Revealed!")).to_be_visible()
    assert len(lost) >= 2


def headers(route: Route, table: ServedTable) -> dict[str, str]:
    """Return a request's headers as they would go to the local address (this client knows no mapped names)."""
    found = {**route.request.all_headers(), "host": f"127.0.0.1:{table.port}", "origin": table.local}
    return {name: value for name, value in found.items() if not name.startswith(":")}


def test_a_phone_that_slept_opens_its_seal_when_it_wakes(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    """Even when it wakes on the lobby's page."""
    ann, bob = start(table, phones)
    seal(ann, "wD2")
    shows_sealed(ann)
    ann.close()
    seal(bob, "bD10")
    table.until("revealing")
    expect(bob.locator("#message")).to_contain_text("Waiting for the phone of Ann")
    assert "D10" not in str(table.view["log"]), "nobody's opening is shown before all have opened"
    phones[0].new_page().goto(f"{table.base}/")
    table.until("placing")


@pytest.mark.thorough
def test_a_lost_seal_is_sealed_anew_and_no_other_one(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = start(table, phones)
    seal(ann, "wD2")
    shows_sealed(ann)
    ann.evaluate("localStorage.clear()")
    seal(bob, "bD10")
    table.until("revealing")
    expect(ann.get_by_role("heading", name=sentence("Your seal is not on"))).to_be_visible()
    ann.locator("#panel").get_by_role("button", name=sentence("others to let me seal")).click()
    assert not any(seat["opened"] for seat in table.view["seats"]), "Bob's phone waits for Ann's"
    bob.get_by_role("button", name="I agree").click()
    table.until("sealing")
    seal(ann, "wD3")
    assert table.until("placing")["board"] == {"D3": ["w"], "D10": ["b"]}


@pytest.mark.thorough
def test_without_storage_nothing_is_sealed(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, _ = start(table, phones)
    ann.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    types(ann, "wD2")
    ann.locator("#seal").click()
    expect(ann.locator("#error")).to_contain_text("does not keep data")
    assert table.view["seal"]["commitments"] == {}


@pytest.mark.thorough
def test_when_the_next_game_opens_nothing_is_kept(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = start(table, phones)
    seal(ann, "wD2")
    assert ann.evaluate("localStorage.length") == 1
    menu(bob, "resign")
    bob.get_by_role("button", name="No", exact=True).click()
    menu(bob).locator("#resign").press("Enter")
    bob.get_by_role("button", name="Yes").press("Enter")
    table.until("over")
    expect(ann.locator(".ended")).to_be_visible()
    expect(ann.get_by_role("link", name="Check seals")).to_be_visible()
    assert ann.evaluate("localStorage.length") == 1, "it can still be compared with the proof"
    ann.locator("#menu").click()
    ann.locator("#new").click()
    expect(ann.get_by_text(sentence("All are here. The host"), exact=True)).to_be_visible()
    eventually(lambda: ann.evaluate("localStorage.length") == 0, "an empty storage")


# -- live updates ------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_dead_stream_is_replaced_by_asking_and_comes_back(
    table: ServedTable, phones: Sequence[BrowserContext]
) -> None:
    """A 503 closes an EventSource for good: the page asks every three seconds, and builds a new one."""
    page = phones[0].new_page()
    page.route("**/api/events", lambda route: route.fulfill(status=503, body="no"))
    page.goto(f"{table.base}/")
    expect(page.locator(".place")).to_have_count(2)
    table.runtime.submit(ModeChosen(at=0.0, mode="4"))
    expect(page.locator(".place")).to_have_count(4)
    page.unroute("**/api/events")
    with page.expect_response("**/api/events") as response:
        pass
    assert response.value.status == 200
    expect(page.locator("#net")).to_have_text("")


def test_a_phone_that_wakes_builds_a_new_stream(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    """After sleep a stream may look open and be dead."""
    page = phones[0].new_page()
    page.goto(f"{table.base}/")
    expect(page.locator(".place")).to_have_count(2)
    with page.expect_request("**/api/events"), page.expect_request("**/api/state"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    with page.expect_request("**/api/events"):
        page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")


@pytest.mark.thorough
def test_what_is_being_typed_stays_when_others_seal(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = start(table, phones)
    menu(ann, "moves").locator("#typed").press_sequentially("wD1")
    seal(bob, "bD10")
    expect(ann.locator("#seats")).to_contain_text("sealed")
    ann.keyboard.press("2")
    assert ann.evaluate("[document.activeElement.id, document.activeElement.value]") == ["typed", "wD12"]
    ann.keyboard.press("Enter")
    expect(ann.locator("#seal")).to_have_text("Seal white on D12")


# -- eyes, ears and thumbs ---------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_targets_fit_a_thumb_on_a_360_px_phone(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    """The board has a margin: neighbours are 40 px apart, the least that a tap is trusted at without magnifying."""
    ann, _ = start(table, phones)
    centres: list[list[float]] = ann.evaluate(
        """[...document.querySelectorAll(".can .spot")].map((spot) => {
          const { x, y, width, height } = spot.getBoundingClientRect();
          return [x + width / 2, y + height / 2];
        })"""
    )
    assert len(centres) == 29
    pairs = [(one, other) for n, one in enumerate(centres) for other in centres[n + 1 :]]
    assert min(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5 for a, b in pairs) >= 40
    assert ann.evaluate("document.documentElement.scrollWidth") <= 360
    small = ann.evaluate(
        """[...document.querySelectorAll("button, input, a.button")]
          .filter((one) => one.checkVisibility())
          .filter((one) => one.getBoundingClientRect().height < (one.closest(".bar, .head") ? 43.5 : 48))
          .map((one) => one.outerHTML)"""
    )
    assert small == []


@pytest.mark.thorough
def test_no_live_region_speaks_the_choice(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, _ = start(table, phones)
    spoken = """[...document.querySelectorAll("[role=status], [role=alert], [aria-live]")]
      .map((one) => one.textContent).join(" ")"""
    ann.evaluate(
        """() => { window.heard = []; new MutationObserver((all) => all.forEach((one) => {
          const region = one.target.parentElement?.closest("[role=status], [role=alert], [aria-live]");
          if (region) window.heard.push(region.textContent);
        })).observe(document.body, { subtree: true, childList: true, characterData: true }); }"""
    )
    ann.get_by_role("radio", name="D12, west-south-west").click()
    seal(ann, "wD12")
    shows_sealed(ann)
    look = ann.locator("#peek")
    expect(look).to_have_text(sentence("Hold to look at your"))
    look.hover()
    ann.mouse.down()
    expect(ann.locator(".secret")).to_have_text("White on D12")
    ann.mouse.up()
    expect(ann.locator(".secret")).to_have_count(0)
    look.press("Enter")
    expect(ann.locator(".secret")).to_have_text("White on D12")
    assert "D12" not in ann.evaluate(spoken) + ann.evaluate("window.heard.join(' ')")
    look.press("Enter")
    expect(ann.locator(".secret")).to_have_count(0)


def test_what_is_looked_at_is_hidden_however_the_finger_leaves(
    table: ServedTable, phones: Sequence[BrowserContext]
) -> None:
    """The button stays under the finger; a phone that takes the touch away tells nothing else."""
    ann, _ = start(table, phones)
    seal(ann, "wD12")
    shows_sealed(ann)
    look, secret = ann.locator("#peek"), ann.locator(".secret")
    button = look.element_handle()
    for end in ("pointerup", "pointercancel", "visibilitychange"):
        look.dispatch_event("pointerdown")
        expect(secret).to_have_text("White on D12")
        assert button.evaluate("(one) => one.isConnected")
        expect(look).to_have_attribute("aria-expanded", "true")
        ann.evaluate("(end) => document.dispatchEvent(new Event(end, { bubbles: true }))", end)
        expect(secret).to_have_count(0)
        expect(look).to_have_attribute("aria-expanded", "false")
    look.press("Enter")
    expect(secret).to_have_text("White on D12")
    ann.evaluate("for (const end of ['pointerup', 'pointercancel']) dispatchEvent(new Event(end))")
    expect(secret).to_have_text("White on D12")


@pytest.mark.thorough
def test_lights_have_words_and_keep_still_if_asked(table: ServedTable, browser: Browser, phones: Any) -> None:
    ann, bob = start(table, phones)
    seal(ann, "wD2")
    seal(bob, "bD10")
    table.until("placing")
    lights = menu(ann, "legend").locator("#lights li")
    expect(lights).to_have_text(["Ann: put your stone hereD2", "Bob: put your stone hereD10"])
    shut(ann)
    television = browser.new_context(reduced_motion="no-preference").new_page()
    television.goto(f"{table.base}/tv")
    expect(television.locator(".glow.lit")).to_have_count(2)
    moving = "(count) => document.getAnimations().length === count"
    television.wait_for_function(moving, arg=4)  # Each lamp and its halo. What appears moves for a moment, too.
    television.emulate_media(reduced_motion="reduce")
    television.wait_for_function(moving, arg=0)
    television.context.close()


@pytest.mark.thorough
def test_a_sensor_is_declared_wrong_and_believed_again(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = start(table, phones)
    seal(ann, "wD2")
    seal(bob, "bD10")
    table.until("placing")
    table.put("wC5")
    card = ann.locator('[data-card="sensor"]')
    card.locator("summary").click()
    card.get_by_role("button", name="The sensor of C5 is wrong").click()
    ann.locator("#ask").get_by_role("button", name="Yes").click()
    eventually(lambda: "C5" in table.view["sensors"]["masked"], "a masked node")
    menu(ann)
    ann.get_by_role("button", name="Use the sensor of C5 again").click()
    eventually(lambda: "C5" not in table.view["sensors"]["masked"], "a believed node")

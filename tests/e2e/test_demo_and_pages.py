"""More promises of the README: the demo plays by itself, a computer is a partner, keys are enough, nothing leaks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.e2e import chromium
from tests.e2e.program import Program, eventually
from tests.e2e.room import types
from tests.e2e.test_whole_game import at_table, seal
from tests.sampling import cases, some

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["level", "presence"])
def test_the_demo_plays_to_its_end(tmp_path: Path, kind: str) -> None:
    demo = Program(tmp_path, "--demo", "--pause", "0.01", "--kind", kind)
    demo.start()
    lights, seen = set(), 0

    def over() -> bool:
        nonlocal seen
        view = demo.state()
        lights.update(light["meaning"] for light in view["lights"].values())
        seen = max(seen, view["turn"] or 0)
        return bool(view["phase"] == "over")

    eventually(over, "the demo's end", 150)
    assert seen >= 3
    assert {"put", "best", "won"} <= lights
    assert demo.state()["result"]["winners"]
    eventually(lambda: demo.process is not None and "has won" in demo.process.printed(), "the end is printed")
    out = demo.stop()
    assert "Traceback" not in out


@pytest.mark.thorough
def test_a_person_plays_a_computer(tmp_path: Path, phones: Sequence[BrowserContext]) -> None:
    program = Program(tmp_path, "--hands", "computer", "--pause", "0.05", "--kind", "level").start("--new")
    assert program.as_host("computer", seat=2)[0] == 200
    [page] = at_table(program, phones, "Ann")
    program.until_phase("sealing")
    seal(page, "wA1")
    view = program.until_phase("placing")
    program.hand("put", node="A1", piece="w")
    eventually(lambda: program.state()["phase"] != "placing", "the computer's stone lies")
    assert view["seats"][1]["computer"] is True
    assert len(program.state()["board"]) >= 1
    out = program.stop()
    assert "Traceback" not in out


def test_nothing_leaves_a_phone_before_all_have_sealed(program: Program, phones: Sequence[BrowserContext]) -> None:
    """All traffic of both phones and the strip's bytes are watched while one has sealed and the other has not."""
    program.start("--new", "--kind", "polarity")
    sent: list[str] = []
    phones[0].on("request", lambda request: sent.append(request.url + (request.post_data or "")))
    ann, bob = at_table(program, phones, "Ann", "Bob")
    program.until_phase("sealing")
    sent.clear()
    seal(ann, "wC7")
    kept = ann.evaluate("localStorage.getItem(Object.keys(localStorage).find((k) => k.includes('seal')))")
    opening = json.loads(kept)
    assert opening["action"] == "wC7"
    for text in (*sent, json.dumps(program.state()), bob.content()):
        assert "wC7" not in text
        assert opening["nonce"] not in text
    assert set(program.pixels().values()) == {(0, 0, 0)}
    ann.reload()
    expect(ann.get_by_role("heading", name="Sealed")).to_be_visible()
    ann.locator("#peek").press("Enter")
    expect(ann.locator(".secret")).to_have_text("White on C7")
    types(bob, "bB3")
    bob.get_by_role("button", name="Seal black on B3").press("Enter")
    assert program.until_phase("placing")["board"] == {"C7": ["w"], "B3": ["b"]}


@pytest.mark.thorough
def test_keys_are_enough_to_seal(program: Program, phones: Sequence[BrowserContext]) -> None:
    program.start("--new")
    ann, bob = at_table(program, phones, "Ann", "Bob")
    program.until_phase("sealing")
    ann.get_by_role("radio", name="white").press("Enter")
    ann.locator('[data-node="A1"]').focus()
    ann.keyboard.press("ArrowRight")
    ann.get_by_role("button", name="Seal white on B1").press("Enter")
    expect(ann.get_by_role("heading", name="Sealed")).to_be_visible()
    types(bob, "bC8")
    bob.get_by_role("button", name="Seal black on C8").press("Enter")
    assert program.until_phase("placing")["board"] == {"B1": ["w"], "C8": ["b"]}


@pytest.mark.thorough
def test_the_virtual_board_says_what_the_table_says(program: Program, phones: list[BrowserContext]) -> None:
    program.start("--new")
    board = phones[2].new_page()
    board.goto(f"{program.base}/board")
    expect(board.locator("#table")).to_have_text(program.state()["message"])
    ann, bob = at_table(program, phones, "Ann", "Bob")
    for phone, placement in ((ann, "wC7"), (bob, "bB3")):
        seal(phone, placement)
    program.until_phase("placing")
    expect(board.locator("#headline")).to_have_text("Revealed!")
    expect(board.locator("#todo li")).to_have_text(["1White on C7", "2Black on B3"])
    expect(board.locator("#players li")).to_have_text(["1Ann0", "2Bob0"])


PAGES = ("/", "/join/1", "/host", "/play", "/tv", "/proof", "/board", "/how-to-play", "/puzzles", "/nowhere")
DRAWN = {"/": "#seats [data-card]", "/play": "#seats [data-card]", "/join/1": "h1", "/board": ".bowl"}
"""What is there once a page has drawn what the table tells."""


@pytest.mark.thorough
@pytest.mark.parametrize("width", cases([320, 360], 320))
def test_no_page_scrolls_sideways_on_a_phone(program: Program, browser: Browser, width: int) -> None:
    program.start("--new", "--kind", "polarity")
    context = browser.new_context(viewport={"width": width, "height": 640})
    page = context.new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    for path in some(PAGES, 3):
        page.goto(program.base + path)
        if path == "/play":  # Nothing is played yet: it leads to the lobby, however slowly.
            page.wait_for_url(program.base + "/")
        if path in DRAWN:
            expect(page.locator(DRAWN[path]).first).to_be_visible()
        page.evaluate(chromium.DRAWN)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    assert [text for text in errors if "404" not in text] == [], "no script or style was refused"
    context.close()


@pytest.mark.thorough
def test_targets_fit_a_thumb_at_360_px(program: Program, phones: Sequence[BrowserContext]) -> None:
    """29 placement nodes, neighbours at least 44 px apart; a tap beside a node takes the nearest."""
    program.start("--new")
    ann, _ = at_table(program, phones, "Ann", "Bob")
    program.until_phase("sealing")
    expect(ann.locator(".can")).to_have_count(29)
    centres = ann.evaluate(
        "[...document.querySelectorAll('.can .spot')].map((c) => { const b = c.getBoundingClientRect();"
        " return [b.x + b.width / 2, b.y + b.height / 2]; })"
    )
    nearest = min(
        ((x1 - x2) ** 2 + (y1 - y2) ** 2) ** 0.5 for n, (x1, y1) in enumerate(centres) for x2, y2 in centres[n + 1 :]
    )
    assert nearest >= 40, nearest
    box = ann.locator('[data-node="C3"] .spot').bounding_box()
    assert box is not None
    ann.mouse.click(box["x"] + box["width"] / 2 + 14, box["y"] + box["height"] / 2 + 12)
    expect(ann.locator('[data-node="C3"]')).to_have_attribute("aria-checked", "true")

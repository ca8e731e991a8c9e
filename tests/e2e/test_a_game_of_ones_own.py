"""The game that docs/adding-a-game.md adds, in browsers: nothing but the package and its board file is new."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.e2e.program import Program
from tests.e2e.test_whole_game import sit_down
from tests.workshop import Workshop

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

CHAIN = [f"D{row}" for row in range(1, 8)]


@pytest.mark.thorough
def test_two_phones_play_hex(
    tmp_path: Path, program: Program, phones: Sequence[BrowserContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Workshop(tmp_path)
    made.run(".venv/bin/python -m pip install --no-build-isolation --editable ../lodestone-hex")
    made.run(".venv/bin/lodestone board new hex hex-7.toml")
    monkeypatch.setenv("PYTHONPATH", f"{made.site}:{tmp_path / 'lodestone-hex'}")
    program.start("--new", "--sim", "--board", str(made.here / "hex-7.toml"))
    ann, bob = (
        sit_down(program, phone, seat, name) for phone, seat, name in ((phones[0], 1, "Ann"), (phones[1], 2, "Bob"))
    )
    expect(ann.locator("#bar .about")).to_contain_text("Hex")
    program.start_game()
    for page in (ann, bob):
        page.wait_for_url("**/play")
        expect(page.locator("#seats li")).to_contain_text(["plays black", "plays white"])
        assert page.locator("[data-node]").count() == 49
    for black, white in zip(CHAIN, ["A1", "A2", "A3", "A4", "A5", "A6", ""], strict=True):
        program.act(black)
        if white:
            program.act(white)
    view = program.until_phase("over")
    assert (view["result"]["reason"], view["result"]["winners"]) == ("chain", [1])
    assert {node for node, light in view["lights"].items() if light["meaning"] == "won"} == set(CHAIN)
    assert view["log"][-1]["text"] == "Ann: a stone on D7."
    for page in (ann, bob):
        expect(page.locator(".ended")).to_be_visible()
        expect(page.get_by_text("A chain of stones joins both sides.").first).to_be_visible()
    assert max(program.lit("D4")) > 0, "the chain glows"
    assert "Traceback" not in program.stop()

"""Who can do nothing with the tile on top is told so, and passes on the phone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

from firmware_host.games.positions import starting
from firmware_host.games.registry import game as find_game
from firmware_host.session.table_setup import SuspendedGame
from firmware_host.text.words import capital
from tests.archive.records.recorder import CLAIM, Recorder
from tests.e2e.program import eventually
from tests.e2e.room import menu
from tests.games.octiles_positions import greedy_action
from tests.sentences import sentence
from tests.web_panel.table import ServedTable, signed
from web_panel.access import SEAT_COOKIE

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

SEED = 214
"""A deal after two of whose turns the first seat can do nothing."""


def before_the_pass() -> list[str]:
    game, rng = find_game("octiles"), Random(SEED)
    position, actions = starting(game, "2", {"seed": SEED}), []
    while True:
        seat = game.actor(position) or 0
        by = greedy_action if rng.random() < 0.7 else game.random_action
        actions.append(by(position, seat, rng))
        if actions[-1] == "pass":
            return actions[:-1]
        position = game.apply(position, {seat: actions[-1]}).position


class Resumed(ServedTable):
    """A table at which a game of before is gone on with."""

    def __init__(self, folder: Path, *options: Any) -> None:
        super().__init__(folder, *options)
        recorder = Recorder(self.journal, "octiles-0a1b2c3d", seed=SEED, game="octiles")
        for action in before_the_pass():
            recorder.step(action)
        self.runtime.resume(SuspendedGame.read(self.journal, recorder.id))


def test_a_forced_pass_is_told_and_said_on_the_phone(tmp_path: Path, phones: Sequence[BrowserContext]) -> None:
    with Resumed.opened(tmp_path, board="octiles-53") as table:
        table.set_up()
        table.until("resolving")
        phones[0].add_cookies([{"name": SEAT_COOKIE, "value": signed([1, CLAIM]), "url": table.base}])
        page = phones[0].new_page()
        page.goto(f"{table.base}/play")
        top = table.view["supply"]
        expect(page.locator("#message")).to_have_text(
            f"{capital(sentence('no turn is possible with tile {tile}: pass', tile=top['piece']))}."
        )
        expect(page.locator(".well.can")).to_have_count(0)
        page.locator("#step-pass").click()
        page.locator("#ask").get_by_role("button", name="Yes").click()
        eventually(lambda: table.view["turn"] == 4, "the pass counts")
        assert table.view["supply"] == top, "the tile stays on top for the next player"
        expect(menu(page, "happened").locator("#log")).to_contain_text(sentence("pass, as no turn is"))

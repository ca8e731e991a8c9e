"""The whole program: its host looks at old games while a new one is at the table, which notices nothing."""

from __future__ import annotations

import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from firmware_host.journal import Journal
from firmware_host.records import export
from firmware_host.replay_scenes import film
from tests.e2e.conftest import LAN_NAME
from tests.e2e.program import Program, eventually
from tests.records.recorder import Recorder

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

GAMES = ("spokes", "phalanx", "coil", "octiles")


def played(data: Path) -> dict[str, Any]:
    """Leave a game of each kind in the journal; return them as they will be shown."""
    data.mkdir()
    journal = Journal(data / "journal.sqlite")
    shown = {}
    for number, game in enumerate(GAMES):
        recorder = Recorder(journal, f"{game}-0000000{number}", seed=3, game=game)
        recorder.finish(most=30)
        shown[recorder.id] = film(export(journal, recorder.id))
    journal.close()
    return shown


def at_the_table(program: Program) -> Any:
    return {name: item for name, item in program.state().items() if name not in {"seq", "you", "host"}}


def test_the_host_looks_at_old_games_while_one_is_at_the_table(program: Program, browser: Browser) -> None:
    games = played(program.data)
    program.start()
    for seat in (1, 2):
        assert program.as_host("computer", seat=seat)[0] == 200
    assert program.as_host("start")[0] == 200
    before = eventually(lambda: (told := at_the_table(program))["phase"] == "placing" and told, "stones to place")
    lit = {node for node, colour in program.pixels().items() if any(colour)}
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(f"http://{LAN_NAME}:{program.port}/host#{program.host_token()}")
    eventually(lambda: any(one["name"] == "lodestone-host" for one in context.cookies()), "the host's cookie")
    for name, shown in games.items():
        page.goto(f"http://{LAN_NAME}:{program.port}/host/replay/{name}")
        expect(page.locator("#words")).to_have_text(str(shown.scenes[0].words))
        page.keyboard.press("End")
        expect(page.locator("#words")).to_have_text(str(shown.scenes[-1].words))
        assert page.locator("#standing li").all_text_contents() == [str(line) for line in shown.standing]
    now_playing = before["game"]["id"]
    page.goto(f"http://{LAN_NAME}:{program.port}/host/replay/{now_playing}")
    expect(page.locator("#words")).to_have_text("The game begins: Computer 1 against Computer 2.")
    page.keyboard.press("End")
    expect(page.locator("#words")).to_contain_text("The record ends here: the game is not finished.")
    context.close()
    assert at_the_table(program) == before
    assert {node for node, colour in program.pixels().items() if any(colour)} <= lit | set(before["lights"])
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"{program.base}/api/host/replay/{now_playing}", timeout=5)

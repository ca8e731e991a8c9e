"""The whole program: its host looks at old games while a new one is at the table, which notices nothing."""

from __future__ import annotations

import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from firmware_host.archive.journal import Journal
from firmware_host.archive.records import export
from firmware_host.replay.scenes import film
from tests.archive.records.recorder import NAMES, Recorder
from tests.e2e.chromium import LAN_NAME
from tests.e2e.program import Program, eventually
from tests.e2e.tongues import PSEUDO, brackets, pseudo_language, untold
from tests.sentences import sentence

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

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


@pytest.mark.thorough
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
        with page.expect_download() as loading:
            page.get_by_role("link", name="Download").click()
        assert film(loading.value.path().read_text().splitlines()).header["id"] == name
    now_playing = before["game"]["id"]
    page.goto(f"http://{LAN_NAME}:{program.port}/host/replay/{now_playing}")
    expect(page.locator("#words")).to_have_text("The game begins: Computer 1 against Computer 2.")
    page.keyboard.press("End")
    expect(page.locator("#words")).to_contain_text(sentence("The record ends here: the"))
    context.close()
    # On a slow machine the table asks meanwhile whether sensors are stuck: nobody lays the stones.
    left = {key: told for key, told in at_the_table(program).items() if key != "sensors"}
    assert left == {key: told for key, told in before.items() if key != "sensors"}
    assert {node for node, colour in program.pixels().items() if any(colour)} <= lit | set(before["lights"])
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"{program.base}/api/host/replay/{now_playing}", timeout=60)


@pytest.mark.thorough
def test_every_word_of_a_replay_comes_from_a_catalogue(
    program: Program, browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a language whose every sentence stands in brackets, nothing stands outside of them but names and nodes."""
    (tmp_path / "languages").mkdir()
    monkeypatch.setenv("LODESTONE_LANGUAGES", str(pseudo_language(tmp_path / "languages")))
    games = played(program.data)
    program.start()
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale=PSEUDO)
    page = context.new_page()
    page.goto(f"{program.base}/host#{program.host_token()}")
    eventually(lambda: any(one["name"] == "lodestone-host" for one in context.cookies()), "the host's cookie")
    english: dict[str, list[str]] = {}
    for name, shown in games.items():
        sealed = [at for at, scene in enumerate(shown.scenes) if scene.seals][:1]
        known = {*NAMES, *shown.game.layout().nodes, *name.split("-")}
        for at in (0, 1, 2, len(shown.scenes) // 2, len(shown.scenes) - 1, *sealed):
            page.goto(f"{program.base}/host/replay/{name}#{at + 1}")
            page.reload()
            expect(page.locator("#count")).to_contain_text(str(at + 1))
            page.evaluate("document.getElementById('seals').open = true")
            english[f"{name} {at + 1}"] = untold(page, *known)
            assert brackets(page) > 3, "this is that language"
    page.goto(f"{program.base}/host/replay/nothing-0")
    expect(page.locator("main.nothing")).to_be_visible()
    english["nothing"] = untold(page, "nothing")
    context.clear_cookies()
    page.goto(f"{program.base}/host/replay/nothing-0")
    english["not the host"] = untold(page)
    context.close()
    assert {where: words for where, words in english.items() if words} == {}

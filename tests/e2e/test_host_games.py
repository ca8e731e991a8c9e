"""The host and the games: another one on another board, setting aside, taking up and back, sensors, records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from firmware_host.archive.journal import Journal, utc_now
from tests import forked
from tests.e2e.program import Program, eventually
from tests.e2e.room import SCREEN, Room, agree, expect, menu, part, shut
from tests.sentences import sentence

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def room(program: Program, browser: Browser) -> Iterator[Room]:
    program.start("--new", "--hands", "computer", "--pause", "0.01")
    with Room.around(program, browser) as room:
        yield room


@pytest.mark.thorough
def test_games_are_set_aside_and_taken_up_on_their_boards(room: Room, tmp_path: Path) -> None:
    host, ann, bob, board = room.host(), room.player(1, "Ann"), room.player(2, "Bob"), room.open("/board", SCREEN)
    start(host, ann, bob)
    expect(board.locator("[data-node=D12]")).to_be_visible()
    first = room.view["game"]["id"]

    begin(host, "Phalanx", sentence("Set the running game aside", game="Phalanx"))
    expect(board.locator("[data-node=D12]")).to_have_count(0)
    assert [one["name"] for one in room.view["seats"]] == ["Ann", "Bob"], "people keep their seats"
    start(host, ann, bob)
    a_step_is_taken_back(room, host, ann)
    a_sensor_is_ignored(room, host)
    part(host, "Games")
    the_record_verifies(room, host, tmp_path / "record.jsonl")

    aside = host.locator(f'[data-game="{first}"]')
    expect(aside).to_contain_text("set aside")
    aside.get_by_role("button", name="Resume").click()
    expect(host.locator("#asktext")).to_have_text(sentence("The running game is", game="Spokes"))
    agree(host)
    expect(board.locator("[data-node=D12]")).to_be_visible()
    expect(ann.get_by_role("heading", name="Choose in secret")).to_be_visible()
    expect(aside).to_contain_text("running")
    assert room.view["game"]["id"] == first
    expect(host.locator('[data-card="games"] li').filter(has_text="set aside")).to_have_count(1)


def begin(host: Page, game: str, question: str) -> None:
    """Let the host begin a new game on the first board that is for it."""
    part(host, "Games")
    cards = host.locator("#choices .game")
    expect(cards).to_have_count(4)
    expect(cards.filter(has_text="Octiles")).to_contain_text("2 to 4 players · 20 to 45 minutes")
    expect(cards.locator("svg")).to_have_count(4)
    cards.filter(has_text=game).click()
    host.get_by_role("button", name=f"New game: {game}").click()
    expect(host.locator("#asktext")).to_have_text(question)
    agree(host, "No")
    host.get_by_role("button", name=f"New game: {game}").click()
    agree(host)
    expect(host.locator("#game-card")).to_contain_text(game)


def start(host: Page, *players: Page) -> None:
    part(host, "Table")
    host.get_by_role("button", name="Start").click()
    for page in players:
        page.wait_for_url("**/play")
    expect(host.get_by_role("button", name="Pause")).to_be_visible()


def a_step_is_taken_back(room: Room, host: Page, ann: Page) -> None:
    view = room.program.until_phase("resolving")
    back = host.get_by_role("button", name="Take back")
    expect(back).to_be_disabled()
    room.program.act(view["steps"][0]["action"])
    assert room.view["board"] != view["board"]
    expect(back).to_be_enabled()
    back.click()
    agree(host)
    eventually(lambda: room.view["board"] == view["board"], "nothing of the step counts")
    expect(menu(ann, "happened")).to_contain_text("host")
    shut(ann)
    room.program.until_phase("resolving")  # The lights lead the simulated hand, which brings the pieces back.


def a_sensor_is_ignored(room: Room, host: Page) -> None:
    part(host, "Hardware")
    sensors = host.locator("#sensors")
    sensors.get_by_text("Ignore a sensor").click()
    node = room.view["layout"]["nodes"].popitem()[0]
    sensors.get_by_label(sentence("Which node has a sensor")).select_option(node)
    sensors.get_by_role("button", name="Ignore it").click()
    agree(host)
    expect(sensors).to_contain_text(f"{node} is ignored: the host says so")
    assert node in room.view["sensors"]["masked"]
    sensors.get_by_role("button", name=f"Use {node} again").click()
    expect(sensors).to_contain_text("No sensor is ignored.")
    assert room.view["sensors"]["masked"] == {}


def the_record_verifies(room: Room, host: Page, path: Path) -> None:
    game = room.view["game"]["id"]
    with host.expect_download() as download:
        host.locator(f'[data-game="{game}"]').get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == f"{game}.jsonl"
    download.value.save_as(path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert lines[0]["id"] == game
    said = forked.run("record", "verify", str(path))
    assert said.returncode == 0, said.stdout + said.stderr


@pytest.mark.thorough
def test_many_games_are_listed_a_page_at_a_time(program: Program, browser: Browser) -> None:
    program.data.mkdir()
    with closing(Journal(program.data / "journal.sqlite")) as journal:
        for number in range(70):
            game = f"coil-{number:02}"
            head = {"id": game, "game": "coil", "mode": "2", "rules": {}, "board": "hexhex-7", "version": "0"}
            entries: list[tuple[str, Any]] = [("game", head), ("start", {}), ("abandoned", {})]
            journal.append_all([(game, kind, data, utc_now()) for kind, data in entries])
    program.start("--new")
    with Room.around(program, browser) as room:
        host = room.host(SCREEN)
        part(host, "Games")
        lines = host.locator("#games li")
        expect(lines).to_have_count(10)
        for shown, more in ((50, "60 more games"), (70, "20 more games")):
            host.get_by_role("button", name=more).click()
            expect(lines).to_have_count(shown)
        expect(host.locator("#more-games")).to_have_count(0)
        order = [line.get_attribute("data-game") for line in lines.all()]
        assert order == [f"coil-{number:02}" for number in reversed(range(70))]

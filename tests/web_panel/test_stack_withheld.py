"""The order of a stack that is played from is on no page: whatever players, the host or strangers ask for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from firmware_host.archive import records
from firmware_host.games.seals import deal_seal
from firmware_host.table.subjects.resolving import ActionChosen, Resigned
from firmware_host.table.subjects.seats import GameStarted
from lodestone.tables import KEY
from tests.attached import usual
from tests.hosts import HostedTable
from tests.web_panel.table import ADDRESS, OWN
from web_panel.app import create_app
from web_panel.limits import Buckets

TURNS = 3


@pytest.fixture
def table(tmp_path: Path) -> Iterator[HostedTable]:
    here = HostedTable(tmp_path)
    here.host.new_game("octiles-189", "3", [])
    yield here
    here.close()


class Everybody:
    """A player, the host and a stranger, who ask for all that there is."""

    def __init__(self, table: HostedTable) -> None:
        ticks = iter(range(0, 10**9, 1000))  # The limits' clock runs ahead.
        self.table = table
        self.app: Flask = create_app(
            table.runtime,
            secret=KEY,
            addresses=[ADDRESS],
            buckets=Buckets(lambda: next(ticks)),
            host=table.host,
            attached=usual(table),
        )
        self.player, self.host, self.stranger = (self.app.test_client() for _ in range(3))
        for seat, client in ((1, self.player), (2, self.app.test_client()), (3, self.app.test_client())):
            ticket = client.get("/api/tickets").get_json()["tickets"][str(seat)]
            body = {"seat": seat, "name": f"P{seat}", "ticket": ticket}
            assert client.post("/api/join", json=body, headers=OWN).status_code == 200
        assert self.host.post("/api/host/enter", json={"token": table.host.token()}, headers=OWN).status_code == 200

    def paths(self) -> Iterator[str]:
        """Yield every path that can be asked for, with the game's id and moments where it takes them."""
        game = self.game_id()
        replay = self.host.get(f"/api/host/replay/{game}").get_json()
        chunks = range(0, replay["moments"], replay["chunk"])
        for rule in self.app.url_map.iter_rules():
            if (
                "GET" not in (rule.methods or ())
                or rule.endpoint == "assets.get-script-path-name-"
                or rule.endpoint.endswith("static")
                or "{" in str(rule)
            ):
                continue
            path = re.sub(r"<game(_id)?>", game, str(rule)).replace("<version>", replay["version"])
            path = path.replace("<name>", self.table.view["game"]["name"])
            for first in chunks if "<int:first>" in path else (0,):
                found = path.replace("<int:first>", str(first)).replace("<int:seat>", "1").replace("<ticket>", "none")
                found = found.replace("<which>", "play").replace("<puzzle>", "none").replace("<int:at>", "0")
                assert "<" not in found, f"a path that is not looked at: {found}"
                yield found

    def game_id(self) -> str:
        return str(self.table.view["game"]["id"]) if not hasattr(self, "left") else self.left

    def told(self) -> str:
        """Return all that anybody is told, as one text."""
        texts = []
        for path in self.paths():
            for client in (self.player, self.host, self.stranger):
                texts.append(f"{path} {self.asked(client, path)}")
        return "\n".join(texts)

    def asked(self, client: FlaskClient, path: str) -> str:
        answer = client.get(path)
        return f"{answer.headers} {answer.get_data(as_text=True)}"


def seed_of(table: HostedTable, game: str) -> str:
    start = next(entry for entry in table.journal.entries(game) if entry.kind == "start")
    return str(start.data["seed"])


def stack(table: HostedTable) -> list[int]:
    running = table.runtime._table
    assert running is not None
    position: Any = running.ledger.now.position
    return list(position.stack)


def order(tiles: list[int]) -> re.Pattern[str]:
    """Return what finds these tiles one after the other, whatever stands between them."""
    return re.compile(r"(?<!\d)" + r"\D+".join(map(str, tiles)) + r"(?!\d)")


def play_a_turn(table: HostedTable) -> None:
    """Let whoever acts play any legal turn, with the hands that the lights ask for."""
    view = table.view
    running = table.runtime._table
    assert running is not None
    turn, seat = view["turn"], view["resolver"]
    action = sorted(running.game.actions(running.ledger.now.position)[seat])[0]
    table.say(ActionChosen, seat=seat, action=action)
    table.work("resolving")
    for _ in range(40):
        if table.view["turn"] != turn:
            return
        table.wait(0.2)
    raise AssertionError(table.view["message"])


def test_the_order_of_the_stack_is_told_to_nobody_before_the_end(table: HostedTable) -> None:
    """Neither the host, who can replay and take games up, nor anybody else; then all can check it."""
    everybody = Everybody(table)
    sealed = everybody.stranger.get("/api/state").get_json()["deal"]
    table.say(GameStarted)
    table.work("resolving")
    game, begin = everybody.game_id(), ""
    for turn in range(TURNS + 1):
        seed, hidden = seed_of(table, game), stack(table)[1:]
        running = table.runtime._table
        assert running is not None
        begin = begin or running.game.text(running.ledger.now.position)
        told = everybody.told()
        assert seed not in told
        assert str(int(seed, 16)) not in told
        assert order(hidden[:5]).search(told) is None, f"turn {turn + 1}: what comes next"
        answer = everybody.host.get(f"/api/host/records/{game}.jsonl")
        assert (answer.status_code, answer.get_json()["error"]["code"]) == (409, "withheld")
        if turn < TURNS:
            play_a_turn(table)
    for seat in (1, 2):
        table.say(Resigned, seat=seat)
    assert table.view["phase"] == "over"
    told = everybody.told()
    assert seed in told, "the search is not blind"
    assert order(stack(table)[-5:]).search(told)
    shown = everybody.stranger.get("/api/proof").get_json()["deal"]
    assert shown["commitment"] == sealed["commitment"] == deal_seal(game, shown["seed"], shown["position"])
    assert (shown["seed"], shown["position"]) == (seed, begin)
    record = everybody.host.get(f"/api/host/records/{game}.jsonl").get_data(as_text=True).splitlines()
    assert "dealt as it was sealed" in str(records.verify_lines(record))


@pytest.mark.thorough
def test_it_is_not_told_either_of_a_game_that_was_set_aside(table: HostedTable) -> None:
    """Nor of one that was abandoned: both may be taken up again."""
    everybody = Everybody(table)
    table.say(GameStarted)
    table.work("resolving")
    everybody.left = game = everybody.game_id()
    hidden, seed = stack(table)[1:], seed_of(table, game)
    table.host.new_game("spokes-45", "2", [])
    for state in ("set aside", "abandoned"):
        if state == "abandoned":
            table.journal.abandon(game)  # As a program does before its lobby opens.
            table.host.new_game("spokes-45", "2", [])
        told = everybody.told()
        (listed,) = [one for one in everybody.host.get("/api/host/state").get_json()["games"] if one["id"] == game]
        assert (listed["state"], listed["withheld"]) == (state, True)
        assert seed not in told
        assert order(hidden[:5]).search(told) is None
        assert everybody.host.get(f"/api/host/records/{game}.jsonl").status_code == 409


def test_a_journal_that_does_not_follow_tells_nothing_of_the_stack(table: HostedTable) -> None:
    """Why a game can't be taken up or replayed is told to the host, and without the position."""
    everybody = Everybody(table)
    table.say(GameStarted)
    table.work("resolving")
    game = everybody.game_id()
    hidden = stack(table)[1:]
    table.host.new_game("spokes-45", "2", [])
    text = next(entry for entry in table.journal.entries(game) if entry.kind == "start").data["position"]
    data = {"seat": 1, "action": "pass", "position": text, "removed": []}
    table.journal.append(game, "correction", {"to": 0, "by": "hand", "position": text}, "2026-01-01T00:00:00.000+00:00")
    table.journal.append(game, "action", data, "2026-01-01T00:00:00.000+00:00")
    taken = everybody.host.post("/api/host/take-up", json={"id": game}, headers=OWN)
    replay = everybody.host.get(f"/api/host/replay/{game}")
    assert (taken.status_code, replay.status_code) == (409, 409)
    for answer in (taken, replay):
        assert order(hidden[:3]).search(json.dumps(answer.get_json())) is None

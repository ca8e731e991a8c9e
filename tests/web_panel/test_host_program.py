"""The host at the program itself: what it tells is as described, and what it does happens."""

from __future__ import annotations

import json
import urllib.error
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.e2e.program import Program, eventually
from tests.web_panel.described import Description

STRICT = Description(strict=True)


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    running = Program(tmp_path / "games").start("--new", "--board", "sim")
    yield running
    running.stop()


def state(program: Program) -> Any:
    """Return what only the host is told, held to its description."""
    body = program.fetch("/api/host/state", Cookie=program.be_host())
    STRICT.check("/api/host/state", "GET", 200, {"Content-Type": "application/json"}, body)
    return json.loads(body)


def lodestone(program: Program, verb: str, *words: str) -> str:
    return forked.run(verb, "--data", str(program.data), *words, check=True).stdout


def test_what_the_program_tells_its_host_is_as_described(program: Program) -> None:
    told = state(program)
    assert sum(choice["current"] for choice in told["choices"]) == 1
    assert {choice["game"] for choice in told["choices"]} >= {"spokes", "phalanx", "coil", "octiles"}
    assert told["games"] == [], "a lobby is no game yet"
    assert set(told["tickets"]) == {"1", "2"}
    assert told["hardware"]["simulated"] is True


@pytest.mark.thorough
def test_another_game_is_opened_and_the_first_one_taken_up_again(program: Program) -> None:
    ann = program.join(1, "Ann")
    assert program.as_host("computer", seat=2)[0] == 200
    program.start_game()
    first = program.until_phase("sealing")["game"]["id"]
    other = next(choice for choice in state(program)["choices"] if choice["game"] == "phalanx")
    status, answer = program.as_host("new", board=other["board"], mode=other["modes"][0], rules=list(other["options"]))
    assert status == 200, answer
    view = program.state()
    assert (view["phase"], view["game"]["name"], view["seats"][0]["name"]) == ("lobby", "phalanx", "Ann")
    assert program.get("/api/state", Cookie=ann)["you"]["seat"] == 1, "people keep their seats"
    told = state(program)
    assert [(game["id"], game["state"]) for game in told["games"]] == [(first, "set aside")]
    assert [choice["game"] for choice in told["choices"] if choice["current"]] == ["phalanx"]
    record = program.fetch(f"/api/host/records/{first}.jsonl", Cookie=program.be_host()).decode()
    assert record == lodestone(program, "record", "export", first)
    status, answer = program.as_host("take-up", id=first)
    assert status == 200, answer
    eventually(lambda: program.state()["game"]["id"] == first, "the first game is back")
    assert [game["state"] for game in state(program)["games"]] == ["running"]


def test_a_new_token_ends_all_hosts_at_once(program: Program) -> None:
    """While the program runs: the next request of whoever was the host is refused."""
    old = program.be_host()
    assert program.as_host("mode", mode="4")[0] == 200
    link = lodestone(program, "host", "--anew")
    status, answer = program.as_host("mode", mode="2")
    assert (status, answer["error"]["code"]) == (403, "not_host")
    with pytest.raises(urllib.error.HTTPError):
        program.fetch("/api/host/state", Cookie=old)
    assert program.get("/api/state", Cookie=old)["host"] is False
    program.host_cookie = ""
    assert program.host_token() in link
    assert program.as_host("mode", mode="2")[0] == 200


def test_what_people_need_is_printed_and_nothing_of_it_twice(tmp_path: Path) -> None:
    """The host's link comes first; tickets are never printed; the token stands behind a #, and in no request."""
    running = Program(tmp_path / "games").start("--new", "--board", "sim")
    running.be_host()
    token, ticket = running.host_token(), running.ticket(1)
    running.join(1, "Ann")
    out = running.stop()
    assert out.index(f"/host#{token}") < out.index("The table is open")
    assert out.count(token) == out.count(f"/host#{token}")
    assert ticket not in out

"""Attacks at the program itself with seats and seals of games that were set aside, or go on after a restart."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.games.seals import commitment
from tests.e2e.program import Program

NONCES = {1: "1" * 32, 2: "2" * 32}
PLACED = {1: "wD12", 2: "bC6"}


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    running = Program(tmp_path / "games").start("--new", "--board", "sim")
    yield running
    running.stop()


def new_game(program: Program) -> None:
    """Let the host set the running game aside."""
    choices = program.get("/api/host/state", Cookie=program.be_host())["choices"]
    other = next(choice for choice in choices if choice["game"] == "phalanx")
    assert program.as_host("new", board=other["board"], mode="2", rules=[])[0] == 200


def seal(program: Program, seat: int, cookie: str, placement: str) -> tuple[int, Any]:
    asked = program.state()["seal"]
    digest = commitment(asked["game"], asked["turn"], seat, asked["history"], placement, NONCES[seat])
    return program.post("/api/seal", {"turn": asked["turn"], "commitment": digest}, Cookie=cookie)


def unseal(program: Program, seat: int, cookie: str, placement: str) -> tuple[int, Any]:
    return program.post("/api/open", {"turn": 1, "action": placement, "nonce": NONCES[seat]}, Cookie=cookie)


def all_that_is_told(program: Program, game: str, *cookies: str) -> str:
    """Return whatever a player or the host can read, of this game and of the one at the table."""
    host = program.be_host()
    paths = ["/api/state", "/api/proof", "/api/tickets"]
    hosts = ["/api/host/state", f"/api/host/records/{game}.jsonl", f"/api/host/replay/{game}"]
    replay = program.get(hosts[-1], Cookie=host)
    hosts.append(f"/api/host/replay/{game}/{replay['version']}/0")
    told = [program.fetch(path, Cookie=cookie) for path in paths for cookie in (*cookies, host)]
    return b"".join([*told, *(program.fetch(path, Cookie=host) for path in hosts)]).decode()


def test_attack_setting_a_game_aside_while_seals_are_opened(program: Program) -> None:
    """Ann has opened, Bob has not; the host begins something else and comes back, also over a restart.

    Nobody reads what Ann has placed, Bob can't change what he has sealed, and then it is revealed as if nothing was.
    """
    ann, bob = program.join(1, "Ann"), program.join(2, "Bob")
    program.start_game()
    game = program.until_phase("sealing")["game"]["id"]
    assert seal(program, 1, ann, PLACED[1])[0] == seal(program, 2, bob, PLACED[2])[0] == 200
    for cookie in (ann, bob):
        assert program.post("/api/ready", {"turn": 1}, Cookie=cookie)[0] == 200
    assert unseal(program, 1, ann, PLACED[1])[0] == 200
    assert NONCES[1] not in all_that_is_told(program, game, ann, bob)
    new_game(program)
    assert NONCES[1] not in all_that_is_told(program, game, ann, bob)
    assert unseal(program, 2, bob, PLACED[2])[1]["error"]["code"] == "wrong_phase"
    assert program.as_host("take-up", id=game)[0] == 200
    program.stop()
    program.start("--resume")
    program.until_phase("revealing")
    assert NONCES[1] not in all_that_is_told(program, game, ann, bob)
    assert seal(program, 2, bob, "bC5")[1]["error"]["code"] == "wrong_phase"
    assert unseal(program, 2, bob, "bC5")[1]["error"]["code"] == "seal_mismatch"
    assert program.post("/api/propose", {"what": "reseal", "about": 2}, Cookie=bob)[0] == 409
    assert unseal(program, 2, bob, PLACED[2])[0] == 200
    assert not program.state()["seats"][0]["opened"], (
        "what Ann had opened was never written down: her phone says it again"
    )
    assert unseal(program, 1, ann, PLACED[1])[0] == 200
    program.until_phase("placing")
    assert NONCES[1] in all_that_is_told(program, game)


@pytest.mark.thorough
def test_attack_lost_phone_after_a_restart(program: Program) -> None:
    """Ann's phone was stolen; her seat moved in the lobby of another game. After a restart the older game goes on."""
    stolen = program.join(1, "Ann")
    assert program.as_host("computer", seat=2)[0] == 200
    program.start_game()
    program.until_phase("sealing")
    new_game(program)
    _, answer, question = program._post("/api/ask", {"seat": 1})
    assert program.as_host("allow", code=answer["code"])[0] == 200
    own = {"Content-Type": "application/json", "X-Lodestone": "1", "Cookie": question}
    with urllib.request.urlopen(urllib.request.Request(f"{program.base}/api/collect", b"{}", own)) as collected:
        assert json.loads(collected.read())["seat"] == 1
        given = collected.headers.get_all("Set-Cookie")
    fresh = next(one for one in given if one.startswith("lodestone-seat=")).partition(";")[0]
    program.stop()
    program.start("--resume")
    program.until_phase("sealing")
    assert program.get("/api/state", Cookie=stolen)["you"] is None
    assert program.get("/api/state", Cookie=fresh)["you"]["seat"] == 1

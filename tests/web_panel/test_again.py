"""After the end: another game, with the same seats or with everybody one seat further."""

from __future__ import annotations

from pathlib import Path

from lodestone.tables import SimulatedTable
from tests.sentences import sentence
from tests.web_panel.table import panel, sit


def test_again_turns_the_seats_and_each_phone_keeps_its_player(table: SimulatedTable) -> None:
    ann, bob = sit(table, panel(table), "Ann", "Bob")
    assert bob.post("resign")[0] == 200
    assert ann.post("new", {"turned": True}) == (200, {"ok": True})
    view = ann.view()
    assert view["phase"] == "lobby"
    assert [seat["name"] for seat in view["seats"]] == ["Bob", "Ann"]
    assert (ann.view()["you"]["seat"], bob.view()["you"]["seat"]) == (2, 1)
    assert ann.post("name", {"name": "Anna"})[0] == 200
    assert [seat["name"] for seat in bob.view()["seats"]] == ["Bob", "Anna"], "each speaks for its own seat"


def test_the_next_game_keeps_the_seats(table: SimulatedTable) -> None:
    ann, bob = sit(table, panel(table), "Ann", "Bob")
    assert bob.post("resign")[0] == 200
    assert bob.post("new") == (200, {"ok": True})
    assert (ann.view()["you"]["seat"], bob.view()["you"]["seat"]) == (1, 2)


def test_a_rematch_begins_at_once_and_another_player_begins(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path, board="hexhex-7")
    ann, bob = sit(table, panel(table), "Ann", "Bob")
    assert bob.post("rematch")[1]["error"]["code"] == "wrong_phase", sentence("a game is still being")
    assert bob.post("resign")[0] == 200
    assert bob.post("rematch") == (200, {"ok": True})
    view = ann.view()
    assert view["phase"] in {"setup", "resolving"}
    assert [seat["name"] for seat in view["seats"]] == ["Bob", "Ann"]
    assert (ann.view()["you"]["seat"], bob.view()["you"]["seat"]) == (2, 1)
    assert ann.post("resign")[0] == 200
    assert ann.post("rematch", {"turned": False}) == (200, {"ok": True})
    assert [seat["name"] for seat in ann.view()["seats"]] == ["Bob", "Ann"]
    table.close()


def test_two_who_want_the_same_game_again_get_one(tmp_path: Path) -> None:
    """Both tap at the end, or one of them twice: who names the game that was over is never told of the next one."""
    table = SimulatedTable(tmp_path, board="hexhex-7")
    ann, bob = sit(table, panel(table), "Ann", "Bob")
    assert bob.post("resign")[0] == 200
    over = ann.view()["game"]["id"]
    assert ann.post("rematch", {"game": over}) == (200, {"ok": True})
    again = ann.view()
    assert again["game"]["id"] != over
    for phone in (ann, bob):
        assert phone.post("rematch", {"game": over}) == (200, {"ok": True})
    assert bob.view()["game"]["id"] == again["game"]["id"]
    assert bob.post("rematch", {"game": again["game"]["id"]})[1]["error"]["code"] == "wrong_phase", "it is not over"
    assert bob.post("new", {"game": over}) == (200, {"ok": True}), "nor is who wanted the lobby first"
    assert bob.view()["game"]["id"] == again["game"]["id"]
    assert bob.post("resign")[0] == 200
    for phone in (ann, bob):
        assert phone.post("new", {"game": again["game"]["id"]}) == (200, {"ok": True})
    assert bob.view()["phase"] == "lobby"
    table.close()


def test_where_all_begin_together_a_rematch_keeps_the_seats(table: SimulatedTable) -> None:
    ann, bob = sit(table, panel(table), "Ann", "Bob")
    assert ann.post("resign")[0] == 200
    assert ann.post("rematch") == (200, {"ok": True})
    table.wait(1)
    assert (ann.view()["phase"], ann.view()["you"]["seat"]) == ("sealing", 1)
    assert bob.view()["turn"] == 1


def test_signs_reach_everybody_until_there_are_too_many(table: SimulatedTable) -> None:
    ann, bob = sit(table, panel(table), "Ann", "Bob")
    assert ann.post("greet", {"sign": "wave"}) == (200, {"ok": True})
    assert bob.view()["said"] == [{"seat": 1, "sign": "wave", "words": "Ann waves."}]
    assert ann.post("greet", {"sign": "rude"})[1]["error"]["code"] == "bad_sign"
    answers = [ann.post("greet", {"sign": "clap"})[0] for _ in range(10)]
    assert answers[-1] == 409
    assert bob.post("greet", {"sign": "thanks"})[0] == 200

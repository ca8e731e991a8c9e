"""The table protocol: what every verb and every deed does."""

from __future__ import annotations

import json
import time
from typing import Any, cast

import pytest

from firmware_host.games.capabilities import HasStartOptions
from firmware_host.games.registry import GAMES
from firmware_host.games.registry import game as find_game
from firmware_host.services.table_protocol import TableSession
from tests.sampling import together
from tests.sentences import sentence
from tests.service import ANSWERED, PAIR, Table, pair, pushed
from tests.table.doors import Refused

FULL = (
    "bwwb..w/b....w../bb.....wb/bb..b..b.w/w.bbw..wb.w/bb.bbw..bw.w/...bbwb.w...b/b..b...w...w/wb...wbwb../wb..b...../"
    "wb....w../bwb..ww./b....b. main 2 2"
)


# -- verbs -------------------------------------------------------------------------------------------------------------


def test_a_game_is_opened_and_shows_what_to_put_down() -> None:
    answer = Table().ask(id=7, do="open", game="spokes", mode="4", position=PAIR.replace(" 2 2 2 ", " 4 2 2 "))
    assert set(answer) == ANSWERED
    assert (answer["id"], answer["phase"], answer["turn"], answer["actor"]) == (7, "setup", 2, 2)
    assert answer["tasks"][0] == {"do": "put", "node": "D12", "piece": "w", "seat": None}
    assert answer["lights"] == {"D12": "put"}
    assert answer["message"] == answer["problem"]["text"] != ""


@together("game", sorted(GAMES))
@together("kind", ["presence", "polarity", "level", "coded"])
def test_every_game_is_opened_with_every_kind_of_sensing(game: str, kind: str) -> None:
    assert Table().ask(do="open", game=game, kind=kind, seed=5)["phase"] in {"setup", "sealing", "resolving"}


def test_a_step_by_hand_is_committed_and_told_once() -> None:
    table = pair()
    held = table.sense(1, D13="")
    assert held["lights"] == {"D14": "target"}
    assert table.sense(1.5, D14="x")["committed"] == []
    done = table.tick(2)
    assert (done["committed"], done["undone"], done["time"]) == (["D12-D13-D14"], [], 2)
    assert [entry["kind"] for entry in done["journal"]] == ["action"]
    assert table.tick(3)["committed"] == []


def test_what_is_due_comes_before_what_happens_later() -> None:
    """Time that a line lets pass is looked at every 20 ms, like a running table."""
    table = pair()
    table.sense(1, D13="")
    table.sense(1.5, D14="x")
    later = table.sense(9, A1="x")
    assert later["committed"] == ["D12-D13-D14"]
    assert later["problem"] is None, "the stone on A1 has come just now"
    slow, fast = pushed(), pair()
    fast.sense(1, D13="")
    fast.sense(1.5, D14="x")
    for step in range(1, 26):
        fast.tick(1.5 + step * 0.02)
    assert {**fast.ask(do="look"), "time": 0} == {**slow.ask(do="look"), "time": 0}


def test_what_is_put_back_is_undone() -> None:
    table = pushed()
    table.sense(3, D14="")
    table.sense(3.2, D13="x")
    back = table.tick(4)
    assert (back["undone"], back["committed"], back["phase"]) == (["D12-D13-D14"], [], "resolving")


def test_several_nodes_of_one_moment() -> None:
    table = pair()
    assert table.sense(1, D13="", D14="x", A1="")["problem"] is None
    assert table.tick(1.4)["committed"] == ["D12-D13-D14"]


def test_what_sensors_do_not_tell_is_asked() -> None:
    table = Table()
    position = "./..../......../..........wbw.../................ 2 2 2 resolve -"
    table.ask(do="open", game="spokes", position=position)
    table.sense(0, D11="x", D12="x", D13="x")
    table.sense(1, D12="")
    asked = table.tick(3)["asked"]
    assert asked["seat"] == 2
    assert {choice["action"] for choice in asked["choices"]} == {"D11+D12", "D13+D12"}
    assert all(choice["words"] for choice in asked["choices"])
    assert table.deed("confirm", seat=2, action="D11+D12")["committed"] == ["D11+D12"]


def test_seals_are_opened_with_the_last_one() -> None:
    table = Table()
    table.ask(do="open", game="spokes")
    table.tick(1)
    assert table.deed("seal", seat=1, action="wD12")["phase"] == "sealing"
    told = table.deed("seal", seat=2, action="bB3")
    assert told["phase"] == "placing"
    assert [task["node"] for task in told["tasks"]] == ["D12", "B3"]
    assert next(entry for entry in told["journal"] if entry["kind"] == "reveal")["actions"] == {"1": "wD12", "2": "bB3"}


def test_a_resignation_that_leaves_nobody_to_wait_for_opens_the_seals() -> None:
    table = Table()
    table.ask(do="open", game="spokes", mode="4")
    table.tick(1)
    for seat, node in ((1, "D1"), (2, "D5"), (3, "D9")):
        table.deed("seal", seat=seat, action=f"w{node}")
    assert table.deed("resign", seat=4)["phase"] == "placing"


def test_phones_keep_their_seals_over_a_restart() -> None:
    table = Table()
    table.ask(do="open", game="spokes")
    table.tick(1)
    table.deed("seal", seat=1, action="wD12")
    table.ask(do="restart", time=5)
    table.tick(6)
    assert table.deed("seal", seat=2, action="bB3")["phase"] == "placing"


def test_a_restart_keeps_what_counts_and_looks_at_the_board() -> None:
    table = pushed()
    table.deed("mask", node="A1")
    again = table.ask(do="restart", time=7)
    assert (again["phase"], again["time"], again["masked"]) == ("setup", 7, ["A1"])
    assert table.tick(8)["phase"] == "sealing"
    assert table.tick(8)["journal"] == []


def test_a_full_board_is_judged_quickly_after_a_restart() -> None:
    """Sixty stones reported in one moment took 1.6 s when each node was judged anew."""
    table = Table()
    nodes = table.ask(do="open", game="coil", position=FULL)["tasks"]
    table.ask(do="sense", time=0, nodes={task["node"]: "x" for task in nodes})
    assert table.tick(1)["phase"] == "resolving"
    began = time.thread_time()
    assert table.ask(do="restart", time=2)["problem"] is None
    assert time.thread_time() - began < 0.5
    assert len(nodes) == 60


def test_look_tells_all_that_phones_see() -> None:
    table = pair()
    assert "view" not in table.ask(do="look")
    view = table.ask(do="look", view=True)["view"]
    assert view["steps"][0]["action"] == "D12-D13-D14"
    assert view["board"] == {"D12": ["w"], "D13": ["w"]}


def test_another_open_forgets_the_table_before() -> None:
    table = pushed()
    fresh = table.ask(do="open", game="phalanx", kind="coded")
    assert (fresh["time"], fresh["phase"], fresh["journal"]) == (0, "setup", [])


def test_options_of_open() -> None:
    table = Table()
    table.ask(
        do="open", game="phalanx", rules={"second_player_bonus": True}, computers=[2], time=100, timings={"settle": 1}
    )
    view = table.ask(do="look", view=True)["view"]
    assert view["game"]["rules"]
    assert [seat["name"] for seat in view["seats"]] == ["Player 1", "Player 2"]
    assert table.ask(do="look")["time"] == 100
    dealt = [table.ask(do="open", game="octiles", seed=seed)["position"] for seed in (1, 1, 2)]
    assert dealt[0] == dealt[1] != dealt[2]


# -- deeds -------------------------------------------------------------------------------------------------------------


def test_choosing_guides_the_hands() -> None:
    table = pair()
    chosen = table.deed("choose", seat=2, action="D12-D13-D14")
    assert chosen["lights"]["D14"] == "best"
    assert table.deed("choose", seat=2, action="")["lights"]["D12"] == "interact"


def test_a_take_back_is_proposed_declined_agreed() -> None:
    table = pushed()
    assert table.deed("propose", seat=1, proposal="take-back")["proposal"]["by"] == 1
    assert table.deed("decline", seat=2, proposal="take-back")["proposal"] is None
    table.deed("propose", seat=2, proposal="take-back")
    assert table.deed("agree", seat=1, proposal="take-back")["undone"] == ["D12-D13-D14"]


def test_the_host_takes_back_and_pauses() -> None:
    table = pushed()
    assert table.deed("take-back")["undone"] == ["D12-D13-D14"]
    assert table.deed("pause")["lights"] == {}
    with pytest.raises(Refused, match="paused"):
        table.deed("resign", seat=1)
    assert table.deed("resume")["phase"] == "setup"


def test_the_host_voids_a_turn_only_where_it_can_be() -> None:
    table = pair()
    with pytest.raises(Refused, match="bad_proposal"):
        table.deed("void")


def test_a_lost_board_is_not_judged() -> None:
    table = pair()
    assert "does not answer" in table.deed("lose-board")["message"]
    table.sense(1, D13="")
    table.sense(1.5, D14="x")
    assert table.tick(3)["committed"] == []
    table.deed("regain-board")
    assert table.tick(6)["committed"] + (table.ask(do="look")["asked"] or {}).get("choices", []) != []


def test_sensors_are_masked_by_players_and_the_host() -> None:
    table = pair()
    for node in ("A1", "B1", "B2"):
        table.deed("mask", seat=1, node=node)
    with pytest.raises(Refused, match="too_many"):
        table.deed("mask", seat=2, node="B3")
    assert table.deed("mask", node="B3")["masked"] == ["A1", "B1", "B2", "B3"]
    assert table.deed("unmask", node="A1")["masked"] == ["B1", "B2", "B3"]


def test_hints_and_resigning() -> None:
    table = pair()
    seat = table.ask(do="look")["actor"]
    assert table.deed("hint", seat=seat, told=1)["journal"] == [{"kind": "hint", "seat": seat, "told": 1}]
    assert table.deed("hints", seat=seat, on=False)["ok"]
    with pytest.raises(Refused, match="no_hints"):
        table.deed("hint", seat=seat, level=2)
    over = table.deed("resign", seat=1)
    assert (over["phase"], over["result"]["winners"]) == ("over", [2])


def test_a_position_of_another_board_than_the_table_has_is_refused() -> None:
    coil = cast(HasStartOptions[Any], find_game("coil"))
    line = {"do": "open", "game": "coil", "position": coil.text(coil.start_with("2", {"size": 3}))}
    answer = json.loads(TableSession().answer_line(json.dumps(line)))
    assert answer["error"] == {"code": "bad_position", "message": sentence("expected one of the board that")}

"""The host's hand on a running table: other games and boards at run time, what was set aside, records, hardware."""

from __future__ import annotations

import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_host.archive import records
from firmware_host.archive.data_folder import renew_host_token
from firmware_host.archive.journal import Journal, utc_now
from firmware_host.boardfile.load import find_board, load_board
from firmware_host.games.clocks import ClockSetting
from firmware_host.games.registry import GAMES
from firmware_host.session.computers import CompanySetting, read_company
from firmware_host.session.game_selection import LaunchRequest, Selection, choose, offers
from firmware_host.table.errors import TableError
from firmware_host.table.subjects.masks import SensorMasked
from firmware_host.table.subjects.proposals import Agreed, Proposed
from firmware_host.table.subjects.resolving import ActionChosen, Resigned
from firmware_host.table.subjects.seats import GameStarted, SeatColoured, SeatLeft, SeatMoved, SeatTaken
from firmware_host.table.subjects.timekeeping import ClocksChosen
from tests.hosts import HostedTable
from tests.sentences import sentence

BOARDS = {"spokes": "spokes-45", "phalanx": "go-9x9", "coil": "hexhex-7", "octiles": "octiles-189"}


@pytest.fixture
def table(tmp_path: Path) -> Iterator[HostedTable]:
    here = HostedTable(tmp_path)
    yield here
    here.close()


def refusal(deed: Callable[[], object]) -> TableError:
    with pytest.raises(TableError) as caught:
        deed()
    return caught.value


def listed(table: HostedTable) -> list[dict[str, Any]]:
    """Return the newest games."""
    games: list[dict[str, Any]] = table.host.games()["games"]
    return games


def names(table: HostedTable) -> dict[int, str]:
    return {seat["seat"]: seat["name"] for seat in table.view["seats"] if seat["taken"]}


def position(table: HostedTable) -> str:
    ledger = table.runtime.table().ledger
    return ledger.game.text(ledger.now.position)


def play_a_step(table: HostedTable) -> None:
    """Play Coil's, Phalanx's or Octiles' next step: chosen on the phone, done by hand."""
    view = table.view
    step = Random(1).choice([step for step in view["steps"] if step["moves"]])
    table.say(ActionChosen, seat=view["resolver"], action=step["action"])
    table.work("resolving")


# -- other games and boards --------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_all_games_in_turn_on_boards_of_their_own(table: HostedTable) -> None:
    """Each game is begun and touched by hand on its own simulated board; then each is taken up again where it was."""
    table.sit()
    left: dict[str, tuple[str, str]] = {}
    for name, board in BOARDS.items():
        if name != "spokes":
            table.host.new_game(board, "2", [])
        assert table.view["game"]["name"] == name
        assert names(table) == {1: "Ann", 2: "Bob"}, "people keep their seats"
        table.start()
        table.work("sealing", "resolving")
        if name != "spokes":
            play_a_step(table)
        assert table.host.hardware()["board"] == board
        assert [opened.closed for opened in table.boards] == [True] * (len(table.boards) - 1) + [False]
        left[name] = (table.view["game"]["id"], position(table))
    for name, (game, text) in left.items():
        if table.view["game"]["id"] == game:
            continue
        table.host.take_up(game)
        assert table.view["game"]["name"] == name
        assert table.host.hardware()["board"] == BOARDS[name]
        lit = False
        for _ in range(20):  # They blink.
            table.wait(0.1)
            lit = lit or any(map(any, table.parts[-1].wire.pixels()))
        assert lit == (name != "spokes"), "the lights of the new board say what is to be put on it"
        table.work("sealing", "resolving")
        assert position(table) == text
        assert names(table) == {1: "Ann", 2: "Bob"}


def test_the_same_board_stays_open_with_its_stones(table: HostedTable) -> None:
    table.hand.put("D12", "w")
    table.wait(0.3)
    table.host.new_game("spokes-45", "4", [])
    assert len(table.boards) == 1
    assert table.view["game"]["mode"] == "4"
    table.sit(("Ann", "Bob", "Cid", "Dan"))
    table.start()
    assert table.view["phase"] == "setup"
    assert table.view["tasks"] == [{"do": "take", "node": "D12", "seat": None}]


def test_seats_and_colours_are_kept_as_far_as_they_exist(table: HostedTable) -> None:
    table.host.new_game("spokes-45", "4", [])
    table.sit(("Ann", "Bob", "Cid"))
    table.say(SeatTaken, seat=4, name="HAL", claim="", computer=True)
    table.say(SeatColoured, seat=1, colour=7)
    table.say(SeatColoured, seat=2, colour=3)
    assert [seat["colour"] for seat in table.view["seats"]] == [7, 3, 2, 4]
    table.host.new_game("octiles-189", "3", [])
    assert names(table) == {1: "Ann", 2: "Bob", 3: "Cid"}
    assert table.view["game"]["colours"] is False
    table.host.new_game("hexhex-7", "2", [])
    table.host.new_game("spokes-45-74hc165-spi", "2", [])
    assert names(table) == {1: "Ann", 2: "Bob"}
    assert table.runtime.claim(1) == "c1"


def test_colours_are_kept_from_game_to_game(table: HostedTable) -> None:
    table.sit()
    table.say(SeatColoured, seat=1, colour=2)
    table.host.new_game("hexhex-7", "2", [])
    assert [seat["colour"] for seat in table.view["seats"]] == [2, 1]
    table.start()
    table.say(Resigned, seat=1)
    table.runtime.new_game()
    assert [seat["colour"] for seat in table.view["seats"]] == [2, 1]


def test_rules_of_the_game_are_chosen_with_it(table: HostedTable) -> None:
    table.host.new_game("go-9x9", "2", ["second_player_bonus"])
    assert table.view["game"]["rules"] == [sentence("White's first turn has four")]
    assert next(choice for choice in table.host.choices() if choice["current"])["board"] == "go-9x9"


def test_after_a_game_among_computers_the_host_begins_the_next(table: HostedTable) -> None:
    table.host.new_game("hexhex-7", "2", [])
    table.sit(computer=True)
    table.start()
    table.say(Resigned, seat=1)
    assert table.view["phase"] == "over"
    table.host.new_game("hexhex-7", "2", [])
    assert table.view["phase"] == "lobby"
    assert [seat["computer"] for seat in table.view["seats"]] == [True, True]


def test_choices_are_the_shipped_boards_that_can_be_simulated(table: HostedTable) -> None:
    choices = table.host.choices()
    assert choices[0]["current"] is True
    assert sum(choice["current"] for choice in choices) == 1
    assert {choice["board"]: choice["game"] for choice in choices}.items() >= {
        (board, game) for game, board in BOARDS.items()
    }
    by_board = {choice["board"]: choice for choice in choices}
    assert by_board["go-9x9"]["options"] == {"second_player_bonus": sentence("White's first turn has four")}
    assert [by_board[board]["colours"] for board in BOARDS.values()] == [True, True, True, False]
    assert by_board["octiles-189"]["modes"] == ["2", "3", "4"]
    assert [(by_board[name]["nodes"], by_board[name]["sensors"]) for name in ("octiles-53", "octiles-189")] == [
        (53, 53),
        (53, 189),
    ]


def test_a_real_board_offers_what_fits_it(monkeypatch: pytest.MonkeyPatch) -> None:
    description = load_board(find_board("spokes-45"))
    real = Selection(description, GAMES["spokes"])
    assert [offer.key for offer in offers(LaunchRequest("spokes-45"), real)] == ["spokes-45"]
    monkeypatch.setitem(GAMES, "twin", GAMES["spokes"])
    assert [offer.key for offer in offers(LaunchRequest("spokes-45"), real)] == ["spokes-45", "spokes-45 (twin)"]


def test_the_kind_that_was_asked_for_holds_where_a_board_can_be_of_it() -> None:
    request = LaunchRequest(kind="polarity")
    kinds = {offer.key: offer.description.kind for offer in offers(request, choose(request))}
    assert kinds["spokes-45"] == kinds["go-9x9"] == "polarity"
    assert kinds["octiles-189"] == "coded"


# -- what can't be -----------------------------------------------------------------------------------------------------


def test_a_change_that_fails_leaves_the_table_as_it_was(table: HostedTable) -> None:
    table.sit()
    table.start()
    before, game = table.runtime.view(None), table.view["game"]["id"]
    setting = table.runtime.setting
    entries = len(table.journal.entries(game))
    table.broken.add("go-9x9")
    error = refusal(lambda: table.host.new_game("go-9x9", "2", []))
    assert (error.code, "its cable is out" in str(error)) == ("bad_board", True)
    wrong = [
        (lambda: table.host.new_game("chess-8x8", "2", []), "bad_board"),
        (lambda: table.host.new_game("hexhex-7", "3", []), "bad_mode"),
        (lambda: table.host.new_game("hexhex-7", "2", ["wrap"]), "bad_rule"),
        (lambda: table.host.take_up("spokes-ffff"), "bad_game"),
        (lambda: table.host.take_up(game), "bad_game"),
        (lambda: table.host.record("spokes-ffff"), "bad_game"),
    ]
    for deed, code in wrong:
        assert refusal(deed).code == code
    assert table.runtime.setting is setting
    assert table.runtime.view(None) == before
    assert len(table.journal.entries(game)) == entries
    assert [board.closed for board in table.boards] == [False]
    table.hand.put("D12", "w")
    table.wait(2.0)
    assert table.view["problem"]["nodes"] == ["D12"], "the sensors are still read"


def test_a_game_that_does_not_follow_from_its_journal_is_not_taken_up(table: HostedTable) -> None:
    head = {"id": "coil-bad", "game": "coil", "mode": "2", "rules": {}, "board": "hexhex-7", "version": "0"}
    for kind, data in (
        ("game", head),
        ("seat", {"seat": 1, "name": "Ann", "claim": "c1", "computer": False}),
        ("start", {"position": "no position of this game"}),
    ):
        table.journal.append("coil-bad", kind, data, utc_now())
    before = table.runtime.view(None)
    assert refusal(lambda: table.host.take_up("coil-bad")).code == "bad_game"
    assert table.runtime.view(None) == before
    assert [board.closed for board in table.boards] == [False, True], "what was got ready is closed again"
    table.wait(0.2)


def test_a_game_that_is_over_is_not_taken_up_and_an_abandoned_one_is(table: HostedTable) -> None:
    table.sit()
    table.start()
    game = table.view["game"]["id"]
    table.say(Resigned, seat=1)
    table.host.new_game("spokes-45", "2", [])
    assert refusal(lambda: table.host.take_up(game)).code == "bad_game"
    table.start()
    other = table.view["game"]["id"]
    table.host.new_game("spokes-45", "2", [])
    table.journal.abandon(other)
    assert table.host.games(0, 1)["games"][0]["state"] == "abandoned"
    table.host.take_up(other)
    assert table.host.games(0, 1)["games"][0]["state"] == "running"
    table.work("sealing")
    table.say(Resigned, seat=2)
    assert table.host.games(0, 1)["games"][0]["state"] == "over"
    assert "won by seat 1" in str(records.verify_lines(table.host.record(other)))


# -- what was set aside ------------------------------------------------------------------------------------------------


def test_a_restart_goes_on_with_the_game_that_was_at_the_table_last(table: HostedTable, tmp_path: Path) -> None:
    table.sit()
    games = []
    for board in ("spokes-45", "go-9x9", "hexhex-7"):
        table.host.new_game(board, "2", [])
        table.start()
        games.append(table.view["game"]["id"])
    for back in (games[1], games[0], games[2], games[1]):
        table.host.take_up(back)
        with_reader = Journal(tmp_path / "journal.sqlite", writer=False)
        last = with_reader.unfinished_game()
        with_reader.close()
        assert last is not None
        assert last.id == back


def test_games_are_listed_newest_first_with_how_they_stand(table: HostedTable) -> None:
    assert listed(table) == []
    table.sit()
    table.start()
    first = table.view["game"]["id"]
    table.host.new_game("hexhex-7", "2", [])
    table.start()
    second = table.view["game"]["id"]
    assert [(game["id"], game["state"]) for game in listed(table)] == [(second, "running"), (first, "set aside")]
    table.say(Resigned, seat=1)
    table.host.take_up(first)
    newest, oldest = listed(table)
    assert (newest["state"], newest["words"]) == ("over", "Won by Bob. The other player has resigned.")
    assert newest["ended"] is not None
    assert newest["names"] == ["Ann", "Bob"]
    assert (oldest["state"], oldest["ended"], oldest["words"]) == ("running", None, "In progress, just begun.")
    assert oldest["title"] == "Spokes"


def test_each_end_is_told_as_it_was(table: HostedTable) -> None:
    table.host.new_game("hexhex-7", "2", [])
    table.say(ClocksChosen, setting=ClockSetting(main=5, strict=True))
    table.sit()
    table.start()
    lost = table.view["game"]["id"]
    table.wait(6)
    assert listed(table)[0]["words"] == "Won by Bob. Ann has run out of time."
    assert "Bob won (time)" in records.list_text(table.journal)
    assert str(records.verify_lines(table.host.record(lost))).endswith("won by seat 2 (time)")
    table.runtime.rematch(turned=False)
    table.wait(1)
    table.say(Proposed, seat=1, what="draw")
    table.say(Agreed, seat=2, what="draw")
    assert listed(table)[0]["words"] == f"A draw. {sentence('All have agreed on a')}"
    assert "a draw (agreed)" in records.list_text(table.journal)
    assert sentence("All players agree on a") in records.show_text(table.journal, table.view["game"]["id"])


def test_what_the_host_allows_outlives_a_restart(table: HostedTable, tmp_path: Path) -> None:
    assert table.host.company() == {"words": True, "signs": True}
    table.host.set_company(words=False, signs=True)
    assert table.view["company"] == {"words": False, "signs": True}
    table.host.new_game("hexhex-7", "2", [])
    assert table.view["company"] == {"words": False, "signs": True}
    assert read_company(tmp_path) == CompanySetting(words=False, signs=True)
    (tmp_path / "company.json").write_text("nonsense")
    assert read_company(tmp_path) == CompanySetting()


def test_games_are_told_a_page_at_a_time(table: HostedTable) -> None:
    for number in range(7):
        game = f"coil-{number}"
        head = {"id": game, "game": "coil", "mode": "2", "rules": {}, "board": "hexhex-7", "version": "0"}
        entries: list[tuple[str, dict[str, Any]]] = [("game", head), ("start", {}), ("abandoned", {})]
        table.journal.append_all([(game, kind, data, utc_now()) for kind, data in entries])

    def page(first: int, most: int) -> tuple[list[str], int]:
        told = table.host.games(first, most)
        assert told["first"] == first
        return [one["id"] for one in told["games"]], told["in_all"]

    assert page(0, 3) == (["coil-6", "coil-5", "coil-4"], 7)
    assert page(5, 3) == (["coil-1", "coil-0"], 7)
    assert page(7, 3) == ([], 7)
    table.sit()
    table.start()
    assert page(6, 2) == (["coil-0", table.view["game"]["id"]], 8), "its lobby was opened before all others"


def test_the_host_lets_the_simulated_hand_move_everybodys_pieces(table: HostedTable) -> None:
    assert table.host.hardware()["hands"] is None
    assert refusal(lambda: table.host.lend_hands(True)).code == "no_hand"
    given: list[list[str]] = []
    table.runtime.setting.board.attend = lambda tasks: given.append([task["node"] for task in tasks])
    table.host.new_game("hexhex-7", "2", [])
    table.runtime.setting.board.attend = lambda tasks: given.append([task["node"] for task in tasks])
    table.sit()
    table.start()
    table.say(ActionChosen, seat=1, action="d4")
    assert given[-1] == []
    table.host.lend_hands(True)
    assert given[-1] == ["d4"], "at once, and at the board that is open now"
    assert table.host.hardware()["hands"] == "all"
    table.host.lend_hands(False)
    assert given[-1] == []
    assert table.host.hardware()["hands"] == "computer"


def test_records_are_those_of_the_command_line(table: HostedTable) -> None:
    table.sit()
    table.start()
    game = table.view["game"]["id"]
    table.say(Resigned, seat=2)
    lines = table.host.record(game)
    assert "won by seat 1" in str(records.verify_lines(lines))
    assert lines == list(records.export(table.journal, game))


def test_a_journal_that_can_not_be_believed_is_told(table: HostedTable) -> None:
    for kind in ("start", "action"):
        table.journal.append("g1", kind, {}, utc_now())
    for deed in (table.host.games, lambda: table.host.take_up("g1")):
        error = refusal(deed)
        assert (error.code, "the entries of game 'g1' are not as expected" in str(error)) == ("no_journal", True)
    table.wait(0.2)


def test_two_who_take_the_same_game_up_at_once_get_it_once(tmp_path: Path) -> None:
    table = HostedTable(tmp_path, clock=WallClock())
    table.runtime.start()
    table.sit()
    table.say(GameStarted, seed=1)
    game = table.view["game"]["id"]
    table.host.new_game("hexhex-7", "2", [])
    answers: list[str] = []

    def take_up() -> None:
        try:
            table.host.take_up(game)
        except TableError as error:
            answers.append(error.code)
        else:
            answers.append("ok")

    threads = [threading.Thread(target=take_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    table.runtime.stop()
    assert sorted(answers) == ["bad_game"] * 3 + ["ok"]
    assert [entry.kind for entry in table.journal.entries(game)].count("taken-up") == 1
    table.close()


def test_a_phone_whose_seat_has_moved_does_not_get_it_back_with_an_older_game(table: HostedTable) -> None:
    """Ann's phone was lost while another game was played: in the one that comes back her new phone has the seat."""
    table.sit()
    table.start()
    game = table.view["game"]["id"]
    table.host.new_game("hexhex-7", "2", [])
    table.say(SeatMoved, seat=1, claim="Ann's new phone")
    table.host.new_game("go-9x9", "2", [])
    table.say(SeatMoved, seat=1, claim="Ann's newest phone")
    table.host.take_up(game)
    assert [table.runtime.claim(seat) for seat in (1, 2)] == ["Ann's newest phone", "c2"]
    assert [entry.kind for entry in table.journal.entries(game)][-2:] == ["taken-up", "moved"]
    table.host.new_game("hexhex-7", "2", [])
    table.host.take_up(game)
    assert [entry.kind for entry in table.journal.entries(game)][-2:] == ["moved", "taken-up"], "once is enough"
    assert "claim" not in "".join(table.host.record(game))
    assert records.verify_lines(table.host.record(game))


# -- hardware and token ------------------------------------------------------------------------------------------------


def test_the_hardware_tells_how_it_does(table: HostedTable) -> None:
    table.wait(2.0)
    told = table.host.hardware()
    assert told == {
        "board": "spokes-45",
        "kind": "level",
        "backend": "sim",
        "nodes": 45,
        "scan_hz": 50,
        "scans_per_s": 50.0,
        "health": [],
        "lights": {"pixels": 45, "trouble": None},
        "simulated": True,
        "hands": None,
    }
    table.sit()
    table.start()
    table.say(SensorMasked, node="D4", reason="it sticks", fault="pair:4")
    assert table.host.hardware()["health"] == ["D4: ignored (it sticks)"]


def test_a_board_that_no_extension_wraps_tells_how_often_it_is_scanned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lodestone.boards.wrap_board", lambda board, _clock: board)
    table = HostedTable(tmp_path)
    try:
        assert table.host.hardware()["scans_per_s"] is None, "nothing was scanned yet"
        table.wait(2.0)
        assert table.host.hardware()["scans_per_s"] == 50.0
    finally:
        table.close()


def test_lights_and_sensors_that_are_lost_are_told(table: HostedTable) -> None:
    table.sit()
    table.start()
    table.parts[-1].world.set_fault("lost")
    table.wait(1.5)
    assert table.host.hardware()["health"] == [table.view["standstill"]]


def test_it_has_an_owner_once_a_host_has_entered(tmp_path: Path) -> None:
    table = HostedTable(tmp_path)
    assert not table.host.has_owner()
    table.host.note_entered()
    assert table.host.has_owner()
    table.close()
    again = HostedTable(tmp_path)
    assert again.host.has_owner(), "after a restart"
    again.close()


def test_whose_games_were_played_here_is_its_owner(table: HostedTable) -> None:
    table.sit()
    assert not table.host.has_owner()
    table.start()
    assert table.host.has_owner()


def test_an_owner_whose_entering_can_not_be_noted_is_one_all_the_same(
    table: HostedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(Path, "touch", fail)
    table.host.note_entered()
    assert table.host.has_owner()


def test_the_token_is_made_once_and_replaced_at_once(table: HostedTable, tmp_path: Path) -> None:
    token = table.host.token()
    assert len(token) == 22
    assert table.host.token() == token
    assert stat.S_IMODE((tmp_path / "host").stat().st_mode) == 0o600
    fresh = renew_host_token(tmp_path)
    assert table.host.token() == fresh != token
    assert stat.S_IMODE((tmp_path / "host").stat().st_mode) == 0o600
    assert not [left for left in tmp_path.iterdir() if left.name.startswith(".host")]
    (tmp_path / "host").write_text("short")
    anew = table.host.token()
    assert len(anew) == 22
    assert table.host.token() == anew != fresh
    (tmp_path / "host").unlink()
    (tmp_path / "host").mkdir()
    assert len(table.host.token()) == 22, "what is no file is put aside"


# -- everything at once ------------------------------------------------------------------------------------------------


class WallClock:
    """The real time, as boards and loop ask for it."""

    def __call__(self) -> float:
        return time.monotonic()


def test_phones_go_on_asking_while_boards_come_and_go(tmp_path: Path) -> None:
    table = HostedTable(tmp_path, clock=WallClock())
    runtime, host = table.runtime, table.host
    runtime.start()
    failures: list[BaseException] = []
    done = threading.Event()

    def ask(number: int) -> None:
        while not done.is_set():
            try:
                runtime.view(1)
                host.hardware()
                host.games()
                runtime.submit(SeatTaken(at=runtime.now(), seat=number, name=f"P{number}", claim=f"c{number}"))
                runtime.submit(SeatLeft(at=runtime.now(), seat=number))
            except TableError:
                continue
            except BaseException as error:  # noqa: BLE001 - a thread's failure is the test's
                failures.append(error)
                return

    threads = [threading.Thread(target=ask, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for board in [*BOARDS.values(), *reversed(BOARDS.values())]:
        host.new_game(board, "2", [])
        _, view = runtime.view(None)
        assert runtime.setting.board.description.name == board
        assert runtime.wait(view["seq"], 5) >= view["seq"]
    done.set()
    for thread in threads:
        thread.join(60)
    runtime.stop()
    assert not failures
    assert runtime.failure is None
    assert [board.closed for board in table.boards].count(False) == 1
    table.close()

"""What the host does and is told, over a real table; a fake host writes down what it is asked for."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from firmware_host.plug import extensions
from firmware_host.table import events as ev
from firmware_host.table.subjects.seats import SeatClaim
from lodestone.tables import KEY, SimulatedTable
from tests.attached import NOTHING_OF_THE_LOBBY
from tests.sentences import find, sentence
from tests.web_panel.described import described
from tests.web_panel.fake_host import RECORD, TOKEN, FakeHost
from tests.web_panel.table import ADDRESS, Phone, host_phone, panel, sit
from web_panel import streams
from web_panel.api import live
from web_panel.app import create_app
from web_panel.languages import LANGUAGES

GERMAN = {"Accept-Language": "de"}


def rule(phone: Phone, path: str, **body: Any) -> None:
    assert phone.post(f"host/{path}", body) == (200, {"ok": True}), path


def seats(table: SimulatedTable) -> Any:
    return table.view["seats"]


# -- who is the host -------------------------------------------------------------------------------------------------


def test_the_token_makes_a_phone_the_host_until_it_leaves(app: Flask) -> None:
    phone = Phone(app)
    assert phone.view()["host"] is False
    assert phone.post("host/enter", {"token": TOKEN}) == (200, {"ok": True})
    assert phone.view()["host"] is True
    assert phone.view()["you"] is None, "an office, not a seat"
    assert phone.post("host/leave") == (200, {"ok": True})
    assert phone.view()["host"] is False


def test_the_host_stays_the_host_over_a_restart(table: SimulatedTable) -> None:
    phone = host_phone(panel(table))
    again = Phone(panel(table))
    again.client.set_cookie("lodestone-host", phone.cookie("lodestone-host") or "")
    assert again.view()["host"] is True


def test_what_only_the_host_is_told_is_sent_when_it_has_changed(table: SimulatedTable) -> None:
    fake = FakeHost()
    host = host_phone(panel(table, fake)).client
    first = host.get("/api/host/state")
    known = {"If-None-Match": first.headers["ETag"]}
    again = host.get("/api/host/state", headers=known)
    assert (again.status_code, again.data) == (304, b"")
    fake.everybody = True
    changed = host.get("/api/host/state", headers=known)
    assert changed.status_code == 200
    assert changed.get_json()["hardware"]["hands"] == "all"


def test_games_come_a_page_at_a_time(app: Flask) -> None:
    host = host_phone(app).client
    state = host.get("/api/host/state").get_json()
    page = host.get("/api/host/games/0").get_json()
    assert (page["first"], page["in_all"], page["games"]) == (0, state["games_in_all"], state["games"])
    assert host.get("/api/host/games/1").get_json()["games"] == []
    assert Phone(app).client.get("/api/host/games/0").status_code == 403


def test_everybodys_pieces_may_be_moved(table: SimulatedTable) -> None:
    fake = FakeHost()
    host = host_phone(panel(table, fake))
    rule(host, "hands", everybody=True)
    assert fake.everybody is True
    rule(host, "hands", everybody=False)
    assert fake.everybody is False


def test_the_host_and_a_watcher_get_different_states(app: Flask) -> None:
    """One who becomes the host must not be told that nothing has changed."""
    phone = Phone(app)
    tag = phone.client.get("/api/state").headers["ETag"]
    rule(phone, "enter", token=TOKEN)
    now = phone.client.get("/api/state", headers={"If-None-Match": tag})
    assert now.status_code == 200
    assert now.headers["ETag"] != tag
    assert phone.client.get("/api/state", headers={"If-None-Match": now.headers["ETag"]}).status_code == 304


def test_there_is_always_a_stream_for_the_host(table: SimulatedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "STREAMS_IN_ALL", 1)
    app = panel(table)
    host = host_phone(app)
    watcher = Phone(app).client.get("/api/events")
    assert Phone(app).client.get("/api/events").status_code == 503
    own = [host.client.get("/api/events") for _ in range(live.STREAMS_OF_THE_HOST)]
    assert {answer.status_code for answer in own} == {200}
    for answer in (watcher, *own):
        answer.close()


# -- the lobby -------------------------------------------------------------------------------------------------------


def test_the_host_looks_after_the_lobby(app: Flask, table: SimulatedTable) -> None:
    host = host_phone(app)
    rule(host, "mode", mode="4")
    rule(host, "computer", seat=4)
    assert Phone(app).join(1, "Ann")[0] == 200
    rule(host, "name", seat=1, name="Anna")
    rule(host, "colour", seat=1, colour=7)
    assert (seats(table)[0]["name"], seats(table)[0]["colour"]) == ("Anna", 7)
    assert host.post("host/name", {"seat": 2, "name": "Bob"})[1]["error"]["code"] == "bad_seat"
    assert host.post("host/colour", {"seat": 1, "colour": 9})[1]["error"]["code"] == "bad_colour"
    rule(host, "dismiss", seat=4)
    rule(host, "dismiss", seat=1)
    assert not any(seat["taken"] for seat in seats(table))
    assert host.post("host/dismiss", {"seat": 1})[1]["error"]["code"] == "bad_seat"
    assert host.post("host/start")[1]["error"]["code"] == "wrong_phase"


def test_who_is_sent_away_may_sit_down_again(app: Flask, table: SimulatedTable) -> None:
    """His cookie is of a sitting that is over; a new ticket makes a new one."""
    ann = Phone(app)
    assert ann.join(1, "Ann")[0] == 200
    rule(host_phone(app), "dismiss", seat=1)
    assert ann.view()["you"] is None
    assert ann.join(2, "Ann")[0] == 200
    assert ann.view()["you"]["seat"] == 2


def test_players_choose_their_own_names_and_colours(app: Flask, table: SimulatedTable) -> None:
    ann, bob = Phone(app), Phone(app)
    assert ann.join(1, "Ann")[0] == 200
    assert bob.join(2, "Bob")[0] == 200
    assert ann.post("name", {"name": " Anna "})[0] == 200
    assert ann.post("name", {"name": "bob"})[1]["error"]["code"] == "bad_name"
    assert ann.post("colour", {"colour": 5})[0] == 200
    assert bob.post("colour", {"colour": 5})[0] == 200, "they exchange"
    assert [seat["name"] for seat in seats(table)] == ["Anna", "Bob"]
    assert seats(table)[1]["colour"] == 5 != seats(table)[0]["colour"]
    assert ann.view()["you"]["seat"] == 1, "the same sitting"
    rule(host_phone(app), "start")
    assert ann.post("name", {"name": "Ann"})[1]["error"]["code"] == "wrong_phase"


# -- tickets ---------------------------------------------------------------------------------------------------------


def test_free_seats_have_tickets_and_taken_ones_none(app: Flask, table: SimulatedTable) -> None:
    host, room = host_phone(app), Phone(app)
    first = room.client.get("/api/tickets").get_json()
    assert first["shown"] is True
    assert set(first["tickets"]) == {"1", "2"}
    assert room.client.get("/api/tickets").get_json() == first, "as long as nothing has changed"
    rule(host, "mode", mode="4")
    more = room.client.get("/api/tickets").get_json()["tickets"]
    assert set(more) == {"1", "2", "3", "4"}
    assert more["1"] == first["tickets"]["1"], "somebody may be scanning it just now"
    assert len(set(more.values())) == 4
    assert Phone(app).join(3, "Cem")[0] == 200
    assert set(room.client.get("/api/tickets").get_json()["tickets"]) == {"1", "2", "4"}


def test_there_are_no_tickets_while_a_game_is_played(app: Flask, table: SimulatedTable) -> None:
    people = sit(table, app, "Ann", "Bob")
    assert people[0].client.get("/api/tickets").get_json() == {
        "shown": True,
        "tickets": {},
        **NOTHING_OF_THE_LOBBY,
    }
    assert host_phone(app).client.get("/api/host/state").get_json()["tickets"] == {}


def test_a_new_lobby_has_new_tickets(app: Flask, table: SimulatedTable) -> None:
    room = Phone(app)
    before = room.client.get("/api/tickets").get_json()["tickets"]
    ann, _ = sit(table, app, "Ann", "Bob")
    assert ann.post("resign")[0] == 200
    assert ann.post("new")[0] == 200
    assert room.client.get("/api/tickets").get_json()["tickets"] == {}, "people keep their seats"
    assert ann.post("leave")[0] == 200
    now = room.client.get("/api/tickets").get_json()["tickets"]
    assert set(now) == {"1"}
    assert now["1"] != before["1"]


def test_whoever_sits_may_press_join_twice(app: Flask, table: SimulatedTable) -> None:
    """The first answer was lost, or a finger was quick: the ticket is used up, but the phone knows its seat."""
    ann = Phone(app)
    body = {"seat": 1, "name": "Ann", "ticket": ann.ticket(1)}
    assert ann.post("join", body)[0] == 200
    assert ann.post("join", {**body, "name": "Anna"})[0] == 200
    assert seats(table)[0]["name"] == "Anna"
    status, answer = ann.post("join", {"seat": 2, "name": "Ann", "ticket": ann.ticket(2)})
    assert (status, answer["error"]["message"]) == (409, "this phone already has seat 1; leave that first")


# -- a running game --------------------------------------------------------------------------------------------------


def test_the_host_pauses_and_lets_go_on(app: Flask, table: SimulatedTable) -> None:
    ann, _ = sit(table, app, "Ann", "Bob")
    host = host_phone(app)
    rule(host, "pause")
    assert ann.view()["paused"] is True
    assert ann.post("resign")[1]["error"]["code"] == "paused"
    rule(host, "continue")
    assert ann.view()["paused"] is False
    assert host.post("host/take-back")[1]["error"]["code"] == "bad_proposal", "there is nothing to take back yet"
    assert ann.post("resign")[0] == 200
    assert host.post("host/pause")[1]["error"]["code"] == "wrong_phase"


def test_the_host_looks_after_sensors(app: Flask, table: SimulatedTable) -> None:
    host = host_phone(app)
    rule(host, "mask", node="C4")
    assert host.view()["sensors"]["masked"] == {"C4": "the host says so"}
    rule(host, "unmask", node="C4")
    assert host.view()["sensors"]["masked"] == {}
    assert host.post("host/mask", {"node": "Z9"})[1]["error"]["code"] == "bad_node"


def test_a_seat_moves_in_the_lobby_too(app: Flask, table: SimulatedTable) -> None:
    """A phone whose battery is empty before the game has begun; and the refused phone hears why."""
    ann, new, other = Phone(app), Phone(app), Phone(app)
    assert ann.join(1, "Ann")[0] == 200
    host = host_phone(app)
    code, refused = (phone.post("ask", {"seat": 1})[1]["code"] for phone in (new, other))
    assert [ask["code"] for ask in host.view()["asks"]] == [code, refused]
    rule(host, "allow", code=code)
    assert new.post("collect") == (200, {"ok": True, "seat": 1})
    status, answer = other.post("collect")
    assert (status, answer["error"]["code"]) == (409, "refused")
    assert new.view()["you"] == {"seat": 1, "claim_ok": True}
    assert ann.view()["you"] is None


def test_a_moved_seat_is_kept_over_a_restart(tmp_path: Path) -> None:
    """The claim is in the journal before the new phone has collected: it can, afterwards."""
    table = SimulatedTable(tmp_path)
    app = panel(table)
    sit(table, app, "Ann", "Bob")
    new = Phone(app)
    code = new.post("ask", {"seat": 1})[1]["code"]
    rule(host_phone(app), "allow", code=code)
    table.close()
    table = SimulatedTable(tmp_path, resume=True)
    again = Phone(panel(table))
    again.client.set_cookie("lodestone-ask", new.cookie("lodestone-ask") or "")
    assert again.post("collect") == (200, {"ok": True, "seat": 1})
    assert again.view()["you"]["seat"] == 1
    table.close()


# -- what the host is asked for ---------------------------------------------------------------------------------------


def test_games_and_boards_are_the_hosts(table: SimulatedTable) -> None:
    fake = FakeHost()
    app = described(create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=fake))
    host = host_phone(app)
    rule(host, "new", board="phalanx-9x9", mode="2", rules=["second_player_bonus"])
    rule(host, "take-up", id="spokes-0123abcd")
    assert fake.requests == [("new", "phalanx-9x9", "2", ("second_player_bonus",)), ("take up", "spokes-0123abcd")]
    assert host.post("host/new", {"board": "x", "mode": "2", "rules": []})[1]["error"]["code"] == "bad_board"
    assert host.post("host/take-up", {"id": "x"})[1]["error"]["code"] == "bad_game"


def test_the_host_is_told_what_others_are_not(app: Flask) -> None:
    host = host_phone(app)
    told = host.client.get("/api/host/state").get_json()
    assert set(told) == {
        "address",
        "addresses",
        "repair",
        "tickets",
        "shown",
        "choices",
        "games",
        "games_in_all",
        "hardware",
        "lessons",
        "rest",
        *(field for one in extensions() for field in one.host_fields),
    }
    one = told["tickets"]["1"]
    assert one["link"] == f"{ADDRESS}/join/1#{one['ticket']}"
    assert one["ticket"] == host.ticket(1)
    assert told["hardware"]["health"] == ["All parts do what they should."]
    rule(host, "tickets", shown=False)
    hidden = host.client.get("/api/host/state").get_json()
    assert (hidden["shown"], hidden["tickets"]) == (False, told["tickets"])
    assert Phone(app).client.get("/api/tickets").get_json() == {
        "shown": False,
        "tickets": {},
        **NOTHING_OF_THE_LOBBY,
    }


def test_a_record_is_downloaded(app: Flask) -> None:
    answer = host_phone(app).client.get("/api/host/records/spokes-0123abcd.jsonl")
    assert [json.loads(line) for line in answer.get_data(as_text=True).splitlines()] == list(map(json.loads, RECORD))
    assert answer.get_data().endswith(b"\n")
    assert host_phone(app).client.get("/api/host/records/none.jsonl").status_code == 404


# -- in other words --------------------------------------------------------------------------------------------------

HEAD = """msgid ""
msgstr ""
"Language: de\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"
"""
TRANSLATED = {
    find("only the host can do")[0]: "das kann nur die Spielleitung",
    find("no seat; join first")[0]: "dieses Telefon hat keinen Platz",
    find("code is used up or")[0]: "der Code ist verbraucht",
    "{field}: expected {what}, got {got}": "{field}: {what} erwartet, nicht {got}",
    "a whole number from {low} to {high}": "eine ganze Zahl von {low} bis {high}",
    "nobody sits on seat {seat}": "auf Platz {seat} sitzt niemand",
    find("too many requests; try")[0]: "zu viele Anfragen; in {seconds} s wieder",
    "Not Found": "Nicht gefunden",
    "set aside": "beiseitegelegt",
    "All parts do what they should.": "Alle Teile tun, was sie sollen.",
}
CATALOGUE = "\n".join([HEAD, *(f'msgid "{text}"\nmsgstr "{german}"\n' for text, german in TRANSLATED.items())])


@pytest.fixture
def german(app: Flask, tmp_path: Path) -> Flask:
    """A panel with a little German of its own."""
    folder = tmp_path / "languages"
    folder.mkdir()
    (folder / "de.po").write_text(CATALOGUE, encoding="utf-8")
    app.config[LANGUAGES] = folder
    return app


def test_refusals_are_told_in_the_readers_language(german: Flask, table: SimulatedTable) -> None:
    """The panel's own and the table's, with the values in them."""
    phone, host = Phone(german), host_phone(german)

    def said(who: Phone, path: str, body: Any = None) -> str:
        return str(who.post(path, body, **GERMAN)[1]["error"]["message"])

    assert said(phone, "host/start") == "das kann nur die Spielleitung"
    assert said(phone, "resign") == "dieses Telefon hat keinen Platz"
    assert said(phone, "join", {"seat": 1, "name": "A", "ticket": "x"}) == "der Code ist verbraucht"
    assert said(phone, "ask", {"seat": "1"}) == 'seat: eine ganze Zahl von 1 bis 64 erwartet, nicht "1"'
    assert said(host, "host/dismiss", {"seat": 2}) == "auf Platz 2 sitzt niemand", "the table's own"
    for _ in range(6):
        last = said(phone, "host/enter", {"token": "x"})
    assert re.fullmatch("zu viele Anfragen; in [0-9]+ s wieder", last)
    missing = phone.client.get("/api/nothing", headers=GERMAN).get_json()
    assert missing["error"]["message"] == "404: Nicht gefunden"
    assert phone.post("host/start")[1]["error"]["message"] == sentence("only the host can do"), (
        "and in English as always"
    )


def test_the_host_is_told_in_his_language(german: Flask) -> None:
    told = host_phone(german).client.get("/api/host/state", headers=GERMAN).get_json()
    assert told["games"][0]["words"] == "beiseitegelegt"
    assert told["games"][0]["state"] == "set aside", "for programs"
    assert told["hardware"]["health"] == ["Alle Teile tun, was sie sollen."]


def test_limits_of_guessing_come_back_with_time(table: SimulatedTable) -> None:
    """A wrong token costs twelve seconds in the end; right ones nothing."""
    from lodestone.boards import Clock  # noqa: PLC0415
    from web_panel.limits import Buckets  # noqa: PLC0415

    clock = Clock()
    app = create_app(table.runtime, secret=KEY, addresses=[ADDRESS], buckets=Buckets(clock), host=FakeHost())
    phone = Phone(described(app))
    for _ in range(5):
        assert phone.post("host/enter", {"token": "x"})[0] == 403
    assert phone.post("host/enter", {"token": TOKEN})[0] == 429
    clock.now += 12.1
    for _ in range(7):
        assert phone.post("host/enter", {"token": TOKEN})[0] == 200
    assert phone.post("host/enter", {"token": "x"})[0] == 403
    assert phone.post("host/enter", {"token": TOKEN})[0] == 429


def test_a_table_that_is_slow_costs_no_guess(
    app: Flask, table: SimulatedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever had the right ticket when the table did not answer in time has it still."""
    phone = Phone(app)
    word = phone.ticket(1)
    real = table.runtime.submit

    def late(event: ev.Event, by: SeatClaim | None) -> None:
        raise TimeoutError

    monkeypatch.setattr(table.runtime, "submit", late)
    for _ in range(8):
        assert phone.post("join", {"seat": 1, "name": "Ann", "ticket": word})[0] == 503
    monkeypatch.setattr(table.runtime, "submit", real)
    assert phone.post("join", {"seat": 1, "name": "Ann", "ticket": word})[0] == 200

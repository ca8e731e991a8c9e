"""Attacks on tickets and on the handing over of seats, each against a table that is really served, each refused."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.table.subjects.seats import SeatAsked, SeatTaken
from tests.attached import NOTHING_OF_THE_LOBBY
from tests.sampling import few
from tests.web_panel.table import ServedTable, signed
from tests.web_panel.wire import Answer, Person, as_host, get, host_cookie, post, ticket, two_at, unchanged
from web_panel import access, limits


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path) as here:
        yield here


def join(table: ServedTable, seat: int, word: str, name: str = "Eve", **headers: str) -> Answer:
    return post(table, "/api/join", {"seat": seat, "name": name, "ticket": word}, **headers)


# -- tickets ---------------------------------------------------------------------------------------------------------


def test_attack_ticket_used_twice(table: ServedTable) -> None:
    """Who has sat down with a ticket and left again has used it up: it lets nobody in again."""
    used = ticket(table, 1)
    ann = Person(table, 1, "Ann")
    with unchanged(table):
        assert join(table, 1, used).code == "seat_taken"
    assert ann.post("leave").status == 200
    with unchanged(table):
        assert (join(table, 1, used).status, join(table, 1, used).code) == (403, "bad_ticket")
    assert ticket(table, 1) != used
    assert join(table, 1, ticket(table, 1)).status == 200, "the seat's new one is good"


def test_attack_ticket_used_by_many_at_once(table: ServedTable) -> None:
    """Twenty phones have scanned the same code: one of them sits down, whoever is fast, and leaves at once."""
    word, start = ticket(table, 1), threading.Barrier(20)
    got: list[Answer] = []

    def hurry(number: int) -> None:
        start.wait(10)
        answer = join(table, 1, word, f"P{number}")
        got.append(answer)
        if answer.status == 200:
            post(table, "/api/leave", {}, Cookie=answer.headers["Set-Cookie"].partition(";")[0])

    threads = [threading.Thread(target=hurry, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(got) == 20
    assert [answer.status for answer in got].count(200) == 1
    assert {answer.code for answer in got if answer.status != 200} <= {"bad_ticket", "seat_taken", "too_many"}


def test_attack_ticket_of_another_seat(table: ServedTable) -> None:
    """A ticket is good for its own seat alone."""
    with unchanged(table):
        assert join(table, 2, ticket(table, 1)).code == "bad_ticket"
        assert join(table, 1, ticket(table, 2)).code == "bad_ticket"


def test_attack_ticket_of_an_earlier_lobby(table: ServedTable) -> None:
    """Who had a code of the last game's lobby can't take a seat in the next one's."""
    ann, bob = Person(table, 1, "Ann"), Person(table, 2, "Bob")
    assert ann.post("leave").status == 200
    old = ticket(table, 1)
    table.runtime.submit(SeatTaken(at=table.runtime.now(), seat=1, name="Computer", claim="", computer=True))
    assert as_host(table, "start").status == 200
    table.until("sealing")
    assert join(table, 1, old).code == "wrong_phase"
    assert bob.post("resign").status == 200
    assert bob.post("new").status == 200
    assert as_host(table, "dismiss", {"seat": 1}).status == 200
    with unchanged(table):
        assert join(table, 1, old).code == "bad_ticket"


def test_attack_ticket_of_a_seat_that_a_computer_had(table: ServedTable) -> None:
    """A computer that comes and goes leaves a new ticket behind: whoever had the old one had his chance."""
    old = ticket(table, 2)
    assert as_host(table, "computer", {"seat": 2}).status == 200
    assert as_host(table, "dismiss", {"seat": 2}).status == 200
    with unchanged(table):
        assert join(table, 2, old).code == "bad_ticket"


def test_attack_ticket_is_not_lost_by_a_bad_name(table: ServedTable) -> None:
    """A refusal by the table costs nobody his ticket."""
    word = ticket(table, 1)
    assert join(table, 1, word, "x" * 30).code == "bad_name"
    assert join(table, 1, word, "Ann").status == 200


@pytest.mark.parametrize("word", few(["", "none", "x" * 22, "\u00e9", "\u732b" * 22], 2))
def test_attack_guessed_ticket(table: ServedTable, word: str) -> None:
    """After twenty wrong ones an address is refused, even with the right one, and is told how long."""
    with unchanged(table):
        for _ in range(int(limits.TICKET_GUESSES.burst)):
            assert join(table, 1, word).code == "bad_ticket"
        answer = join(table, 1, ticket(table, 1))
        assert (answer.status, answer.code) == (429, "too_many")
        assert 1 <= int(answer.headers["Retry-After"]) <= 3
        assert get(table, f"/qr/seat/1/{'x' * 22}.svg").status == 404


def test_attack_right_tickets_are_no_guesses(table: ServedTable) -> None:
    """A family that sits down and stands up all evening is never taken for somebody who guesses."""
    for number in range(3 * int(limits.TICKET_GUESSES.burst)):
        person = Person(table, 1, f"P{number}")
        assert person.post("leave").status == 200


def test_attack_ticket_fetched_while_not_shown(table: ServedTable) -> None:
    """When the host hides them, nobody else is told a ticket, by whatever way it is asked for."""
    words = [ticket(table, 1), ticket(table, 2)]
    assert as_host(table, "tickets", {"shown": False}).status == 200
    assert join(table, 1, words[0], "Ann").status == 200, "a code that was given out is good"
    now = get(table, "/api/tickets", Cookie=host_cookie(table)).json
    assert (now["shown"], now["tickets"]) == (False, {"2": words[1]}), "the host has them"
    for cookie in ("", "lodestone-host=x", f"lodestone-host={signed('x', salt='lodestone-host-v1')}"):
        assert get(table, "/api/tickets", Cookie=cookie).json == {
            "shown": False,
            "tickets": {},
            **NOTHING_OF_THE_LOBBY,
        }
        for path in ("/api/state", "/", "/join/2", "/tv", "/host", "/api/host/state", "/qr/seat/2/.svg", "/qr/2.svg"):
            assert words[1].encode() not in get(table, path, Cookie=cookie).body, path
    assert as_host(table, "tickets", {"shown": True}).status == 200
    assert get(table, "/api/tickets").json == {"shown": True, "tickets": {"2": words[1]}, **NOTHING_OF_THE_LOBBY}


def test_attack_tickets_and_tokens_in_pages_and_logs(table: ServedTable, caplog: pytest.LogCaptureFixture) -> None:
    """Tickets and the host's token stand in no page (they come behind a #), in no view, and in no log."""
    with caplog.at_level(logging.DEBUG):
        host = host_cookie(table)
        words = [ticket(table, 1), ticket(table, 2), table.host.token()]
        post(table, "/api/host/enter", {"token": words[2] + "x"})
        join(table, 1, words[0], "Ann")
        join(table, 2, words[1] + "x", "Eve")
        get(table, f"/qr/seat/2/{words[1]}.svg")
        for cookie in ("", host):
            for path in (
                "/",
                "/join/1",
                "/join/2",
                "/host",
                "/play",
                "/tv",
                "/proof",
                "/api/state",
                "/api/openapi.json",
            ):
                answer = get(table, path, Cookie=cookie)
                said = answer.body.decode() + str(answer.headers)
                assert not [word for word in words if word in said], path
    assert not [word for word in words if word in caplog.text]


# -- seats that move -------------------------------------------------------------------------------------------------


class Stranger:
    """A phone without a seat, which asks for one."""

    def __init__(self, table: ServedTable) -> None:
        self.table = table
        self.cookies: dict[str, str] = {}

    def post(self, path: str, body: Any = None, **headers: str) -> Answer:
        sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), **headers}
        answer = post(self.table, f"/api/{path}", {} if body is None else body, **sent)
        for given in answer.headers.get("Set-Cookie", "").splitlines():
            name, _, value = given.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer

    def ask(self, seat: int) -> str:
        answer = self.post("ask", {"seat": seat})
        assert answer.status == 200, answer.body
        return str(answer.json["code"])


def test_a_seat_moves_with_the_hosts_consent(table: ServedTable) -> None:
    """What all the attacks below are on: ask, allow, collect; the old phone holds nothing any more."""
    ann, bob = two_at(table)
    eve = Stranger(table)
    code = eve.ask(1)
    assert table.view["asks"] == [{"seat": 1, "code": code, "name": "Ann"}]
    assert eve.post("collect").code == "undecided"
    assert as_host(table, "allow", {"code": code}).status == 200
    assert table.view["asks"] == []
    assert ann.view()["you"] is None, "at once: before the new phone has collected"
    got = eve.post("collect")
    assert got.json == {"ok": True, "seat": 1}
    assert eve.cookies[access.ASK_COOKIE] == "", "not needed any more"
    assert eve.post("hurry").status == 200
    assert ann.post("hurry").code == "not_seated"
    assert bob.view()["you"]["seat"] == 2


def test_attack_asking_for_what_can_not_be_asked_for(table: ServedTable) -> None:
    """A free seat, a computer's, one's own, another than one's own, one that is not there."""
    ann = Person(table, 1, "Ann")
    eve = Stranger(table)
    with unchanged(table):
        assert eve.post("ask", {"seat": 2}).code == "bad_seat"
        assert eve.post("ask", {"seat": 9}).code == "bad_seat"
        assert ann.post("ask", {"seat": 1}).code == "seat_taken"
        assert ann.post("ask", {"seat": 2}).code == "seat_taken"
    assert as_host(table, "computer", {"seat": 2}).status == 200
    with unchanged(table):
        assert eve.post("ask", {"seat": 2}).code == "bad_seat"


def test_attack_collecting_without_consent(table: ServedTable) -> None:
    """Neither before the host has answered, nor after a no, nor without having asked."""
    two_at(table)
    eve = Stranger(table)
    with unchanged(table):
        assert eve.post("collect").code == "refused"
    code = eve.ask(1)
    with unchanged(table):
        assert eve.post("collect").code == "undecided"
    assert as_host(table, "refuse", {"code": code}).status == 200
    with unchanged(table):
        assert eve.post("collect").code == "refused"
        assert as_host(table, "allow", {"code": code}).code == "bad_code", "no is no"
        assert eve.post("hurry").code == "not_seated"


def test_attack_collecting_twice(table: ServedTable) -> None:
    """Who has collected a seat can't do it again with a copy of the cookie, nor after it has moved on."""
    two_at(table)
    eve, mallory = Stranger(table), Stranger(table)
    code = eve.ask(1)
    copy = dict(eve.cookies)
    assert as_host(table, "allow", {"code": code}).status == 200
    assert eve.post("collect").status == 200
    mallory.cookies = copy
    with unchanged(table):
        assert mallory.post("collect").code == "refused"
        assert "lodestone-seat" not in mallory.cookies
    third = Stranger(table)
    assert as_host(table, "allow", {"code": third.ask(1)}).status == 200
    mallory.cookies = copy
    with unchanged(table):
        assert mallory.post("collect").code == "refused"
        assert eve.post("hurry").code == "not_seated"


def test_attack_collecting_with_anothers_question(table: ServedTable) -> None:
    """The code that all screens show is worth nothing: the claim is in the cookie of the phone that has asked."""
    two_at(table)
    eve, mallory = Stranger(table), Stranger(table)
    code, other = eve.ask(1), mallory.ask(2)
    assert as_host(table, "allow", {"code": code}).status == 200
    with unchanged(table):
        assert mallory.post("collect").code == "undecided"
        for forged in ([code, 1, "x"], [code, 1, ""], [other, 1, "claim"], [code, "1", "x"], [code], code, None):
            cookie = signed(forged, salt="lodestone-ask-v1")
            assert post(table, "/api/collect", Cookie=f"{access.ASK_COOKIE}={cookie}").code == "refused"
        unsigned = eve.cookies[access.ASK_COOKIE].rpartition(".")[0]
        assert post(table, "/api/collect", Cookie=f"{access.ASK_COOKIE}={unsigned}.x").code == "refused"
        as_seat = signed([code, 1, "x"])
        assert post(table, "/api/collect", Cookie=f"{access.ASK_COOKIE}={as_seat}").code == "refused"
    assert eve.post("collect").status == 200


def test_attack_question_as_a_seats_cookie(table: ServedTable) -> None:
    """The signed question holds no seat itself, before and after the host's consent."""
    two_at(table)
    eve = Stranger(table)
    code = eve.ask(1)
    planted = f"lodestone-seat={eve.cookies[access.ASK_COOKIE]}"
    with unchanged(table):
        assert post(table, "/api/resign", Cookie=planted).code == "not_seated"
    assert as_host(table, "allow", {"code": code}).status == 200
    with unchanged(table):
        assert post(table, "/api/resign", Cookie=planted).code == "not_seated"


def test_attack_allowing_what_nobody_asks(table: ServedTable) -> None:
    """A code that no phone shows moves nothing, whoever says it; nor one that only the table knows."""
    two_at(table)
    table.runtime.submit(SeatAsked(at=table.runtime.now(), seat=1, code="0815"))
    with unchanged(table):
        for code in ("0000", "", "x" * 50, "0815", "1 OR 1=1"):
            assert as_host(table, "allow", {"code": code}).code == "bad_code"
        assert as_host(table, "refuse", {"code": "9999"}).code == "bad_code"


def test_attack_flood_of_questions(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """One open question a phone, three a seat, and of an address so many in a while."""
    two_at(table)
    monkeypatch.setattr(access, "ASKS_A_SEAT", 2)
    eve = Stranger(table)
    eve.ask(1)
    with unchanged(table):
        assert eve.post("ask", {"seat": 1}).code == "asked"
        assert eve.post("ask", {"seat": 2}).code == "asked", "also for another seat"
    Stranger(table).ask(1)
    with unchanged(table):
        assert Stranger(table).post("ask", {"seat": 1}).code == "too_many"
        waits = [Stranger(table).post("ask", {"seat": 1}) for _ in range(2)][-1]
        assert (waits.status, waits.code) == (429, "too_many")
        assert int(waits.headers["Retry-After"]) >= 1
    assert len(table.view["asks"]) == 2


def test_attack_questions_of_the_last_game(table: ServedTable) -> None:
    """A question dies with its game: its cookie gets nothing in the next one."""
    _, bob = two_at(table)
    eve = Stranger(table)
    code = eve.ask(1)
    assert bob.post("resign").status == 200
    assert bob.post("new").status == 200
    assert table.view["asks"] == []
    with unchanged(table):
        assert as_host(table, "allow", {"code": code}).code == "bad_code"
        assert eve.post("collect").code == "refused"


def test_attack_moved_seats_claim_in_any_answer(table: ServedTable) -> None:
    """The claim of a seat that has moved is in nobody's answer but the one that sets the new phone's cookie."""
    ann, _ = two_at(table)
    eve = Stranger(table)
    assert as_host(table, "allow", {"code": eve.ask(1)}).status == 200
    claim = str(table.runtime.claim(1))
    assert len(claim) >= 22
    for cookie in ("", ann.cookie, host_cookie(table)):
        for path in ("/api/state", "/api/proof", "/api/tickets", "/api/host/state"):
            assert claim not in get(table, path, Cookie=cookie).body.decode(), path
    assert eve.post("collect").status == 200


def test_attack_cross_site_questions(table: ServedTable) -> None:
    """Another site can't let a phone ask, join or collect."""
    two_at(table)
    with unchanged(table):
        for path, body in (("ask", {"seat": 1}), ("collect", {}), ("join", {"seat": 1, "name": "E", "ticket": "x"})):
            assert post(table, f"/api/{path}", body, Origin="http://evil.example").code == "foreign"
            assert post(table, f"/api/{path}", body, X_Lodestone="").code == "foreign"

"""Attacks by whoever holds a seat, held one, or is the host: on seals, seats that move, and on everybody's place."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import segno
from flask import Flask

from firmware_host.archive import records
from firmware_host.replay.scenes import film
from lodestone.tables import KEY, SimulatedTable
from tests.e2e.program import PATIENCE_S, eventually
from tests.sampling import together
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.records import recorded
from tests.web_panel.table import ADDRESS, OWN, Phone, ServedTable, host_phone, nonce_of
from tests.web_panel.test_attacks_tickets import Stranger
from tests.web_panel.test_resume import Told
from tests.web_panel.wire import (
    Answer,
    Person,
    as_host,
    connect,
    get,
    host_cookie,
    post,
    ticket,
    two_at,
    unchanged,
    wake,
)
from web_panel import limits, streams
from web_panel.app import create_app
from web_panel.pages import assets, pages
from web_panel.renderings import WAITING


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path) as here:
        yield here


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedTable]:
    """A table for attacks that change nothing."""
    with ServedTable.opened(tmp_path_factory.mktemp("seats")) as here:
        yield here


def at_once(*deeds: Callable[[], Answer]) -> list[Answer]:
    """Do all of this at the same instant; return the answers in the order of the deeds."""
    start = threading.Barrier(len(deeds))
    got: dict[int, Answer] = {}

    def hurry(number: int, deed: Callable[[], Answer]) -> None:
        start.wait(PATIENCE_S)
        got[number] = deed()

    threads = [threading.Thread(target=hurry, args=item) for item in enumerate(deeds)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    return [got[number] for number in range(len(deeds))]


def cookies(phone: Stranger) -> str:
    return "; ".join(f"{name}={value}" for name, value in phone.cookies.items())


def record(table: ServedTable) -> str:
    return "\n".join(records.export(table.journal, table.view["game"]["id"]))


# -- seals -----------------------------------------------------------------------------------------------------------


def test_attack_moved_seat_while_others_open(table: ServedTable) -> None:
    """A seat moves when all have sealed and one has opened: nobody learns or changes anything by that.

    The phone that got it has no opening, can't seal anew, and can't say that the seal is lost; only all can begin the
    turn anew, and what had been opened stays as secret as it was.
    """
    ann, bob = two_at(table)
    assert ann.seal("wD12").status == bob.seal("bC6").status == 200
    wake(ann, bob)
    assert ann.open("wD12").status == 200
    eve = Stranger(table)
    assert as_host(table, "allow", {"code": eve.ask(2)}).status == 200
    assert eve.post("collect").status == 200
    everything = (ann.cookie, bob.cookie, cookies(eve), host_cookie(table))
    told = [get(table, path, Cookie=one).body.decode() for one in everything for path in ("/api/state", "/api/proof")]
    assert not any(nonce_of(1) in text for text in (*told, record(table)))
    with unchanged(table):
        assert bob.open("bC6").code == "not_seated", "the phone that holds it may not open it"
        assert eve.post("open", {"turn": 1, "action": "bC5", "nonce": nonce_of(2)}).code == "seal_mismatch"
        assert eve.post("seal", {"turn": 1, "commitment": "0" * 64}).code == "wrong_phase"
        assert eve.post("propose", {"what": "reseal", "about": 2}).code == "bad_proposal"
        assert as_host(table, "take-back").code == "bad_proposal"
    assert eve.post("propose", {"what": "void"}).status == 200
    assert table.view["phase"] == "revealing", "one who has opened has to agree"
    assert ann.post("agree", {"what": "void"}).status == 200
    assert table.view["phase"] == "sealing"
    assert nonce_of(1) not in record(table)
    assert "continues on another phone" in "".join(line["text"] for line in table.view["log"])


def test_attack_taking_back_to_seal_with_knowledge(table: ServedTable) -> None:
    """The host may take a revealed turn back. Everybody sees it, and so does whoever reads the record or the proof."""
    ann, bob = two_at(table)
    assert ann.seal("wD12").status == bob.seal("bC6").status == 200
    wake(ann, bob)
    assert ann.open("wD12").status == bob.open("bC6").status == 200
    table.until("placing")
    assert as_host(table, "take-back").status == 200
    assert "Taken back by the host." in [line["text"] for line in table.view["log"]]
    table.until("sealing")
    old = get(table, "/api/proof").json["turns"][0]
    assert old["taken_back"] is not None
    assert old["seals"][0]["action"] == "wD12", "what was known is not unsaid"
    assert '"kind":"correction"' in record(table)
    assert '"by":"host"' in record(table)
    assert table.view["seal"]["history"] != old["history"], "seals of the turn before are worth nothing"
    records.verify_lines(records.export(table.journal, table.view["game"]["id"]))


def test_attack_pausing_between_openings(table: ServedTable) -> None:
    """While the host holds the table no opening leaves a phone, and none is taken; nothing is learnt by it."""
    ann, bob = two_at(table)
    assert ann.seal("wD12").status == bob.seal("bC6").status == 200
    wake(ann, bob)
    assert ann.open("wD12").status == 200
    assert as_host(table, "pause").status == 200
    with unchanged(table):
        assert table.view["seal"]["open"] is False
        assert bob.open("bC6").code == ann.post("propose", {"what": "void"}).code == "paused"
        assert as_host(table, "take-back").code == "bad_proposal"
    assert nonce_of(1) not in get(table, "/api/proof").body.decode() + record(table)
    assert as_host(table, "continue").status == 200
    table.until("revealing")
    assert bob.open("bC6").status == 200
    assert ann.open("wD12").status == 200, "going on is like a restart: Ann's phone sends it again"
    table.until("placing")


# -- seats that move ---------------------------------------------------------------------------------------------------


def test_attack_allowing_and_collecting_in_parallel(table: ServedTable) -> None:
    """The host's finger is quick, and a phone asks twice at once: the seat moves once and is handed over once."""
    two_at(table)
    eve = Stranger(table)
    code, host = eve.ask(1), host_cookie(table)
    allowed = at_once(*[lambda: post(table, "/api/host/allow", {"code": code}, Cookie=host)] * 6)
    assert sorted(answer.status for answer in allowed) == [200] + [409] * 5
    mine = cookies(eve)
    collected = at_once(*[lambda: post(table, "/api/collect", {}, Cookie=mine)] * 6)
    assert sorted(answer.status for answer in collected) == [200] + [409] * 5
    assert record(table).count('"kind":"moved"') == 1


def test_attack_stream_of_a_phone_whose_seat_has_moved(table: ServedTable) -> None:
    """The old phone's stream shows at once what anybody may see; the new one's begins as the seat's."""
    ann, _ = two_at(table)
    with contextlib.closing(Told(table, cookie=ann.cookie.partition("=")[2])) as stream:
        assert json.loads(stream.next()["data"])["you"]["seat"] == 1
        eve = Stranger(table)
        code = eve.ask(1)
        assert json.loads(stream.next()["data"])["asks"][0]["code"] == code
        assert as_host(table, "allow", {"code": code}).status == 200
        assert json.loads(stream.next()["data"])["you"] is None


def test_attack_taking_all_places_of_a_seat_by_questions(tmp_path: Path) -> None:
    """One address may have two questions open: there is room for the phone that has reason to ask."""
    with contextlib.closing(SimulatedTable(tmp_path / "more")) as table:
        app = create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=FakeHost())
        assert Phone(app).join(1, "Ann") == (200, {"ok": True})

        def ask(address: str) -> tuple[int, Any]:
            answer = app.test_client().post(
                "/api/ask", json={"seat": 1}, headers=OWN, environ_base={"REMOTE_ADDR": address}
            )
            return answer.status_code, answer.get_json()

        assert [ask("10.0.0.7")[0] for _ in range(3)] == [200, 200, 409]
        assert ask("10.0.0.7")[1]["error"]["code"] == "too_many"
        status, answer = ask("10.0.0.8")
        assert status == 200
        assert host_phone(app).post("host/allow", {"code": answer["code"]})[0] == 200
        assert ask("10.0.0.7")[0] == 200, "answered ones count no more"


# -- the host's word ---------------------------------------------------------------------------------------------------


def test_attack_old_token_shown_while_it_is_replaced(table: ServedTable) -> None:
    """Who shows a token at the very moment at which it is replaced is no host by the new one."""
    old, new = table.host.word, "anotherTokenAltogether"
    told = iter([old, old])  # It is looked at twice each time that it is asked for.

    class Replaced(FakeHost):
        word = property(lambda _: next(told, new), lambda _, __: None)  # type: ignore[assignment]

    table.host.__class__ = Replaced
    answer = post(table, "/api/host/enter", {"token": old})
    cookie = answer.headers.get("Set-Cookie", "").partition(";")[0]
    assert post(table, "/api/host/mode", {"mode": "4"}, Cookie=cookie).code == "not_host"
    assert get(table, "/api/state", Cookie=cookie).json["host"] is False


def test_attack_stream_that_goes_on_as_the_hosts(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the token is replaced, streams of whoever was the host say so at once: nothing at the table has changed."""
    monkeypatch.setattr(streams, "LOOK_S", 0.05)
    with contextlib.closing(Told(table, cookie=f"none; {host_cookie(table)}")) as stream:
        first = json.loads(stream.next()["data"])
        table.host.word = "anotherTokenAltogether"
        second = json.loads(stream.next()["data"])
    assert (first["host"], second["host"]) == (True, False)
    assert first["seq"] == second["seq"]


# -- everybody's place -------------------------------------------------------------------------------------------------


def test_attack_streams_that_give_way_and_stay(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever sits (or is the host) opens stream after stream: the ones before give way, and don't keep threads."""
    monkeypatch.setattr(streams, "HEARTBEAT_S", 120.0)
    ann = Person(table, 1, "Ann")
    request = f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\nCookie: "
    links = []
    for cookie in (ann.cookie, host_cookie(table)):
        for _ in range(200):
            links.append(connect(table))
            links[-1].sendall(f"{request}{cookie}\r\n\r\n".encode())
    with connect(table) as mine:
        mine.sendall(f"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\n\r\n".encode())
        assert mine.recv(12) == b"HTTP/1.1 200", "everybody else is still answered"
    for link in links:
        link.close()

    def streamed() -> bool:
        with contextlib.suppress(OSError), connect(table) as mine:  # Closed, where there are too many still.
            mine.sendall(f"{request}{ann.cookie}\r\n\r\n".encode())
            return mine.recv(12) == b"HTTP/1.1 200"
        return False

    eventually(streamed, "the seat has its stream again soon")


def test_attack_asking_for_what_takes_long(standing: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes are drawn once, however often somebody asks for them; one that is not good is not drawn at all."""
    drawn: list[str] = []
    draw = segno.make
    monkeypatch.setattr(segno, "make", lambda url, **more: drawn.append(url) or draw(url, **more))
    pages._qr_svg.cache_clear()
    here = f"/qr/seat/1/{ticket(standing, 1)}.svg"
    assert {get(standing, path).status for path in ("/qr/lobby.svg", here) * 5} == {200}
    assert get(standing, here).headers["Cache-Control"] == "no-store", "who has it may sit down"
    assert get(standing, "/qr/seat/1/notTheTicketOfThisSeat.svg").status == 404
    assert len(drawn) == 2


def test_attack_asking_for_fifteen_films(standing: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever seals meanwhile does not wait for them: few wait, and the others are told to ask again."""
    go_on, statuses = threading.Event(), list[int]()

    def slow(lines: Any) -> Any:
        assert go_on.wait(PATIENCE_S)
        return film(lines)

    monkeypatch.setattr("web_panel.renderings.film", slow)
    monkeypatch.setattr(standing.host, "is_over", lambda _game: True)
    monkeypatch.setattr(standing.host, "whole_record", lambda _game: recorded("coil", "a1", "pass", "g7"))
    asking = [
        threading.Thread(target=lambda: statuses.append(get(standing, "/api/replay/coil-0a1b2c3d").status))
        for _ in range(15)
    ]
    for thread in asking:
        thread.start()
    try:
        eventually(lambda: len(statuses) == 15 - WAITING, "all but those that may wait have their answer")
        assert set(statuses) == {503}
        assert post(standing, "/api/language", {"language": "de"}).status == 200
        assert set(statuses) == {503}, "the films are still being made"
    finally:
        go_on.set()
        for thread in asking:
            thread.join(PATIENCE_S)
    assert statuses.count(200) == WAITING


def test_attack_asking_for_the_description(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that the panel answers to is written down once, not as often as somebody asks."""
    written: list[int] = []
    write = assets.document
    monkeypatch.setattr(assets, "document", lambda *of: written.append(1) or write(*of))
    assert {get(table, "/api/openapi.json").status for _ in range(4)} == {200}
    assert len(written) == 1


def test_attack_many_copies_of_the_description(app: Flask) -> None:
    """Many who ask and read nothing are sent the same bytes: they are in memory once."""
    first, second = ([*app.test_client().get("/api/openapi.json").response] for _ in range(2))
    assert first[0] is second[0]


# -- names -------------------------------------------------------------------------------------------------------------


@together(
    "name", ["\u3164", "\u2800\u2800", "\u115f", "\uffa0", "Ev\u3164e", "\ufe0f", "Ev\u180be", "a" + "\u0316" * 9]
)
def test_attack_names_that_can_not_be_read(standing: ServedTable, name: str) -> None:
    """Letters without a shape, and marks that grow over the lines above: no name that anybody could call."""
    with unchanged(standing):
        for path, body in (("join", {"seat": 1, "name": name, "ticket": ticket(standing, 1)}),):
            assert post(standing, f"/api/{path}", body).code in {"bad_request", "bad_name"}


ALIKE = ("Ａｎｎ", "\u0410nn", "A\u200bnn", "A nn", "An\u0336n", "𝐀𝐧𝐧", "AΝΝ", "Ann\ufe0f")
OTHERS = ("Zoë", "Zoe\u0308", "José", "Łukasz", "Анна", "Αννα", "安娜", "สมชาย", "נועה", "Ann ✓", "❤️ Ann")


def test_attack_names_that_look_like_anothers(table: ServedTable) -> None:
    """Nobody sits beside Ann under a name that looks the same, in the lobby or by changing his own, or the host's."""
    Person(table, 1, "Ann")
    word, host = ticket(table, 2), host_cookie(table)
    with unchanged(table):
        for name in ALIKE:
            sitting = post(table, "/api/join", {"seat": 2, "name": name, "ticket": word})
            assert sitting.code in {"bad_request", "bad_name"}, name
    bob = Person(table, 2, "Bob")
    with unchanged(table):
        for name in ALIKE:
            assert bob.post("name", {"name": name}).code in {"bad_request", "bad_name"}, name
            by_host = post(table, "/api/host/name", {"seat": 2, "name": name}, Cookie=host)
            assert by_host.code in {"bad_request", "bad_name"}, name


def test_names_of_all_languages_are_names(table: ServedTable) -> None:
    Person(table, 1, "Ann")
    bob = Person(table, 2, "Bob")
    for name in OTHERS:
        assert bob.post("name", {"name": name}).status == 200, name
        assert bob.view()["seats"][1]["name"] == name


# -- languages ---------------------------------------------------------------------------------------------------------


def test_attack_giant_wish_for_a_language(standing: ServedTable) -> None:
    """A list of eight thousand languages is not even read: that costs a moment in which others wait."""
    wish = "de," + "a," * 7000
    assert get(standing, "/words.js", Accept_Language="de").body.startswith(b'export default {"language":"de"')
    assert get(standing, "/words.js", Accept_Language=wish).body.startswith(b'export default {"language":"en"')


@pytest.mark.parametrize("code", ["../de", "de.po", "/etc/passwd", "de\u0000", "", "DE", "de-DE"])
def test_attack_path_tricks_in_a_languages_code(standing: ServedTable, code: str) -> None:
    assert post(standing, "/api/language", {"language": code}).status == 400
    assert get(standing, "/words.js", Cookie=f"lodestone-language={code.strip(chr(0))}").status == 200


def test_attack_foreign_choice_of_a_language(standing: ServedTable) -> None:
    assert post(standing, "/api/language", {"language": "de"}, Origin="http://evil.example").code == "foreign"
    assert post(standing, "/api/language", {"language": "de"}, X_Lodestone="").code == "foreign"
    cookie = post(standing, "/api/language", {"language": "de"}).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


@together("path", ["/words.js", "/api/state", "/host", "/", "/join/1", "/play", "/tv", "/api/nothing"])
def test_attack_cache_between_languages_and_people(standing: ServedTable, path: str) -> None:
    """Whatever is told in a language says so to caches, and one who knows an answer is told of another one."""
    english, german = (get(standing, path, Accept_Language=one) for one in ("en", "de"))
    for answer in (english, german):
        assert {"Cookie", "Accept-Language"} <= {word.strip() for word in answer.headers["Vary"].split(",")}
        assert answer.headers["Cache-Control"] in {"no-cache", "no-store", "private, no-cache"}
    if "ETag" in english.headers:
        assert english.headers["ETag"] != german.headers["ETag"]
        known = english.headers["ETag"]
        assert get(standing, path, Accept_Language="de", If_None_Match=known).status == 200
        assert get(standing, path, Accept_Language="en", If_None_Match=known).status == 304


# -- pages and methods -------------------------------------------------------------------------------------------------


@together("path", ["/api/host/state", "/api/host/records/spokes-0123abcd.jsonl", "/api/host/replay/x"])
@together("method", ["HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"])
def test_attack_methods_on_what_is_the_hosts(standing: ServedTable, path: str, method: str) -> None:
    """No other method tells more than GET does: that is refused alike for games that are there and that are not."""
    answer = get(standing, path, method)
    assert answer.status in {"HEAD": {403}, "OPTIONS": {200}}.get(method, {405})
    assert method == "HEAD" or b"spokes" not in answer.body


def test_attack_virtual_board_at_a_real_one(standing: ServedTable) -> None:
    """Hands that are simulated exist where the board is: nowhere else."""
    host = host_cookie(standing)
    for path in ("/board", "/sim/state", "/sim/layout", "/sim/events"):
        assert get(standing, path, Cookie=host).status == 404
    for deed in ("put", "lift", "hold", "back", "move", "push", "fault"):
        assert post(standing, f"/sim/{deed}", {"node": "A1", "piece": "w"}, Cookie=host).status == 404


def test_attack_script_in_the_name_of_a_record(standing: ServedTable) -> None:
    """The page of a replay names what it was asked for, to whoever asks; as text alone."""
    page = get(standing, "/host/replay/%22%3E%3Cscript%3Ealert(1)%3C%5Cscript%3E")
    assert page.status == 403
    assert b"<script>alert" not in page.body


def test_attack_flood_from_a_page_in_another_tab(tmp_path: Path) -> None:
    """A foreign page that the host has open sends without end: all refused, none of it from the host's share."""
    with contextlib.closing(SimulatedTable(tmp_path)) as table:
        buckets = limits.Buckets(lambda: 0.0)
        app = create_app(table.runtime, secret=KEY, addresses=[ADDRESS], buckets=buckets, host=FakeHost())
        host = host_phone(app)

        def send(**headers: str) -> int:
            answer = host.client.post(
                "/api/host/mode", json={"mode": "4"}, headers=headers, environ_base={"REMOTE_ADDR": "10.0.0.7"}
            )
            return answer.status_code

        statuses = [send(Origin="http://evil.example") for _ in range(int(limits.WRITES.burst) + 1)]
        assert (statuses[0], statuses[-1]) == (403, 429)
        assert send(**OWN) == 200

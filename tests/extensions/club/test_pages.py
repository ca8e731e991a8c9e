"""``lodestone club`` as people use it: its requests, its stream, its pages in a browser on a phone and a desktop."""

from __future__ import annotations

import http.client
import io
import json
import signal
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Playwright, expect

from firmware_host.archive.records import verify_lines
from lodestone.server import Phone
from tests import forked
from tests.e2e.chromium import launched
from tests.e2e.program import PATIENCE_S, Program
from tests.extensions.club.clubs import ClubProgram, HallTable, until
from tests.link.brokers import MOSQUITTO, RealBroker

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
HEAD = {"name": "May", "game": "coil", "rules": [], "mode": "2", "system": "swiss", "rounds": 2}


@pytest.fixture
def club(tmp_path: Path) -> Iterator[ClubProgram]:
    with (
        closing(RealBroker("mosquitto" if MOSQUITTO else "own", tmp_path)) as broker,
        closing(ClubProgram(tmp_path / "club", broker.url)) as program,
    ):
        yield program


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    running = launched(playwright)
    yield running
    running.close()


class Stream:
    """A watcher's stream of events, as a browser reads it."""

    def __init__(self, club: ClubProgram, after: str) -> None:
        self._connection = http.client.HTTPConnection(club.url.removeprefix("http://"), timeout=PATIENCE_S)
        self._connection.request("GET", f"/api/events?after={after}")
        self.answer = self._connection.getresponse()

    def event(self) -> dict[str, str]:
        """Return the fields of the next event."""
        found: dict[str, str] = {}
        while True:
            line = self.answer.readline().decode()
            assert line, "the stream has ended"
            if line == "\n" and ("data" in found or "event" in found):
                return found
            name, _, value = line.rstrip("\n").partition(": ")
            found[name] = value

    def close(self) -> None:
        self._connection.close()


def test_requests(club: ClubProgram, tmp_path: Path) -> None:
    """Only the arbiter changes anything; what is of a wrong shape is refused with a sentence; downloads verify."""
    assert "only the arbiter" in club.act("create", **HEAD)
    assert club.ask("/api/arbiter/enter", {"token": "x" * 22})[0] == 403
    assert club.ask("/api/arbiter/enter", {"token": "\ud800"})[0] == 400
    assert club.ask("/api/arbiter/enter", {"token": club.token}, **{"X-Lodestone": ""})[0] == 403
    assert club.get("/api/arbiter") == {"arbiter": False}
    assert club.ask("/api/arbiter/enter", {"token": f"{club.url}/arbiter#{club.token}"})[0] == 200
    assert club.get("/api/arbiter")["arbiter"] is True
    for bad in (b"", b"[]", b"{", b'{"a": NaN}', b'{"name": "x", "name": "y"}', b'{"other": 1}', b"\xff" * 100):
        assert club.ask("/api/arbiter/create", bad)[0] == 400, bad
    assert club.ask("/api/arbiter/create", b"x" * 200_000)[0] == 413
    for field, wrong in (("name", 5), ("rules", "ab"), ("rounds", "3"), ("system", "knockout"), ("mode", None)):
        assert club.act("create", **{**HEAD, field: wrong}), field
    for field, wrong in (("name", ""), ("game", "chess"), ("mode", "9"), ("rounds", 99), ("rules", ["no-such-rule"])):
        assert club.act("create", **{**HEAD, field: wrong}), field
    assert club.act("create", **HEAD) == ""
    assert "no such tournament" in club.act("pair", tournament=2)
    assert "two players" in club.act("pair", tournament=1)
    assert "plays already" in club.act("players", tournament=1, names="Ann\nBen\n ann")
    assert club.get("/api/tournament/1")["players"] == [], "all or none"
    assert club.act("players", tournament=1, names="Ann\nBen\n\n=Cid()") == ""
    assert club.act("pair", tournament=1) == ""
    assert "results of round 1 are missing" in club.act("pair", tournament=1)

    table = HallTable(tmp_path / "table", club.invitation, "Table 1")
    view = until(lambda: club.get("/api/club")["tables"]) and club.get("/api/club")
    stream = Stream(club, view["state"])
    names = {one["number"]: one["name"] for one in club.get("/api/tournament/1")["players"]}
    board = club.get("/api/tournament/1")["rounds"][0]["boards"][0]
    assert "no such table" in club.act("assign", tournament=1, round=1, board=1, table="ab" * 8)
    assert club.act("assign", tournament=1, round=1, board=1, table=table.club.identity.public[:16]) == ""
    table.play(names[board["first"]], names[board["second"]], loser=2)
    phases: list[str] = []
    while "over" not in phases:
        told = json.loads(stream.event()["data"])
        phases += [one["phase"] for one in told.get("tables", {}).values()]
    stream.close()
    until(lambda: club.get("/api/tournament/1")["rounds"][0]["boards"][0]["points"])
    digest = club.get("/api/tournament/1")["rounds"][0]["boards"][0]["record"]
    status, record, headers = club.ask(f"/record/{digest}.jsonl")
    assert status == 200
    assert "attachment" in headers["Content-Disposition"]
    assert verify_lines(record.decode().splitlines()).mode == "2"
    place = {"tournament": 1, "round": 1, "board": 1}
    assert "has this result already" in club.act("correct", **place, how="record", record=digest, seat=1)
    assert club.act("correct", **place, how="record", record=digest, seat=2) == ""
    assert club.get("/api/tournament/1")["rounds"][0]["boards"][0]["points"] == [0, 2]
    for wrong in ({"how": "guessed", "winner": "first"}, {"how": "typed", "winner": "none"}, {"how": "record"}):
        assert club.ask("/api/arbiter/correct", {**place, **wrong})[0] == 400, wrong
    with zipfile.ZipFile(io.BytesIO(club.ask("/tournament/1/records.zip")[1])) as packed:
        assert [packed.read(name) for name in packed.namelist()] == [record]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zipfile.ZipFile, "writestr", None)  # Asked for again it is not packed again.
        assert club.ask("/tournament/1/records.zip")[0] == 200
    lines = club.ask("/tournament/1/standings.csv")[1].decode().splitlines()
    assert lines[0].startswith("place,name,points,buchholz")
    assert any("'=Cid()" in line for line in lines), "no formula in a spreadsheet"
    assert club.get("/api/records")[0]["digest"] == digest
    unknown = (
        f"/record/{'0' * 64}.jsonl",
        "/tournament/7/standings.csv",
        "/static/../server.py",
        "/static/%2e%2e/club_server.py",
        "/script/no.js",
        "/api/look?game=chess",
        "/api/arbiter/no",
    )
    for path in unknown:
        assert club.ask(path)[0] in {404, 405, 409}, path
    assert club.ask("/", Host="evil.example")[0] == 400
    assert b"Tische" in club.ask("/", **{"Accept-Language": "de"})[1]
    _, _, headers = club.ask("/api/club")
    assert club.ask("/api/club", **{"If-None-Match": headers["ETag"]})[0] in {200, 304}
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    table.close()


def test_a_stream_goes_on_where_it_was(club: ClubProgram) -> None:
    """After a break a page gets what it has missed; one of another run is told to fetch all."""
    club.ask("/api/arbiter/enter", {"token": club.token})
    state = club.get("/api/club")["state"]
    stream = Stream(club, state)
    club.act("create", **HEAD)
    first = stream.event()
    assert json.loads(first["data"])["tournaments"][0]["name"] == "May"
    stream.close()
    club.act("players", tournament=1, names="Ann")
    club.act("players", tournament=1, names="Ben")
    again = Stream(club, first["id"])
    missed = [json.loads(again.event()["data"])]
    while missed[-1]["tournaments"][0]["version"] < 3:
        missed.append(json.loads(again.event()["data"]))
    again.close()
    for other in ("", "abc.1", f"{state.partition('.')[0]}.99999", "x" * 500):
        stream = Stream(club, other)
        assert stream.event()["event"] == "anew"
        stream.close()


def open_page(browser: Browser, url: str, width: int, language: str = "en") -> Page:
    context = browser.new_context(viewport={"width": width, "height": 800}, locale=language, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_S * 1000)
    page = context.new_page()
    errors: list[Any] = []
    page.on("pageerror", lambda error: errors.append(error))  # noqa: PLW0108 - Playwright can't mark a builtin
    page.on("close", lambda _: None if not errors else pytest.fail(str(errors)))
    page.goto(url)
    return page


def no_wider(page: Page) -> None:
    """Nothing is cut off at the side, and nobody is kept out."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
    page.evaluate(Axe().axe_script)
    answer = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert answer["passes"], "axe has seen nothing"
    assert [(one["id"], [node["html"][:160] for node in one["nodes"]]) for one in answer["violations"]] == []


def test_an_evening_in_the_browser(club: ClubProgram, tmp_path: Path, browser: Browser) -> None:
    """An arbiter on a phone runs a tournament; a screen in the hall follows tables, rounds and standings."""
    expect.set_options(timeout=PATIENCE_S * 1000)
    tables = [HallTable(tmp_path / f"t{number}", club.invitation, f"Table {number}") for number in (2, 10)]
    arbiter = open_page(browser, f"{club.url}/arbiter#{club.token}", 390)
    screen = open_page(browser, club.url, 1280)
    german = open_page(browser, f"{club.url}/#standings", 390, "de")
    assert club.token not in arbiter.url, "the token does not stay in the address"

    expect(screen.locator(".club-table h2")).to_have_text(["Table 2", "Table 10"])
    expect(screen.locator(".club-table .mini svg.cells")).to_have_count(2)
    arbiter.locator("#new-name").fill("May")
    arbiter.locator("#new-game").select_option("coil")
    arbiter.locator("#new-rounds").fill("2")
    arbiter.locator("#create").click()
    arbiter.locator("#names").fill("Ann\nBen\nCid\nDora")
    arbiter.locator("#add-players").click()
    expect(arbiter.locator("#players h2")).to_have_text("Players: 4")
    arbiter.locator("#pair").click()
    arbiter.locator("#assign-free").click()
    expect(arbiter.locator("#table-of-1")).to_have_value(tables[0].club.identity.public[:16])
    expect(screen.locator(".club-table").first).to_contain_text("Board 1")
    no_wider(screen)
    no_wider(arbiter)

    names = {one["number"]: one["name"] for one in club.get("/api/tournament/1")["players"]}
    boards = club.get("/api/tournament/1")["rounds"][0]["boards"]
    for table, board in zip(tables, boards, strict=True):
        table.play(names[board["first"]], names[board["second"]], loser=2, actions=3)
    expect(screen.locator(".club-table").first).to_contain_text("The game is over")
    assert screen.locator("#board-" + tables[0].club.identity.public[:16] + " .stones").count() == 3
    screen.locator("#to-rounds").click()
    expect(screen.locator("#board-1-1")).to_contain_text("1 : 0")
    expect(screen.locator("#board-1-2")).to_contain_text("1 : 0")
    expect(german.locator("#part-standings")).to_contain_text("Tabelle nach Runde 1")
    expect(german.locator("#part-standings tbody tr")).to_have_count(4)
    no_wider(german)
    no_wider(screen)

    arbiter.locator("#pair").click()
    expect(screen.locator("#round-2")).to_have_attribute("aria-pressed", "true")
    arbiter.locator("#forfeit-1").select_option("first")
    arbiter.locator("#ask").get_by_role("button", name="No", exact=True).click()
    expect(arbiter.locator("#forfeit-1")).to_have_value("")
    arbiter.locator("#forfeit-1").select_option("first")
    arbiter.get_by_role("button", name="Yes").click()
    expect(screen.locator("#board-2-1")).to_contain_text("+ : –")
    expect(arbiter.locator("#now")).to_contain_text("round 2, board 1 has a result")  # What is asked is what is undone.
    arbiter.locator("#undo").click()
    arbiter.get_by_role("button", name="Yes").click()
    expect(screen.locator("#board-2-1 .middle")).to_have_text("–")
    arbiter.locator("#result-1").select_option("draw")
    arbiter.get_by_role("button", name="Yes").click()
    expect(screen.locator("#board-2-1 .middle")).to_have_text("½ : ½")
    arbiter.get_by_role("button", name="Strike").click()
    arbiter.get_by_role("button", name="Yes").click()
    expect(screen.locator("#board-2-1 .middle")).to_have_text("–")
    screen.locator("#to-records").click()
    expect(screen.locator("#part-records li")).to_have_count(2)
    arbiter.locator('[data-key="new"] summary').click()
    arbiter.locator("#new-name").fill("June")
    arbiter.locator("#names").fill("Eve\nFinn")
    arbiter.locator("#create").click()
    expect(arbiter.locator("#now h2")).to_have_text("June", timeout=5000)  # At once, though nothing else happens.
    expect(arbiter.locator("#new-name")).to_be_hidden()
    expect(arbiter.locator("#names")).to_have_value("Eve\nFinn")
    tables[1].close()
    screen.locator("#to-tables").click()
    expect(screen.locator(".club-table").last).to_contain_text("Away")
    screen.locator("#find").fill("10")
    expect(screen.locator(".club-table")).to_have_count(1)
    tables[0].close()
    for page in (arbiter, screen, german):
        page.close()


def test_an_arbiter_puts_things_right(club: ClubProgram, browser: Browser) -> None:
    """Two meet again, an earlier result was wrong, a tournament is not played on, a button is tapped twice."""
    expect.set_options(timeout=PATIENCE_S * 1000)
    club.ask("/api/arbiter/enter", {"token": club.token})
    for what, fields in (
        ("create", {**HEAD, "rounds": 3}),
        ("players", {"tournament": 1, "names": "Ann\nBen"}),
        ("pair", {"tournament": 1}),
        ("result", {"tournament": 1, "round": 1, "board": 1, "winner": "first"}),
    ):
        assert club.act(what, **fields) == ""
    arbiter = open_page(browser, f"{club.url}/arbiter#{club.token}", 390)

    def agree(words: str) -> None:
        expect(arbiter.locator("#asktext")).to_contain_text(words)
        arbiter.get_by_role("button", name="Yes").click()

    arbiter.locator("#pair").click()
    agree("Ben – Ann")
    expect(arbiter.locator("#board-2-1")).to_be_visible()
    arbiter.locator("#round").select_option("1")
    for chosen, shown in (("typed second", "0 : 1"), ("forfeit first", "+ : –")):
        arbiter.locator("#correct-1").select_option(chosen)
        agree("Correct the result of board 1?")
        expect(arbiter.locator("#board-1-1 .middle")).to_have_text(shown)
    no_wider(arbiter)
    for shown in ("0 : 1", "1 : 0"):  # Both are said in the same words, and are two acts.
        arbiter.locator("#undo").click()
        agree("round 1, board 1 has another result")
        expect(arbiter.locator("#board-1-1 .middle")).to_have_text(shown)
    # Rounds that are undone while an earlier one is shown: the last one is.
    place = {"tournament": 1, "round": 2, "board": 1}
    assert club.act("result", **place, winner="first") == ""
    assert club.act("pair", tournament=1, agreed=club.get("/api/tournament/1")["version"]) == ""
    expect(arbiter.locator("#round option")).to_have_count(3)
    arbiter.locator("#round").select_option("2")
    expect(arbiter.locator("#correct-1")).to_be_visible()
    for rounds in (2, 2, 1, 1):
        (known,) = club.get("/api/arbiter")["tournaments"]
        assert club.act("undo", tournament=1, act=known["undo"]["act"]) == ""
        until(lambda rounds=rounds: len(club.get("/api/tournament/1")["rounds"]) == rounds)
    expect(arbiter.locator("#board-1-1 .middle")).to_have_text("–")
    assert club.act("result", **{**place, "round": 1}, winner="first") == ""
    assert club.act("pair", tournament=1, agreed=club.get("/api/tournament/1")["version"]) == ""
    expect(arbiter.locator("#board-2-1")).to_be_visible()
    expect(arbiter.locator("#table-of-1")).to_be_visible()
    arbiter.locator("#end").click()
    agree("End May?")
    expect(arbiter.locator("#now")).to_contain_text("ended by the arbiter")
    expect(arbiter.locator("#table-of-1")).to_have_count(0)
    expect(arbiter.locator("#pair, #end, #add-players")).to_have_count(0)
    no_wider(arbiter)
    arbiter.locator("#undo").click()
    agree("the tournament ends")
    expect(arbiter.locator("#end")).to_be_visible()

    arbiter.locator('[data-key="new"] summary').click()
    arbiter.locator("#new-name").fill("June")
    arbiter.locator("#create").dblclick()
    expect(arbiter.locator("#now h2")).to_have_text("June")
    until(lambda: [one["name"] for one in club.get("/api/club")["tournaments"]] == ["June", "May"])
    assert club.act("pair", tournament=3) == "there is no such tournament"
    twin = club.get("/api/tournament/2")  # One that looks the same, down to its name.
    head = {key: twin[key] for key in ("name", "game", "mode", "system")}
    assert club.act("create", **head, rules=[], rounds=twin["planned"]) == ""
    expect(arbiter.locator("#tournament option")).to_have_count(3)
    arbiter.locator("#tournament").select_option("3")
    expect(arbiter.locator("#now section")).to_have_attribute("data-tournament", "3")
    arbiter.locator("#end").click()
    agree("End June?")
    until(lambda: club.get("/api/tournament/3")["ended"])
    assert not club.get("/api/tournament/2")["ended"]
    arbiter.close()


def test_a_table_belongs_to_the_club(club: ClubProgram, tmp_path: Path) -> None:
    """``lodestone play --club``, with the invitation in a file: what is played is on the page; a kill is seen."""
    (tmp_path / "invitation").write_text(f"{club.invitation}\n")
    own = ("--club", str(tmp_path / "invitation"), "--club-name", "Table 1")
    program = Program(tmp_path / "table", "--demo", "--pause", "0", *own).start()
    known = until(lambda: list(club.get("/api/club")["tables"].values()))
    assert (known[0]["name"], known[0]["game"]) == ("Table 1", "spokes")
    until(lambda: next(iter(club.get("/api/club")["tables"].values()))["turn"] >= 2)
    program.stop(signal.SIGKILL)
    until(lambda: not next(iter(club.get("/api/club")["tables"].values()))["here"])
    words = ["--demo", "--port", "0", "--data", str(tmp_path / "other"), "--club", "lodestone-room:?x=1"]
    ended = forked.run("play", *words)
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert "begins with lodestone-club" in ended.stderr


def test_a_club_that_is_killed(club: ClubProgram, tmp_path: Path) -> None:
    """All that an arbiter was told is done is still there, and the arbiter is still one."""
    club.ask("/api/arbiter/enter", {"token": club.token})
    club.act("create", **HEAD)
    club.act("players", tournament=1, names="Ann\nBen\nCid\nDora")
    club.act("pair", tournament=1)
    club.act("forfeit", tournament=1, round=1, board=2, winner="first")
    before = club.get("/api/tournament/1")
    club.kill()
    again = ClubProgram(tmp_path / "club")
    again.cookie = club.cookie
    assert again.get("/api/tournament/1") == before
    assert again.invitation == club.invitation
    (known,) = again.get("/api/arbiter")["tournaments"]
    assert again.act("undo", tournament=1, act=known["undo"]["act"]) == ""
    club.process = again.process  # The fixture ends it.


def test_a_board_stands_at_its_table(club: ClubProgram, tmp_path: Path, browser: Browser) -> None:
    """All screens of the table show who plays there; a tap sets the game, another one takes a seat; then it counts."""
    assert club.ask("/api/arbiter/enter", {"token": club.token})[0] == 200
    own = ("--club", club.invitation, "--club-name", "Table 1", "--game", "spokes", "--hands", "all", "--pause", "0")
    program = Program(tmp_path / "table", *own).start()
    watcher = Phone(program.base)
    until(lambda: club.get("/api/club")["tables"], 60)
    assert club.act("create", **HEAD) == club.act("players", tournament=1, names="Ann\nB\u00f6") == ""
    assert club.act("pair", tournament=1) == club.act("assign-free", tournament=1) == ""

    ann, guest = open_page(browser, program.base, 390), open_page(browser, program.base, 390, "de")
    host = open_page(browser, f"{program.base}/host#{program.host_token()}", 390)
    tv = open_page(browser, f"{program.base}/tv", 1280)
    for page, part in ((ann, "#asks"), (host, "#asks"), (tv, "#news")):
        expect(page.locator(part)).to_contain_text("Round 1, board 1: Ann \u2013 B\u00f6 play here.")
    expect(guest.locator("#asks")).to_contain_text("Runde 1, Brett 1: Ann \u2013 B\u00f6 spielen hier.")
    no_wider(ann)
    ann.get_by_role("button", name="Play Coil here").click()
    for page in (host, guest):
        expect(page.locator("#i-am-1")).to_be_visible()
    ann.get_by_role("button", name="I am Ann").click()
    expect(ann.locator("#name-1")).to_have_value("Ann")
    guest.get_by_role("button", name="Ich bin B\u00f6").click()
    expect(guest.locator("#name-2")).to_have_value("B\u00f6")
    expect(host.locator("[id^=i-am-]")).to_have_count(0)
    host.locator("#start").click()
    ann.wait_for_url("**/play")
    expect(host.locator("#asks")).to_be_empty()
    watcher.until(lambda view: view["phase"] == "resolving")
    ann.evaluate(
        "fetch('/api/resign', {method: 'POST', body: '{}', headers: {'X-Lodestone': '1',"
        " 'Content-Type': 'application/json'}})"
    )
    until(lambda: club.get("/api/tournament/1")["rounds"][0]["boards"][0]["points"] == [0, 2], 60)
    until(lambda: watcher.view["pairings"] == [])
    for page in (ann, guest, host, tv):
        page.close()
    program.stop()

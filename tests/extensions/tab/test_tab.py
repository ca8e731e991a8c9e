"""The program as it runs in a browser tab: without threads, sockets and processes. Time and messages come from here."""

from __future__ import annotations

import base64
import json
import re
import secrets
import subprocess
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qsl

import pytest

from firmware_host import platform
from firmware_host.analysis.questions import EndsQuestion
from firmware_host.extensions.tab.tab import MAX_ENDS_S, AnalysisElsewhere, Tab, Wish, offers
from firmware_host.games.registry import GAMES
from firmware_host.services.engine import answer_line
from firmware_host.table.ledger import levels_of
from firmware_host.text.words import Refused
from tests.sampling import few
from tests.turns import Machine
from tests.waiting import PATIENCE_S

ROOT = Path(__file__).parents[3]
HARD = "w/xx../w.w.w.w./.w.w.w.w.www..ww/w.w.w.w.w.w.w.w. 2 20 2 resolve -"
"""A position whose ends no search of a minute settles."""
RECORD = re.compile(r'"try/#record=([\w-]+)"')
STEP_S = 0.01


class Answer:
    """The other end of one request."""

    def __init__(self) -> None:
        self.status, self.headers, self.content, self.ended, self.gone = 0, "", b"", False, False

    def head(self, status: int, headers: str) -> None:
        self.status, self.headers = status, headers

    def put(self, data: bytes) -> None:
        self.content += data

    def end(self) -> None:
        self.ended = True

    def is_gone(self) -> bool:
        return self.gone


class Page:
    """What the page around a tab does."""

    def __init__(self, folder: Path, wish: Wish) -> None:
        self.lines: list[str] = []
        self.tab = Tab(folder, wish, self.lines.append)

    def ask(self, device: str, path: str, **fields: Any) -> Answer:
        answer = Answer()
        method, body = ("POST", json.dumps(fields).encode()) if fields else ("GET", b"")
        self.tab.request(device, method, path, json.dumps({"Content-Type": "application/json"}), body, answer)
        return answer

    def view(self, device: str = "board") -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.ask(device, "/api/state").content)
        return found

    def until(self, done: Callable[[], object], what: str, seconds: float = PATIENCE_S) -> None:
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, what
            self.round()
            time.sleep(STEP_S)  # As the page's timer does.

    def round(self) -> None:
        self.tab.step()
        if self.lines:
            self.tab.take_answer(answer_line(self.lines.pop()))


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what a tab lacks."""

    def none(*_words: object, **_more: object) -> None:
        raise RuntimeError("a tab has none")

    monkeypatch.setattr(platform, "HAS_THREADS", False)
    monkeypatch.setattr(threading.Thread, "start", none)
    monkeypatch.setattr(subprocess, "Popen", none)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[Wish], Page]]:
    pages: list[Page] = []

    def opened(wish: Wish) -> Page:
        pages.append(Page(tmp_path / f"{len(pages)}", wish))
        return pages[-1]

    yield opened
    for page in pages:
        page.tab.close()
    assert not platform._turns


Open = Callable[[Wish], Page]


@pytest.mark.parametrize("game", few(sorted(GAMES), 2))
def test_computers_play(game: str, opened: Open) -> None:
    """The simulated hands lay the board and move; without threads, beside the loop."""
    page = opened(Wish(game, people=0, pause=0.0))
    page.until(lambda: len(page.view()["log"]) >= 2, "two actions")


def test_what_can_not_be_searched_longer_is_searched_once() -> None:
    """Longer and longer searches of a phase's ends are one here; a computer's action waits for it a second at most."""
    sent: list[str] = []
    analyser = AnalysisElsewhere(sent.append)
    short, long, longest = (EndsQuestion("spokes", (), HARD, seconds) for seconds in (0.3, 10.0, 60.0))
    for question in (short, long):
        analyser.ask([question])
        assert analyser.answer(question) is None
        analyser.take(answer_line(sent[-1]))
    found = analyser.answer(long)
    analyser.ask([longest])
    assert analyser.answer(longest) is found is not None
    assert [json.loads(line)["seconds"] for line in sent] == [0.3, MAX_ENDS_S]


@pytest.mark.parametrize(
    ("game", "turn_s"), few([(game, turn_s) for turn_s in (1.5, 0.02) for game in sorted(GAMES)], 4)
)
def test_whole_games_end_on_fast_and_slow_machines(
    game: str, turn_s: float, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that comes to the board every other second still sees each piece that hands lift and put back.

    Always the same games: by chance one is ten times as long.
    """
    rng = Random(game)
    monkeypatch.setattr(secrets, "token_bytes", lambda count=32: rng.randbytes(count))
    monkeypatch.setattr(secrets, "randbelow", rng.randrange)
    machine = Machine(monkeypatch, turn_s)
    page = opened(Wish(game, people=0, pause=0.0))
    for turn in range(20_000):
        machine.turn()
        page.round()
        if turn % 20 == 0 and page.view()["phase"] == "over":
            return
    pytest.fail(str(page.view()["message"]))


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.timeout(1900)
def test_a_whole_game_and_its_replay(opened: Open) -> None:
    page = opened(Wish("octiles", people=0, pause=0.0))
    page.until(lambda: page.view()["phase"] == "over", "the end", 10 * PATIENCE_S)
    game = page.view()["game"]["id"]
    record = page.ask("phone-1", f"/api/records/{game}.jsonl").content.decode()
    replay = opened(Wish("", record=record))
    assert replay.ask("phone-1", "/replay").status == 200
    assert replay.ask("phone-1", "/api/replay", do="last").status == 200
    assert replay.view()["moment"] > 0


def test_records_in_links_of_the_docs_are_whole(opened: Open) -> None:
    pages = (ROOT / "docs").glob("*.md")
    words = [word for page in pages for word in RECORD.findall(page.read_text(encoding="utf-8"))]
    assert words
    for word in words:
        packed = base64.urlsafe_b64decode(word + "=" * (-len(word) % 4))
        replay = opened(Wish("", record=zlib.decompress(packed, -zlib.MAX_WBITS).decode()))
        assert replay.ask("phone-1", "/replay").status == 200
        assert replay.ask("phone-1", "/api/replay", do="last").status == 200
        assert replay.view()["moment"] > 0


def test_two_phones_are_two_people(opened: Open) -> None:
    page = opened(Wish("coil", people=2))
    assert [page.view(device)["you"] for device in ("phone-1", "phone-2", "board")] == [
        {"seat": 1, "claim_ok": True}, {"seat": 2, "claim_ok": True}, None,
    ]  # fmt: skip
    assert page.view("phone-1")["host"]
    assert not page.view("phone-2")["host"]


def test_a_stream_gets_what_happens(opened: Open) -> None:
    """A touch of the board is on a phone that only listens, and in a frame of this page alone."""
    page = opened(Wish("coil", people=2))
    stream = page.ask("phone-1", "/api/events")
    assert not stream.ended
    assert "frame-ancestors 'self'" in page.ask("board", "/board").headers
    before = stream.content
    page.until(lambda: page.view()["phase"] == "resolving", "the first turn")
    node, piece = next(iter(GAMES["coil"].layout().nodes)), next(iter(GAMES["coil"].pieces))
    assert page.ask("board", "/sim/put", node=node, piece=piece).status == 200
    page.until(lambda: node.encode() in stream.content[len(before) :], "the stone on the phone")
    stream.gone = True
    page.until(lambda: stream.ended, "the stream's end")


def test_a_tap_on_the_virtual_board_is_seen(opened: Open) -> None:
    """The stack is in the air between two looks at the board, as under a hand."""
    page = opened(Wish("coil", people=2, pause=0.0))
    page.until(lambda: page.view()["phase"] == "resolving", "the first turn")
    node, piece = next(iter(GAMES["coil"].layout().nodes)), next(iter(GAMES["coil"].pieces))
    assert page.ask("board", "/sim/put", node=node, piece=piece).status == 200

    def stones() -> Any:
        return json.loads(page.ask("board", "/sim/state").content)["stones"]

    assert page.ask("board", "/sim/move", **{"from": node, "to": node}).status == 200
    assert node not in stones()
    page.until(lambda: stones().get(node) == [piece], "the stone lies there again")


def test_a_lesson_and_a_puzzle_begin_at_the_table(opened: Open) -> None:
    """They take the board while the game waits; without threads, as everything there."""
    pytest.importorskip("firmware_host.extensions.puzzles")
    page = opened(Wish("coil", people=1, pause=0.0))
    page.until(lambda: page.view()["phase"] == "resolving", "the first turn")
    lesson = json.loads(page.ask("phone-1", "/api/lessons").content)["lessons"][0]["name"]
    assert page.ask("phone-1", "/api/lesson/begin", name=lesson).status == 200
    page.until(lambda: (page.view("phone-1")["lesson"] or {}).get("name") == lesson, "the lesson")
    assert page.ask("phone-1", "/puzzles").status == 200
    puzzles = json.loads(page.ask("phone-1", "/api/puzzles/coil").content)["puzzles"]
    puzzle = next(one["id"] for one in puzzles if one["on_board"])
    assert json.loads(page.ask("phone-1", f"/api/puzzles/coil/{puzzle}/solution").content)
    assert page.ask("phone-1", "/api/puzzle/begin", puzzle=puzzle).status == 200
    page.until(lambda: (page.view("phone-1")["lesson"] or {}).get("puzzle") is not None, "the puzzle")


def test_a_position_lies_on_the_board(opened: Open) -> None:
    game = GAMES["coil"]
    start = game.start(game.modes[0])
    action = next(iter(game.actions(start)[1]))
    text = game.text(game.apply(start, {1: action}).position)
    page = opened(Wish("coil", people=1, position=text, pause=0.0))
    page.until(lambda: page.view()["phase"] == "resolving", "the position")
    assert page.view()["board"]


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (Wish("chess"), "expected one of"),
        (Wish("coil", position="nothing"), "position"),
        (Wish("", record="nothing"), "record: line 1"),
    ],
)
def test_what_can_not_be_opened_is_refused(wish: Wish, words: str, opened: Open) -> None:
    with pytest.raises(Refused, match=words):
        opened(wish)


LINK = re.compile(r'"try/\?([^"]*)"')
LINKS = sorted({link for page in (ROOT / "docs").glob("*.md") for link in LINK.findall(page.read_text("utf-8"))})


def test_pages_lead_to_games_and_positions(opened: Open) -> None:
    """Each link of a page opens, a position with what is told of it on the board."""
    assert {dict(parse_qsl(link))["game"] for link in LINKS} == set(GAMES)
    for link in LINKS:
        asked = dict(parse_qsl(link))
        opened(Wish(asked["game"], int(asked.get("people", 1)), position=asked.get("position", ""))).tab.step()


def test_offers_name_levels() -> None:
    for offer in offers():
        levels = offer["levels"]
        assert [(one["level"], one["name"]) for one in levels] == [
            (one.number, str(one.name)) for one in levels_of(GAMES[offer["game"]])
        ]
        assert offer["usual"] in {one["level"] for one in levels}
        assert offer["seats"] in {2, 3, 4}
    with pytest.raises(Refused):
        Wish.read('{"games": 1}')


def test_each_level_was_measured() -> None:
    """The page offers those that ``python -m tools.tab_levels`` found fast enough in a browser's Python."""
    measured = json.loads((ROOT / "tools/measured/tab_levels.json").read_text("utf-8"))
    assert {offer["game"]: {str(one["level"]) for one in offer["levels"]} for offer in offers()} == {
        game: set(levels) for game, levels in measured.items()
    }

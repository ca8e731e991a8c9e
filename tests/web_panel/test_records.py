"""Recorded games at a running table: who may look, what is fetched, what is kept, and what can't be read."""

from __future__ import annotations

import json
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from firmware_host.archive.journal import Journal
from firmware_host.archive.records import export
from firmware_host.games.registry import game as find_game
from firmware_host.replay.scenes import film
from firmware_host.text.words import Text
from tests.archive.records.recorder import Recorder, a_loop_record, a_record, forged, head, set_data
from tests.e2e.program import eventually
from tests.replay.played import recorded, whole
from tests.sampling import cases, together
from tests.sentences import sentence
from tests.web_panel.records import Shelf, panel_of
from web_panel.api.records import CHUNK
from web_panel.renderings import FILMS, WAITING, Films

GAME = "coil-0a1b2c3d"


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def client(shelf: Shelf) -> FlaskClient:
    return panel_of(shelf).test_client()


def get(client: FlaskClient, path: str, **headers: str) -> tuple[int, Any]:
    answer = client.get(path, headers=headers)
    return answer.status_code, answer.get_json()


def moments_of(client: FlaskClient, game: str) -> list[Any]:
    """Fetch all moments of a game as a browser does."""
    status, told = get(client, f"/api/host/replay/{game}")
    assert status == 200
    found: list[Any] = []
    while len(found) < told["moments"]:
        status, piece = get(client, f"/api/host/replay/{game}/{told['version']}/{len(found)}")
        assert (status, piece["first"]) == (200, len(found))
        assert 0 < len(piece["moments"]) <= CHUNK
        found += piece["moments"]
    return found


def test_the_page_names_its_record_and_needs_nothing_from_outside(client: FlaskClient) -> None:
    page = client.get(f"/host/replay/{GAME}")
    text = page.get_data(as_text=True)
    assert page.status_code == 200
    assert f'data-record="{GAME}"' in text
    assert 'id="slider"' in text
    assert "style=" not in text


def test_only_the_host_may_look(client: FlaskClient, shelf: Shelf) -> None:
    version = get(client, f"/api/host/replay/{GAME}")[1]["version"]
    shelf.is_host = False
    before = len(shelf.asked)
    for path in (GAME, f"{GAME}/{version}/0", "nothing"):
        status, answer = get(client, f"/api/host/replay/{path}")
        assert (status, answer["error"]["code"]) == (403, "not_host")
    page = client.get(f"/host/replay/{GAME}")
    assert page.status_code == 403
    text = page.get_data(as_text=True)
    assert sentence("only the host can do") in text
    assert 'href="/host"' in text
    assert "replay.js" not in text
    assert len(shelf.asked) == before, "nothing was read for them"


@pytest.mark.parametrize("game", ["..", "a b", "x" * 65, "a.b", "<b>", "%00", "ü"])
def test_what_is_no_game_is_refused_before_anybody_is_asked(client: FlaskClient, shelf: Shelf, game: str) -> None:
    for path in (f"/api/host/replay/{game}", f"/api/host/replay/{game}/0/0", f"/host/replay/{game}"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "<b>" not in answer.get_data(as_text=True)
    assert shelf.asked == []


def test_a_game_that_is_not_there_is_refused_in_words(client: FlaskClient) -> None:
    assert get(client, "/api/host/replay/coil-99") == (
        404,
        {"ok": False, "error": {"code": "no_game", "message": "there is no game coil-99"}},
    )


def test_moments_beyond_the_end_and_strange_numbers_are_refused(client: FlaskClient) -> None:
    version = get(client, f"/api/host/replay/{GAME}")[1]["version"]
    status, answer = get(client, f"/api/host/replay/{GAME}/{version}/5")
    assert (status, answer["error"]["code"]) == (404, "no_moment")
    assert "this game has no moment 6" in answer["error"]["message"]
    for number in ("-1", "x", "1.5", "9" * 4000):
        assert get(client, f"/api/host/replay/{GAME}/{version}/{number}")[0] in {404, 414}
    assert client.post(f"/api/host/replay/{GAME}", json={}).status_code == 405


@pytest.mark.parametrize("game", cases(["spokes", "phalanx", "coil", "octiles"], "spokes"))
def test_a_whole_game_comes_in_pieces_as_the_record_tells_it(game: str) -> None:
    lines = whole(game)
    name = f"{game}-0a1b2c3d"
    client = panel_of(Shelf({name: lines})).test_client()
    told = get(client, f"/api/host/replay/{name}")[1]
    shown = film(lines)
    rules = find_game(game)
    assert told["game"] == {"id": name, "name": game, "title": str(rules.title), "rules": []}
    assert set(told["layout"]["nodes"]) == set(rules.layout().nodes)
    found = moments_of(client, name)
    assert [moment["words"] for moment in found] == [str(scene.words) for scene in shown.scenes]
    assert [moment["board"] for moment in found] == [
        {node: list(stack) for node, stack in scene.board.items()} for scene in shown.scenes
    ]
    assert bool(found[-1]["standing"]) == bool(rules.scoring)
    assert all(bool(moment["scores"]) == bool(rules.scoring) for moment in found)


@pytest.mark.thorough
def test_a_long_game_is_asked_for_in_small_pieces() -> None:
    name = "phalanx-0a1b2c3d"
    client = panel_of(Shelf({name: whole("phalanx")})).test_client()
    told = client.get(f"/api/host/replay/{name}")
    version, count = told.get_json()["version"], told.get_json()["moments"]
    assert count > 10 * CHUNK
    assert len(told.data) < 20_000
    for first in range(0, count, CHUNK):
        assert len(client.get(f"/api/host/replay/{name}/{version}/{first}").data) < 60_000


def test_a_game_is_verified_once_and_the_last_few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    games = {f"coil-{number}": recorded("coil", "a1", seed=number) for number in range(FILMS + 1)}
    made: list[str] = []

    def counting(lines: Any) -> Any:
        made.append(lines)
        return film(lines)

    monkeypatch.setattr("web_panel.renderings.film", counting)
    films = Films(Shelf(games))
    first = films.newest("coil-0")
    assert films.newest("coil-0") is first
    assert films.of("coil-0", first.version) is first.film
    assert len(made) == 1
    for name in games:
        films.newest(name)
    assert films.count() == FILMS
    assert len(made) == FILMS + 1
    films.newest("coil-0")
    assert len(made) == FILMS + 2, "the one that nobody looked at for longest was forgotten"


def test_two_screens_that_ask_at_once_let_it_be_verified_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on, made = threading.Event(), threading.Event(), []

    def slow(lines: Any) -> Any:
        made.append(lines)
        begun.set()
        assert go_on.wait(20)
        return film(lines)

    monkeypatch.setattr("web_panel.renderings.film", slow)
    films = Films(Shelf())
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(films.newest(GAME))) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert begun.wait(20)
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert len(made) == 1
    assert len({id(one) for one in found}) == 1


def test_many_that_ask_at_once_take_no_threads_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, refused = threading.Event(), []

    def slow(lines: Any) -> Any:
        assert go_on.wait(20)
        return film(lines)

    monkeypatch.setattr("web_panel.renderings.film", slow)
    films = Films(Shelf())

    def ask() -> None:
        try:
            films.newest(GAME)
        except TimeoutError as error:
            refused.append(error)

    threads = [threading.Thread(target=ask) for _ in range(15)]
    for thread in threads:
        thread.start()
    assert eventually(lambda: len(refused) == 15 - WAITING), "they are told to ask again, and don't wait"
    go_on.set()
    for thread in threads:
        thread.join(20)


def test_a_game_that_is_played_on_is_told_anew(client: FlaskClient, shelf: Shelf) -> None:
    before = get(client, f"/api/host/replay/{GAME}")[1]
    shelf.games[GAME] = recorded("coil", "a1", "pass", "g7", "b1")
    old = f"/api/host/replay/{GAME}/{before['version']}/0"
    assert get(client, old)[0] == 200, "what was begun is shown to its end"
    after = get(client, f"/api/host/replay/{GAME}")[1]
    assert (before["moments"], after["moments"]) == (5, 6)
    assert after["version"] != before["version"]
    status, answer = get(client, old)
    assert (status, answer["error"]["code"]) == (409, "gone_on")


def _broken(reason: str | None) -> str:
    """Return how it is said that a record is broken, up to the number of its line, or up to a reason's first words."""
    said = sentence("or is missing, first", line="1" if reason is not None else "CUT", reason="CUT")
    return said.partition("CUT")[0] + (reason or "")


@together(
    ("lines", "words"),
    [
        (forged(head(record=3, version="9.1.0")), "format 3, this program reads format 2: Lodestone 9.1.0 wrote it"),
        (forged(head(record=0)), "format 0, this program reads format 2"),
        (forged(lambda _, events: events.append({**events[0], "kind": "teleport"})), "does not know (teleport)"),
        (forged(set_data("action", 0, action="D1+D2")), _broken(None)),
        ([a_record()[0].replace("spokes", "chess")], _broken("hash: expected")),
        (a_record()[:-1], f"is missing, first in line {len(a_record())} (the record ends after"),
        (["{"], _broken("expected one JSON object")),
        ([], _broken("expected the header")),
        (["[" * 5000], _broken("expected one JSON object")),
        (forged(head(game="chess")), _broken("")),
        (forged(lambda header, events: (events.clear(), header.update(started=None))[0]), "there is nothing to replay"),
    ],
)
def test_what_can_not_be_read_is_refused_in_words(lines: list[str], words: str) -> None:
    client = panel_of(Shelf({"game": lines})).test_client()
    status, answer = get(client, "/api/host/replay/game")
    assert (status, answer["error"]["code"]) == (409, "bad_record")
    assert words in answer["error"]["message"]
    assert client.get("/host/replay/game").status_code == 200, "the page says it"


def test_seals_are_told_with_what_they_held_and_unopened_ones_without() -> None:
    lines = a_record()
    client = panel_of(Shelf({"spokes-0a1b2c3d": lines})).test_client()
    found = [moment for moment in moments_of(client, "spokes-0a1b2c3d") if moment["seals"]]
    events = [json.loads(line) for line in lines[1:]]
    openings = [event["data"] for event in events if event["kind"] == "opening"]
    seals = [event["data"] for event in events if event["kind"] == "seal"]
    assert len(found) == len({moment["turn"] for moment in found}) > 2
    for moment in found:
        assert [seal["seat"] for seal in moment["seals"]] == [1, 2]
        for seal in moment["seals"]:
            turn = {"seat": seal["seat"], "turn": moment["turn"]}
            assert {**turn, "commitment": seal["commitment"]} in seals
            assert {**turn, "action": seal["action"], "nonce": seal["nonce"]} in openings
            assert seal["words"] in moment["words"]


def test_what_a_seal_held_that_was_never_opened_by_all_stays_secret(tmp_path: Path) -> None:
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        recorder = Recorder(journal, "spokes-0a1b2c3d")
        recorder.place()
        while not recorder.game.simultaneous(recorder.now):
            recorder.step()
        actions, nonces = recorder.choices()
        turn = recorder.seal(actions, nonces)
        recorder.write("opening", seat=1, turn=turn, action=actions[1], nonce=nonces[1])
        lines = list(export(journal, recorder.id))
    client = panel_of(Shelf({"spokes-0a1b2c3d": lines})).test_client()
    last = moments_of(client, "spokes-0a1b2c3d")[-1]
    assert [(seal["seat"], seal["turn"]) for seal in last["seals"]] == [(1, turn), (2, turn)]
    assert all((seal["action"], seal["words"], seal["nonce"]) == (None, None, None) for seal in last["seals"])
    assert nonces[1] not in json.dumps(last)


@pytest.mark.parametrize("game", cases(["spokes", "phalanx", "coil", "octiles", "a loop"], "spokes", "a loop"))
def test_it_is_told_in_the_language_of_whoever_looks(game: str) -> None:
    """Sentences that a film was made with are told anew for each beholder: none of them is English for ever."""
    shown = film(a_loop_record() if game == "a loop" else whole(game))
    for scene in shown.scenes:
        assert isinstance(scene.words, Text), scene.words
        assert all(isinstance(line, Text) for line in scene.scores)
        assert all(isinstance(seal.words, Text) for seal in scene.seals)
        assert all(isinstance(lamp.words, Text) for lamp in scene.marks.values())


def test_everybody_looks_at_a_game_that_is_over_and_at_no_other() -> None:
    over, open_ = recorded("phalanx", "+F2", "+F3", "+G1", resigns=2), recorded("coil", "a1", "pass", "g7")
    shelf = Shelf({"over": over, "open": open_})
    shelf.is_host = False
    client = panel_of(shelf).test_client()
    status, told = get(client, "/api/replay/over")
    assert (status, told["game"]["name"]) == (200, "phalanx")
    assert get(client, f"/api/replay/over/{told['version']}/0")[1]["first"] == 0
    assert client.get("/replay/over").status_code == 200
    record = client.get("/api/records/over.jsonl")
    assert record.get_data(as_text=True).splitlines() == list(over)
    assert "attachment" in record.headers["Content-Disposition"]
    shelf.asked.clear()
    for path in ("/api/replay/open", "/api/replay/open/0/0", "/api/records/open.jsonl"):
        status, answer = get(client, path)
        assert (status, answer["error"]["code"]) == (403, "not_over")
    assert shelf.asked == [], "the record of a running game is not read for others"
    assert get(client, "/api/replay/none")[1]["error"]["code"] == "no_game"
    assert get(client, "/api/host/replay/over")[0] == 403
    shelf.is_host = True
    assert get(client, "/api/replay/open")[0] == 200

"""Reviews made beside a table: of the game that has ended there, until the next one starts, and of older games."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from firmware_host.analysis.questions import ActionQuestion, EndsQuestion
from firmware_host.extensions.review.extension import EXTENSION
from firmware_host.extensions.review.requests import BEGUN
from firmware_host.extensions.review.reviews import Reviews
from firmware_host.replay.cursor import Reel
from firmware_host.replay.player import ReplaySession
from firmware_host.replay.scenes import Film, film
from firmware_host.table.errors import TableError
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.text.words import say
from lodestone.tables import SimulatedTable
from tests.analysers import ScriptedAnalyser
from tests.replay.played import recorded
from tests.session.test_analysis import resolve, table
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.table import ADDRESS, Phone, panel, seal_all, sit
from web_panel.replay_app import create_replay_app

__all__ = ["table"]


@pytest.fixture
def search() -> ScriptedAnalyser:
    return ScriptedAnalyser("wC2")


def over(table: SimulatedTable) -> Phone:
    """Let one turn be played and somebody resign."""
    phones = sit(table, panel(table), "Ann", "Bob")
    seal_all(phones, "wD12", "wC3")
    assert phones[1].post("resign")[0] == 200
    table.wait(0.1)
    return phones[0]


def test_it_is_made_beside_the_table_and_told_to_everybody(table: SimulatedTable, search: ScriptedAnalyser) -> None:
    ann = over(table)
    everybody = Phone(ann.client.application)
    told = everybody.client.get("/api/review").get_json()
    assert (told["state"], told["done"], told["of"]) == ("thinking", 0, 2)
    assert [question.seat for question in search.asked] == [1, 2], "what was revealed, nothing else"
    search.ready = True
    table.wait(0.1)
    told = everybody.client.get("/api/review").get_json()
    assert told["state"] == "ready"
    assert told["lines"][0]["points"][-1] == [2, 1.0]
    (turning,) = told["turning"]
    assert turning["better"] == "White on C2"
    assert turning["frames"][1]["board"] == {"C2": ["w"], "C3" if turning["seat"] == 1 else "D12": ["w"]}


def test_it_is_given_up_when_the_next_game_starts(table: SimulatedTable, search: ScriptedAnalyser) -> None:
    ann = over(table)
    assert ann.post("new")[0] == 200
    table.wait(0.1)
    assert search.asked, "in the lobby it goes on"
    from firmware_host.table.subjects.seats import GameStarted  # noqa: PLC0415

    table.runtime.submit(GameStarted(at=table.runtime.now()))
    table.wait(0.1)
    assert search.asked == []
    assert ann.client.get("/api/review").get_json()["state"] == "none"


def test_there_is_none_before_anything_has_ended(table: SimulatedTable) -> None:
    ann, _ = sit(table, panel(table), "Ann", "Bob")
    assert ann.client.get("/api/review").get_json()["state"] == "none"


def reviews_at(table: SimulatedTable) -> Reviews:
    """Have the games of a table without a panel reviewed."""
    reviews = Reviews(table.runtime.computers.analyser)
    table.runtime.search_for(lambda: reviews.questions(table.runtime.table()), idle=True)
    return reviews


# -- older games -------------------------------------------------------------------------------------------------------


class Shelved(FakeHost):
    """The host of a table with one older game that is over, and one that is not."""

    OLD = "coil-0a1b2c3d"

    def whole_record(self, game_id: str) -> list[str]:
        if game_id == self.OLD:
            return list(recorded("coil", "a1", "pass", "g7", "b1", resigns=1))
        if game_id == "open":
            return list(recorded("coil", "a1", "pass", "g7"))
        raise TableError("no_game", say("there is no game {id}", id=game_id))


def with_older(table: SimulatedTable) -> Phone:
    """Return anybody's phone at a table with an older game."""
    return Phone(panel(table, Shelved()))


def test_an_older_game_is_reviewed_for_whoever_asks(table: SimulatedTable, search: ScriptedAnalyser) -> None:
    anybody = with_older(table)
    address = f"/api/replay/{Shelved.OLD}"
    assert anybody.client.get(address).get_json()["reviews"] is True
    assert anybody.client.get(f"{address}/review").get_json()["state"] == "none", "nobody has asked for it"
    assert anybody.post("review/begin", {"game": Shelved.OLD})[0] == 200
    table.wait(0.1)
    assert anybody.client.get(f"{address}/review").get_json()["state"] == "thinking"
    assert {question.game for question in search.asked} == {"coil"}, "at a table of another game"
    search.ready = True
    table.wait(1.0)
    told = anybody.client.get(f"{address}/review").get_json()
    assert (told["game"], told["state"], told["done"]) == (Shelved.OLD, "ready", told["of"])
    assert told["lines"]
    assert anybody.client.get("/api/review").get_json()["state"] == "none", "the table's own game has not ended"


def test_a_game_that_runs_does_not_stop_the_review_of_an_older_one(
    table: SimulatedTable, search: ScriptedAnalyser
) -> None:
    anybody = with_older(table)
    sit(table, anybody.client.application, "Ann", "Bob")
    assert anybody.post("review/begin", {"game": Shelved.OLD})[0] == 200
    search.ready = True
    table.wait(1.0)
    assert anybody.client.get(f"/api/replay/{Shelved.OLD}/review").get_json()["state"] == "ready"


@pytest.mark.parametrize(("game", "code"), [("open", "wrong_phase"), ("none", "no_game"), ("no/id", "no_game")])
def test_what_can_not_be_reviewed_is_refused(
    table: SimulatedTable, search: ScriptedAnalyser, game: str, code: str
) -> None:
    anybody = with_older(table)
    status, answer = anybody.post("review/begin", {"game": game})
    assert (status, answer["error"]["code"]) == (409, code)
    table.wait(0.1)
    assert search.asked == []


def test_of_a_game_that_runs_no_film_is_made(table: SimulatedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its record is verified for nobody: whoever asks again and again would have it verified as often."""
    anybody = with_older(table)
    made: list[Film] = []
    monkeypatch.setattr("web_panel.renderings.film", lambda lines: made.append(film(lines)) or made[-1])
    assert anybody.post("review/begin", {"game": "open"})[0] == 409
    assert made == []
    assert anybody.post("review/begin", {"game": Shelved.OLD})[0] == 200
    assert len(made) == 1


def test_nobody_begins_any_number_of_reviews(table: SimulatedTable) -> None:
    """Each costs a game's reading, and pushes out one that somebody else waits for."""
    anybody = with_older(table)
    told = [anybody.post("review/begin", {"game": Shelved.OLD})[0] for _ in range(int(BEGUN.burst) + 1)]
    assert told == [200] * int(BEGUN.burst) + [429]
    here = f"/api/replay/{Shelved.OLD}/review"
    assert anybody.client.get(here).get_json()["state"] == "thinking", "its progress is told as before"


def test_where_nobody_searches_no_review_is_offered(tmp_path: Path) -> None:
    with closing(SimulatedTable(tmp_path)) as table:
        anybody = with_older(table)
        assert anybody.client.get(f"/api/replay/{Shelved.OLD}").get_json()["reviews"] is False


def test_the_last_few_reviews_are_kept(table: SimulatedTable, search: ScriptedAnalyser) -> None:
    reviews = reviews_at(table)
    shown = film(recorded("coil", "a1", "pass", "g7", "b1", resigns=1))
    for name in ("one", "two", "three"):
        reviews.begin(name, shown.game, "2", shown.moments)
    search.ready = True
    table.wait(1.0)
    assert [reviews.of(name)["state"] for name in ("one", "two", "three")] == ["ready"] * 3
    reviews.begin("four", shown.game, "2", shown.moments)
    assert [reviews.of(name)["state"] for name in ("one", "two", "three")] == ["none", "ready", "ready"]


def test_it_is_dropped_when_the_end_is_taken_back_and_begins_anew_at_the_next(
    table: SimulatedTable, search: ScriptedAnalyser
) -> None:
    from firmware_host.table.subjects.proposals import ActionUndone  # noqa: PLC0415

    ann = over(table)
    search.ready = True
    table.wait(0.1)
    assert ann.client.get("/api/review").get_json()["state"] == "ready"
    search.ready = False
    table.runtime.submit(ActionUndone(at=table.clock.now))
    table.wait(0.1)
    assert ann.client.get("/api/review").get_json()["state"] == "none"
    table.runtime.submit(Resigned(at=table.clock.now, seat=2))
    table.wait(0.1)
    told = ann.client.get("/api/review").get_json()
    assert (told["state"], told["done"]) == ("thinking", 0)


def test_people_come_before_proofs_and_proofs_before_reviews(table: SimulatedTable, search: ScriptedAnalyser) -> None:
    text = resolve(table)
    shown = film(recorded("coil", "a1", "pass", "g7", "b1", resigns=1))
    reviews_at(table).begin("old", shown.game, "2", shown.moments)
    seat = table.runtime.table().actor
    assert seat is not None
    assert table.runtime.hint(seat, 1) is None
    table.wait(0.1)
    hint, ends, *review = search.queue
    assert isinstance(hint, ActionQuestion)
    assert (hint.game, hint.seat, hint.ranked) == ("spokes", seat, True)
    assert isinstance(ends, EndsQuestion)
    assert ends.position == text
    assert {one.game for one in review} == {"coil"}


# -- replays -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("over", [True, False])
def test_a_replay_has_its_game_reviewed_if_that_is_over(search: ScriptedAnalyser, over: bool) -> None:
    search.ready = True
    shown = film(recorded("coil", "a1", "pass", "g7", "b1", resigns=1 if over else None))
    show = ReplaySession(shown, Reel(len(shown.scenes)), None, analyser=search)
    client = create_replay_app(show, secret=b"s" * 32, addresses=[ADDRESS], joining=[EXTENSION]).test_client()
    assert client.get("/api/review").get_json()["state"] == ("thinking" if over else "none")
    with closing(client.get("/static/review/review.css")) as style:
        assert style.status_code == 200
    for _ in range(100):
        show.step()
    told = client.get("/api/review").get_json()
    assert (told["game"], told["state"]) == ((shown.header["id"], "ready") if over else (None, "none"))

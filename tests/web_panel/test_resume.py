"""Streams that are taken up again: by id, by another beholder, after a restart; and what a change costs to write."""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from firmware_host.table.subjects.seats import ModeChosen, SeatTaken
from lodestone.tables import KEY, SimulatedTable
from tests.e2e.program import PATIENCE_S, eventually
from tests.web_panel.table import Phone, ServedTable, panel, signed, sit
from web_panel import renderings, streams
from web_panel.app import create_app
from web_panel.renderings import Frames


class Told:
    """A stream of a served table that gives one event after another."""

    open: ClassVar[list[Told]] = []

    def __init__(self, table: ServedTable, last: str | None = None, cookie: str | None = None) -> None:
        headers = {"Last-Event-ID": last} if last is not None else {}
        if cookie:
            headers["Cookie"] = f"lodestone-seat={cookie}"
        self.connection = http.client.HTTPConnection("127.0.0.1", table.port, timeout=PATIENCE_S)
        self.connection.request("GET", "/api/events", headers=headers)
        self.answer = self.connection.getresponse()
        Told.open.append(self)
        assert self.answer.status == 200
        assert self.next()["retry"] == str(streams.RETRY_MS)

    def next(self) -> dict[str, str]:
        """Return the fields of the next event."""
        fields: dict[str, str] = {}
        while line := self.answer.readline().decode().rstrip("\n"):
            name, _, value = line.partition(": ")
            fields[name] = value
        return fields

    def close(self) -> None:
        self.answer.close()
        self.connection.close()


@pytest.fixture(autouse=True)
def _hung_up() -> Iterator[None]:
    """Whatever was opened is closed at the end."""
    yield
    while Told.open:
        Told.open.pop().close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path) as table:
        yield table


def test_a_phone_that_is_up_to_date_gets_a_beat_only(served: ServedTable) -> None:
    first = Told(served).next()
    again = Told(served, first["id"])
    assert again.next() == {"event": "beat", "data": "{}"}
    served.runtime.submit(ModeChosen(at=0.0, mode="4"))
    after = again.next()
    assert json.loads(after["data"])["game"]["mode"] == "4"
    assert after["id"] != first["id"]


def test_a_phone_that_has_missed_something_gets_the_newest_at_once(served: ServedTable) -> None:
    old = Told(served).next()["id"]
    for mode in ("4", "2", "2v2"):
        served.runtime.submit(ModeChosen(at=0.0, mode=mode))
    told = Told(served, old).next()
    assert json.loads(told["data"])["game"]["mode"] == "2v2"


@pytest.mark.parametrize("last", ["99999", "{life}-99999-0", "0-0-0", "-1", "", "\u00ff", "x" * 500, "1 OR 1=1"])
def test_an_id_that_is_none_of_ours_gets_the_state(served: ServedTable, last: str) -> None:
    """Ids are compared, never ordered: a higher number is not newer."""
    life = Told(served).next()["id"].partition("-")[0]
    assert "data" in Told(served, last.format(life=life)).next()


def test_ids_of_a_life_before_are_old_even_if_higher_or_equal(tmp_path: Path) -> None:
    """A client that comes back after a restart gets the state at once, whatever number it had."""
    ids = []
    with ServedTable.opened(tmp_path / "a") as table:
        stream = Told(table)
        ids.append(stream.next()["id"])
        for mode in ("4", "2", "4"):
            table.runtime.submit(ModeChosen(at=0.0, mode=mode))
            ids.append(stream.next()["id"])
    with ServedTable.opened(tmp_path / "b") as table:
        for old in ids:
            told = Told(table, old).next()
            assert "data" in told
            assert json.loads(told["data"])["game"]["mode"] == "2"
            assert told["id"] not in ids


def test_the_same_state_is_another_one_for_another_beholder(served: ServedTable) -> None:
    """Somebody who watched and sits down now must not be told that nothing has changed."""
    served.runtime.submit(SeatTaken(at=0.0, seat=1, name="Ann", claim="c1"))
    watcher = Told(served).next()
    seated = Told(served, watcher["id"], signed([1, "c1"])).next()
    assert json.loads(seated["data"])["you"] == {"seat": 1, "claim_ok": True}
    assert seated["id"] != watcher["id"]
    assert Told(served, seated["id"], signed([1, "c1"])).next()["event"] == "beat"
    assert json.loads(Told(served, seated["id"]).next()["data"])["you"] is None


def test_streams_say_how_they_are_to_be_treated(served: ServedTable) -> None:
    headers = Told(served).answer.headers
    assert headers["Cache-Control"] == "no-cache, no-transform"
    assert headers["X-Accel-Buffering"] == "no"
    assert headers["Content-Type"].startswith("text/event-stream")


def test_a_restart_in_a_stream_ends_it_cleanly(tmp_path: Path) -> None:
    """Nobody is left hanging: each of twenty streams ends within a moment, and its thread with it."""
    with ServedTable.opened(tmp_path) as table:
        streams = [Told(table) for _ in range(20)]
        for stream in streams:
            stream.next()
        began = time.monotonic()
    assert time.monotonic() - began < 20
    for stream in streams:
        assert stream.answer.read() == b""
    eventually(
        lambda: not [thread for thread in threading.enumerate() if thread.name.startswith("waitress")],
        "the end of the server's threads",
    )


def test_polling_gets_what_has_changed_only(table: SimulatedTable) -> None:
    """The ETag of a state is its id in streams; a screen that polls gets 304 until something happens."""
    app = panel(table)
    ann = sit(table, app, "Ann", "Bob")[0]
    watcher = Phone(app)
    first = ann.client.get("/api/state")
    tag = first.headers["ETag"]
    assert first.headers["Cache-Control"] == "private, no-cache"
    known = {"If-None-Match": tag}
    assert ann.client.get("/api/state", headers=known).status_code == 304
    assert ann.client.get("/api/state", headers=known).data == b""
    assert watcher.client.get("/api/state", headers=known).status_code == 200, "another beholder"
    assert ann.post("mask", {"node": "A1"})[0] == 200
    assert ann.client.get("/api/state", headers=known).status_code == 200
    other = panel(table).test_client().get("/api/state", headers=known)
    assert other.status_code == 200, "another run of the program"


# -- what is written how often --------------------------------------------------------------------------------------


def test_a_change_is_written_once_however_many_look(table: SimulatedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    real = renderings._rest

    def counting(view: Any) -> str:
        written.append(view["seq"])
        return real(view)

    monkeypatch.setattr(renderings, "_rest", counting)
    shared = Frames(table.runtime)
    table.runtime.submit(SeatTaken(at=0.0, seat=1, name="Ann", claim="c1"))
    gate = threading.Barrier(20)
    got: list[Any] = []

    def look(seat: int | None) -> None:
        gate.wait(PATIENCE_S)
        got.append(shared.of(seat))

    for mode in ("4", "2", "4", "2v2", "4"):
        table.runtime.submit(ModeChosen(at=0.0, mode=mode))
        threads = [threading.Thread(target=look, args=(None if n % 2 else 1,)) for n in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
    assert len(got) == 100
    assert len(written) == len(set(written)) == len({frame.seq for frame in got}) == 5
    assert len({id(frame.event) for frame in got}) <= 2 * len(written), "one text for each beholder, shared by all"


def test_views_of_seats_differ_in_you_alone(table: SimulatedTable) -> None:
    """What allows to write the rest once: checked on the table itself, in the middle of a game."""
    sit(table, panel(table), "Ann", "Bob")
    seen = [dict(table.runtime.view(seat)[1]) for seat in (None, 1, 2)]
    for view in seen:
        view.pop("you")
    assert seen[0] == seen[1] == seen[2]


def test_the_text_is_the_view(table: SimulatedTable) -> None:
    """Put together from parts, it is the same JSON as if it were written whole; also for a thread that looks late."""
    people = sit(table, panel(table), "Ann ü 猫", "Bob")
    shared = Frames(table.runtime)
    for seat in (None, 1, 2):
        frame = shared.of(seat)
        assert json.loads(frame.body) == {**table.runtime.view(seat)[1], "host": False}
        assert re.fullmatch(rb"id: [0-9a-f]{8}-\d+-\d\ndata: [^\n]+\n\n", frame.event)
        assert b"\r" not in frame.event
    late = table.runtime.view(1)
    assert people[0].post("mask", {"node": "A1"})[0] == 200
    newest = shared.of(1)
    shared._table = type("Late", (), {"view": lambda self, seat: late})()  # type: ignore[assignment]
    assert json.loads(shared.of(1).body) == {**late[1], "host": False}
    assert newest.seq > late[0]
    assert shared.of(1, newest.seq) is newest, "a late look does not put the clock back"


# -- who gets a stream ----------------------------------------------------------------------------------------------


def test_watchers_never_keep_a_player_out(table: SimulatedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Places for watchers are all taken: a seat still gets its stream, another watcher is told to ask."""
    monkeypatch.setattr(streams, "STREAMS_IN_ALL", 3)
    app = create_app(table.runtime, secret=KEY, addresses=["http://board.lan:8080"])
    people = sit(table, app, "Ann", "Bob")
    watchers = [Phone(app).client.get("/api/events") for _ in range(3)]
    refused = Phone(app).client.get("/api/events")
    assert refused.status_code == 503
    mine = people[0].client.get("/api/events")
    assert mine.status_code == 200
    for answer in (*watchers, mine):
        answer.close()
    again = Phone(app).client.get("/api/events")
    assert again.status_code == 200
    again.close()

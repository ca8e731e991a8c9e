"""Token buckets, whose they are, and that a full club does not run into them."""

from __future__ import annotations

import math
import threading
from types import SimpleNamespace

import pytest
from flask import Flask

from lodestone.boards import Clock
from lodestone.tables import KEY, SimulatedTable
from tests.sampling import together
from tests.sentences import sentence
from tests.waiting import eventually
from tests.web_panel.described import described
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.table import ADDRESS, OWN, Phone, host_phone, sit
from web_panel import limits
from web_panel.app import create_app
from web_panel.limits import READS, SEAT_WRITES, WRITES, Buckets, Rate, owner
from web_panel.serve import AT_WORK, RequestPool, Turns

CLUB = {"REMOTE_ADDR": "192.168.1.20"}


def test_a_bucket_empties_at_once_and_fills_evenly() -> None:
    clock = Clock()
    buckets, rate = Buckets(clock), Rate(3, 2)
    assert [buckets.take("a", rate) for _ in range(4)] == [0, 0, 0, 0.5]
    clock.now += 0.25
    assert buckets.take("a", rate) == pytest.approx(0.25), "who comes too early loses nothing by it"
    clock.now += 0.25
    assert [buckets.take("a", rate), buckets.take("a", rate)] == [0, pytest.approx(0.5)]
    assert buckets.take("b", rate) == 0, "another's bucket"
    clock.now += 1000
    assert [buckets.take("a", rate) for _ in range(4)][2:] == [0, pytest.approx(0.5)], "never more than full"


@together(
    ("address", "whose"),
    [
        ("127.0.0.1", None),
        ("127.5.5.5", None),
        ("::1", None),
        ("::ffff:127.0.0.1", None),
        ("192.168.1.20", "192.168.1.20"),
        ("::ffff:192.168.1.20", "192.168.1.20"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:1", "2001:db8::/64"),
        ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        (None, "?"),
        ("rubbish", "rubbish"),
    ],
)
def test_whose_bucket(address: str | None, whose: str | None) -> None:
    """A home network's IPv6 addresses are one; the machine itself is not limited."""
    assert owner(address) == whose


def club_app(table: SimulatedTable, clock: Clock) -> Flask:
    return described(
        create_app(table.runtime, secret=KEY, addresses=[ADDRESS], buckets=Buckets(clock), host=FakeHost())
    )


def test_a_refusal_says_how_long(table: SimulatedTable) -> None:
    clock = Clock()
    client = host_phone(club_app(table, clock)).client
    for _ in range(int(WRITES.burst)):
        assert client.post("/api/host/mode", json={}, headers=OWN, environ_base=CLUB).status_code == 400
    answer = client.post("/api/host/mode", json={"mode": "4"}, headers=OWN, environ_base=CLUB)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")
    assert answer.get_json()["error"] == {
        "code": "too_many",
        "message": sentence("too many requests; try again", seconds=1),
    }
    assert table.view["game"]["mode"] == "2"  # type: ignore[index]
    assert client.get("/api/state", environ_base=CLUB).status_code == 200, "reading has a bucket of its own"
    assert client.post("/api/host/mode", json={"mode": "4"}, headers=OWN).status_code == 200, "the machine itself"
    clock.now += 1
    assert client.post("/api/host/mode", json={"mode": "2"}, headers=OWN, environ_base=CLUB).status_code == 200


def test_what_is_refused_costs_a_token_too(table: SimulatedTable) -> None:
    """Guessing is limited like asking: bad hosts are refused before, all else is counted."""
    clock = Clock()
    client = club_app(table, clock).test_client()
    for _ in range(int(WRITES.burst)):
        client.post("/api/nothing", json={}, environ_base=CLUB)
    assert client.post("/api/join", json={"seat": 1, "name": "E"}, environ_base=CLUB).status_code == 429


def test_a_full_club_behind_one_address(table: SimulatedTable) -> None:
    """200 screens open their page within two minutes, all come back at once after a restart, then poll."""
    clock = Clock()
    buckets = Buckets(clock)

    def ask(times: int, seconds: float) -> None:
        for _ in range(times):
            clock.now += seconds / times
            assert buckets.take(("reads", "club"), READS) == 0

    ask(200 * 3 * 20, 120)
    ask(400, 0.5)
    ask(200 * 100, 300)


def test_players_never_meet_their_limits(table: SimulatedTable) -> None:
    """Eight who tap three times a second for ten minutes, from one router."""
    clock = Clock()
    buckets = Buckets(clock)
    for _ in range(600):
        clock.now += 1
        for seat in range(8):
            for _ in range(2):
                assert buckets.take(("seat", seat), SEAT_WRITES) == 0
                assert buckets.take(("writes", "club"), WRITES) == 0


def test_a_seat_is_counted_wherever_it_speaks_from(table: SimulatedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SEAT_WRITES", Rate(5, 1))
    app = club_app(table, Clock())
    ann, bob = sit(table, app, "Ann", "Bob")
    said = []
    for number in range(6):
        away = {"REMOTE_ADDR": f"10.0.0.{number}"}
        said.append(ann.client.post("/api/hurry", json={}, headers=OWN, environ_base=away).status_code)
    assert said[-1] == 429
    assert bob.post("hurry")[0] == 200
    assert Phone(app).view()["phase"] == "sealing"


def test_addresses_take_turns() -> None:
    """Who has asked once waits behind one request of another address, not behind all of them."""
    waiting = Turns()
    asked = [("a", 1), ("a", 2), ("a", 3), ("b", 4), ("a", 5), ("c", 6), ("b", 7)]
    for one in asked:
        waiting.append(SimpleNamespace(addr=one))
    assert len(waiting) == len(asked)
    assert [waiting.popleft().addr[1] for _ in asked] == [1, 4, 6, 2, 7, 3, 5]
    assert not waiting


def test_threads_come_as_they_are_needed_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """One at a time takes one; many share four; if these are stuck, all that wait get one, up to the maximum."""
    monkeypatch.setattr("web_panel.serve.STUCK_S", 3600.0)  # However slow the machine is, they are not stuck by chance.
    workers = RequestPool(20)
    gate, done = threading.Event(), []

    class Task:
        addr = ("127.0.0.1", 1)

        def __init__(self, wait: bool) -> None:
            self.wait = wait

        def service(self) -> None:
            if self.wait:
                gate.wait(60)
            done.append(threading.current_thread().name)

        def cancel(self) -> None: ...

    def until(count: int) -> None:
        eventually(lambda: len(done) >= count, pause=0.005)

    for count in range(1, 11):
        workers.add_task(Task(False))
        until(count)
        eventually(lambda: not workers.active_count, "a thread that is free again")
    assert len(workers.threads) <= 2
    for _ in range(30):
        workers.add_task(Task(True))
    assert len(workers.threads) == AT_WORK
    eventually(lambda: len(workers.queue) == 30 - AT_WORK, "threads that have a task each")
    workers.queue.moved = -math.inf
    workers.relieve()
    eventually(lambda: len(workers.queue) == 10, "twenty that have a thread")
    assert len(workers.threads) == 20
    assert len(workers.queue) == 10
    gate.set()
    until(40)
    eventually(lambda: not workers.active_count, "threads that are all free")
    workers.shrink()
    assert len(workers.threads) - workers.stop_count == 20, "all of them were needed since the look before"
    workers.add_task(Task(False))
    until(41)
    eventually(lambda: not workers.active_count, "a thread that is free again")
    workers.shrink()
    eventually(lambda: len(workers.threads) == 1, "the end of those that were not needed again")
    workers.shrink()
    eventually(lambda: not workers.threads, "the end of the last")
    workers.add_task(Task(False))
    until(42)
    assert workers.shutdown(timeout=60)
    assert not workers.threads
    workers.add_task(Task(False))
    assert not workers.threads, "nobody is hired any more"

"""In whose name a request acts: that it is its phone's own is looked up when it is done, not only when it comes.

Requests wait for the table's loop. Here the loop is held until all have been admitted, so that what the first one does
comes between the second one's admission and its deed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from firmware_host.session.lessons import LessonAlone
from firmware_host.session.runtime import Runtime
from firmware_host.table.errors import TableError
from firmware_host.table.subjects.seats import SeatClaim
from firmware_host.text.json_reader import Schema
from lodestone.tables import KEY, SimulatedTable
from tests.attached import usual
from tests.waiting import PATIENCE_S, eventually
from tests.web_panel.described import described
from tests.web_panel.table import ADDRESS, Phone, ServedTable, digest, host_phone, panel
from web_panel.app import ROUTES, create_app
from web_panel.routes import Route

Answer = tuple[int, Any]
OK: Answer = (200, {"ok": True})


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path, board="go-9x9") as here:
        yield here


@pytest.fixture
def app(table: ServedTable) -> Flask:
    return described(create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=table.host, attached=usual(table)))


@contextmanager
def held(runtime: Runtime) -> Iterator[Callable[..., Future[Answer]]]:
    """Hold the loop; yield a function that calls another on a thread, and returns once its job waits for the loop."""
    gate, holds = threading.Event(), threading.Event()
    waiting = runtime._jobs._waiting
    with ThreadPoolExecutor() as threads:

        def hold() -> None:
            holds.set()
            gate.wait(PATIENCE_S)

        def queue(request: Callable[..., Answer], *arguments: Any) -> Future[Answer]:
            before = waiting.qsize()
            answer = threads.submit(request, *arguments)
            eventually(lambda: waiting.qsize() > before or answer.done(), "the request waits for the loop")
            return answer

        threads.submit(runtime.do, hold)
        assert holds.wait(PATIENCE_S)
        try:
            yield queue
        finally:
            gate.set()


def again(phone: Phone) -> Phone:
    """Return a second page of the same phone."""
    other = Phone(phone.client.application)
    other.client._cookies = phone.client._cookies
    return other


def two(app: Flask, host: Phone) -> tuple[Phone, Phone]:
    ann, bob = Phone(app), Phone(app)
    assert (ann.join(1, "Ann"), bob.join(2, "Bob")) == (OK, OK)
    assert host.post("host/start") == OK
    return ann, bob


def code(answer: Future[Answer]) -> tuple[int, str]:
    status, told = answer.result(PATIENCE_S)
    return status, told["error"]["code"] if "error" in told else "ok"


REFUSED = (409, "not_seated")


@pytest.mark.parametrize(
    ("path", "body"), [("resign", {}), ("propose", {"what": "draw"}), ("greet", {"sign": "hello"})]
)
def test_nobody_acts_for_who_has_the_seat_after_the_rotation(
    table: ServedTable, app: Flask, path: str, body: Any
) -> None:
    """Bob has lost. He asks for another game in which the seats are changed, and acts at once: not as Ann."""
    _, bob = two(app, host_phone(app))
    assert bob.post("resign") == OK
    with held(table.runtime) as queue:
        rematch = queue(bob.post, "rematch", {"turned": True})
        deed = queue(again(bob).post, path, body)
    assert code(rematch) == (200, "ok")
    assert code(deed) == REFUSED
    assert [(one["name"], one["resigned"]) for one in table.view["seats"]] == [("Bob", False), ("Ann", False)]
    assert bob.post("resign") == OK, "in his own name he may"
    assert [one["name"] for one in table.view["seats"] if one["resigned"]] == ["Bob"]


@pytest.mark.parametrize("path", ["rematch", "new", "hurry", "hint"])
def test_what_the_table_does_for_its_players_it_does_for_present_ones(
    table: ServedTable, app: Flask, path: str
) -> None:
    """Both press at once: the one who was second is told so, and does not act as the other."""
    ann, bob = two(app, host_phone(app))
    assert bob.post("resign") == OK
    with held(table.runtime) as queue:
        first = queue(ann.post, "new", {"turned": True})
        second = queue(bob.post, path, {"level": 1} if path == "hint" else {})
    assert (code(first), code(second)) == ((200, "ok"), REFUSED)
    assert [one["name"] for one in table.view["seats"]] == ["Bob", "Ann"]


def test_who_has_learned_leaves_no_seat_of_the_lobby(table: ServedTable, app: Flask) -> None:
    """A guest ends the lesson and leaves at once: the seat of that number in the lobby is another's."""
    ann, guest = Phone(app), Phone(app)
    assert ann.join(1, "Ann") == OK
    name = guest.client.get("/api/lessons").get_json()["lessons"][0]["name"]
    assert guest.post("lesson/begin", {"name": name, "sure": True}) == OK
    with held(table.runtime) as queue:
        stop = queue(guest.post, "lesson/stop")
        leave = queue(again(guest).post, "leave")
    assert (code(stop), code(leave)) == ((200, "ok"), REFUSED)
    assert table.view["seats"][0]["name"] == "Ann"
    assert ann.view()["you"] == {"seat": 1, "claim_ok": True}


@pytest.mark.parametrize("path", ["next", "back", "show", "stop"])
def test_whose_lesson_is_over_has_no_part_in_the_next_one(table: ServedTable, app: Flask, path: str) -> None:
    ann, bob = Phone(app), Phone(app)
    first, second = (one["name"] for one in ann.client.get("/api/lessons").get_json()["lessons"][:2])
    assert ann.post("lesson/begin", {"name": first}) == OK
    with held(table.runtime) as queue:
        stop = queue(ann.post, "lesson/stop")
        begin = queue(bob.post, "lesson/begin", {"name": second})
        late = queue(again(ann).post, f"lesson/{path}")
    assert (code(stop), code(begin), code(late)) == ((200, "ok"), (200, "ok"), REFUSED)
    assert table.view["lesson"]["name"] == second


def test_a_seal_of_the_phone_that_had_the_seat_does_not_count(tmp_path: Path) -> None:
    with ServedTable.opened(tmp_path) as table:
        app = create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=table.host, attached=usual(table))
        host, new = host_phone(app), Phone(app)
        ann, _ = two(app, host)
        table.until("sealing")
        asked = new.post("ask", {"seat": 1})[1]["code"]
        view = ann.view()
        seal = {"turn": view["turn"], "commitment": digest(view, 1, "wD12")}
        with held(table.runtime) as queue:
            allow = queue(host.post, "host/allow", {"code": asked})
            late = queue(ann.post, "seal", seal)
        assert (code(allow), code(late)) == ((200, "ok"), REFUSED)
        assert new.post("collect") == (200, {"ok": True, "seat": 1})
        assert new.post("seal", seal) == OK, "the seat is the new phone's alone"


def test_the_host_gives_no_other_seat_away_than_was_asked_for(table: ServedTable, app: Flask) -> None:
    """A phone asked for Ann's seat. When the host's answer is done that number is Bob's."""
    host, new = host_phone(app), Phone(app)
    _, bob = two(app, host)
    assert bob.post("resign") == OK
    asked = new.post("ask", {"seat": 1})[1]["code"]
    with held(table.runtime) as queue:
        rematch = queue(bob.post, "rematch", {"turned": True})
        allow = queue(host.post, "host/allow", {"code": asked})
    assert (code(rematch), code(allow)) == ((200, "ok"), (409, "bad_code"))
    assert bob.view()["you"] == {"seat": 1, "claim_ok": True}


def test_who_changes_seats_gives_up_no_other_than_the_own(table: ServedTable, app: Flask) -> None:
    """The host sends Ann away while she changes seats; whoever sits on hers by then keeps it."""
    host, ann = host_phone(app), Phone(app)
    assert ann.join(1, "Ann") == OK
    with held(table.runtime) as queue:
        dismiss = queue(host.post, "host/dismiss", {"seat": 1})
        computer = queue(again(host).post, "host/computer", {"seat": 1})
        move = queue(ann.post, "join", {"seat": 2, "name": "Ann", "ticket": ann.ticket(2), "move": True})
    assert (code(dismiss), code(computer), code(move)) == ((200, "ok"), (200, "ok"), REFUSED)
    assert [one["taken"] for one in table.view["seats"]] == [True, False]


def test_a_repeated_request_takes_no_seat_that_was_lost_meanwhile(table: ServedTable, app: Flask) -> None:
    """Ann taps twice. Without a ticket the second tap counts for the seat that she has, and for no free one."""
    host, ann = host_phone(app), Phone(app)
    ticket = ann.ticket(1)
    assert ann.join(1, "Ann") == OK
    with held(table.runtime) as queue:
        dismiss = queue(host.post, "host/dismiss", {"seat": 1})
        second = queue(ann.post, "join", {"seat": 1, "name": "Ann", "ticket": ticket})
    assert (code(dismiss), code(second)) == ((200, "ok"), REFUSED)
    assert not table.view["seats"][0]["taken"]


# -- every request -----------------------------------------------------------------------------------------------------


def of_seats() -> list[Route]:
    """Return the requests that a phone sends for its seat."""
    return [route for some in ROUTES for route in some if route.sender in {"player", "seated", "learner"}]


def value(schema: Schema) -> Any:
    return {"string": "x", "boolean": True}.get(schema.get("type", ""), 1)


def asked_for(monkeypatch: pytest.MonkeyPatch, loop: type, send: Callable[[], Answer]) -> list[SeatClaim | None]:
    """Return in whose names a request has jobs done; none of them is."""
    names: list[SeatClaim | None] = []

    def refuse(_loop: Any, _job: Any, by: SeatClaim | None = None) -> None:
        names.append(by)
        raise TableError("wrong_phase", "no")

    with monkeypatch.context() as patched:
        patched.setattr(loop, "do", refuse)
        send()
    return names


@pytest.mark.parametrize("route", of_seats(), ids=lambda route: route.path)
def test_every_deed_of_a_seat_says_in_whose_name_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, route: Route
) -> None:
    """A handler that hands the loop a job without ``by`` acts for whoever has the seat by then."""
    with closing(SimulatedTable(tmp_path)) as table:
        phone = Phone(panel(table))
        if route.sender == "learner":
            assert phone.post("lesson/begin", {"name": "01-homes"}) == OK
        else:
            assert phone.join(1, "Ann") == OK
        body = {name: value(schema) for name, schema in route.fields.items() if not name.endswith("?")}
        path = route.path.removeprefix("/api/")
        names = asked_for(monkeypatch, Runtime, lambda: phone.post(path, body))
        assert names == [SeatClaim(1, str(table.runtime.claim(1)))]


@pytest.mark.parametrize(
    "route",
    [route for route in of_seats() if route.sender != "seated" and route.path != "/api/lesson/stop"],
    ids=lambda route: route.path,
)
def test_so_does_every_deed_of_a_lesson_on_a_phone_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, route: Route
) -> None:
    with closing(SimulatedTable(tmp_path)) as table:
        phone = Phone(panel(table))
        assert phone.post("lesson/begin", {"name": "01-homes", "phone": True}) == OK
        body = {name: value(schema) for name, schema in route.fields.items() if not name.endswith("?")}
        path = route.path.removeprefix("/api/")
        names = asked_for(monkeypatch, LessonAlone, lambda: phone.post(f"{path}?alone=1", body))
        (claim,) = table.runtime.lessons.alone._all
        assert names == [SeatClaim(1, claim)]


def test_a_lesson_alone_is_its_own_phones(tmp_path: Path) -> None:
    with closing(SimulatedTable(tmp_path)) as table:
        lesson = table.runtime.lessons.alone.begin("01-homes", "mine")
        for claim, seat in (("another", lesson.seat), ("mine", lesson.seat + 1)):
            with pytest.raises(TableError) as refused:
                lesson.next(by=SeatClaim(seat, claim))
            assert refused.value.code == "not_seated"
        lesson.next(by=SeatClaim(lesson.seat, "mine"))

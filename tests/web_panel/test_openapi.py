"""The description of the panel: complete, kept, true of every answer, and held under generated requests."""

from __future__ import annotations

import itertools
import json
import logging
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings

from firmware_host.plug import extensions
from firmware_host.table.errors import CODES
from lodestone.tables import KEY, SimulatedTable
from tests.attached import sensors_page, with_virtual
from tests.sampling import cases, sampled
from tests.web_panel.described import Described, Description, described, template
from tests.web_panel.fake_host import TOKEN, FakeHost
from tests.web_panel.table import ADDRESS, OWN, Phone, digest, host_phone, panel, seal_all, sit
from tools.openapi import documents
from tools.openapi import panel_document as document
from web_panel.app import create_app
from web_panel.limits import Buckets

STRICT = Description(strict=True)
ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "openapi.json"


def whole_panel(table: SimulatedTable, clock: Any = None) -> Flask:
    """The panel as it is played with, but for limits that a quick test would run into."""
    ticks = itertools.count(step=1000)
    buckets = Buckets(clock or (lambda: next(ticks)))
    extra = sensors_page(table.board.sensors, table.description)
    virtual = with_virtual(lambda: table.parts)
    app = create_app(
        table.runtime, secret=KEY, addresses=[ADDRESS], extra=extra, buckets=buckets, host=FakeHost(), attached=virtual
    )
    return described(app, STRICT)


@pytest.fixture
def app(table: SimulatedTable) -> Flask:
    return whole_panel(table)


def test_the_file_is_the_description() -> None:
    """Mended with: python -m tools.openapi"""
    assert unordered(json.loads(FILE.read_text(encoding="utf-8"))) == unordered(document())


def unordered(part: Any) -> Any:
    """Return a part of a description whose required fields are a set: the view is joined of its subjects' parts."""
    if isinstance(part, list):
        return [unordered(one) for one in part]
    if not isinstance(part, dict):
        return part
    required = part.get("required")
    sets = {"required": sorted(required)} if isinstance(required, list) else {}
    return {name: unordered(one) for name, one in part.items()} | sets


def test_every_reference_leads_to_a_schema() -> None:
    text = FILE.read_text(encoding="utf-8")
    named = set(re.findall(r'"#/components/schemas/(\w+)"', text))
    assert named - set(json.loads(text)["components"]["schemas"]) == set()


def test_pages_have_the_phases() -> None:
    """Mended with: python -m tools.openapi"""
    for path, text in documents():
        assert path == FILE or path.read_text(encoding="utf-8") == text, path.name


def test_every_route_is_described_and_every_path_is_there(app: Flask) -> None:
    routes = {
        (template(str(rule)), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    described = {
        (path, method) for path, item in document()["paths"].items() for method in item if method in {"get", "post"}
    }
    added = {(route.template, route.method) for one in extensions() for routes in one.routes for route in routes}
    added |= {(f"{more.static}/{{filename}}", "get") for one in extensions() for more in one.routes if more.static}
    assert described == routes | added
    shown = set(app.test_client().get("/api/openapi.json").get_json()["paths"])
    assert shown == {path for path, _ in routes}, "what extensions add is described where one is attached"


def test_only_what_is_served_is_described(table: SimulatedTable) -> None:
    paths = panel(table).test_client().get("/api/openapi.json").get_json()["paths"]
    assert "/api/state" in paths
    assert "/api/hardware" not in paths


def test_every_refusal_of_the_table_is_named() -> None:
    folders = [ROOT / name for name in ("firmware_host", "web_panel")]
    sources = [path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py")]
    assert {code for text in sources for code in re.findall(r"\bTableError\(\s*\"(\w+)\"", text)} <= set(CODES)


def test_a_wrong_answer_is_noticed() -> None:
    """The judge of all these tests is judged itself."""
    headers = {"Content-Type": "application/json"}
    good = {"ok": False, "error": {"code": "bad_seat", "message": "no"}}
    STRICT.check("/api/join", "POST", 409, headers, json.dumps(good).encode())
    for path, method, status, body in (
        ("/api/join", "POST", 409, {**good, "trace": "x"}),
        ("/api/join", "POST", 409, {"ok": False, "error": {"code": "unheard_of", "message": "no"}}),
        ("/api/join", "POST", 500, good),
        ("/api/state", "GET", 200, {"seq": 1}),
        ("/nowhere", "GET", 200, {}),
    ):
        with pytest.raises(AssertionError):
            STRICT.check(path, method, status, headers, json.dumps(body).encode())


def test_a_whole_game_and_every_refusal_are_as_described(app: Flask, table: SimulatedTable) -> None:
    """Each status that the description names for a deed is met; each answer on the way is judged."""
    people = sit(table, app, "Ann", "Bob")
    seal_all(people, "wD12", "bD13")
    table.hand.put("D12", "w")
    table.hand.put("D13", "b")
    table.wait(1.0)
    ann, bob = people
    assert ann.view()["phase"] == "resolving"
    ann.post("choose", {"action": "D12+D13"})
    ann.post("hurry")
    pages = [
        "/",
        "/play",
        "/tv",
        "/hardware",
        "/join/1",
        "/join/9",
        "/board",
        "/favicon.ico",
        "/host",
        "/proof",
        "/words.js",
        "/app.webmanifest",
        "/qr/seat/1/none.svg",
        "/qr/lobby.svg",
    ]
    data = [
        "/api/tickets",
        "/api/host/state",
        "/api/host/records/x.jsonl",
        "/sim/layout",
        "/sim/state",
        "/api/hardware",
        "/script/shared/live.js",
        "/script/none.js",
        "/static/shared/live.js",
        "/static/none.js",
        "/static/virtual/none.js",
    ]
    host = host_phone(app)
    for path in pages + data:
        ann.client.get(path).close()
        host.client.get(path).close()
    static = {"Range": "bytes=0-9"}
    ann.client.get("/static/shared/live.js", headers=static).close()
    ann.client.get("/static/shared/live.js", headers={"Range": "bytes=99999999-"}).close()
    for path in ("/static/shared/live.js", "/script/shared/live.js"):
        known = ann.client.get(path)
        ann.client.get(path, headers={"If-None-Match": known.headers["ETag"]}).close()
        known.close()
    for path in ("/", "/api/state", "/api/join"):
        ann.client.get(path, headers={"Host": "evil.example"})
        ann.client.get(path, query_string="x" * 2000)
    for name in document()["paths"]:
        if not name.startswith("/api/") or name in {"/api/state", "/api/events", "/api/hardware", "/api/openapi.json"}:
            continue
        for body, headers in (("{", OWN), ("{}", {}), ("y" * 5000, OWN)):
            ann.client.post(name, data=body, headers=headers, content_type="application/json")
        ann.client.post(name, data="{}", headers=OWN, content_type="text/plain")
    ann.client.get("/words.js", headers={"If-None-Match": ann.client.get("/words.js").headers["ETag"]})
    host.client.get("/api/host/records/spokes-0123abcd.jsonl")
    ann.post("propose", {"what": "nonsense"})
    ann.post("mask", {"node": "Z9"})
    bob.post("resign")
    assert ann.view()["result"]
    ann.post("new")
    _the_next_lobby(app, host, ann)
    app_seen = app.wsgi_app
    assert isinstance(app_seen, Described)
    met = {(method, path, status) for method, path, status in app_seen.seen if path.startswith("/api/")}
    for name in ("join", "seal", "open", "choose", "propose", "ask", "host/enter", "host/new", "host/allow"):
        got = {status for method, path, status in met if path == f"/api/{name}" and method == "POST"}
        assert got >= {400, 403, 413, 415}, name


def _the_next_lobby(app: Flask, host: Phone, ann: Phone) -> None:
    """Meet what can be answered there: seats that move, tickets, names, other games."""
    host.post("host/mode", {"mode": "4"})
    host.post("host/computer", {"seat": 4})
    host.client.get("/api/host/state")
    asking, other = Phone(app), Phone(app)
    ticket = asking.ticket(3)
    asking.client.get(f"/qr/seat/3/{ticket}.svg")
    assert asking.post("join", {"seat": 3, "name": "Cem", "ticket": "x"})[0] == 403
    code = asking.post("ask", {"seat": 1})[1]["code"]
    assert asking.post("ask", {"seat": 1})[0] == 409
    refused = other.post("ask", {"seat": 2})[1]["code"]
    assert asking.post("collect")[0] == 409
    assert host.post("host/refuse", {"code": refused})[0] == 200
    assert host.post("host/allow", {"code": code})[0] == 200
    assert other.post("collect")[0] == 409
    assert asking.post("collect")[0] == 200
    assert asking.post("name", {"name": "Anna"})[0] == 200
    assert asking.post("colour", {"colour": 99})[0] == 409
    assert ann.post("leave")[0] == 403, "the old phone"
    assert host.post("host/new", {"board": "x", "mode": "2", "rules": []})[0] == 409
    assert host.post("host/enter", {"token": "x"})[0] == 403
    assert host.post("host/pause")[0] == 409


ENDING = {"/api/resign", "/api/leave", "/api/new", "/api/host/leave"}
"""Tried last: what they change can't be changed back."""
ASKED = settings(
    max_examples=10, deadline=None, database=None, suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)  # fmt: skip


@pytest.fixture(params=cases(["lobby", "sealing", "resolving"], "resolving"))
def player(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Phone]:
    """The host's phone, which holds a seat too, in each of the moments of a game, at a panel without limits."""
    logging.getLogger("flask").setLevel(logging.CRITICAL)
    with closing(SimulatedTable(tmp_path)) as table:
        app = whole_panel(table)
        if request.param == "lobby":
            yield host_phone(app)
            return
        people = sit(table, app, "Ann", "Bob")
        if request.param == "resolving":
            seal_all(people, "wD12", "bD13")
            table.hand.put("D12", "w")
            table.hand.put("D13", "b")
            table.wait(1.0)
        else:
            view = people[0].view()
            people[1].post("seal", {"turn": 1, "commitment": digest(view, 2, "wD1")})
        assert people[0].post("host/enter", {"token": TOKEN})[0] == 200
        yield people[0]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_schemathesis_finds_nothing(player: Phone) -> None:
    """Generated requests, well-formed and not: never a 5xx, never a status, header or body that is not described."""
    import schemathesis  # noqa: PLC0415 - takes most of a second, which every worker would pay
    from schemathesis.specs.openapi import checks  # noqa: PLC0415

    judges = [
        schemathesis.checks.not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_headers_conformance,
        checks.response_schema_conformance,
        checks.negative_data_rejection,
    ]
    refused = {"checks": {"negative_data_rejection": {"expected-statuses": [400, 403, 404, 409, 413, 414, 415]}}}
    config = schemathesis.Config.from_dict(refused)
    schema = schemathesis.openapi.from_wsgi("/api/openapi.json", player.client.application, config=config)
    kept = {name: player.cookie(name) for name in ("lodestone-seat", "lodestone-host", "lodestone-ask")}
    cookie = {"Cookie": "; ".join(f"{name}={value}" for name, value in kept.items() if value)}
    tried = 0
    operations = [found.ok() for found in schema.get_all_operations()]
    for operation in sorted(operations, key=lambda one: one.path in ENDING):
        if operation.path in {"/api/events", "/sim/events", "/api/openapi.json"}:
            continue  # A stream does not end; the description is what is read here.
        modes = [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE]
        strategy = operation.as_strategy(generation_mode=modes[0])
        if operation.body or operation.method == "post":
            strategy = strategy | operation.as_strategy(generation_mode=modes[1])

        @sampled(ASKED)
        @given(case=strategy)
        def send(case: Any) -> None:
            nonlocal tried
            tried += 1
            response = case.call(headers=cookie)
            case.validate_response(response, checks=judges)

        send()
    assert tried > 200

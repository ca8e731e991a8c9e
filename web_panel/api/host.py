"""The host's requests: seats and their links, beginning and pausing, choice of the game, the board, the records."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, abort, jsonify

from firmware_host.table import events as ev
from firmware_host.table.clocks import ClockSetting
from firmware_host.table.errors import TableError
from firmware_host.table.service import LessonService, ProofService, TableService
from firmware_host.text.words import say
from web_panel.access.keys import Keys
from web_panel.api.bodies import Body, Deed, Routes, add_routes, done
from web_panel.api.names import check_name
from web_panel.api.records import GAME_ID, as_file
from web_panel.server.lean import unless_known
from web_panel.server.limits import TOKEN_GUESSES
from web_panel.text.denied import Denied, not_host
from web_panel.text.wording import in_words

if TYPE_CHECKING:
    from firmware_host.table.service import HostService

NEWEST = 10
"""Number of games in each answer to the host's page."""
A_PAGE = 50
"""Number of older games in one answer."""


def blueprint(door: ProofService, service: HostService | None, keys: Keys, address: str) -> Blueprint:
    """Return ``/api/host/…``; ``service`` executes the host's requests, ``address`` is the base URL of links."""
    api = Blueprint("host_api", __name__, url_prefix="/api/host")

    def require_host() -> HostService:
        """Return the host's service. Raise Denied if the request is not the host's."""
        if service is None or not keys.host.here():
            raise not_host()
        return service

    def rule(deed: Deed) -> Deed:
        """Return a handler that updates the tickets, as a seat may have been taken or freed."""

        def answer(body: Body) -> Response:
            response = deed(body)
            keys.tickets.live()
            return response

        return answer

    lessons = door.lessons

    def allow_lessons(_body: Body) -> Response:
        lessons.allow()
        return done()

    ruled = {**_clocks(door), **_actions(door, keys, require_host), **_games(require_host)}
    ruled["allow-lessons"] = allow_lessons
    routes = {**_entering(service, keys), **{name: rule(deed) for name, deed in ruled.items()}}
    add_routes(api, routes, "host/", is_host=keys.host.here)
    _told(api, require_host, keys, lessons, address)
    return api


RequireHost = Callable[[], "HostService"]


def _entering(service: HostService | None, keys: Keys) -> Routes:
    def enter(body: Body) -> Response:
        with keys.guesses.counted("host", TOKEN_GUESSES):
            if not keys.host.is_token(body["token"]):
                raise Denied(403, "bad_token", say("this is not the host's link, or a new one has replaced it"))
        if service is not None:
            service.note_entered()
        response = done()
        keys.host.give(response, body["token"])
        return response

    def leave(_body: Body) -> Response:
        response = done()
        keys.host.take(response)
        return response

    return {"enter": enter, "leave": leave}


def _actions(door: TableService, keys: Keys, require_host: RequireHost) -> Routes:
    """Return the host's requests to the table."""
    now = door.now

    def computer(body: Body) -> Response:
        """Give a free seat to a computer; with a level also a taken one (another level, or a person who is away)."""
        seat, level = body["seat"], body.get("level")
        name = f"Computer {seat}"
        taken = any(one["seat"] == seat and one["taken"] for one in door.view(None)[1]["seats"])
        if taken and level is not None:
            door.submit(ev.ComputerSeated(at=now(), seat=seat, level=level))
        else:
            door.submit(ev.SeatTaken(at=now(), seat=seat, name=name, claim="", computer=True, level=level))
        return done()

    def allow(body: Body) -> Response:
        keys.asks.allow(body["code"])
        return done()

    def name(body: Body) -> Response:
        check_name(door.view(None)[1], body["seat"], body["name"])
        door.submit(ev.SeatNamed(at=now(), seat=body["seat"], name=body["name"]))
        return done()

    def show(body: Body) -> Response:
        require_host().show_codes(body["shown"])
        return done()

    def lights(body: Body) -> Response:
        require_host().set_lights(body)
        return done()

    def lend(body: Body) -> Response:
        require_host().lend_hands(body["everybody"])
        return done()

    def tell(make: Callable[[Body], ev.Event]) -> Deed:
        def answer(body: Body) -> Response:
            door.submit(make(body))
            return done()

        return answer

    return {
        "mode": tell(lambda b: ev.ModeChosen(at=now(), mode=b["mode"])),
        "start": tell(lambda _: ev.GameStarted(at=now(), seat=keys.seats.mine())),
        "computer": computer,
        "dismiss": tell(lambda b: ev.SeatLeft(at=now(), seat=b["seat"])),
        "name": name,
        "colour": tell(lambda b: ev.SeatColoured(at=now(), seat=b["seat"], colour=b["colour"])),
        "pause": tell(lambda _: ev.GamePaused(at=now())),
        "continue": tell(lambda _: ev.GameResumed(at=now())),
        "take-back": tell(lambda _: ev.ActionUndone(at=now())),
        "void": tell(lambda _: ev.TurnVoided(at=now())),
        "allow": allow,
        "refuse": tell(lambda b: ev.AskRefused(at=now(), code=b["code"])),
        "mask": tell(lambda b: ev.SensorMasked(at=now(), node=b["node"], reason=say("the host says so"))),
        "unmask": tell(lambda b: ev.SensorUnmasked(at=now(), node=b["node"])),
        "tickets": show,
        "hints": tell(lambda b: ev.HintsAllowed(at=now(), on=b["on"], seat=b.get("seat"))),
        "lights": lights,
        "hands": lend,
    }


def _clocks(door: TableService) -> Routes:
    """Return the host's requests about clocks, in the lobby."""

    def choose(setting: ClockSetting | None) -> Response:
        door.submit(ev.ClocksChosen(at=door.now(), setting=setting))
        return done()

    def known() -> dict[int, int]:
        """Return seat → main time, in seconds, of the seats whose main time differs from the common one."""
        clocks = door.view(None)[1]["clocks"]
        return {one["seat"]: one["main"] for one in clocks["seats"] if one["main"] != clocks["main"]} if clocks else {}

    def checked(main: int, increment: int, delay: int, odds: dict[int, int], *, strict: bool) -> ClockSetting:
        data = {"main": main or None, "increment": increment, "delay": delay, "strict": strict, "odds": odds}
        try:
            return ClockSetting.of(data)
        except ValueError as error:
            raise TableError("bad_clock", str(error.args[0])) from error

    def clocks(body: Body) -> Response:
        odds = known() if body["main"] else {}
        strict = body["strict"] and bool(body["main"])
        return choose(checked(body["main"], body["increment"], body["delay"], odds, strict=strict))

    def odds(body: Body) -> Response:
        view = door.view(None)[1]["clocks"]
        if view is None or view["main"] is None:
            raise TableError("bad_clock", say("time is not limited: choose clocks with a limit first"))
        others = {seat: main for seat, main in known().items() if seat != body["seat"]}
        mine = {body["seat"]: body["main"]} if body["main"] and body["main"] != view["main"] else {}
        now = {name: view[name] for name in ("main", "increment", "delay")}
        return choose(checked(**now, odds={**others, **mine}, strict=view["strict"]))

    return {"clocks": clocks, "no-clocks": lambda _: choose(None), "odds": odds}


def _games(require_host: RequireHost) -> Routes:
    """Return the host's requests for another game."""

    def new(body: Body) -> Response:
        require_host().new_game(body["board"], body["mode"], body["rules"])
        return done()

    def take_up(body: Body) -> Response:
        require_host().take_up(body["id"])
        return done()

    return {"new": new, "take-up": take_up}


def _told(api: Blueprint, require_host: RequireHost, keys: Keys, lessons: LessonService, address: str) -> None:
    """Add the GET routes for the host alone."""

    @api.get("/state")
    def state() -> Response:
        service = require_host()
        newest = service.games(0, NEWEST)
        told: dict[str, Any] = {
            "choices": service.choices(),
            "games": newest["games"],
            "games_in_all": newest["in_all"],
            "hardware": service.hardware(),
            "rest": service.lights(),
            "lessons": lessons.open,
        }
        asked = keys.networks.waiting()
        links = {
            str(seat): {"ticket": ticket, "link": f"{address}/join/{seat}#{ticket}"}
            for seat, ticket in keys.tickets.live().items()
        }
        # The page polls every few seconds.
        return unless_known(
            jsonify(
                {"tickets": links, "shown": keys.tickets.shown(), "network": asked and asked.shown(), **in_words(told)}
            )
        )

    @api.get("/games/<int:first>")
    def games(first: int) -> Response:
        return jsonify(in_words(require_host().games(first, A_PAGE)))

    @api.get("/records/<game>.jsonl")
    def record(game: str) -> Response:
        return as_file(game, _record(require_host(), game))

    del state, games, record


def _record(service: HostService, game: str) -> list[str]:
    if not GAME_ID.fullmatch(game):
        abort(404)
    try:
        return service.record(game)
    except TableError as error:
        if error.code == "withheld":
            raise Denied(409, error.code, error.message) from error
        abort(404)

"""The host's requests: the token, seats, beginning and pausing, the choice of the game, clocks, the board's lights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from flask import Response, abort, jsonify

from firmware_host.archive import dates
from firmware_host.games.clocks import ClockSetting
from firmware_host.plug import added_fields, added_values
from firmware_host.table.errors import TableError
from firmware_host.table.events import ComputerLevel, Seat, Whole, Word
from firmware_host.table.subjects.company import CompanyChosen
from firmware_host.table.subjects.seats import ComputerSeated, GameStarted, SeatMoved, SeatNamed, SeatTaken
from firmware_host.table.subjects.timekeeping import ClocksChosen
from firmware_host.text.json_reader import COUNT, TIME, choice, maybe, part, record, rows, table_of
from firmware_host.text.words import say
from web_panel.api.play import TICKET, check_name
from web_panel.api.records import GAME_ID, GameId, as_file
from web_panel.languages import in_words
from web_panel.limits import TOKEN_GUESSES
from web_panel.panel import Panel
from web_panel.refusals import Denied
from web_panel.routes import Routes, success, unless_known

NEWEST = 10
"""Number of games in each answer to the host's page."""
A_PAGE = 50
"""Number of older games in one answer."""

Seconds = Annotated[int, (("minimum", -1_000_000), ("maximum", 1_000_000), ("description", "Seconds"))]
Milliseconds = Annotated[int, (("minimum", 0), ("maximum", 10**13))]
Address = Annotated[str, (("maxLength", 200), ("description", "A base address of the table"))]
Rules = Annotated[Sequence[Word], (("maxItems", 16),)]

routes = Routes("host", {
    "PlayableBoard": record(
        board=str, title=str, game=str, nodes=COUNT, sensors=COUNT, aim=maybe(str), minutes=maybe(rows(COUNT)),
        players=rows(COUNT), modes=rows(str), options=table_of(str), colours=bool, current=bool,
    ),
    "KeptGame": record(
        id=str, title=str, mode=str, started=TIME, ended=maybe(TIME), names=rows(str),
        state=choice("over", "set aside", "abandoned", "running"), words=str, withheld=bool,
    ),
    "KeptGames": record(first=COUNT, in_all=COUNT, games=rows(part("KeptGame"))),
    "Hardware": record(
        board=str, kind=str, backend=str, nodes=COUNT, scan_hz=float, scans_per_s=maybe(float), health=rows(str),
        lights=record(pixels=COUNT, trouble=maybe(str)), simulated=bool,
        hands=maybe(choice("none", "computer", "all")),
    ),
    "HostState": record(
        tickets=table_of(record(ticket=TICKET, link=str)), shown=bool, choices=rows(part("PlayableBoard")),
        games=rows(part("KeptGame")), games_in_all=COUNT, hardware=part("Hardware"), lessons=bool,
        addresses=rows(str), address=str, repair=bool,
        rest=record(brightness=COUNT, night=bool, off=bool, sleep=COUNT, show=bool),
        **added_fields(lambda one: one.host_fields),
    ),
})  # fmt: skip


# -- the token --------------------------------------------------------------------------------------------------------


@routes.post("/api/host/enter", "token")
def enter(panel: Panel, token: Word) -> Response:
    """Show the host's token; the answer sets the cookie of the host."""
    with panel.guesses.count("host", TOKEN_GUESSES):
        if not panel.hosting.is_token(token):
            raise Denied(403, "bad_token", say("this is not the host's link, or a new one has replaced it"))
    panel.host.note_entered()
    response = success()
    panel.hosting.give(response, token)
    return response


@routes.post("/api/host/clock", "host")
def tell_clock(_panel: Panel, now: Milliseconds) -> None:
    """The date of the host's phone, in milliseconds since 1970: for games of a machine that has no clock."""
    dates.DATES.learn(now / 1000)


@routes.post("/api/host/leave", "host")
def leave(panel: Panel) -> Response:
    """Stop being the host on this phone."""
    response = success()
    panel.hosting.take(response)
    return response


# -- the lobby --------------------------------------------------------------------------------------------------------


@routes.post("/api/host/start", "host", event=GameStarted)
def start(panel: Panel) -> None:
    """Start the game when all seats are taken."""
    panel.submit(GameStarted(at=panel.now(), seat=panel.seats.mine()))


@routes.post("/api/host/computer", "host", event=ComputerSeated)
def computer(panel: Panel, seat: Seat, level: ComputerLevel | None = None) -> None:
    """A computer takes an open seat; with `level` one plays at it from now on, in a game also for somebody away."""
    taken = any(one["seat"] == seat and one["taken"] for one in panel.view["seats"])
    if taken and level is not None:
        panel.submit(ComputerSeated(at=panel.now(), seat=seat, level=level))
    else:
        name = f"Computer {seat}"
        panel.submit(SeatTaken(at=panel.now(), seat=seat, name=name, claim="", computer=True, level=level))


@routes.post("/api/host/name", "host", event=SeatNamed)
def name_seat(panel: Panel, seat: Seat, name: Word) -> None:
    """Name the seat's player, in the lobby."""
    check_name(panel.view, {seat}, name)
    panel.submit(SeatNamed(at=panel.now(), seat=seat, name=name))


@routes.post("/api/host/allow", "host", event=SeatMoved)
def allow(panel: Panel, code: Word) -> None:
    """Give the seat to the phone that shows this code."""
    panel.asks.allow(code)


@routes.post("/api/host/tickets", "host")
def show_tickets(panel: Panel, shown: bool) -> None:
    """Show the tickets to everybody in the room, or to the host alone."""
    panel.host.show_codes(shown)


@routes.post("/api/host/address", "host")
def choose_address(panel: Panel, address: Address) -> None:
    """Lead phones to this address of the table: codes and screens show it."""
    panel.addresses.choose(address)


@routes.post("/api/host/clocks", "host", event=ClocksChosen)
def clocks(panel: Panel, main: Seconds, increment: Seconds, delay: Seconds, strict: bool) -> None:
    """Set the clocks of the next game: seconds for each seat (0: no limit), more after each turn, free before it."""
    _set_clocks(panel, main, increment, delay, _odds(panel) if main else {}, strict=strict and bool(main))


@routes.post("/api/host/no-clocks", "host", event=ClocksChosen)
def no_clocks(panel: Panel) -> None:
    """Switch the clocks off."""
    panel.submit(ClocksChosen(at=panel.now(), setting=None))


@routes.post("/api/host/odds", "host", event=ClocksChosen)
def odds(panel: Panel, seat: Seat, main: Seconds) -> None:
    """Give a seat another main time than the others (0: the same)."""
    known = panel.view["clocks"]
    if known is None or known["main"] is None:
        raise TableError("bad_clock", say("time is not limited: choose clocks with a limit first"))
    others = {other: time for other, time in _odds(panel).items() if other != seat}
    mine = {seat: main} if main and main != known["main"] else {}
    _set_clocks(panel, known["main"], known["increment"], known["delay"], {**others, **mine}, strict=known["strict"])


def _odds(panel: Panel) -> dict[int, int]:
    """Return seat → main time, in seconds, of the seats whose main time differs from the common one."""
    known = panel.view["clocks"]
    return {one["seat"]: one["main"] for one in known["seats"] if one["main"] != known["main"]} if known else {}


def _set_clocks(panel: Panel, main: int, increment: int, delay: int, odds: dict[int, int], *, strict: bool) -> None:
    data = {"main": main or None, "increment": increment, "delay": delay, "strict": strict, "odds": odds}
    try:
        setting = ClockSetting.from_dict(data)
    except ValueError as error:
        raise TableError("bad_clock", str(error.args[0])) from error
    panel.submit(ClocksChosen(at=panel.now(), setting=setting))


# -- games ------------------------------------------------------------------------------------------------------------


@routes.post("/api/host/new", "host")
def new(panel: Panel, board: Word, mode: Word, rules: Rules) -> None:
    """Open the lobby of another game; one that is running is set aside."""
    panel.host.new_game(board, mode, rules)


@routes.post("/api/host/rematch", "host")
def rematch(panel: Panel, game: Word | None = None, turned: bool | None = None) -> None:
    """After the end (of `game`), begin it again at once; `turned`: everybody moves on by one seat, or as usual."""
    panel.table.rematch(after=game, turned=turned)


@routes.post("/api/host/take-up", "host")
def take_up(panel: Panel, id_: Word) -> None:
    """Go on with a game that was set aside or abandoned."""
    panel.host.take_up(id_)


@routes.post("/api/host/allow-lessons", "host")
def allow_lessons(panel: Panel) -> None:
    """Let everybody begin lessons and puzzles again, which the host has ended."""
    panel.table.lessons.allow()


# -- the board --------------------------------------------------------------------------------------------------------


@routes.post("/api/host/hands", "host")
def hands(panel: Panel, everybody: bool) -> None:
    """Let the simulated hand move everybody's pieces, or those that it moved before."""
    panel.host.lend_hands(everybody)


@routes.post("/api/host/lights", "host")
def lights(panel: Panel, brightness: Whole, night: bool, off: bool, sleep: Whole, show: bool) -> None:
    """How bright the board is (per cent), night, off; minutes until the lights sleep (0: never); a gentle show."""
    panel.host.set_lights({"brightness": brightness, "night": night, "off": off, "sleep": sleep, "show": show})


@routes.post("/api/host/company", "host", event=CompanyChosen)
def company(panel: Panel, words: bool, signs: bool) -> None:
    """Whether computers say something, and people may give signs."""
    panel.host.set_company(words, signs)


@routes.post("/api/host/repair", "host")
def repair(panel: Panel) -> None:
    """Save the undamaged part of a game, in the lobby; then it can be taken up."""
    panel.host.repair()


# -- what only the host sees ------------------------------------------------------------------------------------------


@routes.get(
    "/api/host/state", part("HostState"), "host",
    _503="Busy", _304={"description": "Nothing has changed since the state whose `ETag` was given"},
)  # fmt: skip
def state(panel: Panel) -> Response:
    """What only the host may see."""
    newest = panel.host.games(0, NEWEST)
    shown: dict[str, Any] = {
        "choices": panel.host.choices(),
        "games": newest["games"],
        "games_in_all": newest["in_all"],
        "hardware": panel.host.hardware(),
        "rest": panel.host.lights(),
        "lessons": panel.table.lessons.open,
        **added_values(lambda one: one.host_fields, panel.attached, lambda one: one.host_state()),
    }
    links = {
        str(seat): {"ticket": ticket, "link": f"{panel.addresses[0]}/join/{seat}#{ticket}"}
        for seat, ticket in panel.tickets.live().items()
    }
    reach: dict[str, Any] = {"addresses": panel.addresses.choices(), "address": panel.addresses[0]}
    plain = {**reach, "tickets": links, "shown": panel.tickets.are_shown(), "repair": panel.host.can_repair()}
    return unless_known(jsonify({**plain, **in_words(shown)}))  # The page polls every few seconds.


@routes.get("/api/host/games/<int:first>", part("KeptGames"), "host", _404="Missing", _503="Busy")
def games(panel: Panel, first: Annotated[int, (("minimum", 0),)]) -> Mapping[str, Any]:
    """More of the games, newest first: at most 50 from `first` on."""
    return panel.host.games(first, A_PAGE)


@routes.get(
    "/api/host/records/<game>.jsonl", str, "host",
    kind="application/x-ndjson", _404="Missing", _409="Withheld", _503="Busy",
)  # fmt: skip
def record_of(panel: Panel, game: GameId) -> Response:
    """A game's record, as `lodestone record export` writes it."""
    if not GAME_ID.fullmatch(game):
        abort(404)
    try:
        return as_file(game, panel.host.record(game))
    except TableError as error:
        if error.code == "withheld":
            raise Denied(409, error.code, error.message) from error
        abort(404)

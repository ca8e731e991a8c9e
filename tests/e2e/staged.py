"""Every moment of a table on every page, without playing there: views that a real table gave, shown by real pages.

A page gets its views through an ``EventSource`` of the test's own, so one page can be led through all of them.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

from firmware_host.table import events as ev
from firmware_host.table.subjects.masks import SensorMasked
from firmware_host.table.subjects.proposals import GamePaused, GameResumed
from firmware_host.table.subjects.resolving import BoardBack, BoardLost, Noticed, Resigned
from firmware_host.table.subjects.seats import AskRefused, GameStarted, SeatAsked
from lodestone.tables import KEY, SimulatedTable
from tests.attached import attached, sensors_page, usual, with_virtual
from tests.deleted import LACKING
from tests.e2e.chromium import LAN_NAME
from tests.replay.played import recorded
from tests.web_panel.fake_host import TOKEN, FakeHost
from tests.web_panel.table import Phone, open_all, panel, seal_all, seal_one, sit, unhurried
from web_panel.app import create_app
from web_panel.serve import serve

LONG = ("Anneliese-Theodora H.", "Bartholomäus v. Stein", "Cem", "Wilhelmina-Charlotte")
STREAM = """(() => {
  let latest = null;
  let told = () => {};
  const open = new Set();
  window.EventSource = class extends EventTarget {
    constructor() {
      super();
      open.add(this);
      if (latest) queueMicrotask(() => this.tell());
      this.beats = setInterval(() => this.dispatchEvent(new Event("beat")), 1000);
    }
    tell() { this.onmessage?.({ data: JSON.stringify(latest) }); told(); }
    close() { open.delete(this); clearInterval(this.beats); }
  };
  window.stage = (view) => new Promise((done) => {
    latest = view;
    told = done;
    for (const one of open) one.tell();
  });
})()"""

PAGES = {
    "/": "#seats .place",
    "/host": "#token",
    "/join/1#none": "#sit",
    "/join/1": "main",
    "/board": "svg",
    "/here": "main:has(#phone[src])",
    "/nowhere": "main",
    f"/host#{TOKEN}": "#page:not([hidden]) #seats *",
    f"/host?part=games#{TOKEN}": "#choices .game",
    f"/host?part=hardware#{TOKEN}": "#hardware *",
    "/host/replay/coil-0a1b2c3d": ".seat-list li",
}
if "how_to_play" not in LACKING:
    PAGES |= {"/how-to-play": "main svg", "/how-to-play/octiles": "main svg"}
    PAGES[f"/host?part=games#{TOKEN}"] = "#choices svg"
if "tv" not in LACKING:
    PAGES["/tv"] = ".seatcard .code"
if "workshop" not in LACKING:
    PAGES["/hardware"] = "table tr"
if "proof" not in LACKING:
    PAGES["/proof"] = "#verdict"
if "book" not in LACKING:
    PAGES["/book"] = "#about"
if "puzzles" not in LACKING:
    PAGES |= {"/puzzles": "#board svg", "/puzzles/octiles": "#board svg"}
if "positions" not in LACKING:
    PAGES["/position"] = "#play-it"
"""Pages of :func:`house` as the server gives them, and what tells that they are there."""

Scenes = dict[str, Mapping[str, Any]]
"""Views by what they show; those of the lobby begin with ``lobby``."""
_played: dict[str, Scenes] = {}
"""Language → its scenes."""


class Shooting:
    """A table that is brought to one moment after the other, looked at from a seat (0: from nowhere)."""

    def __init__(self, table: SimulatedTable, language: str, scenes: Scenes) -> None:
        self.table = table
        self.app = panel(table)
        self.language = language
        self.scenes = scenes
        self.people: list[Phone] = []

    def say(self, event: type[ev.Event], **fields: Any) -> None:
        self.table.runtime.submit(event(at=self.table.clock.now, **fields))
        self.table.wait(0.1)

    def take(self, name: str, seat: int = 0) -> None:
        phone = self.people[seat - 1] if seat else Phone(self.app)
        wish = {"Accept-Language": self.language}
        self.scenes[name] = phone.client.get("/api/state", headers=wish).get_json()

    def sit(self, *names: str) -> None:
        self.people = [Phone(self.app) for _ in names]
        for seat, (phone, name) in enumerate(zip(self.people, names, strict=True), 1):
            assert phone.join(seat, name)[0] == 200, name

    def start(self) -> None:
        self.say(GameStarted)
        self.table.wait(0.5)

    def set_up(self) -> None:
        for task in self.table.view["tasks"]:  # type: ignore[attr-defined]
            self.table.hand.put(task["node"], task["piece"])
        self.table.wait(1)


def _spokes(shot: Shooting) -> None:
    shot.take("lobby empty")
    shot.sit(*LONG)
    shot.take("lobby full", 1)
    shot.say(SeatAsked, seat=2, code="4711")
    shot.take("lobby asked", 1)
    shot.say(AskRefused, code="4711")
    shot.start()
    shot.take("sealing", 1)
    shot.say(GamePaused)
    shot.take("held", 1)
    shot.say(GameResumed)
    shot.table.wait(1)
    seal_all(shot.people, "wD12", "bD13", "wA1", "bB3")
    shot.table.wait(0.2)
    shot.take("placing", 1)
    shot.table.hand.put("C5", "w")
    shot.table.wait(4)
    shot.take("problem", 1)
    shot.table.hand.carry("C5", "D12")
    for node, piece in (("D13", "b"), ("A1", "w"), ("B3", "b")):
        shot.table.hand.put(node, piece)
    shot.table.wait(1)
    for seat in range(1, 5):
        shot.take(f"resolving from {seat}", seat)
    shot.take("watching")
    shot.say(BoardLost, reason="the cable of row C has come off")
    shot.take("paused", 1)
    shot.say(BoardBack)
    shot.table.wait(1)
    for seat in (2, 3, 4):
        shot.say(Resigned, seat=seat)
    shot.take("over", 1)


def _sealed(shot: Shooting) -> None:
    shot.people = sit(shot.table, shot.app, "Ann", "Bob")
    view = shot.people[0].view()
    assert shot.people[0].post("seal", {"turn": view["turn"], "commitment": "0" * 64})[0] == 200
    shot.take("sealed", 1)
    assert shot.people[1].post("seal", {"turn": view["turn"], "commitment": "1" * 64})[0] == 200
    shot.take("revealing", 1)
    assert shot.people[1].post("propose", {"what": "reseal"})[0] == 200
    shot.take("proposal", 1)


def _attracted(shot: Shooting) -> None:
    """Two stones that pull each other: each of them may be moved, and is where the other one goes."""
    shot.people = sit(shot.table, shot.app, "Ann", "Bob")
    seal_all(shot.people, "wD1", "bD16")
    shot.table.wait(0.2)
    for node, piece in (("D1", "w"), ("D16", "b")):
        shot.table.hand.put(node, piece)
    shot.table.wait(1)
    shot.take("attracted", int(shot.table.view["resolver"]))  # type: ignore[call-overload]


def _partners(shot: Shooting) -> None:
    """Two against two, from the first choice to the end."""
    shot.sit(*LONG)
    shot.start()
    shot.take("partners sealing", 1)
    placements = "wD12", "bD13", "wA1", "bB3"
    for seat, (phone, placement) in enumerate(zip(shot.people, placements, strict=True), 1):
        seal_one(phone, placement)
        shot.take(f"partners {seat} sealed", seat)
        if seat < len(placements):
            shot.take(f"partners choosing after {seat}", seat + 1)
    open_all(shot.people, shot.people[0].view(), *placements)
    shot.table.wait(0.2)
    shot.take("partners placing", 1)
    for node, piece in (("D12", "w"), ("D13", "b"), ("A1", "w"), ("B3", "b")):
        shot.table.hand.put(node, piece)
    shot.table.wait(1)
    for seat in range(1, 5):
        shot.take(f"partners resolving from {seat}", seat)
    for seat in (3, 4):
        shot.say(Resigned, seat=seat)
    shot.take("partners over", 1)


def _runners(shot: Shooting) -> None:
    """Octiles of as many as there are."""
    count = len(shot.table.view["seats"])  # type: ignore[arg-type]
    shot.sit(*LONG[:count])
    shot.take(f"lobby of {count}", 1)
    shot.start()
    shot.set_up()
    shot.take(f"octiles of {count} acting", 1)
    shot.take(f"octiles of {count} waiting", 2)
    for seat in range(2, count + 1):
        shot.say(Resigned, seat=seat)
    shot.take(f"octiles of {count} over", 1)


def _phalanx(shot: Shooting) -> None:
    shot.sit("Ann", "Bob")
    shot.start()
    shot.take("phalanx setup", 1)
    shot.set_up()
    shot.take("phalanx acting", 1)
    shot.take("phalanx waiting", 2)
    acting = shot.scenes["phalanx acting"]
    lies = next(iter(acting["board"]))
    task = {"do": "take", "node": lies, "seat": None}
    shot.scenes["phalanx clearing"] = {**acting, "phase": "clearing", "steps": [], "tasks": [task]}
    shot.say(Resigned, seat=2)
    shot.take("phalanx over", 1)


def _coil(shot: Shooting) -> None:
    shot.sit("Ann", "Bob")
    shot.start()
    for node, piece in (("a1", "b"), ("g10", "w"), ("g11", "b"), ("m7", "w")):
        shot.table.hand.put(node, piece)
        shot.table.wait(1.5)
    shot.take("coil acting", 1)
    shot.take("coil waiting", 2)
    shot.say(SensorMasked, node="b2", reason="a player says so", seat=1)
    shot.say(Noticed, what="lights", text="The lights do not answer: look at the cable of the strip.")
    shot.take("coil masked", 1)
    shot.say(Resigned, seat=1)
    shot.take("coil over", 1)


def _octiles(shot: Shooting) -> None:
    shot.sit("Ann", "Bob")
    shot.start()
    shot.set_up()
    shot.take("octiles acting", 1)
    shot.take("octiles waiting", 2)
    step = shot.table.view["steps"][0]["action"]  # type: ignore[index]
    well, _, turn = step.partition("r")
    piece = shot.table.view["supply"]["piece"]  # type: ignore[index]
    shot.table.hand.put(well, f"{piece}r{turn}")
    shot.table.wait(2)
    shot.take("octiles question", 1)
    shot.say(Resigned, seat=2)
    shot.take("octiles over", 1)


SETS: Sequence[tuple[str, str, Callable[[Shooting], None]]] = (
    ("spokes-45", "4", _spokes),
    ("spokes-45", "2", _sealed),
    ("spokes-45", "2", _attracted),
    ("spokes-45", "2v2", _partners),
    ("go-9x9", "2", _phalanx),
    ("hexhex-7", "2", _coil),
    ("octiles-53", "2", _octiles),
    ("octiles-53", "3", _runners),
    ("octiles-53", "4", _runners),
)


def scenes(folder: Path, language: str = "en") -> Scenes:
    """Return the views of all moments that differ, told in a language; they are played once a process."""
    if language in _played:
        return dict(_played[language])
    found: Scenes = {}
    for number, (board, mode, play) in enumerate(SETS):
        place = folder / f"{language}-{number}"
        place.mkdir()
        with closing(SimulatedTable(place, board=board, mode=mode)) as table:
            play(Shooting(table, language, found))
    _played[language] = found
    return dict(found)


@contextmanager
def house(folder: Path) -> Iterator[str]:
    """Serve every page there is, over a lobby of four free seats; yield the address."""
    with closing(SimulatedTable(folder, mode="4")) as table, socket.create_server(("127.0.0.1", 0)) as listener:
        base = f"http://{LAN_NAME}:{listener.getsockname()[1]}"
        host = FakeHost()
        host.whole_record = lambda game_id: list(recorded("coil", "a1", "pass", "g7"))  # type: ignore[method-assign]
        app = create_app(
            table.runtime, secret=KEY, addresses=[base], host=host,
            extra=sensors_page(table.board.sensors, table.description),
            links={"Virtual board": "/board", "Sensors": "/hardware"}, buckets=unhurried(),
            attached={**attached(folder, "book", "positions", "puzzles"), **usual(table),
                      **with_virtual(lambda: table.parts)},
        )  # fmt: skip
        serving = serve(app, listener)
        try:
            yield base
        finally:
            serving.close()


def staged(browser: Browser, **options: Any) -> tuple[BrowserContext, Page]:
    """Return a page that waits for ``window.stage(view)``."""
    context = browser.new_context(**options)
    context.add_init_script(STREAM)
    return context, context.new_page()


def show(page: Page, view: Mapping[str, Any]) -> None:
    """Let a page show a view; return when it has been told."""
    page.evaluate("(view) => window.stage(view)", view)

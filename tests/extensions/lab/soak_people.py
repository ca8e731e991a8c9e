"""Who is at the table of ``make soak``: people who play on their phones, guests who look around, and the host.

A person sits at a seat, follows the stream of an own phone, and does at random what it offers: seals, opens, chooses,
says what lies. A guest asks for every page and every description of a state that docs/openapi.json has.
"""

from __future__ import annotations

import http.client
import json
import re
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from firmware_host.games.seals import commitment
from tests.e2e.program import Program

BOARDS = (("spokes-45", "2"), ("go-9x9", "2"), ("hexhex-7", "2"), ("octiles-53", "2"))
IN_A_ROW = 2
"""So many games are played with those who sit; then the next lobby opens on another board."""
PEOPLE = (1, 2, 0)
"""How many of the two players are people; the next number follows once all boards were played."""
ROUND = len(BOARDS) * len(PEOPLE) * IN_A_ROW
"""So many games, and everything has been played once."""
MAX_GAME_S = 120.0
DOCUMENT = Path(__file__).parents[3] / "docs" / "openapi.json"
MAX_OF_A_STREAM = 1 << 16
FAILED = (OSError, AssertionError, KeyError, ValueError, http.client.HTTPException)
"""Under attack an answer may take too long: the next one counts."""


class Person:
    """Somebody at a seat, until the seat is given up."""

    def __init__(self, program: Program, seat: int, name: str, chance: Random) -> None:
        """Sit down, and follow the table."""
        self.seat = seat
        self.acted = 0
        self._program, self._chance = program, chance
        self._cookie = program.join(seat, name)
        self._sealed: dict[tuple[str, int], tuple[str, str]] = {}
        self._chosen: tuple[Any, ...] = ()
        """Game, turn and stages of the last choice."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow)
        self._thread.start()

    def leave(self) -> None:
        """Look no more; the host gives the seat away."""
        self._stop.set()
        self._thread.join()

    def rematch(self) -> None:
        """Ask for the same game again, and for the review of the one that is over."""
        game = self._program.state()["game"]["id"]
        self._program.post("/api/review/begin", {"game": game})
        assert self._post("rematch", {})

    def resign(self) -> bool:
        """Give the game up; return whether that was possible."""
        return self._post("resign", {})

    def _follow(self) -> None:
        while not self._stop.is_set():
            with suppress(*FAILED):
                for view, again in self._views():
                    self._act(view, again)
            self._stop.wait(0.5)

    def _views(self) -> Iterator[tuple[Any, bool]]:
        """Yield each view and, at each beat of the stream, the last one with True: what was refused is done again."""
        view = None
        link = http.client.HTTPConnection("127.0.0.1", self._program.port, timeout=20)
        try:
            link.request("GET", "/api/events", headers={"Cookie": self._cookie})
            answer = link.getresponse()
            assert answer.status == 200
            while line := answer.readline():
                if self._stop.is_set():
                    return
                if line.startswith(b"data: {}") and view is not None:
                    yield view, True
                elif line.startswith(b"data: ") and "phase" in (found := json.loads(line[6:])):
                    view = found
                    yield view, False
        finally:
            link.close()

    def _post(self, deed: str, body: Mapping[str, Any]) -> bool:
        status, _ = self._program.post(f"/api/{deed}", body, Cookie=self._cookie)
        assert status < 500
        self.acted += status == 200
        return status == 200

    def _act(self, view: Any, again: bool) -> None:
        """Do what this phone is asked for, if anything."""
        if view["you"] is None or view["lesson"]:
            return
        self.seat = view["you"]["seat"]  # From game to game the seats rotate.
        if view["phase"] in {"sealing", "revealing"} and view["seal"]:
            self._seal(view["seal"], view["seats"][self.seat - 1], ready=view["phase"] == "revealing")
        elif view["phase"] == "resolving" and view["resolver"] == self.seat:
            self._step(view, again)

    def _seal(self, seal: Any, seat: Any, *, ready: bool) -> None:
        key = seal["game"], seal["turn"]
        if not seat["sealed"]:
            if key not in self._sealed:  # A view may come late: what is sealed stays.
                action = self._chance.choice(seal["colours"]) + self._chance.choice(seal["nodes"])
                self._sealed = {key: (action, secrets.token_hex(16))}
            digest = commitment(seal["game"], seal["turn"], self.seat, seal["history"], *self._sealed[key])
            self._post("seal", {"turn": seal["turn"], "commitment": digest})
        elif key not in self._sealed or seat["opened"]:
            return
        elif seal["open"]:
            action, nonce = self._sealed[key]
            self._post("open", {"turn": seal["turn"], "action": action, "nonce": nonce})
        elif ready and self.seat not in seal["awake"]:
            self._post("ready", {"turn": seal["turn"]})

    def _step(self, view: Any, again: bool) -> None:
        steps = view["steps"]
        wanted = None if view["wanted"] in view["stage"] else view["wanted"]  # A tile that lies stays the chosen one.
        if view["question"]:
            choices = [one["action"] for one in view["question"]["choices"]]
            asked_for = [action for action in choices if (wanted or "").startswith(action)]
            self._post("confirm", {"action": self._chance.choice(asked_for or choices)})
        elif wanted is None and steps:
            moment = (view["game"]["id"], view["turn"], *view["stage"])
            if self._chosen == moment and not again:  # A view from before the choice came late.
                return
            self._chosen = moment
            if self._chance.random() < 0.2:
                self._post("hint", {"level": 1})
            self._post("choose", {"action": self._chance.choice(steps)["action"]})
        elif again:  # The hand has moved the pieces by now; if it still waits, no sensor shows that.
            hidden = [one["action"] for one in steps if one["hidden"] and (wanted or "").startswith(one["action"])]
            for action in hidden[:1]:
                self._post("confirm", {"action": action})


class Sweep:
    """Every GET of the description, as a guest and as the host."""

    def __init__(self, program: Program) -> None:
        self.answered: Counter[str] = Counter()
        """Path → how often it was answered with 200."""
        self.broken: Counter[str] = Counter()
        """Path and status → how often it was a fault of the program's."""
        self._program = program
        document = json.loads(DOCUMENT.read_text(encoding="utf-8"))
        self.paths = [path for path, item in document["paths"].items() if "get" in item]

    def once(self) -> None:
        """Ask for each path with all values that stand for its parts."""
        for cookie in ("", self._program.be_host()):
            values = self.values(cookie)
            for path in self.paths:
                for filled in filled_in(path, values):
                    self._ask(path, filled, cookie)

    def never(self) -> list[str]:
        """Return the paths that never had an answer."""
        return [path for path in self.paths if not self.answered[path]]

    def _ask(self, path: str, filled: str, cookie: str) -> None:
        link = http.client.HTTPConnection("127.0.0.1", self._program.port, timeout=20)
        try:
            link.request("GET", filled, headers={"Cookie": cookie})
            answer = link.getresponse()
            answer.read(MAX_OF_A_STREAM) if not path.endswith("/events") else answer.readline()
            while not path.endswith("/events") and answer.read(MAX_OF_A_STREAM):
                pass
        except FAILED:
            return
        finally:
            link.close()
        if answer.status in {200, 204}:
            self.answered[path] += 1
        if answer.status >= 500 and answer.status != 503:
            self.broken[f"{filled} {answer.status}"] += 1

    def values(self, cookie: str) -> dict[str, Sequence[str]]:
        """Return what may stand for each part of a path."""
        get = self._get
        games = [one["id"] for one in get("/api/host/games/0", self._program.be_host()).get("games", [])][:2]
        films = {game: str(get(f"/api/replay/{game}", cookie).get("version", "0")) for game in games}
        names = sorted({str(get("/api/lessons", "").get("game", "spokes")), "spokes", "octiles"})
        puzzles = [one["id"] for one in get(f"/api/puzzles/{names[0]}", "").get("puzzles", [])][:3]
        tickets = list(get("/api/tickets", cookie).get("tickets", {}).values())[:1]
        return {
            "seat": ["1"], "ticket": tickets or ["x" * 22], "first": ["0"], "game": games, "game_id": games,
            "version": sorted(set(films.values())), "at": ["0", "1"], "which": ["play", "watch"], "name": names,
            "puzzle": puzzles,
        }  # fmt: skip

    def _get(self, path: str, cookie: str) -> Any:
        with suppress(*FAILED):
            found = self._program.get(path, Cookie=cookie)
            return found if isinstance(found, dict) else {"games": found, "puzzles": found}
        return {}


FILES = {
    "/script/{name}": ("play/play.js", "host/host.js"),
    "/static/{filename}": ("shared/style.css", "shared/live.js"),
}
EXTENSIONS = Path(__file__).parents[3] / "firmware_host" / "extensions"


def _files(path: str) -> Sequence[str]:
    """Return the names of files that stand for the part of a path; none if its parts are no file's name."""
    extension = re.fullmatch(r"/static/(\w+)/{filename}", path)
    if extension:
        return sorted(file.name for file in (EXTENSIONS / extension[1] / "static").iterdir())
    return FILES.get(path, ())


def filled_in(path: str, values: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield a path with each of the values in its parts."""
    if files := _files(path):
        yield from (re.sub(r"{\w+}", name, path) for name in files)
        return
    parts = re.findall(r"{(\w+)}", path)
    for number in range(max((len(values[part]) for part in parts), default=1)):
        filled = path
        for part in parts:
            of = values[part]
            filled = filled.replace(f"{{{part}}}", of[number % len(of)] if of else "none")
        yield filled


class Evening:
    """Games in turn, phones that come and go, and the sweeps."""

    def __init__(self, program: Program) -> None:
        self.games = 0
        self.failed = 0
        self.sweep = Sweep(program)
        self.acted = 0
        self._program = program
        self._stop = threading.Event()
        self._chance = Random(5)
        self._threads = [
            threading.Thread(target=self._repeat, args=(each,)) for each in (self._lobby, self._visitor, self._learner)
        ]

    def begin(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _repeat(self, what: Callable[[], None]) -> None:
        while not self._stop.wait(0.05):
            try:
                what()
            except FAILED:
                self.failed += 1
                self._stop.wait(1.0)

    def _lobby(self) -> None:
        """Play some games: a person and a computer, two people, two computers in turn."""
        number = self.games // IN_A_ROW
        board, mode = BOARDS[number % len(BOARDS)]
        people = PEOPLE[number // len(BOARDS) % len(PEOPLE)]
        program, sitting = self._program, list[Person]()
        assert program.as_host("new", board=board, mode=mode, rules=[])[0] == 200
        try:
            for seat in [one["seat"] for one in program.state()["seats"]]:
                program.as_host("dismiss", seat=seat)
                if len(sitting) < people:
                    program.fetch(f"/qr/seat/{seat}/{program.ticket(seat)}.svg")  # Only a lobby has it.
                    sitting.append(Person(program, seat, f"Guest {self._chance.randrange(50)}", self._chance))
                else:
                    assert program.as_host("computer", seat=seat)[0] == 200
            assert program.as_host("start")[0] == 200
            for again in range(IN_A_ROW):
                if not self._played() or self._stop.is_set():
                    break
                if again + 1 < IN_A_ROW:
                    sitting[0].rematch() if sitting else program.as_host("rematch")
        finally:
            self.games += IN_A_ROW - self.games % IN_A_ROW
            for person in sitting:
                person.leave()
                self.acted += person.acted

    def _played(self) -> bool:
        """Wait for the end of a game; return whether it came."""
        end = time.monotonic() + MAX_GAME_S
        while not self._stop.wait(0.5) and time.monotonic() < end:
            if self._program.state()["phase"] == "over":
                self.games += 1
                return True
        return False

    def _visitor(self) -> None:
        """Look at the pages as a phone does: page, stream, some requests, gone."""
        link = http.client.HTTPConnection("127.0.0.1", self._program.port, timeout=20)
        stream = http.client.HTTPConnection("127.0.0.1", self._program.port, timeout=20)
        try:
            stream.request("GET", "/api/events")
            stream.getresponse().read(200)
            for path in ("/play", "/words.js", "/script/play.js", "/api/state", "/api/tickets"):
                link.request("GET", path)
                link.getresponse().read()
            self._stop.wait(self._chance.random() * 3)
        finally:
            link.close()
            stream.close()

    def _learner(self) -> None:
        """Take a lesson on an own phone: begin it, see an answer, stop."""
        program = self._program
        lessons = program.get("/api/lessons")["lessons"]
        name = self._chance.choice(lessons)["name"]
        status, _, cookie = program._post("/api/lesson/begin", {"name": name, "phone": True})
        assert status == 200
        try:
            for deed in ("show", "next", "back"):
                program.post(f"/api/lesson/{deed}?alone=1", {}, Cookie=cookie)
                program.get("/api/state?alone=1", Cookie=cookie)
        finally:
            program.post("/api/lesson/stop?alone=1", {}, Cookie=cookie)
        self._stop.wait(5.0)

"""Everything that a table holds and sends, looked through for what it must not know yet.

People play many short games over the real panel, runtime and journal. Each phone keeps its openings as real ones do, in
a process of their own: here they exist only scrambled, and are put together for the moment in which they are sent.
Before the last seat of a round has sealed, no opening of a person may be found

- in the bytes of any file of the journal (its write-ahead log, too),
- in a log record, its text or its arguments,
- in a body or header of any answer, to whomever,
- in a frame of any stream: of each seat, and of somebody who watches,
- in any object that can be reached from the runtime or the app,
- in any object that can be reached from any object of this process at all (looked through now and then: that takes
  half a second).

Before the last phone has opened, the openings of the others are in memory, and still in no file, log, answer or frame.

Some phones are broken, too: they send their opening too early. It is refused, and must be forgotten.
"""

from __future__ import annotations

import gc
import itertools
import json
import logging
import os
import types
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_host.games.seals import commitment
from lodestone.tables import KEY, SimulatedTable
from tests.attached import usual
from tests.e2e.program import eventually
from tests.web_panel.fake_host import TOKEN, FakeHost
from tests.web_panel.table import ADDRESS, OWN, Screen
from web_panel import streams
from web_panel.app import create_app
from web_panel.limits import Buckets

EVERYTHING_EVERY = 5
"""Of openings that come too early the first and every fifth are looked for in every object of the process."""
MAX_TURNS = 3
_HOLDERS = {dict, list, tuple, set, frozenset}
"""What most objects are: they are looked at first."""
SCRAMBLE = 0x5A


@dataclass
class Account:
    """What was done, and where an opening was found too early."""

    seals: int = 0
    rounds: int = 0
    games: int = 0
    early: int = 0
    half: int = 0
    """Times at which some phones had opened and others had not."""
    looked: int = 0
    """Objects that were looked at."""
    found: int = 0
    """Openings found where they may be: after all had sealed. None would mean that the search is blind."""


class Secret:
    """An opening that is nowhere in this process in the clear: neither as text, bytes or number.

    No two are alike: what an earlier table of this process has revealed may lie in what is not collected yet.
    """

    def __init__(self) -> None:
        """Make a nonce of 128 bits, scrambled."""
        self._scrambled = [byte ^ SCRAMBLE for byte in os.urandom(16)]

    def nonce(self) -> str:
        """Put the nonce together. Whoever asks must let go of it."""
        return bytes(byte ^ SCRAMBLE for byte in self._scrambled).hex()

    def number(self) -> int:
        return int(self.nonce(), 16)


class Watch(logging.Handler):
    """Listens to all that is logged."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        trace = logging.Formatter().formatException(record.exc_info) if record.exc_info else ""
        self.said.append(f"{record.getMessage()} {record.__dict__} {trace}")


class Captured:
    """One table, its phones, and all that is held and sent there."""

    def __init__(self, folder: Path, mode: str, seed: int) -> None:
        self.rng = Random(seed)
        self.folder = folder
        self.table = SimulatedTable(folder, mode=mode)
        # An evening of clicks in half a minute: the limits' clock runs ahead.
        buckets = Buckets(itertools.count(step=1000).__next__)
        self.app = create_app(
            self.table.runtime,
            secret=KEY,
            addresses=[ADDRESS],
            buckets=buckets,
            host=FakeHost(),
            attached=usual(self.table),
        )
        self.account = Account()
        self.due = 0.0
        """Of the next opening that a broken phone sends too early; at 1 it is sent."""
        self.sent: list[bytes] = []
        self.log = Watch()
        self.clients: dict[int, Any] = {}
        self.screens: list[Screen] = []

    def close(self) -> None:
        for screen in self.screens:
            screen.left = True
        self.table.close()

    # -- phones --------------------------------------------------------------------------------------------------

    def post(self, seat: int, path: str, body: Any) -> int:
        answer = self.clients[seat].post(f"/api/{path}", json=body, headers=OWN)
        self.sent.append(answer.data + str(answer.headers).encode())
        return int(answer.status_code)

    def state(self, seat: int = 1) -> Any:
        answer = self.clients[seat].get("/api/state")
        self.sent.append(answer.data + str(answer.headers).encode())
        self.sent.append(self.clients[seat].get("/api/proof").data)
        return json.loads(answer.data)

    def sit(self, seats: Iterable[int]) -> None:
        for seat in seats:
            self.clients[seat] = self.app.test_client()
            ticket = self.clients[seat].get("/api/tickets").get_json()["tickets"][str(seat)]
            assert self.post(seat, "join", {"seat": seat, "name": f"P{seat}", "ticket": ticket}) == 200
        assert self.post(min(self.clients), "host/enter", {"token": TOKEN}) == 200
        clocks = {"main": 6000, "increment": 5, "delay": 2, "strict": True}
        assert self.post(min(self.clients), "host/clocks", clocks) == 200
        watcher = self.app.test_client()
        self.screens = [Screen(client) for client in (*self.clients.values(), watcher)]

    def hear(self) -> None:
        """Take what was sent to every screen, once it is up to date."""
        newest = self.table.runtime.view(None)[0]
        for screen in self.screens:
            eventually(lambda: screen.newest >= newest, "the newest view")  # noqa: B023
            count = len(screen.sent)
            self.sent += screen.sent[:count]
            del screen.sent[: count - 1]

    # -- looking -------------------------------------------------------------------------------------------------

    def look(self, secrets: list[Secret], *, memory: bool = True, everything: bool = False) -> list[str]:
        """Return where these openings are found; without ``memory`` only what is written down and sent is looked at."""
        nonces = [secret.nonce() for secret in secrets]
        needles = [form for nonce in nonces for form in (nonce.encode(), bytes.fromhex(nonce))]
        places = [f"answer or frame: {sent[:80]!r}" for sent in self.sent if any(n in sent for n in needles)]
        places += [f"log: {said[:80]}" for said in self.log.said if any(nonce in said for nonce in nonces)]
        for path in filter(Path.is_file, self.folder.rglob("*")):
            if any(needle in path.read_bytes() for needle in needles):
                places.append(f"file {path.name}")
        self.sent.clear()
        self.log.said.clear()
        del needles
        if not memory:
            return places
        looked, held = search([self.table.runtime, self.app], nonces)
        if everything:
            gc.unfreeze()  # What tests/conftest.py has frozen would not be among the objects.
            more, also = search(gc.get_objects(), nonces)
            gc.freeze()
            looked, held = looked + more, held + also
        self.account.looked += looked
        return places + held


def search(roots: list[Any], nonces: list[str]) -> tuple[int, list[str]]:
    """Walk everything that can be reached; return how much that was, and what holds one of the nonces.

    Functions are entered by what they have closed over, not by their module's names: to look at a table need not be to
    look at the whole program.
    """
    raw = [bytes.fromhex(nonce) for nonce in nonces]
    numbers = {int(nonce, 16) for nonce in nonces}
    seen = {id(nonces), id(raw), id(numbers), id(roots)}
    seen |= {id(thing) for things in (nonces, raw, numbers) for thing in things}
    waiting, looked, held = list(roots), 0, []
    seen.add(id(waiting))
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        looked += 1
        if type(thing) in _HOLDERS:
            waiting += gc.get_referents(thing)
        elif isinstance(thing, str):
            if len(thing) >= 32 and any(nonce in thing for nonce in nonces):
                held.append(f"str {thing[:60]!r}")
        elif isinstance(thing, bytes | bytearray):
            if len(thing) >= 16 and any(r in thing or n.encode() in thing for r, n in zip(raw, nonces, strict=True)):
                held.append(f"bytes {bytes(thing[:60])!r}")
        elif isinstance(thing, int):
            if thing in numbers:
                held.append("int")
        elif isinstance(thing, types.FunctionType):
            waiting += [part for part in (thing.__closure__, thing.__defaults__, thing.__dict__) if part]
        elif not isinstance(thing, types.ModuleType | types.FrameType):
            waiting += gc.get_referents(thing)
    return looked, held


def play(folder: Path, seals: int, *, mode: str = "2", seed: int = 1, broken: float = 0.2) -> Account:
    """Play until people have sealed so often; raise AssertionError where an opening is found too early.

    ``broken`` is the share of seals that a broken phone tries to open at once.
    """
    with pytest.MonkeyPatch.context() as patch, closing(Captured(folder, mode, seed)) as here:
        patch.setattr(streams, "HEARTBEAT_S", 600.0)
        root = logging.getLogger()
        patch.setattr(root, "level", logging.DEBUG)
        root.addHandler(here.log)
        try:
            here.sit(seat["seat"] for seat in here.table.runtime.view(None)[1]["seats"])
            while here.account.seals < seals:
                _game(here, mode, broken)
        finally:
            root.removeHandler(here.log)
        return here.account


def _game(here: Captured, mode: str, broken: float) -> None:
    """Play a few turns and let all but one resign; then clear the board for the next game."""
    seats = sorted(here.clients)
    assert here.post(seats[0], "host/start", {}) == 200
    here.account.games += 1
    for _ in range(MAX_TURNS):
        _follow(here, {"setup", "placing"})
        if here.state()["phase"] != "sealing":
            break
        _round(here, seats, broken)
    for seat in seats[:-1]:
        if here.state()["phase"] not in {"over", "clearing"}:
            here.post(seat, "resign", {})
    assert here.post(seats[0], "new", {}) == 200


def _round(here: Captured, seats: list[int], broken: float) -> None:
    view = here.state()
    turn, nodes, colours = view["turn"], view["seal"]["nodes"], view["seal"]["colours"]
    order = here.rng.sample(seats, len(seats))
    chosen = {
        seat: here.rng.choice(colours) + node
        for seat, node in zip(seats, here.rng.sample(nodes, len(seats)), strict=True)
    }
    secrets = {seat: Secret() for seat in seats}
    for count, seat in enumerate(order, 1):
        assert here.post(seat, "seal", {"turn": turn, "commitment": _digest(view, seat, chosen[seat], secrets)}) == 200
        here.account.seals += 1
        if count == len(order):
            break
        here.due += broken
        if here.due >= 1.0:
            here.due -= 1.0
            _open_early(here, seat, turn, chosen[seat], secrets)
        here.table.wait(0.05)
        here.state(order[-1])
        here.hear()
        places = here.look(list(secrets.values()))
        assert not places, f"turn {turn}, {count} of {len(order)} have sealed: {places}"
    for seat in order:
        assert here.post(seat, "ready", {"turn": turn}) == 200
    for count, seat in enumerate(order, 1):
        opening = {"turn": turn, "action": chosen[seat], "nonce": secrets[seat].nonce()}
        assert here.post(seat, "open", opening) == 200
        del opening
        if count == len(order):
            break
        here.state(order[-1])
        here.hear()
        places = here.look(list(secrets.values()), memory=False)
        assert not places, f"turn {turn}, {count} of {len(order)} have opened: {places}"
        here.account.half += 1
    here.hear()
    here.account.found += len(here.look(list(secrets.values())))  # In the journal and the ledger, as it should be.
    here.account.rounds += 1


def _open_early(here: Captured, seat: int, turn: int, action: str, secrets: dict[int, Secret]) -> None:
    """Open what nobody should see yet, and look at once: before anything else happens that might wipe it away."""
    early = {"turn": turn, "action": action, "nonce": secrets[seat].nonce()}
    assert here.post(seat, "open", early) == 409
    del early
    places = here.look(list(secrets.values()), everything=here.account.early % EVERYTHING_EVERY == 0)
    here.account.early += 1
    assert not places, f"turn {turn}, opened too early and kept: {places}"


def _digest(view: Any, seat: int, action: str, secrets: dict[int, Secret]) -> str:
    """Hash as the phone does."""
    seal = view["seal"]
    return commitment(seal["game"], seal["turn"], seat, seal["history"], action, secrets[seat].nonce())


def _follow(here: Captured, phases: set[str]) -> None:
    """Do with the stones what the table asks for."""
    here.table.wait(0.3)
    for _ in range(200):
        view = here.state()
        if view["phase"] not in phases:
            return
        for task in view["tasks"]:
            if task["do"] == "put":
                here.table.hand.put(task["node"], task["piece"])
            elif task["do"] == "take":
                here.table.hand.take_off(task["node"])
            else:
                here.table.hand.carry(task["from"], task["to"], task["pieces"])
            here.table.wait(0.1)  # Where more changes at once than hands can do, the table suspects a wire.
        here.table.wait(0.3)
    raise AssertionError(f"stuck: {here.state()['message']}")

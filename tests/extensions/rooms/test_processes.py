"""Programs in processes of their own, with boards of different kinds, at a real broker: all of them get killed."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_host.archive.journal import Journal
from lodestone.server import Phone
from tests.e2e.program import PATIENCE_S, Program
from tests.extensions.rooms.hostile_bridge import HostileBridge
from tests.link.brokers import MOSQUITTO, RealBroker

BROKER = -1


class Home:
    """One program with its host, whose hands and players are simulated."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.program = Program(folder, "--hands", "all", "--pause", "0", *options)
        self.start()

    def start(self) -> None:
        """Start the program, again after a kill."""
        self.program.start()
        self.watcher, self.host = Phone(self.program.base), Phone(self.program.base)
        self.host.post("/api/host/enter", {"token": self.program.host_token()})

    def until(self, holds: Callable[[Any], Any], within: float = PATIENCE_S) -> None:
        """Wait until something holds for what the table shows."""
        self.watcher.until(holds, within)

    def kill(self) -> None:
        """End the program at once."""
        self.program.stop(signal.SIGKILL)

    def close(self) -> None:
        """End the program."""
        self.program.stop()

    @property
    def view(self) -> Any:
        """What the table shows."""
        return self.watcher.view

    @property
    def room(self) -> Any:
        """What the host sees of the room."""
        return self.host.get("/api/host/state")["room"]

    def shared(self, game: str) -> list[tuple[str, str]]:
        """Return the game's entries by this table's journal: kinds and actions."""
        journal = Journal(self.program.data / "journal.sqlite", writer=False)
        try:
            journal.verify()
            kinds = {"start", "reveal", "action", "loop", "resign", "result"}
            return [(one.kind, str(one.data.get("position"))) for one in journal.entries(game) if one.kind in kinds]
        finally:
            journal.close()


def meet(folder: Path, url: str, *boards: tuple[str, ...], link: Callable[[str], str] = str) -> list[Home]:
    """Return homes in one room, with a computer each, in the lobby; ``link`` changes the invitation on its way."""
    homes = [Home(folder / f"home{number}", *options) for number, options in enumerate(boards, 1)]
    homes[0].host.post("/api/host/room/open", {"name": "Home 1", "broker": url})
    for number, home in enumerate(homes[1:], 2):
        home.host.post("/api/host/room/join", {"name": f"Home {number}", "link": link(homes[0].room["link"])})
        homes[0].until(lambda _, n=number: len(homes[0].room["tables"]) == n - 1)
    for seat, home in enumerate(homes, 1):
        home.until(lambda view: view["game"]["id"] == homes[0].view["game"]["id"])
        home.host.post("/api/host/computer", {"seat": seat, "level": 1})
    for home in homes:
        home.until(lambda view: all(one["taken"] for one in view["seats"]))
    return homes


def assert_alike(homes: list[Home], game: str, least: int) -> None:
    """Both journals have so many entries of the game at least, and the same ones as far as both go."""
    logs = [home.shared(game) for home in homes]
    assert min(map(len, logs)) >= least
    for one, other in zip(*logs, strict=False):
        assert one == other


def test_a_game_of_two_programs(tmp_path: Path, broker: RealBroker) -> None:
    """From the invitation to the same entries in both journals, through the end of a program and of the broker."""
    homes = meet(tmp_path, broker.url, ("--kind", "presence"), ("--kind", "polarity"))
    try:
        assert homes[0].room["words"] == homes[1].room["words"]
        homes[0].host.post("/api/host/start", {})
        homes[0].until(lambda view: view["turn"] and view["turn"] >= 2)
        game = homes[0].view["game"]["id"]
        broker.kill()
        homes[1].kill()
        broker.start()
        homes[1].start()
        for home in homes:
            home.until(lambda view: view["turn"] and view["turn"] >= 3)
    finally:
        for home in homes:
            home.close()
    assert_alike(homes, game, 3)


@pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto: tests/need-mosquitto")
@pytest.mark.thorough
@pytest.mark.parametrize(("attacks", "turns"), [(8, 3), (16, 10)])
def test_a_hostile_client_between_two_brokers(tmp_path: Path, attacks: int, turns: int) -> None:
    """Each program knows one Mosquitto; whoever carries messages between them attacks in each of eight ways."""
    brokers = [RealBroker("mosquitto", tmp_path), RealBroker("mosquitto", tmp_path)]
    with HostileBridge([broker.port for broker in brokers], Random(5)) as bridge:
        homes = meet(
            tmp_path,
            brokers[0].url,
            ("--game", "coil", "--kind", "presence"),
            ("--game", "coil", "--kind", "polarity"),
            link=lambda link: link.replace(str(brokers[0].port), str(brokers[1].port)),
        )
        try:
            game = homes[0].view["game"]["id"]
            bridge.hostile = True
            homes[1].host.post("/api/host/start", {})
            for home in homes:
                home.until(
                    lambda view: bridge.attacks >= attacks and view["log"] and view["log"][-1]["n"] >= turns, within=240
                )
            bridge.hostile = False
        finally:
            for home in homes:
                home.close()
    for broker in brokers:
        broker.close()
    assert_alike(homes, game, turns)


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "boards",
    [
        (("--kind", "presence"), ("--kind", "polarity")),
        (("--game", "phalanx", "--kind", "polarity"), ("--game", "phalanx", "--kind", "presence")),
        (("--game", "coil", "--kind", "presence"), ("--game", "coil", "--kind", "polarity")),
        (("--board", "octiles-53", "--sim", "--kind", "polarity"), ("--board", "octiles-189", "--sim")),
        tuple(("--mode", "4", "--kind", kind) for kind in ("presence", "polarity", "level", "presence")),
    ],
    ids=["spokes", "phalanx", "coil", "octiles", "four"],
)
def test_kills_and_a_broker_that_is_restarted(
    tmp_path: Path, broker: RealBroker, boards: tuple[tuple[str, ...], ...]
) -> None:
    """Each program is killed ten times, the broker five times: both journals hold the same game."""
    homes = meet(tmp_path, broker.url, *boards)
    rng = Random(3)
    homes[0].host.post("/api/host/start", {})
    for home in homes:
        home.until(lambda view: view["phase"] != "lobby")
    game = homes[0].view["game"]["id"]

    def is_over(view: Any) -> bool:
        """Whether the game is: a program that is started after its end opens the next lobby."""
        return bool(view["phase"] == "over" or view["game"]["id"] != game)

    fates = [*range(len(homes))] * 10 + [BROKER] * 5
    rng.shuffle(fates)
    try:
        for fate in fates:
            before = homes[0].view["log"][-1]["n"] if homes[0].view["log"] else 0
            if fate == BROKER:
                broker.kill()
                broker.start()
            else:
                homes[fate].kill()
                homes[fate].start()
            if any(is_over(home.view) for home in homes):
                break
            homes[0].until(
                lambda view, n=before: is_over(view) or (view["log"] and view["log"][-1]["n"] > n), within=240
            )
        for home in homes:
            home.until(is_over, within=300)
    finally:
        for home in homes:
            home.close()
    logs = [home.shared(game) for home in homes]
    assert logs[0][-1][0] == "result"
    assert all(log == logs[0] for log in logs)

"""The loop: sensors to table to journal to lights, with everything real but the time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.games.seals import commitment
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened, SealReady
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from lodestone.tables import SimulatedTable
from tests.sampling import few
from tests.schemes import there

NONCE = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[SimulatedTable]:
    here = SimulatedTable(tmp_path)
    yield here
    here.close()


def sit(table: SimulatedTable, *, computer: bool = False, position: str | None = None) -> None:
    runtime = table.runtime
    for seat, name in ((1, "Ann"), (2, "Bob")):
        runtime.submit(SeatTaken(at=runtime.now(), seat=seat, name=name, claim=f"c{seat}", computer=computer))
    runtime.submit(GameStarted(at=runtime.now(), seed=1, position=position))
    table.wait(0.3)


def seal(table: SimulatedTable, actions: dict[int, str]) -> None:
    runtime = table.runtime
    info: Any = table.view["seal"]
    for seat, action in actions.items():
        digest = commitment(info["game"], info["turn"], seat, info["history"], action, NONCE)
        runtime.submit(SealCommitted(at=runtime.now(), seat=seat, turn=info["turn"], commitment=digest))
    for seat in actions:
        runtime.submit(SealReady(at=runtime.now(), seat=seat, turn=info["turn"]))
    for seat, action in actions.items():
        runtime.submit(SealOpened(at=runtime.now(), seat=seat, turn=info["turn"], action=action, nonce=NONCE))


def kinds(table: SimulatedTable) -> list[str]:
    summary = table.journal.games()[-1]
    return [entry.kind for entry in table.journal.entries(summary.id)]


@pytest.mark.parametrize(
    ("board", "kind"),
    few(
        there(
            [
                ("spokes-45", "presence"),
                ("spokes-45", "polarity"),
                ("spokes-45", "level"),
                ("spokes-45-74hc165-spi", "polarity"),
                ("spokes-45-4067", "presence"),
                ("spokes-45-matrix", "presence"),
                ("spokes-45-mcp3008", "polarity"),
                ("spokes-45-mcp3008", "level"),
                ("spokes-45-ads1115", "level"),
            ]
        ),
        4,
    ),
)
def test_a_turn_from_seal_to_pixels(tmp_path: Path, board: str, kind: str) -> None:
    table = SimulatedTable(tmp_path, board=board, kind=kind)
    sit(table)
    assert table.view["phase"] == "sealing"
    seal(table, {1: "wD12", 2: "wD13"})
    table.wait(0.5)
    assert table.view["phase"] == "placing"
    seen = set()
    for _ in range(60):
        table.wait(0.02)
        seen.add(table.pixel("D12"))
    assert len(seen) > 5, "the light breathes"
    assert all(blue >= red for red, _, blue in seen), "in seat 1's blue"
    table.hand.put("D12", "w")
    table.hand.put("D13", "w")
    table.wait(0.5)
    assert table.view["phase"] == "resolving"
    table.hand.lift("D13")
    table.wait(0.2)
    assert table.pixel("D14") == (0, 255, 255)
    table.hand.put("D14")
    table.wait(1.0)
    assert table.view["phase"] == "sealing"
    assert kinds(table)[-2:] == ["reveal", "action"]
    table.close()


def test_the_frame_stays_under_the_current_limit(table: SimulatedTable) -> None:
    sit(table)
    for node in table.description.nodes:
        table.hand.put(node, "w" if int(table.description.nodes[node].channel) % 2 else "b")
        table.wait(0.02)
    for _ in range(100):
        table.wait(0.05)
        drawn = sum(map(sum, table.parts.wire.pixels())) * 20 / 255
        assert drawn <= table.description.lights.max_current_ma


def test_a_lost_board_pauses_and_comes_back(table: SimulatedTable) -> None:
    sit(table)
    seal(table, {1: "wD12", 2: "bB3"})
    table.parts.world.set_fault("lost")
    table.wait(0.2)
    assert "does not answer" in str(table.view["standstill"])
    table.parts.world.clear_faults()
    table.hand.put("D12", "w")
    table.hand.put("B3", "b")
    table.wait(1.2)
    assert table.view["standstill"] is None
    assert (table.view["phase"], table.view["turn"]) == ("sealing", 2)


def test_a_flapping_contact_is_named_and_masked(table: SimulatedTable) -> None:
    sit(table)
    table.parts.world.set_fault("flapping", "C4")
    table.wait(4.0)
    sensors: Any = table.view["sensors"]
    assert "flapping (channel 8)" in sensors["masked"]["C4"]
    assert table.view["problem"] is None


def test_computers_play_without_phones(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path, kind="level")
    sit(table, computer=True)
    table.wait(0.1)
    assert table.view["phase"] == "placing"
    assert kinds(table).count("seal") == 2
    tasks: Any = table.view["tasks"]
    for task in tasks:
        table.hand.put(task["node"], task["piece"])
    table.wait(1.0)
    assert kinds(table).count("reveal") >= 1
    assert table.view["phase"] in {"placing", "resolving"}
    table.close()


def test_a_computers_seal_survives_a_restart(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path)
    runtime = table.runtime
    runtime.submit(SeatTaken(at=runtime.now(), seat=1, name="Ann", claim="c1"))
    runtime.submit(SeatTaken(at=runtime.now(), seat=2, name="Computer", claim="", computer=True))
    runtime.submit(GameStarted(at=runtime.now()))
    table.wait(0.5)
    info: Any = table.view["seal"]
    sealed = info["commitments"]["2"]
    table.close()
    again = SimulatedTable(tmp_path, resume=True)
    again.wait(0.5)
    info = again.view["seal"]
    assert info["commitments"] == {"2": sealed}
    digest = commitment(info["game"], 1, 1, info["history"], "wA1", NONCE)
    again.runtime.submit(SealCommitted(at=again.runtime.now(), seat=1, turn=1, commitment=digest))
    again.wait(0.1)
    again.runtime.submit(SealReady(at=again.runtime.now(), seat=1, turn=1))
    again.runtime.submit(SealOpened(at=again.runtime.now(), seat=1, turn=1, action="wA1", nonce=NONCE))
    again.wait(0.1)
    assert again.view["phase"] == "placing", "the computer has opened what it sealed before the restart"
    again.close()


def test_nothing_reaches_the_journal_or_the_view_before_all_have_sealed(table: SimulatedTable) -> None:
    sit(table)
    info: Any = table.view["seal"]
    digest = commitment(info["game"], 1, 1, info["history"], "wD12", NONCE)
    table.runtime.submit(SealCommitted(at=table.runtime.now(), seat=1, turn=1, commitment=digest))
    frames = set()
    for _ in range(50):
        table.wait(0.02)
        frames.add(table.parts.wire.data)
    assert frames == {bytes(135)}, "no light depends on a private choice"
    everything = str(table.view) + str([entry.data for entry in table.journal.entries(table.journal.games()[-1].id)])
    assert "wD12" not in everything
    assert NONCE not in everything


def test_a_new_game_needs_the_old_one_to_be_over(table: SimulatedTable) -> None:
    sit(table)
    with pytest.raises(TableError, match="still being played"):
        table.runtime.new_game()
    table.runtime.submit(Resigned(at=table.runtime.now(), seat=1))
    table.runtime.new_game("4")
    seats: Any = table.view["seats"]
    assert [seat["name"] for seat in seats] == ["Ann", "Bob", "Player 3", "Player 4"]
    assert table.journal.games()[-1].mode == "4"


def test_phones_on_other_threads_are_served_and_refused(table: SimulatedTable) -> None:
    table.clock.now = 0.0
    runtime = table.runtime
    runtime.start()
    answers: list[str] = []

    def phone(seat: int) -> None:
        try:
            runtime.submit(SeatTaken(at=runtime.now(), seat=1, name=f"P{seat}", claim=f"c{seat}"))
            answers.append("sat")
        except TableError as error:
            answers.append(error.code)

    threads = [threading.Thread(target=phone, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    runtime.stop()
    assert sorted(answers) == ["sat", *["seat_taken"] * 5]
    with pytest.raises(TableError, match="closed"):
        runtime.submit(ev.Tick(at=0.0))

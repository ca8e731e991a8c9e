"""A computer seals as soon as a turn begins: that binds nobody, and the last step can still be taken back."""

from __future__ import annotations

import pytest

from firmware_host.archive.verify import GameReplay
from firmware_host.games.spokes.board import INDEX, NEIGHBOURS, NODES
from firmware_host.session.computers import ComputerPlayers
from firmware_host.table import events as ev
from firmware_host.table.subjects.proposals import ActionUndone, Proposed
from firmware_host.table.subjects.rounds import SealReady
from lodestone.evening import Evening
from tests.attached import proof_of


class Against(Evening):
    """Ada against a computer, which acts after everything that happens."""

    def __init__(self) -> None:
        super().__init__("spokes", "2")
        self.players = ComputerPlayers(b"k" * 32, 0.0)
        self.sit_and_start("Ada", "Robot", computers=(2,))

    def say(self, event: ev.Event) -> None:
        super().say(event)
        for answer in self.players.act(self.table, self.at) if self.table.ledger.started else ():
            super().say(answer)

    def play_turn_1(self) -> str:
        """Let Ada seal next to the computer's stone, and resolve; return the last step."""
        sealing = self.table.ledger.round
        assert sealing is not None
        theirs, _ = self.players._seals._random(self.table, sealing, 2)
        beside = next(node for node in NEIGHBOURS[INDEX[theirs[1:]]] if node < 29)
        mine = ("b" if theirs[0] == "w" else "w") + NODES[beside]
        self.commit(1, mine)
        self.say(SealReady(at=self.at, seat=1, turn=1))
        self.open(1, mine)
        self.put_down_all()
        step = self.table.watch.tracker.steps[0].action
        self.do(step)
        return step


def sealed(evening: Evening) -> list[bool]:
    return [seat["sealed"] for seat in evening.view()["seats"]]


@pytest.fixture
def against() -> Against:
    evening = Against()
    evening.last = evening.play_turn_1()  # type: ignore[attr-defined]
    assert evening.phase == "sealing"
    assert sealed(evening) == [False, True], "it seals at once"
    return evening


def test_the_last_step_is_taken_back_by_agreement_and_the_computers_seal_is_void_with_it(against: Against) -> None:
    assert against.view()["can"]["take-back"]
    against.say(Proposed(at=against.at, seat=1, what="take-back"))
    against.wait(0.1)
    assert against.phase == "setup"
    assert against.table.ledger.now.kind == "reveal"
    assert sealed(against) == [False, False]


def test_the_host_takes_it_back(against: Against) -> None:
    against.say(ActionUndone(at=against.at))
    assert against.table.ledger.now.kind == "reveal"


def test_the_hands_take_it_back(against: Against) -> None:
    before = dict(against.table.ledger.moments[-2].placed)
    for node in [node for node in against.stones if node not in before]:
        against.take_off(node)
    pulled = next(node for node in before if node not in against.stones)
    (puller,) = [node for node in before if node != pulled]
    against.carry(puller, pulled, before[pulled])
    against.wait(1)
    assert against.phase == "resolving"
    assert against.table.ledger.now.kind == "reveal"


def test_once_a_person_has_sealed_the_turn_has_to_be_played(against: Against) -> None:
    against.commit(1, "wD9")
    assert not against.view()["can"]["take-back"]
    assert against.refused(ActionUndone(at=against.at)) == "bad_proposal"


def test_the_computer_seals_again_and_the_record_and_the_proof_hold(against: Against) -> None:
    against.say(ActionUndone(at=against.at))
    for node in list(against.stones):
        against.take_off(node)
    for node, stack in against.table.ledger.now.placed.items():
        against.put(node, stack[0])
    against.wait(1)
    other = next(step.action for step in against.table.watch.tracker.steps if step.action != against.last)  # type: ignore[attr-defined]
    against.do(other)
    assert sealed(against) == [False, True]
    against.commit(1, "wD9")
    against.say(SealReady(at=against.at, seat=1, turn=2))
    against.open(1, "wD9")
    assert against.phase == "placing"

    started = next(n for n, (kind, _) in enumerate(against.entries) if kind == "start")
    seats = {"1": {"name": "Ada", "computer": False}, "2": {"name": "Robot", "computer": True}}
    header = {"id": "g1", "game": "spokes", "mode": "2", "rules": {}, "seats": seats, "started": "now"}
    replay, proof = GameReplay(header), proof_of(against.game, "g1", "2")
    for kind, data in against.entries[started:]:
        replay.feed(kind, data)
    proof.feed((kind, data, "now") for kind, data in against.entries)
    assert replay.seals == 4
    assert [(turn.turn, turn.revealed is not None, turn.taken_back is not None) for turn in proof.turns] == [
        (1, True, False),
        (2, False, True),
        (2, True, False),
    ]

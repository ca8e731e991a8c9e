"""Whole evenings as text: tests/scenarios/*.txt, readable by a player.

A line is a command and its words; ``#`` begins a comment. Commands: ``game MODE KIND``, ``seats NAME..``, ``at
POSITION``, ``seal SEAT=PLACEMENT..``, ``lift NODE [COUNT]``, ``put NODE [PIECE]``, ``stones`` (put the revealed stones
down), ``tap NODE``, ``wait SECONDS``, ``confirm SEAT ACTION``, ``choose SEAT ACTION``, ``resign SEAT``, ``propose SEAT
WHAT``, ``agree SEAT WHAT``, ``decline SEAT WHAT``, ``guidance SEAT on|off``, ``restart``, ``mask NODE``. What a search
answers: ``foresee [exact] rest STEP..`` (a way to a rest), ``foresee [exact] loop STEP..`` (no rest, a way to a loop),
``foresee proved NODE..`` (a loop), ``foresee circling NODE..`` (stones that circle, nothing is decided), ``foresee
nothing``. And what must hold then: ``phase PHASE``, ``board CELLS``,
``did ACTION..`` (the actions in force, all of them), ``light NODE MEANING``, ``dark NODE``, ``asks ACTION..``, ``says
WORDS``, ``problem WORDS`` or ``problem none``, ``suspects NODE..`` or ``suspects none``, ``outlook WORDS`` or
``outlook none``, ``best STEP [STEPS LEFT]`` or ``best none``, ``asked WORDS`` (the open proposal). A command after
``!`` must be refused.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_host.games.game import Foresight
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from tests.table.evening import Evening

ANSWERS: dict[str, Callable[[tuple[str, ...], bool], Foresight]] = {
    "rest": lambda way, exact: Foresight(True, False, way=way, end="rest", cells="x", exact=exact),
    "loop": lambda way, exact: Foresight(False, False, way=way, end="loop", cells="x", exact=exact),
    "proved": lambda nodes, _: Foresight(False, True, nodes),
    "circling": lambda nodes, _: Foresight(None, None, nodes),
    "nothing": lambda _nodes, _: Foresight(None, None),
}
FOLDER = Path(__file__).parent.parent / "scenarios"


class Script:
    """One scenario file being played."""

    def __init__(self) -> None:
        self.evening = Evening()

    def run(self, line: str) -> None:
        refuse = line.startswith("!")
        command, *words = shlex.split(line.lstrip("! "), comments=True)
        deed: Callable[..., None] = getattr(self, f"do_{command}")
        if not refuse:
            deed(*words)
            return
        before = self.evening.picture()
        with pytest.raises(TableError):
            deed(*words)
        assert self.evening.picture() == before, "a refused command has changed the table"

    def do_game(self, mode: str, kind: str) -> None:
        self.evening = Evening("spokes", mode, kind)

    def do_seats(self, *names: str) -> None:
        self.evening.sit_and_start(*names)

    def do_at(self, *position: str) -> None:
        self.evening.begin_at(" ".join(position))

    def do_seal(self, *placements: str) -> None:
        self.evening.seal_all({int(word.split("=")[0]): word.split("=")[1] for word in placements})

    def do_lift(self, node: str, count: str = "1") -> None:
        self.evening.lift(node, int(count))

    def do_put(self, node: str, piece: str | None = None) -> None:
        self.evening.put(node, piece)

    def do_stones(self) -> None:
        self.evening.put_down_all()

    def do_tap(self, node: str) -> None:
        self.evening.tap(node)

    def do_wait(self, seconds: str) -> None:
        self.evening.wait(float(seconds))

    def do_confirm(self, seat: str, action: str) -> None:
        self.evening.say(ev.Confirmed(at=self.evening.at, seat=int(seat), action=action))

    def do_choose(self, seat: str, action: str) -> None:
        self.evening.say(ev.ActionChosen(at=self.evening.at, seat=int(seat), action=action))

    def do_resign(self, seat: str) -> None:
        self.evening.say(ev.Resigned(at=self.evening.at, seat=int(seat)))

    def do_propose(self, seat: str, what: str) -> None:
        self.evening.say(ev.Proposed(at=self.evening.at, seat=int(seat), what=what))

    def do_agree(self, seat: str, what: str) -> None:
        self.evening.say(ev.Agreed(at=self.evening.at, seat=int(seat), what=what))

    def do_decline(self, seat: str, what: str) -> None:
        self.evening.say(ev.Declined(at=self.evening.at, seat=int(seat), what=what))

    def do_guidance(self, seat: str, on: str) -> None:
        self.evening.say(ev.GuidanceChosen(at=self.evening.at, seat=int(seat), on={"on": True, "off": False}[on]))

    def do_foresee(self, *words: str) -> None:
        exact = words[0] == "exact"
        what, *more = words[exact:]
        self.evening.foresee(ANSWERS[what](tuple(more), exact))

    def do_mask(self, node: str) -> None:
        self.evening.say(ev.SensorMasked(at=self.evening.at, node=node, reason="said so"))

    def do_restart(self) -> None:
        self.evening = self.evening.restarted()

    def do_phase(self, phase: str) -> None:
        assert self.evening.phase == phase

    def do_board(self, cells: str) -> None:
        assert self.evening.text().split()[0] == cells

    def do_did(self, *actions: str) -> None:
        assert self.evening.done() == list(actions)

    def do_light(self, node: str, meaning: str) -> None:
        assert self.evening.lights().get(node) == meaning, self.evening.lights()

    def do_suspects(self, *nodes: str) -> None:
        suspects = [suspect["node"] for suspect in self.evening.view()["sensors"]["suspects"]]
        assert suspects == [node for node in nodes if node != "none"]

    def do_dark(self, node: str) -> None:
        assert node not in self.evening.lights()

    def do_asks(self, *actions: str) -> None:
        question = self.evening.view()["question"]
        assert question is not None
        assert sorted(choice["action"] for choice in question["choices"]) == sorted(actions)

    def do_says(self, *words: str) -> None:
        assert " ".join(words) in self.evening.view()["message"]

    def do_outlook(self, *words: str) -> None:
        known = self.evening.view()["foresight"]
        assert " ".join(words) in (known["words"] if known else "none")

    def do_best(self, step: str, left: str | None = None) -> None:
        known = self.evening.view()["foresight"]
        assert (known and known["next"]) == (None if step == "none" else step)
        assert left is None or known["steps_left"] == int(left)

    def do_asked(self, *words: str) -> None:
        proposal = self.evening.view()["proposal"]
        assert proposal is not None
        assert " ".join(words) in proposal["words"]

    def do_problem(self, *words: str) -> None:
        problem = self.evening.view()["problem"]
        if words == ("none",):
            assert problem is None
        else:
            assert problem is not None
            assert " ".join(words) in problem["text"]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_scenario(path: Path) -> None:
    script = Script()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            script.run(line)
        except Exception as error:
            raise AssertionError(
                f"{path.name}:{number}: {line}\n{error}\n{script.evening.view()['message']}"
            ) from error


def test_there_are_scenarios() -> None:
    assert len(list(FOLDER.glob("*.txt"))) >= 8

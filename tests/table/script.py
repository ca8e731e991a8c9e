"""Whole evenings as text: tests/scenarios/*.txt, readable by a player, played through `lodestone table`.

A line is a command and its words; ``#`` begins a comment.

People: ``game [NAME] MODE KIND``, ``seats NAME..``, ``at POSITION``, ``seal SEAT=PLACEMENT..``, ``confirm SEAT
ACTION``, ``choose SEAT ACTION``, ``resign SEAT``, ``propose SEAT WHAT``, ``agree SEAT WHAT``, ``decline SEAT WHAT``,
``hint SEAT TOLD``, ``hints SEAT on|off``, ``mask NODE``, ``pause``, ``resume``, ``restart``.

Hands: ``lift NODE [COUNT]``, ``put NODE [PIECE]`` (what the hand holds, or a piece from the supply), ``take NODE
[PIECE]`` (off the board), ``move FROM TO``, ``slide NODE.. TO [and NODE.. TO]..`` (lines that are pushed on at one go,
each its rear first), ``tap NODE``, ``stones`` (put the revealed stones down), ``follow MOVES`` (do what the table says
until it has nothing to say, in at most so many moves), ``wait SECONDS``. ``other`` before one of these means the other
hand.

What a search answers: ``foresee [exact] rest STEP..`` (a way to a rest), ``foresee [exact] loop STEP..`` (no rest, a
way to a loop), ``foresee proved NODE..`` (a loop), ``foresee circling NODE..`` (stones that circle, nothing is
decided), ``foresee nothing``.

What must hold then: ``phase PHASE``, ``board CELLS`` (the first word of the position), ``did ACTION..`` (the actions in
force, all of them), ``light NODE MEANING``, ``dark NODE``, ``asks ACTION..`` or ``asks nothing``, ``asks among
ACTION..`` (these and perhaps others), ``task DO NODE..``, ``alike NODE`` (lights and tasks ask for the same there),
``says WORDS``, ``problem WORDS`` or ``problem none``, ``suspects NODE..`` or ``suspects none``, ``outlook WORDS`` or
``outlook none``, ``best STEP [STEPS LEFT]`` or ``best none``, ``asked WORDS`` (the open proposal) or ``asked none``,
``notice WORDS``. After ``kind`` stand some words of the sentence that is told, whatever its values: ``problem kind a
stone moves along`` (:mod:`tests.sentences`). A command after ``!`` must be refused.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

import pytest

from firmware_host.games.game import Analysis
from firmware_host.games.registry import GAMES
from firmware_host.games.registry import game as find_game
from lodestone.evening import Stones
from tests.sentences import is_in
from tests.table.doors import Direct, Refused

KIND = "kind"


def tells(words: tuple[str, ...], text: str) -> bool:
    """Return whether a text has these words; after ``kind``: the sentence in which they stand."""
    kind, said = words[0] == KIND, " ".join(words)
    return is_in(said.removeprefix(f"{KIND} "), text) if kind else said in text


ANSWERS: dict[str, Callable[[tuple[str, ...], bool], Analysis]] = {
    "rest": lambda way, exact: Analysis(True, False, way=way, end="rest", cells="x", exact=exact),
    "loop": lambda way, exact: Analysis(False, False, way=way, end="loop", cells="x", exact=exact),
    "proved": lambda nodes, _: Analysis(False, True, nodes),
    "circling": lambda nodes, _: Analysis(None, None, nodes),
    "nothing": lambda _nodes, _: Analysis(None, None),
}
STILL_S = 6.0
"""After so long nothing shows that did not show before: the repair view comes after four seconds."""


class Script(Stones):
    """One scenario being played."""

    def __init__(self, door: Direct) -> None:
        super().__init__(find_game("spokes"), "presence")
        self.door = door
        self.mode = "2"
        self.names: list[str] = []
        self.at = 0.0
        self.now: dict[str, Any] = {}
        self.moments: list[str | None] = [None]
        """The start and what is in force after it: an action, None for anything else."""
        self.other_hand: list[str] = []

    def run(self, line: str) -> None:
        refuse = line.startswith("!")
        command, *words = shlex.split(line.lstrip("! "), comments=True)
        deed: Callable[..., None] = getattr(self, f"do_{command}")
        if not refuse:
            deed(*words)
            return
        before = self.view()
        with pytest.raises(Refused):
            deed(*words)
        assert self.view() == before, "a refused command has changed the table"

    # -- the table -----------------------------------------------------------------------------------------------

    def ask(self, do: str, **fields: Any) -> None:
        """Send a line, and keep what is answered."""
        self.now = self.door.ask(do=do, time=round(self.at, 6), **fields)
        self.note(self.now["journal"])

    def note(self, news: list[dict[str, Any]]) -> None:
        for entry in news:
            if entry["kind"] == "correction":
                del self.moments[entry["to"] + 1 :]
            elif entry["kind"] in {"reveal", "action", "loop", "resign", "decided"}:
                self.moments.append(entry["action"] if entry["kind"] == "action" else None)

    def view(self) -> dict[str, Any]:
        answer = self.door.ask(do="look", view=True)
        self.note(answer["journal"])
        view: dict[str, Any] = answer["view"]
        return view

    def open(self, names: list[str], **position: str) -> None:
        self.stones, self.hand, self.other_hand, self.moments, self.at = {}, [], [], [None], 0.0
        seats = self.game.seats(self.mode)
        named = [names[n] if n < len(names) else f"P{seat}" for n, seat in enumerate(seats)]
        self.ask("open", game=self.game.name, mode=self.mode, kind=self.kind, seats=named, **position)

    def feel(self, *nodes: str) -> None:
        self.ask("sense", nodes={node: self.sensed(node) for node in nodes})

    def deed(self, what: str, **fields: Any) -> None:
        self.ask("request", what=what, **fields)

    # -- people --------------------------------------------------------------------------------------------------

    def do_game(self, *words: str) -> None:
        *name, self.mode, self.kind = words
        assert not name or name[0] in GAMES
        self.game, self.names = find_game(*name or ["spokes"]), []

    def do_seats(self, *names: str) -> None:
        self.names = list(names)
        self.open(self.names)
        self.lay_out()

    def do_at(self, *position: str) -> None:
        self.open(self.names, position=" ".join(position))
        self.lay_out()

    def lay_out(self) -> None:
        """Put everything where the position wants it, at once."""
        occupancy = self.game.occupancy(self.game.parse(self.now["position"]))
        self.stones = {node: list(stack) for node, stack in occupancy.items()}
        self.feel(*self.stones)
        self.do_wait("0.3")

    def do_seal(self, *placements: str) -> None:
        for word in placements:
            seat, action = word.split("=")
            self.deed("seal", seat=int(seat), action=action)

    def do_confirm(self, seat: str, action: str) -> None:
        self.deed("confirm", seat=int(seat), action=action)

    def do_choose(self, seat: str, action: str) -> None:
        self.deed("choose", seat=int(seat), action=action)

    def do_resign(self, seat: str) -> None:
        self.deed("resign", seat=int(seat))

    def do_propose(self, seat: str, what: str) -> None:
        self.deed("propose", seat=int(seat), proposal=what)

    def do_agree(self, seat: str, what: str) -> None:
        self.deed("agree", seat=int(seat), proposal=what)

    def do_decline(self, seat: str, what: str) -> None:
        self.deed("decline", seat=int(seat), proposal=what)

    def do_hint(self, seat: str, level: str) -> None:
        self.deed("hint", seat=int(seat), level=int(level))

    def do_hints(self, seat: str, on: str) -> None:
        self.deed("hints", seat=int(seat), on={"on": True, "off": False}[on])

    def do_mask(self, node: str) -> None:
        self.deed("mask", node=node)

    def do_pause(self) -> None:
        self.deed("pause")

    def do_resume(self) -> None:
        self.deed("resume")

    def do_restart(self) -> None:
        self.ask("restart")

    def do_foresee(self, *words: str) -> None:
        exact = words[0] == "exact"
        what, *more = words[exact:]
        self.door.foresee(self.at, ANSWERS[what](tuple(more), exact))
        self.do_wait("0")

    # -- hands ---------------------------------------------------------------------------------------------------

    def do_other(self, command: str, *words: str) -> None:
        self.hand, self.other_hand = self.other_hand, self.hand
        getattr(self, f"do_{command}")(*words)
        self.hand, self.other_hand = self.other_hand, self.hand

    def do_lift(self, node: str, count: str = "1") -> None:
        self.lift(node, int(count))

    def do_put(self, node: str, piece: str | None = None) -> None:
        self.put(node, piece)

    def do_take(self, node: str, piece: str | None = None) -> None:
        held, self.hand = self.hand, []
        self.lift(node, [piece] if piece else 1)
        self.hand = held

    def do_move(self, source: str, target: str) -> None:
        held, self.hand = self.hand, []
        self.lift(source)
        self.do_wait("0.1")
        self.put(target)
        self.hand = held

    def do_slide(self, *nodes: str) -> None:
        lines = [line.split() for line in " ".join(nodes).split(" and ")]
        for line in lines:
            moved = [self.stones.pop(node) for node in line[:-1]]
            self.stones.update(zip(line[1:], moved, strict=True))
        self.feel(*(node for line in lines for node in line))

    def do_tap(self, node: str) -> None:
        held, self.hand = self.hand, []
        self.lift(node, len(self.stones[node]))
        self.do_wait("0.2")
        self.put(node)
        self.hand = held

    def do_stones(self) -> None:
        for task in self.now["tasks"]:
            self.put(task["node"], task["piece"])
            self.do_wait("0.1")
        self.do_wait("2")

    def do_wait(self, seconds: str) -> None:
        self.at += float(seconds)
        self.ask("tick")

    def do_follow(self, moves: str) -> None:
        for _ in range(int(moves)):
            self.do_wait(str(STILL_S))
            if not self.now["tasks"] or self.now["problem"] is None:
                return
            self.obey(self.now["tasks"][0])
        self.do_wait(str(STILL_S))
        assert self.now["problem"] is None, f"after {moves} moves: {self.now['problem']}"

    def obey(self, task: dict[str, Any]) -> None:
        """Do one thing that the table says."""
        match task["do"]:
            case "put":
                if task["piece"] in self.hand:
                    self.hand.remove(task["piece"])
                self.put(task["node"], task["piece"])
            case "take":
                self.lift(task["node"])
            case "move":
                self.do_move(task["from"], task["to"])
            case "tap":
                self.do_tap(task["node"])

    # -- what must hold ------------------------------------------------------------------------------------------

    def do_phase(self, phase: str) -> None:
        assert self.now["phase"] == phase, self.now["phase"]

    def do_board(self, cells: str) -> None:
        assert self.now["position"].split()[0] == cells, self.now["position"]

    def do_did(self, *actions: str) -> None:
        done = [action for action in self.moments if action is not None]
        assert done == list(actions), f"in force are {done}"

    def do_light(self, node: str, meaning: str) -> None:
        assert self.now["lights"].get(node) == meaning, f"the lights are {self.now['lights']}"

    def do_dark(self, node: str) -> None:
        assert node not in self.now["lights"], f"the lights are {self.now['lights']}"

    def do_suspects(self, *nodes: str) -> None:
        assert self.now["suspects"] == [node for node in nodes if node != "none"], self.now["suspects"]

    def do_asks(self, *actions: str) -> None:
        question = self.now["asked"]
        offered = sorted(choice["action"] for choice in question["choices"]) if question else ["nothing"]
        if actions[:1] == ("among",):
            assert set(actions[1:]) <= set(offered), f"asked is {offered}"
        else:
            assert offered == sorted(actions), f"asked is {offered}"

    def do_alike(self, node: str) -> None:
        """Lights and tasks ask for the same at a node."""
        light = self.now["lights"].get(node)
        asked = [task["do"] for task in self.now["tasks"] if task.get("node") == node][:1]
        assert light in {"put", "confirm"}, f"the lights are {self.now['lights']}"
        assert asked == [{"put": "put", "confirm": "tap"}[light]], f"{node} is lit {light}, the tasks say {asked}"

    def do_task(self, do: str, *nodes: str) -> None:
        task = (self.now["tasks"] or [{"do": "nothing"}])[0]
        assert task["do"] == do, f"the tasks are {self.now['tasks']}"
        assert tuple(task[name] for name in ("node", "from", "to") if name in task) == nodes, task

    def do_says(self, *words: str) -> None:
        assert tells(words, self.now["message"]), self.now["message"]

    def do_notice(self, *words: str) -> None:
        assert any(tells(words, notice) for notice in self.now["notices"]), self.now["notices"]

    def do_asked(self, *words: str) -> None:
        proposal = self.now["proposal"]
        assert tells(words, proposal["words"] if proposal else "none"), proposal

    def do_problem(self, *words: str) -> None:
        problem = self.now["problem"]
        assert tells(words, problem["text"] if problem else "none"), problem
        assert words != ("none",) or problem is None, problem

    def do_outlook(self, *words: str) -> None:
        known = self.view()["analysis"]
        assert tells(words, known["words"] if known else "none"), known

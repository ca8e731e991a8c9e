"""A stranger at the table: sweeps, carries, taps and presses anything, then does what the table says.

However the board was left, following the answers must lead back to play, and nothing may count meanwhile that nobody
began; what counts by hand must be what the sensors report, and the next action by hand must count. The stranger knows
the rules and docs/table-protocol.md only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import permutations
from random import Random
from typing import Any

from firmware_host.games.game import Step
from firmware_host.games.registry import game as find_game
from tests.hands.account import Lost
from tests.hands.stranger_door import Checked
from tests.hands.tasks import obey
from tests.hands.world import World

ROUNDS = 4
HANDS = 2
NODE = r"[A-Za-z]?\d+"
DEEDS = (
    *("choose", "confirm", "propose", "agree", "decline", "mask", "unmask", "pause", "resume"),
    *("take-back", "void", "lose-board", "regain-board", "hint", "hints", "resign"),
)
PROPOSALS = ("take-back", "reseal", "void", "loop", "decided")
TALL = {
    "NNS": ("N<", "N", "N>", "S<"), "NSS": ("S<", "S", "S>", "N<"),
    "NNNS": ("N", "N>", "S<", "N<"), "NSSS": ("S", "S>", "N<", "S<"),
    "NNSS": ("N<", "N", "N>", "S<", "S", "S>"),
}  # fmt: skip
"""What ``level`` may report of three or four stones of both poles, as docs/table-protocol.md has it."""


class Stranger:
    """One evening with a stranger. Whatever the table does wrong raises :class:`Lost`."""

    def __init__(self, name: str, mode: str, kind: str, position: str, seed: int) -> None:
        self.game, self.random = find_game(name), Random(seed)
        self.seats = tuple(self.game.seats(mode))
        layout = self.game.layout()
        nodes = list(layout.nodes)
        self.near = {node: [b for line in layout.lines for a, b in (line, line[::-1]) if a == node] for node in nodes}
        self.door = Checked(nodes, game=name, mode=mode, kind=kind, position=position, seed=seed)
        self.world = World(self.door, nodes, kind, self.game.poles, layout.wells, self.random)
        self.hand: list[str] = []
        self.by_phone = False
        """Whether a phone has said something since the last action counted."""
        self.begun: set[str] | None = None
        """What may count while the stranger obeys: what hands had begun, or a phone said; None while nobody obeys."""
        self.chosen: set[str] = set()
        """What phones have chosen since somebody last obeyed."""
        self.played = 0
        self.put_right()
        self.door.heard = self.compare

    @property
    def now(self) -> Mapping[str, Any]:
        return self.door.now

    def run(self) -> int:
        """Play some rounds; return how many actions by hand have counted."""
        self.seal()
        for _ in range(ROUNDS):
            if self.now["phase"] == "over":
                break
            for _ in range(self.random.randrange(1, 5)):
                self.random.choice(CHAOS)(self)
                self.wait(self.random.choice((0.1, 0.3, 1.6, 5.0)))
            self.recover()
            self.seal()
            self.play()
        return self.played

    # -- time and board --------------------------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Let time pass, as sensors are scanned."""
        for _ in range(max(1, round(seconds * 50))):
            self.world.scan()
        self.door.pass_time()

    def compare(self) -> None:
        """Compare the board that counts by hand with what the sensors report, but for pieces in hands."""
        answer = self.now
        if not answer["committed"] and not answer["undone"]:
            return
        if self.begun is not None and not self.by_phone:
            unasked = [action for action in (*answer["committed"], *answer["undone"]) if action not in self.begun]
            if unasked:
                raise Lost(f"counted: {unasked} counts or is undone, though the stranger only obeyed")
        by_phone, self.by_phone = self.by_phone, False
        if by_phone or answer["stage"] or answer["phase"] == "setup":
            return
        removed = {node for entry in answer["journal"] for node in entry.get("removed", ())}
        besides = removed | self.door.turned | set(answer["masked"])
        wrong = set(self.unlike()) - besides
        wrong -= self._lifted(wrong)
        if wrong:
            counted = f"{answer['committed']} counts, {answer['undone']} undone"
            raise Lost(f"{counted}, and sensors differ at {sorted(wrong)}")

    def wanted(self) -> Mapping[str, tuple[str, ...]]:
        """Return what should lie."""
        position, stage = self.game.parse(self.now["position"]), tuple(self.now["stage"])
        game: Any = self.game
        lying: Mapping[str, tuple[str, ...]] = game.board_after(position, stage) if stage else game.occupancy(position)
        return lying

    def unlike(self) -> list[str]:
        """Return the nodes whose sensors report what no order of the right pieces would."""
        wanted = self.wanted()
        return [node for node, sent in self.door.sent.items() if sent not in self._reports(node, wanted.get(node, ()))]

    def _reports(self, node: str, stack: Sequence[str]) -> Collection[str]:
        """Return what a sensor may report of a stack in any order."""
        poles = "".join(sorted(self.world.poles[piece] for piece in stack)) if self.world.kind == "level" else ""
        return TALL.get(poles) or {self.world.report(node, order) for order in permutations(stack)}

    def _lifted(self, nodes: Collection[str]) -> set[str]:
        """Return which of these nodes only lack pieces: others may be lifted before an action counts, one a hand."""
        wanted, lifted = self.wanted(), set[str]()
        for node in nodes:
            stack = wanted.get(node, ())
            fewer = (some for count in range(len(stack)) for some in permutations(stack, count))
            if self.door.sent[node] in {self.world.report(node, some) for some in fewer}:
                lifted.add(node)
        return lifted if len(lifted) <= HANDS else set()

    def put_right(self) -> None:
        for node in self.world.stacks:
            self.world.set(node, self.wanted().get(node, ()))
        self.wait(0.5)

    def deed(self, what: str, **more: Any) -> None:
        self.by_phone = True
        self.door.deed(self.world.at, what, **more)

    # -- anything --------------------------------------------------------------------------------------------------

    def lying(self) -> list[str]:
        return [node for node, stack in self.world.stacks.items() if stack]

    def some(self, most: int) -> list[str]:
        lying = self.lying()
        return self.random.sample(lying, min(len(lying), self.random.randrange(1, most + 1)))

    def fits(self, node: str, piece: str) -> bool:
        """Tell whether a piece can be put on a node: tiles go into wells only, and stacks are no taller than two."""
        tile = bool(self.world.wells) and len(piece) > 1
        tallest = 2 if self.game.name == "spokes" else 1
        return (node in self.world.wells) is tile and len(self.world.stacks[node]) < (1 if tile else tallest)

    def fits_kind(self, node: str, piece: str) -> bool:
        """Tell whether a piece belongs on a node of this sort, a tile into a well."""
        return (node in self.world.wells) is (bool(self.world.wells) and len(piece) > 1)

    def carry(self) -> None:
        """Lift some pieces, and put some anywhere."""
        for _ in range(self.random.randrange(1, 5)):
            if self.hand and self.random.random() < 0.5:
                node = self.random.choice(list(self.world.stacks))
                if self.fits(node, self.hand[-1]):
                    self.world.put(node, [self.hand.pop()])
            else:
                for node in self.some(1):
                    self.hand += self.world.lift(node)
            self.wait(self.random.choice((0.02, 0.06, 0.1, 0.3, 1.0, 2.0)))

    def clear(self) -> None:
        """Take many stacks off; perhaps all that should lie comes back."""
        for node in self.some(60):
            self.hand += self.world.lift(node, list(self.world.stacks[node]))
            if self.random.random() < 0.3:
                self.wait(0.04)
        if self.random.random() < 0.5:
            self.wait(self.random.choice((0.1, 1.0, 5.0)))
            self.put_right()

    def shift(self) -> None:
        """Shift every piece to a neighbouring node."""
        way, moved = self.random.randrange(8), {node: list[str]() for node in self.world.stacks}
        for node in self.lying():
            to = [other for other in self.near[node] if (other in self.world.wells) is (node in self.world.wells)]
            moved[to[way % len(to)] if to else node] += self.world.stacks[node]
        for node, stack in moved.items():
            self.world.set(node, stack[:2])

    def pour(self) -> None:
        """Put pieces from the supply anywhere."""
        for _ in range(self.random.randrange(2, 7)):
            piece = self.random.choice(list(self.game.poles))
            free = [node for node in self.world.stacks if self.fits(node, piece)]
            if free:
                self.world.put(self.random.choice(free), [piece])
            self.wait(self.random.choice((0.02, 0.06)))

    def tap(self) -> None:
        for node in self.some(1) * self.random.choice((1, 2, 2, 3)):
            stack = self.world.lift(node, list(self.world.stacks[node]))
            self.wait(self.random.choice((0.1, 0.2, 0.4)))
            self.world.put(node, stack)
            self.wait(self.random.choice((0.1, 0.2, 0.4)))

    def swap(self) -> None:
        one, other = (self.some(1) + self.some(1) + ["", ""])[:2]
        if one and other and (one in self.world.wells) is (other in self.world.wells):
            stacks = self.world.stacks
            first, second = list(stacks[one]), list(stacks[other])
            self.world.set(one, second)
            self.world.set(other, first)

    def flutter(self) -> None:
        for node in self.some(3):
            self.world.flutter(node)

    def cut_power(self) -> None:
        if self.random.random() < 0.6:
            self.carry()
        self.by_phone = True
        self.door.restart(self.world.at)

    def two_at_once(self) -> None:
        """Two people do a step each, their hands crossing."""
        steps = [step for step in self.game.steps(self.game.parse(self.now["position"])) if _is_simple(step)]
        deeds = []
        for step in self.random.sample(steps, min(2, len(steps))) if self.now["phase"] == "resolving" else ():
            deeds.append(
                [(end, node) for m in step.moves for end, node in (("up", m.source), ("down", m.target)) if node]
            )
        while any(deeds):
            what, node = self.random.choice([one for one in deeds if one]).pop(0)
            if what == "up" and self.world.stacks[node]:
                self.hand += self.world.lift(node)
            elif what == "down" and self.hand and self.fits(node, self.hand[0]):
                self.world.put(node, [self.hand.pop(0)])
            self.wait(self.random.choice((0.06, 0.2, 0.5)))

    def sleeve(self) -> None:
        """A sleeve takes some neighbouring stacks along within a few scans."""
        for node in self.some(1):
            for other in [node, *self.random.sample(self.near[node], min(3, len(self.near[node])))]:
                self.hand += self.world.lift(other, list(self.world.stacks[other]))
                self.wait(self.random.choice((0.02, 0.04)))

    def recolour(self) -> None:
        """A stack is replaced by the same of other pieces."""
        for node in self.some(2):
            pieces = [piece for piece in self.game.poles if self.fits_kind(node, piece)]
            self.world.set(node, [self.random.choice(pieces) for _ in self.world.stacks[node]])

    def slide(self) -> None:
        """A piece is slid over some free nodes, and rests on them for a moment."""
        for node in self.some(1):
            piece, at = self.world.lift(node), node
            for _ in range(self.random.randrange(1, 4)):
                free = [other for other in self.near[at] if self.fits(other, piece[0])]
                if not free:
                    break
                at = self.random.choice(free)
                self.world.put(at, piece)
                self.wait(self.random.choice((0.06, 0.2, 0.6)))
                piece = self.world.lift(at)
            if self.fits(at, piece[0]):
                self.world.put(at, piece)

    def between(self) -> None:
        """A magnet between two nodes: for a moment the neighbour's sensor reports it, too, or instead."""
        for node in self.some(1):
            stack = list(self.world.stacks[node])
            for other in self.near[node][:1]:
                if self.fits(other, stack[0]) and not self.world.stacks[other]:
                    instead = self.random.random() < 0.5
                    self.world.set(other, stack)
                    self.world.set(node, [] if instead else stack)
                    self.wait(self.random.choice((0.06, 0.1, 0.3)))
                    self.world.set(other, [])
                    self.world.set(node, stack)

    def answer_by_hand(self) -> None:
        """What is asked is answered by two taps, on any of the stacks that are lit for it."""
        lit = [node for node, meaning in self.now["lights"].items() if meaning == "confirm"]
        for node in self.random.sample(lit, min(1, len(lit))) * 2:
            self.by_phone = True  # It answers, too.
            stack = self.world.lift(node, list(self.world.stacks[node]))
            self.wait(0.2)
            self.world.put(node, stack)
            self.wait(0.2)

    def pull_cable(self) -> None:
        """The board's cable is out while pieces are moved."""
        self.deed("lose-board")
        self.carry()
        self.deed("regain-board")

    def clear_a_loop(self) -> None:
        """Do a step after which the rules remove pieces, which somebody goes on to clear, or not."""
        now = self.now
        steps = self.game.steps(self.game.parse(now["position"])) if now["phase"] == "resolving" else ()
        for step in [step for step in steps if step.removed and all(m.source and m.target for m in step.moves)][:1]:
            self.put_right()
            for move in step.moves:
                held = self.world.lift(str(move.source), move.pieces)
                self.wait(0.4)
                self.world.put(str(move.target), held)
            self.wait(2.0)
            for node in list(step.removed)[: self.random.randrange(3)]:
                self.hand += self.world.lift(node)
                self.wait(0.3)

    def press(self) -> None:
        """Press anything on a phone: much of it is refused."""
        what, seat = self.random.choice(DEEDS), self.now["actor"] or self.random.choice(self.seats)
        legal = list(self.game.actions(self.game.parse(self.now["position"])).get(seat, ()))
        self.chosen.update(legal if what in {"choose", "confirm"} else ())
        fields: dict[str, Any] = {}
        if what in {"choose", "confirm", "hint"}:
            fields = {"seat": seat, "action": self.random.choice([*legal[:20], "", "zz", "take-back"])}
            if what == "hint":
                fields["level"] = self.random.randrange(1, 4)
        elif what in {"agree", "decline", "propose"}:
            fields = {"seat": self.random.choice(self.seats), "proposal": self.random.choice(PROPOSALS)}
        elif what in {"mask", "unmask"}:
            fields = {"node": self.random.choice(list(self.world.stacks))}
        elif what == "hints":
            fields = {"on": self.random.random() < 0.5}
        elif what == "resign":
            fields = {"seat": seat}
        self.deed(what, **fields)

    # -- what the table says ---------------------------------------------------------------------------------------

    def recover(self) -> None:
        """Follow the table until play goes on; in at most three times as many tasks as pieces differ."""
        self.deed("regain-board")
        self.deed("resume")
        for node in self.now["masked"]:
            self.deed("unmask", node=node)
        if self.now["proposal"]:
            by, what = self.now["proposal"]["by"], self.now["proposal"]["what"]
            self.deed("decline", seat=next(seat for seat in self.seats if seat != by), proposal=what)
        self.hand = []
        self.wait(7.0)
        self.by_phone, self.begun = False, self._begun()
        try:
            self._obey()
        finally:
            self.begun = None
            self.chosen.clear()
            self.world.lifted.clear()
            self.world.laid.clear()

    def _begun(self) -> set[str]:
        """Return the actions of which hands have carried a piece as they do, and the last one if it was put back."""
        lifted, laid = self.world.lifted, self.world.laid
        steps = self.game.steps(self.game.parse(self.now["position"])) if self.now["phase"] == "resolving" else ()
        begun = [
            step
            for step in steps
            if step.action in self.chosen
            or any(
                (m.source is None or m.source in lifted) and (m.target is None or m.target in laid) for m in step.moves
            )
        ]
        boards = [step.after for step in begun]
        last = [action for action in self.door.force[-1:] if action and not lifted.isdisjoint(re.findall(NODE, action))]
        return {*self.chosen, *last, *(step.action for step in steps if step.after in boards)}

    def _obey(self) -> None:
        """Do what the table says until it wants nothing."""
        wanted = self.wanted()
        pieces = [(Counter(wanted.get(node, ())), Counter(stack)) for node, stack in self.world.stacks.items()]
        for _ in range(20 + 3 * sum(((a - b) + (b - a)).total() for a, b in pieces)):
            if not self._next():
                return
        raise Lost(f"following never ends: {self.now['message']} {self.now['tasks'][:3]}")

    def _next(self) -> bool:
        """Do the next thing that the table wants; return False where it wants nothing."""
        now = self.now
        if now["phase"] == "over" or (now["phase"] == "sealing" and now["problem"] is None):
            return False
        if now["asked"]:
            said = self.random.choice(now["asked"]["choices"])["action"]
            self.begun = {*(self.begun or ()), said, *self.door.force[-1:]}  # type: ignore[arg-type]
            self.deed("confirm", seat=now["asked"]["seat"], action=said)
        elif now["tasks"] and (now["problem"] or now["phase"] != "resolving"):
            together = now["phase"] == "placing" and not now["problem"]  # A stack is tapped once all its pieces lie.
            for task in now["tasks"] if together else now["tasks"][:1]:
                obey(task, self.world, self.wanted(), self.wait)
        elif now["problem"] or now["phase"] != "resolving":
            self.wait(7.0)
            waiting = self.now["problem"] or now["phase"] != "resolving"
            if self.now["phase"] == now["phase"] and waiting and not self.now["tasks"] and not self.now["asked"]:
                raise Lost(f"{now['phase']} without a task: {self.now['message']}")
        elif now["tasks"]:  # A step was chosen on a phone: another one may be done all the same.
            self.deed("choose", seat=now["actor"], action="")
        elif not self.unlike():
            return False
        else:  # A piece seems to be in a hand, and the lights show where it may go: it goes back.
            self._put_back()
        self.wait(self.random.choice((1.0, 6.5)))
        return True

    def _put_back(self) -> None:
        self.wait(10.0)
        if self.now["asked"] or self.now["tasks"] or self.now["problem"]:
            return
        wanted, wrong = self.wanted(), self.unlike()
        if not any(meaning in {"target", "best", "return", "line"} for meaning in self.now["lights"].values()):
            raise Lost(f"no light leads on where {wrong} differ: {self.now['message']}")
        for node in wrong:
            self.world.set(node, wanted.get(node, ()))

    # -- play goes on ----------------------------------------------------------------------------------------------

    def seal(self) -> None:
        """Seal for everybody, and lay what is revealed."""
        for _ in range(3):
            if self.now["phase"] != "sealing":
                return
            for seat, offered in self.game.actions(self.game.parse(self.now["position"])).items():
                self.deed("seal", seat=seat, action=self.random.choice(list(offered)))
            self.recover()

    def play(self) -> None:
        """Do one action by hand: it, or one that leaves the same board, must count, and nothing else."""
        if self.now["phase"] != "resolving" or self.now["stage"]:
            return
        self.put_right()  # What no sensor tells a person sees.
        self.wait(6.0)
        if self.now["asked"] or self.now["problem"]:
            raise Lost(f"the board is in order, yet {self.now['message']}")
        steps = self.game.steps(self.game.parse(self.now["position"]))
        simple = [step for step in steps if _is_simple(step)]
        if simple:
            self.by_phone = False
            self._do(self.random.choice(simple), {step.action: step for step in steps})

    def _do(self, step: Step, legal: Mapping[str, Step]) -> None:
        before = list(self.door.force)
        same = [action for action, other in legal.items() if other.after == step.after]
        for move in step.moves:
            if move.source is not None:
                self.world.lift(move.source, move.pieces)
                self.wait(0.4)
            if move.target is not None:
                self.world.put(move.target, move.pieces)
            self.wait(1.0)
            self._answer([*same, step.action.partition(":")[0]])
        for _ in range(4):
            if self.door.force != before:
                break
            self.wait(3.0)
            if not self._answer(same) and self.door.force == before:
                self.deed("confirm", seat=self.now["actor"], action=step.action)
        if self.door.force == before[:-1] and not self.unlike():
            return  # It only puts the last action back: by the ruling that takes it back.
        if self.door.force[:-1] != before or self.door.force[-1] not in same:
            raise Lost(f"{step.action} was done, and {self.door.force[-2:]} counts: {self.now['message']}")
        self.played += 1
        self.recover()

    def _answer(self, known: Sequence[str]) -> bool:
        """Answer a question by the first choice that is known to be true; return whether there was one."""
        asked = self.now["asked"]
        offered = [choice["action"] for choice in asked["choices"]] if asked else []
        said = next((action for action in known if action in offered), None)
        if said is not None:
            self.deed("confirm", seat=asked["seat"], action=said)
        return said is not None


def _is_simple(step: Step) -> bool:
    """Tell whether hands move one piece to another node, or lay a tile and move one."""
    onward = all(move.source != move.target for move in step.moves)
    alone = len(step.moves) == 1 and step.moves[0].target is not None
    return onward and not step.removed and (alone or ":" in step.action)


CHAOS: tuple[Callable[[Stranger], None], ...] = (
    *(Stranger.carry, Stranger.carry, Stranger.clear, Stranger.shift, Stranger.pour, Stranger.tap, Stranger.swap),
    *(Stranger.flutter, Stranger.cut_power, Stranger.press, Stranger.press),
    *(Stranger.two_at_once, Stranger.sleeve, Stranger.recolour, Stranger.slide, Stranger.between),
    *(Stranger.answer_by_hand, Stranger.pull_cable, Stranger.clear_a_loop),
)

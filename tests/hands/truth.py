"""What the table says of a board is true: each sentence is checked against what lies there.

A sentence is known by its form and its values (:attr:`firmware_host.text.words.Text.parts`), in no language. Each form
that names a node claims something: :data:`CLAIMS` says what, and a form without a claim is a fault, so that whoever
adds a sentence says what makes it true. The words of a step are those of the rules: they claim nothing about the board.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from firmware_host import games
from firmware_host.table import guide
from firmware_host.table.stages import instead
from firmware_host.table.view import message
from firmware_host.text.words import Text
from tests.hands.disorder import FAMILIES
from tests.hands.followers import Disturbed, Lost, by_tasks
from tests.sentences import find

GAMES = Path(games.__file__).parent
ROUNDS = 8
"""How often what is asked for is done on each board."""
Values = Mapping[str, Any]
Claim = Callable[["Board", Values], bool]


class Board:
    """What lies on a board, and what the table may want there."""

    def __init__(self, disturbed: Disturbed) -> None:
        table, self.lying = disturbed.table, disturbed.world.stacks
        guidance = table.watch._guidance
        other = instead(table, table.chosen_action) if table.phase == "resolving" else None
        goals = [guidance.goal if guidance is not None else None, other.after if other is not None else None]
        self.wanted = [table.watch.target, *(goal for goal in goals if goal is not None)]
        self.base = table.watch.tracker.evidence.base
        self.now = table.game.occupancy(table.ledger.now.position) if table.ledger.started else {}
        self.steps = {str(step.words) for step in table.watch.tracker.steps}
        self.nodes, self.model = frozenset(self.lying), table.watch.tracker.model
        self.sensed = dict(table.watch.tracker.sensed)

    def named(self, value: object) -> list[str]:
        """Return the nodes that a value names."""
        found = re.findall(r"\w+", value) if isinstance(value, str) else []
        return found if found and self.nodes.issuperset(set(found) - {"or", "and"}) else []

    def of(self, value: object) -> list[str]:
        return [node for node in self.named(value) if node in self.nodes]

    def about(self, values: Values) -> str:
        """Return what lies, should lie and is sensed on the nodes that these values name."""
        nodes = dict.fromkeys(node for value in values.values() for node in self.of(value))
        wanted = {node: [list(one.get(node, ())) for one in self.wanted] for node in nodes}
        return "; ".join(f"{n}: {self.lying[n]}, wanted {wanted[n]}, sensed {self.sensed[n]!r}" for n in nodes)

    def may_lack(self, node: str) -> bool:
        """Whether a sensor leaves it open that fewer pieces lie on a node than should."""
        return self.lacks(node) or not self.model.tells(node, tuple(self.lying[node]), tuple(self.lying[node][:-1]))

    def lacks(self, node: str) -> bool:
        """Whether fewer pieces lie on a node than should."""
        return any(len(self.lying[node]) < len(wanted.get(node, ())) for wanted in self.wanted)

    def has_more(self, node: str) -> bool:
        """Whether a piece lies on a node that should not."""
        return any((Counter(self.lying[node]) - Counter(wanted.get(node, ()))).total() for wanted in self.wanted)

    def is_free(self, node: str) -> bool:
        """Whether nothing has come to lie on a node, as far as its sensor tells."""
        lying, before = tuple(self.lying[node]), self.base.get(node, ())
        return len(lying) <= len(before) or not self.model.tells(node, before, lying)

    def is_away(self, node: str) -> bool:
        """Whether a piece that lay on a node, or should, is not there."""
        return self.lacks(node) or len(self.lying[node]) < len(self.base.get(node, ()))

    def lies(self, node: str) -> bool:
        return bool(self.lying[node])

    def is_turned(self, node: str) -> bool:
        """Whether the right tile lies on a well, the wrong way."""
        return any(
            [one.partition("r")[0] for one in self.lying[node]]
            == [one.partition("r")[0] for one in wanted.get(node, ())]
            and self.lying[node] != list(wanted.get(node, ()))
            for wanted in self.wanted
        )


def _all(claim: Callable[[Board, str], bool], *names: str) -> Claim:
    """Return the claim that something holds of every node that these values name."""
    return lambda board, values: all(claim(board, node) for name in names for node in board.of(values[name]))


def _moves(board: Board, values: Values) -> bool:
    return all(map(board.has_more, board.of(values["node"]))) and all(map(board.lacks, board.of(values["target"])))


def _has_tile(board: Board, values: Values) -> bool:
    """Claim that a tile lies in a well; whoever exchanges tiles where no sensor reads them has to know."""
    tile, wells = str(values["tile"]), board.of(values["well"])
    return all(board.sensed[well] == "x" or board.lying[well][0].partition("r")[0] == tile for well in wells)


def _owned(side: str) -> Claim:
    """Return the claim that the piece that lay on a node is a side's."""
    return _all(lambda board, node: board.base.get(node) == (side,), "node")


def _shows(piece: str) -> Claim:
    """Return the claim that this piece lies on a node."""
    return _all(lambda board, node: piece in board.lying[node], "node")


def _nothing(_board: Board, _values: Values) -> bool:
    """Claim nothing: a question, a rule, or a name."""
    return True


_away = _all(Board.is_away, "node")
_lies = _all(Board.lies, "node")
CLAIMS: Mapping[str, Claim] = {
    "is missing on": _all(Board.lacks, "node"),
    "does not belong on {node}": _all(Board.has_more, "node"),
    "is one too many": _all(Board.has_more, "node"),
    "take {piece} off {node}": _all(Board.has_more, "node"),
    "move {piece} from {node} back to": _moves,
    "move {piece} from {node} to": _moves,
    "turn {piece} on {node} until": _all(Board.is_turned, "node"),
    "put {piece} back on {node}": _away,
    "Put {piece} back on {node}.": _away,
    "put {piece} on {node}": _all(Board.is_free, "node"),
    "on a lit node, or": _away,
    "{piece} from {node}": _away,
    "the stones from {nodes}": _all(Board.is_away, "nodes"),
    "the hoplites from {nodes}": _all(Board.is_away, "nodes"),
    "the runners from {nodes}": _all(Board.is_away, "nodes"),
    "the tiles from {nodes}": _all(Board.is_away, "nodes"),
    "holds {piece}: it may go to {targets}.": _all(Board.is_free, "targets"),
    "it may go to {targets}, or back on {node}": _all(Board.is_free, "targets"),
    "it may go to {targets}, or once round and": _nothing,
    "holds {piece}: it comes off the board.": _nothing,
    "the board, or goes back": _nothing,
    "they may go to": _all(Board.is_free, "targets"),
    "{none} belongs on {nodes} now": _all(Board.has_more, "nodes"),
    "belongs on {node}, but": _all(lambda board, node: board.lies(node) and board.has_more(node), "node"),
    "{name} {piece} on {node}": _all(Board.may_lack, "node"),
    "{name}: put {piece} on {node}": _all(Board.may_lack, "node"),
    "that it lies: no": _all(Board.may_lack, "node"),
    "the piece on {node} may be moved": _lies,
    "{piece} on {node} may be moved": _lies,
    "push or pull each other": _all(Board.lies, "one", "other"),
    "it is in the loop": _lies,
    "off: it stands alone": _lies,
    "of its side is next": _lies,
    "no other hoplite of its": _lies,
    "is a home: new": _all(Board.has_more, "node"),
    "moves along one line": _all(Board.has_more, "target"),
    "{node} takes no tile": _all(Board.has_more, "node"),
    "{node} is not empty": _all(lambda board, node: node in board.base, "node"),
    "the hoplite on {node} is White's": _owned("w"),
    "the hoplite on {node} is Black's": _owned("b"),
    "the runner on {node} is blue": _owned("b"),
    "hoplite on {node} is black,": _shows("b"),
    "hoplite on {node} is white,": _shows("w"),
    "stone on {node} is black,": _shows("b"),
    "stone on {node} is white,": _shows("w"),
    "{name}: take {piece} on {node} off": _lies,
    "of the lit pieces off": _all(Board.lies, "nodes"),
    "can't be read: lay": _all(Board.lies, "well"),
    "no tile belongs in {well}": _all(Board.lies, "well"),
    "no tile {tile} belongs in": _all(Board.lies, "well"),
    "did {piece} come from": _away,
    "that is tile {tile} in": _has_tile,
    "tile {tile} on {well}, {turned}": _has_tile,
    "the runner on {node} is red": _owned("r"),
    "the runner on {node} is yellow": _owned("y"),
    "the runner on {node} is green": _owned("g"),
    "extra stones on {nodes}": _all(Board.lies, "nodes"),
    "block on {node} stays": _all(lambda board, node: len(board.base.get(node, ())) > 1, "node"),
    "nobody goes there": _all(Board.has_more, "node"),
    "how {piece} in {node} is turned": _lies,
    "out of {node} first": _lies,
    "how the new tile": _all(Board.lies, "wells"),
}
NEUTRAL = (
    "check {nodes}",
    "Tap {nodes}, or say on",
    "when all stones lie.",
    "possible with tile {tile} in {well}",
    "tile {tile} may lie in {well}, {turned}",
    "once tile {covered} is out",
    "does {piece} lie on {node}?",
    "now, tap that stack, or",
    "{first} and {last}",
    "{first} or {last}",
    "{nodes}, or off the board",
    "Then tap {nodes}: no sensor",
    "too; then tap the stack",
    "on the stack on {node}, then tap",
    "could push or pull",
    "{source} to {target}",
    "runner from {source}",
    "pushes {pushed} to",
    "{puller} pulls {pulled}",
    "no free node is left",
    "then tap {node} twice",
    "now, tap that stack twice",
    "tap {nodes} twice: no",
    "lies now ({nodes}) twice",
    "lies now ({nodes}), or",
    "one black stone of {source} moves",
    "one white stone of {source} moves",
)
"""Questions, rules, lists and steps' words: they claim nothing of what lies there."""


@cache
def rules() -> frozenset[str]:
    """Return the forms in which the games' rules are told: what is not in :data:`CLAIMS` claims nothing of a board."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in GAMES.glob("*/*.py")]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    forms = [call.args[0] for call in calls if ast.unparse(call.func) == "say" and call.args]
    return frozenset(form.value for form in forms if isinstance(form, ast.Constant) and isinstance(form.value, str))


@cache
def claims() -> Mapping[str, Claim]:
    """Return what each form claims: form → claim."""
    every = {**dict.fromkeys(NEUTRAL, _nothing), **CLAIMS}
    return dict.fromkeys(rules(), _nothing) | {form: claim for words, claim in every.items() for form in find(words)}


def said(text: object, board: Board) -> Iterator[tuple[str, Values]]:
    """Yield the form and the values of each sentence in a text."""
    if isinstance(text, list | tuple):
        for one in text:
            yield from said(one, board)
    if not isinstance(text, Text) or str(text) in board.steps:
        return
    how, given, values = text.parts
    if how == "say":
        yield str(given[0]), values
    elif how in {"say_in", "say_many"}:
        yield str(given[1 if how == "say_in" else 0]), values
    elif how == "fill":
        for form, _ in said(given[0], board):
            yield form, values
    for one in (*(given if how in {"joined", "capital"} else ()), *values.values()):
        yield from said(one, board)


def texts(disturbed: Disturbed) -> list[str]:
    """Return all that the table says now: the sentence, and each light's words."""
    table = disturbed.table
    return [message(table), *(lamp.words for lamp in guide.lamps(table).values())]


def untruths(disturbed: Disturbed) -> Iterator[str]:
    """Yield what the table says now and is not so."""
    board, known = Board(disturbed), claims()
    for text in texts(disturbed):
        for form, values in said(text, board):
            if form in known:
                if not known[form](board, values):
                    yield f"untrue: {text!r} ({form!r}); {board.about(values)}"
            elif any(board.named(value) for value in values.values()):
                yield f"claims nothing: {text!r} ({form!r})"


def tell(name: str, mode: str, kind: str, seed: int, _follower: str, family: str, phase: str) -> list[str]:
    """Disturb a board, do what is asked for, and return what was said meanwhile and not true."""
    board, found = Disturbed(name, mode, kind, seed, phase), dict[str, None]()
    try:
        FAMILIES[family][0](board)
        for _ in range(ROUNDS):
            for seconds in (1.0, 6.0):
                board.wait(seconds)
                found.update(dict.fromkeys(untruths(board)))
            now = board.door.look()
            if not now["tasks"] or now["asked"] is not None:
                break
            by_tasks(board, now)
    except Lost:
        pass  # Followers judge that.
    where = f"{name} {mode} {kind} {seed} {family} {phase}"
    return [f"{where}: {fault}" for fault in found]

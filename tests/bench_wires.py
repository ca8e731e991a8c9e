"""What a table makes of broken wires and parts: every fault of every wiring, on empty boards, with 8 stones, and full.

A fault is named where people read which part or wire it is. Else its nodes are masked, or play stands still without a
name, or people read what to measure without a name, or one to three nodes are asked about as if their sensors were
broken, or nobody notices, or people are misled: they are asked to move more pieces that nobody touched. Nobody may be
misled. A fault is hidden where the board reads at the end as it would without it: a chip that reads nothing under empty
nodes, two wires that touch with a stone on each. No reading tells such a one; it shows with the next stones.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.games.registry import game
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from hw.ports import BoardDescription, SensorBank
from hw.registry import has_switch_pairs, wire_faults, with_circuit
from lodestone.tables import SimulatedTable
from tests.bench import Figures
from tests.schemes import there

BOARDS = (
    "spokes-45",
    "spokes-45-74hc165-spi",
    "spokes-45-4067",
    "spokes-45-matrix",
    "spokes-45-mcp23017",
    "spokes-45-pcf8575",
    "spokes-45-mcp3008",
    "spokes-45-ads1115",
    "spokes-45-serial",
)
BOARDS = tuple(there(BOARDS))
FILLS = (0, 8, 43)
"""Stones before the fault; two more are put after it, which makes a full board of the last."""
LEFT = ("D12", "D13")
"""The nodes on which two stones are put after the fault."""
EACH = 2
"""Faults of a kind that are tried on each board."""
OUTCOMES = ("named", "masked", "stood still", "told", "single", "hidden", "unnoticed", "misled")
MAX_ASKED = 3
"""So many pieces people may be asked about as if single sensors were broken; more is misleading."""
LASTS_S = 33.0
"""Longer than the table waits before it suspects a single sensor."""

NOISE = 9
"""What a linear sensor reads from its rest with nothing over it, in steps."""

LONG = True

Bend = Callable[[list[int]], list[int]]


@dataclass(frozen=True)
class Break:
    """A fault of a kind: what it does to the states of all inputs, and what of its words names it."""

    kind: str
    name: str
    bend: Bend
    words: tuple[str, ...]
    near: bool = True
    """Whether it concerns a node on which a stone is put."""


class BentSensors:
    """Sensors whose inputs are bent once the fault is there."""

    def __init__(self, bank: SensorBank, board: BoardDescription) -> None:
        self.channels, self.kind, self.close = bank.channels, bank.kind, bank.close
        self._bank, self._level, self._pairs = bank, board.channel_kind == "level", has_switch_pairs(board)
        self.bend: Bend | None = None
        self.is_hidden = True
        """Whether the last scan was as without the fault."""

    def scan(self) -> Sequence[int]:
        read = list(self._bank.scan())
        if self.bend is None:
            return read
        bent = self._bent(read, self.bend)
        self.is_hidden = list(map(self._state, bent)) == list(map(self._state, read))
        return bent

    def _state(self, reading: int) -> int:
        """Return what a reading says: 0 nothing."""
        return reading if not self._level else (reading > 128 + NOISE) - (reading < 128 - NOISE)

    def _bent(self, read: list[int], bend: Bend) -> Sequence[int]:
        if self._level:
            return [128 + away for away in bend([one - 128 if self._state(one) else 0 for one in read])]
        if not self._pairs:
            return bend(read)
        bits = bend([bit for one in read for bit in (one & 1, one >> 1)])
        return [north + 2 * south for north, south in zip(bits[::2], bits[1::2], strict=True)]


def breaks(board: BoardDescription) -> Iterator[Break]:
    """Yield all faults of a board's wiring."""
    level = board.channel_kind == "level"
    closed = -128 if level else 1
    open_ = 127 if level else 0  # A floating input of a converter, or a pulled-up one.
    for name, state in (("data-low", closed), ("data-high", open_)):
        yield Break(name, name, lambda all_, state=state: [state] * len(all_), ("every sensor reads", "no sensor has"))
    for fault in wire_faults(board):
        kind, words = fault.name.split()[0], (str(fault.where),)
        if fault.reads is not None:
            near = bool({board.nodes[node].channel for node in LEFT} & set(fault.inputs))
            yield Break(kind, fault.name, lambda all_, fault=fault: fault.predicts(all_), words, near)
            continue
        for state, how in ((closed, "low"), (open_, "high")):
            bend: Bend = lambda all_, fault=fault, state=state: fault.predicts(all_, state)  # noqa: E731
            yield Break(f"{kind} {how}", f"{fault.name} {how}", bend, words)
    parts = [fault for fault in wire_faults(board) if fault.reads is None and "behind" not in fault.where]
    for one, other in pairwise(parts):
        if not set(one.inputs) & set(other.inputs):
            for state, how in ((closed, "low"), (open_, "high")):
                yield Break(
                    f"two parts {how}",
                    f"{one.name}, {other.name} {how}",
                    lambda all_, both=(one, other), state=state: both[0].predicts(both[1].predicts(all_, state), state),
                    (str(one.where)[:9], str(other.where)[:9]),
                )
    share = 2 if has_switch_pairs(board) else 1
    nodes = {channel: node for channel, (node, place) in board.sensors().items() if place is None}
    for channel, beside in pairwise(sorted(nodes)):
        names = nodes[channel], nodes[beside]
        yield Break(
            "swap",
            "swap " + " ".join(names),
            lambda all_, ends=(channel, beside): crossed(all_, *ends, share),
            ("sensors are exchanged",),
            names[0] in LEFT or names[1] in LEFT,
        )
    if with_circuit(board).is_chain:
        yield Break("data-shifted", "data-shifted", lambda all_: [*all_[1:], 0], ("shifted",))


def crossed(states: list[int], one: int, other: int, share: int) -> list[int]:
    """Return the states with those of two channels exchanged."""
    found = list(states)
    for at in range(share):
        found[one * share + at], found[other * share + at] = states[other * share + at], states[one * share + at]
    return found


def position(fill: int) -> str:
    """Return a position of Spokes with so many stones."""
    rules = game("spokes")
    nodes = list(rules.layout().nodes)
    lying = set(Random(fill).sample([node for node in nodes if node not in LEFT], fill))
    groups: dict[str, str] = {}
    for node in nodes:
        groups.setdefault(node[0] if node[0].isalpha() else "homes", "")
        groups[node[0] if node[0].isalpha() else "homes"] += ("w" if hash_of(node) else "b") if node in lying else "."
    return "/".join(groups[one] for one in ("A", "B", "C", "D", "homes")) + " 2 1 1 place -"


def hash_of(node: str) -> int:
    """Return 1 for the nodes with a white stone."""
    return sum(map(ord, node)) % 2


def outcome(board: str, fill: int, broken: Break, folder: Path) -> tuple[str, str]:
    """Return what became of a fault, and what people read."""
    table = SimulatedTable(folder, board=board)
    try:
        bent = BentSensors(table.board.sensors, table.description)
        table.board.sensors = bent
        runtime = table.runtime
        for seat, name in ((1, "Ann"), (2, "Bob")):
            runtime.submit(SeatTaken(at=runtime.now(), seat=seat, name=name, claim=f"c{seat}", computer=False))
        table.wait(0.2)
        if not fill:
            bent.bend = broken.bend  # It was broken when the board was switched on.
        runtime.submit(GameStarted(at=runtime.now(), seed=1, position=position(fill) if fill else None))
        table.wait(0.5)
        if fill:
            table.set_up()
            table.wait(1)
            assert table.view["phase"] == "sealing", table.report()
            bent.bend = broken.bend
            table.wait(1)
        if table.view["phase"] == "sealing" and table.view["standstill"] is None:
            table.seal({seat: piece + node for seat, piece, node in zip((1, 2), "wb", LEFT, strict=True)})
            for node, piece in zip(LEFT, "wb", strict=True):
                table.hand.put(node, piece)
                table.wait(1)
        table.wait(LASTS_S)
        return judged(table, broken, is_hidden=bent.is_hidden)
    finally:
        table.close()


def judged(table: SimulatedTable, broken: Break, *, is_hidden: bool) -> tuple[str, str]:
    """Return what became of a fault, and what people read."""
    view: Any = table.view
    masked = view["sensors"]["masked"]
    told = [view["standstill"] or "", *masked.values(), *view["notices"]]
    suspected = [one["words"] for one in view["sensors"]["suspects"]]
    asked = [(view["problem"] or {}).get("text", ""), *suspected]
    read = " | ".join(dict.fromkeys(str(one) for one in (*told, *asked) if one))
    naming = (*told, *(suspected if broken.kind == "swap" else ()))
    if any(word.lower() in str(one).lower() for word in broken.words for one in naming):
        return "named", read
    if view["standstill"]:
        return "stood still", read
    differ = set((view["problem"] or {}).get("nodes", ()))
    nodes = differ | {one["node"] for one in view["sensors"]["suspects"]}
    if nodes:
        more = re.search(r"(\d+) more to follow", read)
        unnamed = max(0, 1 + int(more[1]) - len(differ)) if more else 0  # Some of them have names.
        return ("misled" if len(nodes) + unnamed > MAX_ASKED else "single"), read
    if masked:
        return "masked", read
    if read:
        return "told", read
    return ("hidden" if is_hidden else "unnoticed"), read


def figures() -> Figures:
    """Return (name, value, unit): how each fault ended, of all that are tried."""
    found = every_outcome(BOARDS)
    ended = {what: sum(count for (_, one), count in found.items() if one == what) for what in OUTCOMES}
    bounds = {"misled": " (at most: 0)", "unnoticed": " (at most: 0)"}
    return [(f"faults of wires and parts: {what}{bounds.get(what, '')}", ended[what], "") for what in OUTCOMES]


def every_outcome(boards: Sequence[str], *, each: int = EACH, verbose: bool = False) -> Counter[tuple[str, str]]:
    """Return how often each kind of fault ended in each way on some boards; print the table, and who was misled.

    At most ``each`` faults of a kind are tried on a board, of those that concern a node on which a stone is put.
    """
    found: Counter[tuple[str, str]] = Counter()
    for board in boards:
        by_kind: dict[str, list[Break]] = {}
        for one in breaks(load_board(find_board(board), backend="sim")):
            by_kind.setdefault(one.kind, []).append(one)
        for kind, all_ in by_kind.items():
            near = [one for one in all_ if one.near] or all_
            some = near if len(near) <= each else Random(7).sample(near, each)
            for fill in FILLS:
                for broken in some:
                    with tempfile.TemporaryDirectory() as folder:
                        what, read = outcome(board, fill, broken, Path(folder))
                    found[kind, what] += 1
                    if verbose or what in {"misled", "unnoticed"}:
                        print(f"{board} {fill:2} {broken.name}: {what}: {read[:200]}", flush=True)
    for kind in dict.fromkeys(kind for kind, _ in found):
        print(f"  {kind:16}", *(f"{what} {found[kind, what]:3}" for what in OUTCOMES))
    return found


if __name__ == "__main__":
    words = sys.argv[1:]
    named = [one for one in words if not one.startswith("-")]
    every_outcome(named or BOARDS, each=1000 if "--all" in words else EACH, verbose="-v" in words)

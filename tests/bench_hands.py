"""Hands of all kinds at the table: what was understood, what was asked, how long people wait.

How fast a verdict is stands beside a plain reference in the same run: every legal step's board compared with the
sensors, node by node. HANDS in the environment asks for another number of actions of each game and kind of sensing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from random import Random
from time import thread_time

from firmware_host.games.registry import game
from tests.bench_table import FULL, HALF, RESOLVING, WIDE
from tests.hands.account import Account, share
from tests.hands.disorder import FAMILIES
from tests.hands.doors import Events
from tests.hands.evening import ACTIONS, SENSED, Evening, a_position
from tests.hands.flicker import SHAPES, trains, understood
from tests.hands.followers import Case, Fault, lead, plan
from tests.hands.in_strange_order import quickly, simply
from tests.hands.world import World

LONG = True

WANTED = 400
DISTURBED = 180
"""Boards of each family that are disturbed."""
ROWS = {
    "stuck": "led nowhere by lights, tasks or words",
    "counted": "counted or undone that nobody did",
    "refused": "legal next action refused",
    "dark": "dark for longer than 6 s",
    "error": "exceptions",
}
"""What may be wrong with a board, and the words of its row."""
FLICKERS = 6
"""Evenings of each game and kind of sensing, each with a train of drop-outs of every shape."""
RESTARTS = 12
POSITIONS = {"spokes": RESOLVING, "phalanx": WIDE, "coil": HALF, "octiles": FULL}

Figures = list[tuple[str, float, str]]
Entry = tuple[str, str, str, int, bool]
"""Game, mode, kind, seed, and whether hands do nothing but the actions."""


class Compared(Events):
    """A door that also compares every legal step's board with all sensors, as plainly as can be."""

    plain = 0.0
    """Seconds that this took."""

    def sense(self, at: float, changes: Sequence[tuple[str, str]]) -> None:
        super().sense(at, changes)
        tracker, began = self.table.watch.tracker, thread_time()
        for step in tracker.steps:
            all(tracker.model.fits(node, step.after.get(node), seen) for node, seen in tracker.sensed.items())
        self.plain += thread_time() - began


def figures() -> Figures:
    """Return (name, value, unit)."""
    rows: Figures = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for name, modes, kinds in SENSED:
            for kind in kinds:
                rows += _of_kind(pool, name, modes, kind)
        rows += follower_figures(pool)
        rows += flicker_figures(pool)
    return rows + restart_figures()


def _of_kind(pool: ProcessPoolExecutor, name: str, modes: Sequence[str], kind: str) -> Figures:
    """Return what evenings of one game with one kind of sensing have shown."""
    wanted = int(os.environ.get("HANDS", WANTED))
    total, faults, plain = _evenings(pool, name, modes, kind, wanted, undisturbed=False)
    calm, more_faults, _ = _evenings(pool, name, modes, kind, wanted // 4, undisturbed=True)
    faults += more_faults
    where = f"{name}, {kind}"
    rows: Figures = [
        (f"{where}: actions", total.actions + calm.actions, "actions"),
        ("  not as meant, stuck or crashed (at most: 0)", len(faults), "; ".join(faults)[:300]),
        ("  questions in 100 actions", total.questions_per_100, f"({calm.questions_per_100:.1f} undisturbed)"),
        ("  of them asked because no sensor can tell", total.questions_per_100 - total.told_apart_per_100, ""),
        ("  of them where a sensor reports the choices differently", total.told_apart_per_100, ""),
        ("  a verdict, p50", 1000 * share(total.verdicts, 0.5), "ms"),
        ("  a verdict, p99 (at most: 3)", 1000 * share(total.verdicts, 0.99), "ms"),
        ("  ratio to a plain comparison of all steps", plain / max(sum(total.verdicts), 1e-9), "x"),
    ]
    if total.waits:
        rows += [
            ("  from the last change of a sensor to the commit, p50", share(total.waits, 0.5), "s"),
            ("  the same, p90", share(total.waits, 0.9), "s"),
            ("  from the last touch to the commit, p50 (at most: 0.25)", share(total.waits_since_touch, 0.5), "s"),
            ("  the same, p90 (at most: 0.5)", share(total.waits_since_touch, 0.9), "s"),
        ]
    return rows


def _evenings(
    pool: ProcessPoolExecutor, name: str, modes: Sequence[str], kind: str, wanted: int, *, undisturbed: bool
) -> tuple[Account, list[str], float]:
    """Play about so many actions; return what they have shown, the faults by evening, and the reference's seconds."""
    evenings = max(1, wanted // ACTIONS)
    entries = [(name, modes[seed % len(modes)], kind, seed, undisturbed) for seed in range(evenings)]
    total, faults, plain = Account(), [], 0.0
    for entry, (account, seconds) in zip(entries, pool.map(_evening, entries), strict=True):
        total.add(account)
        plain += seconds
        faults += [f"{' '.join(map(str, entry[:4]))}: {fault}" for fault in account.faults]
    return total, faults, plain


def _evening(entry: Entry) -> tuple[Account, float]:
    name, mode, kind, seed, undisturbed = entry
    evening = Evening(name, mode, kind, a_position(name, mode, seed), seed, door=Compared)
    account = evening.play(ACTIONS, (simply, quickly)) if undisturbed else evening.play(ACTIONS)
    return account, evening.door.plain  # type: ignore[attr-defined]


# -- followers ---------------------------------------------------------------------------------------------------------


def follower_figures(pool: ProcessPoolExecutor) -> Figures:
    """Disturb boards and obey lights alone, tasks alone, sentences alone; BOARDS asks for another number of them."""
    rows: Figures = []
    for family in FAMILIES:
        for phase, (boards, faults) in follow(pool, family, int(os.environ.get("BOARDS", DISTURBED))).items():
            rows.append((f"{family}, {phase}: boards", boards, "boards"))
            for kind, what in ROWS.items():
                found = [fault.text for fault in faults if fault.kind == kind]
                rows.append((f"  {what} (at most: 0)", len(found), "; ".join(found)[:300]))
    return rows


def follow(pool: ProcessPoolExecutor, family: str, boards: int, first: int = 0) -> dict[str, tuple[int, list[Fault]]]:
    """Follow from so many boards of a family; return by phase how many there were, and the faults."""
    found: dict[str, tuple[int, list[Fault]]] = {}
    cases = list(plan(family, boards, first))
    for case, fault in zip(cases, pool.map(_lead, cases, chunksize=10), strict=True):
        count, faults = found.get(case[-1], (0, []))
        found[case[-1]] = count + 1, [*faults, *([fault] if fault else [])]
    return found


def _lead(case: Case) -> Fault | None:
    return lead(*case)


# -- weak magnets ------------------------------------------------------------------------------------------------------


def flicker_figures(pool: ProcessPoolExecutor) -> Figures:
    """Let sensors drop out in trains of all shapes; FLICKERS asks for another number of evenings."""
    evenings = int(os.environ.get("FLICKERS", FLICKERS))
    rows: Figures = []
    for name, modes, kinds in SENSED:
        jobs = [(name, tuple(modes), kind, seed) for kind in kinds for seed in range(evenings)]
        found = [fault for some in pool.map(_flicker, jobs, chunksize=2) for fault in some]
        label = f"{name}: of {len(jobs) * len(SHAPES)} trains of drop-outs have done something (at most: 0)"
        rows.append((label, len(found), "; ".join(found)[:300]))
        tapped = [one for one in pool.map(_tapped, jobs, chunksize=10) if one is not None]
        if tapped:
            label = f"{name}: of 100 deliberate taps understood (at least: 99)"
            rows.append((label, 100 * sum(tapped) / len(tapped), f"of {len(tapped)}"))
    return rows


def _tapped(job: tuple[str, tuple[str, ...], str, int]) -> bool | None:
    name, modes, kind, seed = job
    return understood(name, modes[seed % len(modes)], kind, seed)


def _flicker(job: tuple[str, tuple[str, ...], str, int]) -> list[str]:
    name, modes, kind, seed = job
    return list(trains(name, modes, kind, range(seed, seed + 1)))


# -- restarts ----------------------------------------------------------------------------------------------------------


def restart_figures() -> Figures:
    """Restart tables in the middle of an action, with other boards than they knew."""
    rows: Figures = []
    for name, _, kinds in SENSED:
        for kind in kinds:
            longest = max(_restarts(name, kind))
            rows.append((f"restart on a changed board, {name}, {kind}, longest (at most: 100)", 1000 * longest, "ms"))
    return rows


def _restarts(name: str, kind: str) -> list[float]:
    """Return the seconds that restarts took, an action being half done: some pieces moved, all gone, all nodes full."""
    rules, rng = game(name), Random(0)
    position = rules.parse(POSITIONS[name])
    door = Events(game=name, mode=position.mode, kind=kind, position=POSITIONS[name])
    layout = rules.layout()
    world = World(door, list(layout.nodes), kind, rules.poles, layout.wells, rng)
    sources = [move.source for step in rules.steps(position) for move in step.moves if move.source]
    piece = next(iter(rules.poles))
    for number in range(RESTARTS):
        for node in world.stacks:
            world.set(node, rules.occupancy(position).get(node, ()))
        _pass(world, 1.0)
        if sources:
            world.lift(sources[0])
        free = [node for node in world.stacks if node not in layout.wells]
        if number % 3:
            for node in free:
                world.set(node, [piece] if number % 3 == 1 else [])
        else:
            for _ in range(10):
                here = rng.choice([node for node in free if world.stacks[node]])
                world.put(rng.choice([node for node in free if not world.stacks[node]]), world.lift(here))
        _pass(world, 0.2)
        door.restart(world.at)
    return door.restarts


def _pass(world: World, seconds: float) -> None:
    for _ in range(round(seconds * 50)):
        world.scan()

"""Weak magnets: sensors that drop out under a piece that nobody touches. No drop-out may do anything.

:data:`SHAPES` are trains of drop-outs as weak magnets make them, each as (how long, how long until the next one). A
train comes while nothing is done, while another piece is in the hand, or just after a piece was put down. Beside them
stand deliberate taps, which have to be understood.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from firmware_host.games.game import Occupancy
from firmware_host.games.registry import game as find_game
from tests.hands.doors import Events
from tests.hands.evening import a_position
from tests.hands.world import World

SHAPES: dict[str, tuple[tuple[float, float], ...]] = {
    "two short": ((0.05, 0.5),) * 2,
    "two very short": ((0.02, 0.1),) * 2,
    "three short": ((0.05, 0.5),) * 3,
    "many short": ((0.06, 0.3),) * 12,
    "short, slow": ((0.1, 3.0),) * 10,
    "short, at the edge": ((0.14, 0.4),) * 2,
    "burst": ((0.02, 0.02),) * 30,
    "bursts": (((0.04, 0.05),) * 4 + ((0.04, 2.0),)) * 4,
    "three long": ((0.3, 0.5),) * 3,
    "many long": ((0.3, 0.4),) * 10,
    "long, quick": ((0.2, 0.2),) * 15,
    "seconds": ((1.0, 1.0),) * 6,
    "second, once": ((1.0, 0.0),),
    "long, once": ((0.4, 0.0),),
    "growing": tuple((0.05 * n, 0.5) for n in range(1, 12)),
    "shrinking": tuple((0.05 * n, 0.5) for n in range(11, 0, -1)),
    "short and long": ((0.05, 0.5), (0.4, 0.5)) * 4,
    "long and short": ((0.4, 0.5), (0.05, 0.5)) * 4,
    "uneven": ((0.2, 0.1), (0.6, 1.5), (0.1, 0.4), (0.9, 0.2), (0.3, 0.8)),
    "for minutes": ((0.05, 5.0),) * 40,
}
STATES = ("at rest", "in the hand", "just put down")


def _opened(name: str, mode: str, kind: str, seed: int, random: Random) -> tuple[Events, World, Occupancy]:
    """Return a table with a position from random play, its empty board, and what has to lie there."""
    rules, text = find_game(name), a_position(name, mode, seed)
    door = Events(game=name, mode=mode, kind=kind, position=text, seed=seed)
    layout = rules.layout()
    world = World(door, list(layout.nodes), kind, rules.poles, layout.wells, random)
    return door, world, rules.occupancy(rules.parse(text))


def acts(name: str, mode: str, kind: str, seed: int, shape: str, state: str) -> list[str]:
    """Return what has counted or was taken back because of one train."""
    random = Random(f"{seed} {shape} {state}")
    door, world, position = _opened(name, mode, kind, seed, random)
    for node, stack in position.items():
        world.stacks[node] = list(stack)
    door.sense(0.0, [(node, world.reading(node)) for node, stack in world.stacks.items() if stack])
    at = 1.0
    door.tick(at)
    lying = [node for node, stack in world.stacks.items() if stack and node not in world.wells]
    if not lying:
        return []  # No piece is on the board yet: no magnet could be weak.
    weak = random.choice(lying)
    at += 12.0 if state == "at rest" else 1.0
    door.tick(at)
    if state == "just put down":
        door.sense(at, [(weak, "")])
        door.sense(at + 3.0, [(weak, world.reading(weak))])
        at += 3.5
    held = (
        random.choice([node for node in lying if node != weak]) if state == "in the hand" and len(lying) > 1 else None
    )
    steps = door.table.watch.tracker.steps
    if held is not None and any(held in {move.source for move in step.moves} for step in steps):
        held = None  # What its absence alone may say is told elsewhere.
    if held is not None:
        door.sense(at, [(held, "")])
        at += 0.5
    before = len(door.table.ledger.moments), door.table.ledger.moments[-1]
    for away, pause in SHAPES[shape]:
        for sensed, wait in (("", away), (world.reading(weak), pause)):
            door.sense(at, [(weak, sensed)])
            until = round(at + wait, 3)
            while at < until:
                at = round(min(at + 0.05, until), 3)
                door.tick(at)
    for _ in range(100):
        at += 0.05
        door.tick(at)
    moments = door.table.ledger.moments
    if (len(moments), moments[-1]) == before:
        return []
    return [f"{name} {mode} {kind} {seed} {shape}, {state}: {weak}: {moments[-1].actions}"]


def understood(name: str, mode: str, kind: str, seed: int) -> bool | None:
    """Return whether two taps by a hand do what they may do; None where no step of the position is said by taps.

    Such steps leave no trace: the end of a turn, or a stone that goes onto another one where stacks look alike.
    """
    random = Random(f"{seed} taps")
    door, world, position = _opened(name, mode, kind, seed, random)
    for node, stack in position.items():
        world.set(node, stack)
    _pass(world, 12.0)
    tracker = door.table.watch.tracker
    said = {step.action: sorted(step.tap_twice) for step in tracker.steps if step.tap_twice and not step.moves}
    onto = {step.action: step for step in tracker.steps if len(step.moves) == 1 and tracker.is_hidden(step)}
    if not said and not onto:
        return None
    action = random.choice(sorted({**said, **onto}))
    if action in said:
        tapped = random.choice(said[action])
    else:
        (move,) = onto[action].moves
        tapped = str(move.target)
        held = world.lift(str(move.source), move.pieces)
        _pass(world, random.uniform(0.3, 1.0))
        world.put(tapped, held)
        _pass(world, random.uniform(0.3, 1.0))
    for _ in range(2):
        stack = world.lift(tapped, list(world.stacks[tapped]))
        _pass(world, random.uniform(0.2, 0.5))
        world.put(tapped, stack)
        _pass(world, random.uniform(0.25, 0.6))
    _pass(world, 4.0)
    moments = door.table.ledger.moments
    boards = {step.action: step.after for step in onto.values()}
    done = [one for moment in moments[1:] for one in moment.actions.values()]
    return done == [action] or (len(done) == 1 and action in boards and boards.get(done[0]) == boards[action])


def _pass(world: World, seconds: float) -> None:
    until = world.at + seconds
    while world.at < until:
        world.scan()


def trains(name: str, modes: tuple[str, ...], kind: str, evenings: Iterable[int]) -> Iterator[str]:
    """Yield what drop-outs have done in these evenings, each with one train of every shape."""
    for seed in evenings:
        for shape in SHAPES:
            yield from acts(name, modes[seed % len(modes)], kind, seed, shape, STATES[seed % len(STATES)])

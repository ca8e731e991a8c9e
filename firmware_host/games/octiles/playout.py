"""Random and greedy games of Octiles, for thousands of playouts: the rules a second time, on mutable lists.

A random turn is not picked from a list of all turns: a runner's crossing and a turning of the tile are drawn until they
make a legal turn. All legal turns are listed only if many draws fail.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from random import Random

from firmware_host.games.game import Status
from firmware_host.games.octiles import rules, ways
from firmware_host.games.octiles.board import FIRST_NODE, HOMES, NODES, PADS, PARTNER
from firmware_host.games.octiles.position import EIGHTHS, GOAL, HOME, SEATED, Position

LONGEST = 2000
"""Number of turns after which a playout counts as a draw; nearly all games are far shorter."""
TRIES = 100
"""Number of draws before all turns are listed."""


DRAW = Status(over=True, reason=rules.DRAW)


class Race:
    """One game in progress: the fields of :class:`Position`, in lists."""

    def __init__(self, position: Position) -> None:
        """Start from a position."""
        self.sides = SEATED[position.mode]
        self.faces = list(position.faces)
        self.onward = ways.ways(position.faces)
        self.runners = [set(nodes) for nodes in position.runners]
        self.taken = set().union(*position.runners)
        self.open = {side: rules.free(side, frozenset(self.taken)) for side in self.sides}
        self.stack = deque(position.stack)
        self.active = [seat - 1 for seat in rules.active(position)]
        self.seat = position.seat - 1
        self.passed = {seat - 1 for seat in position.passed}
        self.past = Counter(_key(seat - 1, faces, runners, stack) for faces, runners, stack, seat in position.past)

    def movers(self) -> list[int]:
        """Return the nodes of the runners of the seat to move that are not on their goal."""
        goal = GOAL[self.sides[self.seat]]
        return [node for node in self.runners[self.seat] if node not in goal]

    def choices(self) -> list[list[int]]:
        """Return the groups of runners whose turns are tried, in order: by the vacate rule first those on home pads."""
        home, movers = HOME[self.sides[self.seat]], self.movers()
        if self.taken >= home:
            return [[node for node in movers if node in home], movers]
        return [movers]

    def turns(self) -> list[int]:
        """Return the codes of the legal turns."""
        open_to = self.open[self.sides[self.seat]]
        for movers in self.choices():
            found = ways.turns(self.onward, self.stack[0], movers, open_to)
            if found:
                return sorted(found)
        return []

    def drawn(self, rng: Random) -> ways.Turn | None:
        """Return a random legal turn, all equally likely; None if there is none."""
        open_to = self.open[self.sides[self.seat]]
        for movers in self.choices():
            found = self._drawn(rng, movers, open_to)
            if found:
                return found
            listed = sorted(ways.turns(self.onward, self.stack[0], movers, open_to))
            if listed:
                return ways.decode(rng.choice(listed))
        return None

    def _drawn(self, rng: Random, movers: Sequence[int], open_to: Sequence[bool]) -> ways.Turn | None:
        """Return a random legal turn; None if too many draws fail. A turn along two lines counts once."""
        onward = self.onward
        drawn = [(node, entered) for node in movers for entered in ways.crossings(onward, node)]
        faces = PARTNER[self.stack[0] * EIGHTHS : self.stack[0] * EIGHTHS + EIGHTHS]
        many, random = len(drawn) * EIGHTHS, rng.random
        for _ in range(TRIES if drawn else 0):
            number, turn = divmod(int(random() * many), EIGHTHS)
            node, entered = drawn[number]
            end = ways.end(onward, entered, faces[turn])
            if not open_to[end - FIRST_NODE] and (end != FIRST_NODE + node or PADS[node]):
                continue
            again = (other for mover, other in drawn[:number] if mover == node and other >> 3 == entered >> 3)
            if any(ways.end(onward, other, faces[turn]) == end for other in again):
                continue
            return entered >> 3, turn, node, end - FIRST_NODE
        return None

    def play(self, turn: ways.Turn | None) -> Status | None:
        """Play a legal turn, None for a pass. Return the status if that ends the game."""
        if turn is None:
            self._keep()
            self.passed.add(self.seat)
            if self.passed.issuperset(self.active):
                return DRAW
            return self._next()
        well, eighths, source, target = turn
        covered, tile = self.faces[well], self.stack.popleft()
        if covered and (source == target or not (PADS[source] or PADS[target])):
            self.stack.appendleft(tile)
            self._keep()
            self.stack.popleft()
        else:
            self.past.clear()
        if covered:
            self.stack.append(covered // EIGHTHS)
        self.faces[well] = tile * EIGHTHS + eighths
        ways.lay(self.onward, well, tile * EIGHTHS + eighths)
        self.passed.clear()
        if source != target:
            self._run(source, target)
            if PADS[target] and self.runners[self.seat] <= GOAL[self.sides[self.seat]]:
                return Status(over=True, reason="goal", winners=(self.seat + 1,))
        return self._next()

    def _run(self, source: int, target: int) -> None:
        own = self.runners[self.seat]
        own.remove(source)
        own.add(target)
        self.taken.remove(source)
        self.taken.add(target)
        for side, open_to in self.open.items():
            open_to[source], open_to[target] = rules.OPEN[side][source], False

    def _key(self) -> Hashable:
        return _key(self.seat, self.faces, self.runners, self.stack)

    def _keep(self) -> None:
        self.past[self._key()] += 1

    def _next(self) -> Status | None:
        later = [seat for seat in self.active if seat > self.seat]
        self.seat = later[0] if later else self.active[0]
        if self.past and self.past[self._key()] >= rules.REPEATS - 1:
            return DRAW
        return None


def _key(seat: int, faces: Iterable[int], runners: Iterable[Collection[int]], stack: Iterable[int]) -> Hashable:
    """Return the value compared for R3; the order of runners does not matter."""
    return seat, tuple(faces), tuple(map(frozenset, runners)), tuple(stack)


def at_random(race: Race, rng: Random) -> ways.Turn | None:
    """Choose a random turn."""
    return race.drawn(rng)


def greedily(race: Race, rng: Random) -> ways.Turn | None:
    """Choose a turn that gains most rows for a runner."""
    offered = race.turns()
    return ways.decode(furthest(race.sides[race.seat], offered, rng)) if offered else None


def playout(position: Position, rng: Random, choose: Callable[[Race, Random], ways.Turn | None]) -> Status:
    """Play to the end and return the status."""
    now = rules.status(position)
    if now.over:
        return now
    race = Race(position)
    for _ in range(LONGEST):
        ended = race.play(choose(race, rng))
        if ended is not None:
            return ended
    return DRAW


# -- getting on ------------------------------------------------------------------------------------------------------


def _left(side: str) -> list[int]:
    """Return node → number of rows of stops and pads that a side's runner still has to cross from there."""
    axis, ahead = ("ABCDEF", 0) if side in {"blue", "yellow"} else ("654321", 1)
    if side in {"yellow", "green"}:
        axis = axis[::-1]
    rows = [5 - axis.index(name[ahead]) for name in NODES]
    for node, name in enumerate(NODES):
        if PADS[node]:
            rows[node] = 0 if node in GOAL[side] else 5 if name in HOMES[side] else rows[node]
    return rows


def _gains(side: str) -> tuple[int, ...]:
    left = _left(side)
    return tuple(left[source] - left[target] for source in range(len(NODES)) for target in range(len(NODES)))


GAIN = {side: _gains(side) for side in HOMES}
"""Side → (runner's node and its end, as the last part of a turn's code) → number of rows gained."""


def furthest(side: str, offered: Sequence[int], rng: Random) -> int:
    """Return the turns that gain most rows, or one of them at random."""
    gain, pairs = GAIN[side], len(NODES) ** 2
    gains = [gain[code % pairs] for code in offered]
    best = max(gains)
    return rng.choice([code for code, got in zip(offered, gains, strict=True) if got == best])

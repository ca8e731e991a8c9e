"""A position's legal steps, prepared for being compared with what is seen: again and again, and quickly.

A step is compared only at the nodes that it changes, and refused by one comparison of sets where something else
differs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from firmware_host.games.game import Occupancy, Stack, Step
from firmware_host.table.senses import NOTHING, Senses

Outcome = frozenset[tuple[str, Stack]]
"""What is left lying after a step, once what the rules remove is off the board."""


class Candidate:
    """One step, as hands and sensors see it."""

    def __init__(self, step: Step, base: Occupancy) -> None:
        """Take a step from a base."""
        self.step = step
        self.sources = tuple(move.source for move in step.moves if move.source is not None)
        self.targets = tuple(move.target for move in step.moves if move.target is not None)
        nodes = dict.fromkeys((*self.sources, *self.targets))
        self.changes = tuple(node for node in nodes if base.get(node) != step.after.get(node))
        """Nodes where other pieces lie afterwards."""
        self.covers = step.removed.union(self.changes)
        """Nodes that may differ from the base when it is done: what the rules remove may be off already."""
        self.reach = step.touches | step.removed
        """Nodes that may differ on the way."""

    @cached_property
    def left(self) -> frozenset[str]:
        """Return the nodes that stones only leave."""
        return frozenset(self.sources).difference(self.targets)

    @cached_property
    def outcome(self) -> Outcome:
        """Return what is left lying in the end."""
        return frozenset(item for item in self.step.after.items() if item[0] not in self.step.removed)


@dataclass(frozen=True)
class Looks:
    """The sights of stacks at each node, remembered."""

    senses: Senses
    _known: dict[tuple[bool, bool, Stack | None], frozenset[str]]

    @classmethod
    def of(cls, senses: Senses) -> Looks:
        """Return the looks of a board, nothing remembered yet."""
        return cls(senses, {})

    def sights(self, node: str, stack: Stack | None) -> frozenset[str]:
        """Return every sight that a stack may give at a node."""
        key = (node in self.senses.blurred, node in self.senses.wells, stack)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self.senses.at(node).sights(stack)
        return found

    def tells(self, node: str, one: Stack | None, other: Stack | None) -> bool:
        """Tell whether the sensor of a node surely distinguishes two stacks."""
        return self.sights(node, one).isdisjoint(self.sights(node, other))


class Expected:
    """A base and the steps that are legal from it, against what is seen. ``steps`` without moves are spoken only."""

    def __init__(self, looks: Looks, base: Occupancy, steps: Sequence[Step]) -> None:
        """Prepare a position."""
        self.looks = looks
        self.base = base
        self.steps = steps
        self.candidates = [Candidate(step, base) for step in steps if step.moves]
        self.by_action = {candidate.step.action: candidate for candidate in self.candidates}

    def mismatch(self, seen: Mapping[str, str], masked: Collection[str], occupancy: Occupancy) -> tuple[str, ...]:
        """Return the nodes whose sight doesn't fit an occupancy, masked nodes left out."""
        sights, of = self.looks.sights, occupancy.get
        return tuple(node for node, sight in seen.items() if sight not in sights(node, of(node)) and node not in masked)

    @cached_property
    def single(self) -> bool:
        """Tell whether every node carries one piece at most, now and after every step, and none may be turned."""
        if self.looks.senses.wells:
            return False
        stacks = [*self.base.values(), *(one.step.after.get(n, ()) for one in self.candidates for n in one.changes)]
        return all(len(stack) < 2 for stack in stacks)

    def rest(
        self, one: Candidate, seen: Mapping[str, str], masked: Collection[str], differing: Iterable[str]
    ) -> list[str]:
        """Return the nodes that don't look as they do after a step, given those that differ from the base."""
        surplus = (n for n in differing if n not in one.changes and (n not in one.covers or seen[n] != NOTHING))
        return [*self.undone(one, seen, masked), *surplus]

    def undone(self, one: Candidate, seen: Mapping[str, str], masked: Collection[str]) -> list[str]:
        """Return the nodes that a step changes and that don't look as they do after it."""
        after, removed, sights = one.step.after.get, one.step.removed, self.looks.sights
        return [
            node
            for node in one.changes
            if node not in masked
            and seen[node] not in sights(node, after(node))
            and not (node in removed and seen[node] == NOTHING)
        ]

    def complete(self, seen: Mapping[str, str], masked: Collection[str], differing: Collection[str]) -> list[Candidate]:
        """Return the steps that leave the board as it is seen."""
        off = frozenset(differing)
        return [one for one in self.candidates if off <= one.covers and not self.rest(one, seen, masked, off)]

    def shows(self, one: Candidate, node: str) -> bool:
        """Tell whether the sensor of a node, if it is right, surely sees that a step is done."""
        return self.looks.tells(node, self.base.get(node), one.step.after.get(node))

    def arrival_shown(self, one: Candidate, masked: Collection[str]) -> bool:
        """Tell whether some sensor shows that a step's stones have arrived, and not only that some are gone."""
        return any(node not in masked and self.shows(one, node) for node in one.targets)


def by_outcome(candidates: Iterable[Candidate]) -> list[list[Candidate]]:
    """Group steps that leave the same board in the end: it doesn't matter which of them was meant."""
    groups: dict[Outcome, list[Candidate]] = {}
    for one in candidates:
        groups.setdefault(one.outcome, []).append(one)
    return list(groups.values())


def part_stacks(base: Stack, pieces: Stack, *, leaving: bool) -> list[Stack]:
    """Return the stacks that a node may show for a moment while pieces leave it or arrive one by one."""
    if leaving:
        rest = list(base)
        stacks = []
        for piece in pieces:
            if piece in rest:
                rest.remove(piece)
            stacks.append(tuple(rest))
        return [stack for stack in stacks if stack] + [(piece,) for piece in base]
    return [(*base, piece) for piece in pieces] + [(piece,) for piece in pieces]


Follow = Callable[[Step], Sequence[Step]]
"""Gives the steps after a step, for quick hands."""

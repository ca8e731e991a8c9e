"""Puzzles of Spokes: the kinds, and a solver that explores a whole resolution phase.

An end of a phase is a board at rest, or the board after an unbreakable loop. All steps of all positions are explored,
so the statements about the ends are proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from firmware_host.games.puzzles import GOES_ON, MOST, REACH, SCORE, WIN, Claim, Puzzle, PuzzleKind
from firmware_host.games.spokes import endings, resolution, rules
from firmware_host.games.spokes.board import NODES
from firmware_host.games.spokes.position import MODES, SEATS, TEAMS, Cells, Position, from_counts, text
from firmware_host.text.words import say

KINDS: Mapping[str, PuzzleKind] = {
    "most": PuzzleKind(
        say("Most at home"),
        say("Resolve so that in the end as many stones as possible lie on your home nodes."),
        say("Now {score} lie on your home nodes; more are possible."),
        Claim(MOST, SCORE),
        MODES,
    ),
    "rest": PuzzleKind(
        say("Come to rest"),
        say("Only one way out: bring the board to rest so that the game goes on."),
        say("This has ended the game."),
        Claim(REACH, GOES_ON),
        MODES,
    ),
    "win": PuzzleKind(
        say("Win now"),
        say("Resolve so that the game ends, and you win it."),
        say("This does not win the game."),
        Claim(REACH, WIN),
        MODES,
    ),
}
LARGEST = 260
"""Maximum number of positions in a phase, so that people can solve the puzzle by looking."""
LONGEST = 12
"""Maximum number of steps in an answer."""
SCATTERED = 12
"""Number of positions tried in place of one game."""


@dataclass(frozen=True)
class _End:
    """One end of a phase: why it ends the game (None: it goes on), the seat's score, whether it wins, one path."""

    reason: str | None
    score: int
    won: bool
    way: tuple[str, ...]


def solved(kind: str, position: Position) -> Puzzle | None:
    """Return a position in the resolution phase as a puzzle of a kind; None without a unique best answer."""
    if position.phase != "resolve":
        return None
    found = _ends(position)
    if found is None:
        return None
    ends, looked = found
    if len(ends) < 2:
        return None
    if kind == "most":
        best = max(end.score for end in ends)
        right = [end for end in ends if end.score == best]
    elif kind == "win":
        right = [end for end in ends if end.won]
    else:
        right = [end for end in ends if end.reason is None]
    if len(right) != 1 or not 2 <= len(right[0].way) <= LONGEST:
        return None
    return Puzzle("spokes", kind, text(position), position.resolver, right[0].way, len(ends), looked)


def _ends(position: Position) -> tuple[list[_End], int] | None:
    """Return all ends of the phase, and its number of positions; None if there are too many."""
    ways: dict[Cells, tuple[str, ...]] = {position.cells: ()}
    before: dict[Cells, list[Cells]] = {}
    calm: list[Cells] = []
    for cells in (queue := [position.cells]):
        acts = rules.acts(cells)
        if not acts:
            calm.append(cells)
        for act in acts:
            after = rules.after(cells, act)
            before.setdefault(after, []).append(cells)
            if after not in ways:
                ways[after] = (*ways[cells], act.text)
                queue.append(after)
        if len(ways) > LARGEST:
            return None
    ends = [_end(position, cells, ways[cells], loop=False) for cells in calm]
    return [*ends, *_loops(position, ways, _leading_to(calm, before))], len(ways)


def _leading_to(calm: list[Cells], before: dict[Cells, list[Cells]]) -> set[Cells]:
    """Return the positions from which a rest can be reached."""
    found = set(calm)
    for cells in (queue := list(calm)):
        fresh = [one for one in before.get(cells, ()) if one not in found]
        found.update(fresh)
        queue += fresh
    return found


def _loops(position: Position, ways: dict[Cells, tuple[str, ...]], escaping: set[Cells]) -> list[_End]:
    """Return the ends that are unbreakable loops, each board once."""
    finder = resolution.LoopFinder()
    ends: dict[Cells, _End] = {}
    for cells, way in ways.items():
        nodes = 0 if cells in escaping else finder.nodes(cells)
        if nodes:
            cleared = resolution.cleared(cells, nodes)
            ends.setdefault(cleared, _end(position, cleared, way, loop=True))
    return list(ends.values())


def _end(position: Position, cells: Cells, way: tuple[str, ...], *, loop: bool) -> _End:
    after = Position(cells, position.mode, position.turn, position.resolver, "over", position.resigned)
    reason = endings.ending(after, loop=loop)
    team = next(team for team in TEAMS[position.mode] if position.resolver in team)
    score = next(line.score for line in endings.explain(after) if line.seats == team)
    won = reason is not None and position.resolver in endings.status(after, reason).winners
    return _End(reason, score, won, way)


def scattered(mode: str, rng: Random) -> Iterator[Position]:
    """Yield positions with randomly placed stones, some of them on homes."""
    for _ in range(SCATTERED):
        nodes = rng.sample(range(len(NODES)), rng.randrange(5, 16))
        cells = from_counts({node: rng.choice(((1, 0), (0, 1), (1, 0), (0, 1), (1, 1))) for node in nodes})
        turn = max(2, len(nodes) // len(SEATS[mode]))
        yield Position(cells, mode, turn, rng.choice(SEATS[mode]), "resolve")

"""The rules of Octiles, readable and on immutable positions: the reference that the flat form is compared with.

Source: octiles.md, Board and tiles, A turn; the text of a position: formats.md, Octiles. A *line* is followed by the
edges through which it enters wells. A *crossing* is the edge by which a runner's line first enters a well: a tile that
is put into that well changes the line only from there on, so one walk along each line of a runner finds all its turns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from firmware_host.games.game import BadPosition, Status
from firmware_host.games.octiles.board import (
    BEYOND,
    DEAD,
    FIRST_NODE,
    HOMES,
    MEETS,
    NODE,
    NODES,
    OPPOSITE,
    PADS,
    PARTNER,
    TILES,
    WELL,
    WELLS,
)

Key = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[int, ...], int]
"""The parts of a position that R3 compares: faces, runners, stack, seat."""

SEATED = {
    "2": ("blue", "yellow"),
    "3": ("blue", "red", "yellow"),
    "4": ("blue", "red", "yellow", "green"),
}
"""Mode → the side of each seat, in turn order."""
RUNNERS = {"2": 5, "3": 5, "4": 4}
HOME = {side: frozenset(NODE[pad] for pad in pads) for side, pads in HOMES.items()}
GOAL = {side: HOME[OPPOSITE[side]] for side in HOMES}
LAID_BEFORE = ("c1", "d1")
"""The wells of the first two tiles in the three-player game."""
EIGHTHS = 8
RUNNING = Status(over=False)
DRAW = "draw"
RESIGNED = "resigned"
REPEATS = 3
"""R3: this many occurrences of a position are a draw."""
OPEN = {side: tuple(not PADS[node] or node in goal for node in range(len(NODES))) for side, goal in GOAL.items()}
"""Side → node → whether its runners may end there if it is free: stops and the pads of its goal."""

Turn = tuple[int, int, int, int]
"""Well, turning of the top tile in eighths clockwise, the runner's node and its end."""
COUNT = len(NODES)


@dataclass(frozen=True)
class Position:
    """One position.

    ``faces`` has the turned tile of each well (``tile * 8 + turn``, 0: none), ``runners`` the sorted nodes of each
    seat's runners, ``stack`` the tiles from the top. The text lacks the other fields: ``past`` are the positions at the
    start of each turn since the last irreversible change, ``passed`` the seats that have passed in a row, ``resigned``
    the seats that have resigned, ``ending`` the end of the game if it is not by a goal (``draw``, ``resigned``). No
    rule depends on ``number`` (the turn) and ``unseen`` (the number of unseen tiles under the top one); covered tiles
    at the bottom of the stack have been seen.
    """

    faces: tuple[int, ...]
    runners: tuple[tuple[int, ...], ...]
    stack: tuple[int, ...]
    mode: str
    seat: int
    past: tuple[Key, ...] = ()
    passed: tuple[int, ...] = ()
    resigned: tuple[int, ...] = ()
    ending: str | None = None
    number: int = field(default=1, compare=False)
    unseen: int = field(default=len(TILES) - 1, compare=False)

    @property
    def side(self) -> str:
        """Return the side of the seat to move."""
        return SEATED[self.mode][self.seat - 1]

    @property
    def key(self) -> Key:
        """Return the value compared for R3."""
        return self.faces, self.runners, self.stack, self.seat

    def in_goal(self, seat: int) -> tuple[int, ...]:
        """Return the goal nodes on which a seat's runners stand."""
        goal = GOAL[SEATED[self.mode][seat - 1]]
        return tuple(node for node in self.runners[seat - 1] if node in goal)

    def home(self, seat: int) -> bool:
        """Return whether all runners of a seat are on their goal."""
        return len(self.in_goal(seat)) == len(self.runners[seat - 1])


def start(mode: str, stack: tuple[int, ...], turned: tuple[int, ...]) -> Position:
    """Return the set-up; ``stack`` has all tiles from the top, ``turned`` the turnings of those put before play."""
    faces = [0] * len(WELLS)
    for name, tile, turn in zip(LAID_BEFORE, stack, turned, strict=False):
        faces[WELL[name]] = tile * EIGHTHS + turn
    places = (0, 1, 2, 3, 4) if RUNNERS[mode] == 5 else (0, 1, 3, 4)
    runners = tuple(tuple(sorted(NODE[HOMES[side][place]] for place in places)) for side in SEATED[mode])
    left = stack[len(turned) :]
    return Position(tuple(faces), runners, left, mode, 1, unseen=len(left) - 1)


def with_lot(position: Position, number: int, lot: int) -> Position:
    """Return a position once a lot has picked the tile that is drawn as this one, from 1, of the stack before play.

    Before, tiles that no lot has picked stand in the stack in ascending order: in place of themselves. The names of all
    of them are exchanged, in earlier positions, too, so that R3 compares what lay there in truth.
    """
    first = number - lots_needed(position)
    hidden = position.stack[first : position.unseen + 1]
    rest, turn = list(hidden), lot // len(hidden) % EIGHTHS
    tile = rest.pop(lot % len(hidden))
    names = dict(zip(hidden, (tile, *rest), strict=True))

    def rename(stack: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(names.get(one, one) for one in stack)

    past = tuple((faces, runners, rename(stack), seat) for faces, runners, stack, seat in position.past)
    after = replace(position, stack=rename(position.stack), past=past)
    if position.mode != "3" or number > len(LAID_BEFORE):
        return after
    faces = list(position.faces)
    faces[WELL[LAID_BEFORE[number - 1]]] = tile * EIGHTHS + turn
    return replace(after, faces=tuple(faces), stack=after.stack[1:], unseen=position.unseen - 1)


def as_known(position: Position, unseen: int) -> Position:
    """Return a position once so many tiles of its stack are unseen still, now or later; these in ascending order."""
    end = position.unseen + 1
    first, stack = end - unseen, position.stack
    return replace(position, stack=stack[:first] + tuple(sorted(stack[first:end])) + stack[end:])


def lots_needed(position: Position) -> int:
    """Return how many tiles of the stack before play are on wells, seen under the stack, or on top of it."""
    return len(TILES) - position.unseen


# -- lines -----------------------------------------------------------------------------------------------------------


def ways(wells: Sequence[int]) -> list[int]:
    """Return for each edge by which a line enters a well the code that it comes to next; a face for each well."""
    return [
        BEYOND[well * 8 + direction] if face else DEAD for well, face in enumerate(wells) for direction in PARTNER[face]
    ]


def leaving(onward: Sequence[int], edge: int) -> int:
    """Return the code that a line leaving a well by an edge comes to: a node, ``DEAD``, or an edge of that well."""
    first = edge & ~7
    at = BEYOND[edge]
    while at < FIRST_NODE and at & ~7 != first:
        at = onward[at]
    return at


def crossings(onward: Sequence[int], node: int) -> list[int]:
    """Return the crossings of the lines from a node: the edge of each line's first entry into each well."""
    found: list[int] = []
    for edge in MEETS[node]:
        seen, at = 0, edge
        while at < FIRST_NODE:
            well = 1 << (at >> 3)
            if not seen & well:
                seen |= well
                found.append(at)
            at = onward[at]
    return found


def end(onward: Sequence[int], entered: int, partner: Sequence[int]) -> int:
    """Return the end of a line that enters a well by an edge, with a tile of these partners in the well."""
    first = entered & ~7
    at = entered
    while True:
        at = leaving(onward, first + partner[at & 7])
        if at >= FIRST_NODE:
            return at


def line(onward: Sequence[int], edge: int) -> list[int]:
    """Return the edges by which a line enters wells, from this edge on, and its end.

    The last number is ``FIRST_NODE`` + node, or ``DEAD``.
    """
    found = [edge]
    while found[-1] < FIRST_NODE:
        found.append(onward[found[-1]])
    return found


def path(onward: Sequence[int], well: int, source: int, target: int) -> list[int]:
    """Return the shortest line between two nodes across a well, as :func:`line` does; empty without one."""
    lines = [line(onward, edge) for edge in MEETS[source]]
    return min(
        (found for found in lines if found[-1] == FIRST_NODE + target and any(at >> 3 == well for at in found[:-1])),
        key=len,
        default=[],
    )


# -- turns -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LegalTurns:
    """The legal turns of the seat to move, as codes (:func:`code`); if there are none, it passes (R1).

    ``vacating``: the vacate rule allows only turns that move a runner off a home pad.
    """

    turns: frozenset[int]
    vacating: bool


def legal_turns(position: Position) -> LegalTurns:
    """Return the legal turns of the seat to move; the game must not be over."""
    side = position.side
    taken = frozenset().union(*position.runners)
    movers = [node for node in position.runners[position.seat - 1] if node not in GOAL[side]]
    onward = ways(position.faces)
    open_to = [is_open and node not in taken for node, is_open in enumerate(OPEN[side])] + [False]
    tile = position.stack[0]
    if taken >= HOME[side]:
        vacating = turns(onward, tile, [node for node in movers if node in HOME[side]], open_to)
        if vacating:
            return LegalTurns(frozenset(vacating), True)
    return LegalTurns(frozenset(turns(onward, tile, movers, open_to)), False)


def turns(onward: Sequence[int], tile: int, movers: Sequence[int], open_to: Sequence[bool]) -> set[int]:
    """Return the codes (:func:`code`) of all turns with the top tile, for the runners on the nodes ``movers``.

    ``open_to`` has for each node whether a runner may end there (its own stop is always allowed); a last entry, for
    ``DEAD``, is False.
    """
    found: set[int] = set()
    after: dict[int, int] = {}
    faces = [PARTNER[tile * 8 + turn] for turn in range(8)]
    for node in movers:
        own = DEAD + 1 if PADS[node] else FIRST_NODE + node
        for entered in crossings(onward, node):
            first, direction = entered & ~7, entered & 7
            base = first * COUNT * COUNT + node * COUNT - FIRST_NODE
            for partner in faces:
                at = first + partner[direction]
                while True:
                    got = after.get(at)
                    if got is None:
                        got = after[at] = leaving(onward, at)
                    if got >= FIRST_NODE:
                        break
                    at = first + partner[got & 7]
                if open_to[got - FIRST_NODE] or got == own:
                    found.add(base + got)
                base += COUNT * COUNT
    return found


def code(turn: Turn) -> int:
    """Return a turn as one number; numbers sort as turns do."""
    well, eighths, source, target = turn
    return ((well * 8 + eighths) * COUNT + source) * COUNT + target


def decode(number: int) -> Turn:
    """Return the turn of a code."""
    rest, target = divmod(number, COUNT)
    rest, source = divmod(rest, COUNT)
    return rest >> 3, rest & 7, source, target


# -- results ---------------------------------------------------------------------------------------------------------


def status(position: Position) -> Status:
    """Return the status: won if all runners are on the goal, else by the position's ``ending``."""
    if position.ending is None and not position.home(position.seat):
        return RUNNING
    scores = tuple(len(position.in_goal(seat)) for seat in range(1, len(position.runners) + 1))
    if position.ending is None:
        return Status(over=True, reason="goal", winners=(position.seat,), scores=scores)
    winners = tuple(active(position)) if position.ending == RESIGNED else ()
    return Status(over=True, reason=position.ending, winners=winners, scores=scores)


def active(position: Position) -> list[int]:
    """Return the seats that have not resigned."""
    return [seat for seat in range(1, len(SEATED[position.mode]) + 1) if seat not in position.resigned]


def after_turn(position: Position, turn: Turn) -> Position:
    """Return the position after a legal turn; a covered tile goes to the bottom of the stack."""
    well, eighths, source, target = turn
    covered = position.faces[well]
    faces = list(position.faces)
    faces[well] = position.stack[0] * EIGHTHS + eighths
    stack = position.stack[1:] + ((covered // EIGHTHS,) if covered else ())
    runners = list(position.runners)
    own = runners[position.seat - 1]
    if source != target:
        runners[position.seat - 1] = tuple(sorted(target if node == source else node for node in own))
    for_ever = not covered or (source != target and (PADS[source] or PADS[target]))
    after = replace(
        position,
        faces=tuple(faces),
        runners=tuple(runners),
        stack=stack,
        past=() if for_ever else (*position.past, position.key),
        passed=(),
        unseen=max(0, position.unseen - 1),
    )
    return after if after.home(after.seat) else _next(after)


def after_pass(position: Position) -> Position:
    """Return the position after a pass (R1). R2: a draw if all seats have passed in a row."""
    after = replace(position, passed=(*position.passed, position.seat), past=(*position.past, position.key))
    return replace(after, ending=DRAW) if _all_passed(after) else _next(after)


def resign(position: Position, seat: int) -> Position:
    """Let a seat resign: its runners stay where they are; the last seat left has won."""
    after = replace(position, resigned=tuple(sorted((*position.resigned, seat))))
    still = active(after)
    if len(still) == 1:
        return replace(after, ending=RESIGNED)
    if _all_passed(after):
        return replace(after, ending=DRAW)
    return _next(after) if seat == position.seat else after


def _all_passed(position: Position) -> bool:
    return set(active(position)) <= set(position.passed)


def _next(position: Position) -> Position:
    """Give the turn to the next seat that plays. R3: a draw if the position occurs for the third time."""
    still = active(position)
    seat = next((seat for seat in still if seat > position.seat), still[0])
    following = replace(position, seat=seat, number=position.number + 1)
    if following.past.count(following.key) >= REPEATS - 1:
        return replace(position, ending=DRAW)
    return following


# -- text --------------------------------------------------------------------------------------------------------------


def text(position: Position) -> str:
    """Return a position's text."""
    wells = ",".join(f"{name}:{face_text(face)}" for name, face in zip(WELLS, position.faces, strict=True) if face)
    runners = ";".join(
        f"{side}:{','.join(NODES[node] for node in nodes)}"
        for side, nodes in zip(SEATED[position.mode], position.runners, strict=True)
    )
    stack = ",".join(map(str, position.stack))
    return f"{wells or '-'} {runners} {stack} {position.mode} {position.seat}"


def face_text(face: int) -> str:
    """Return a turned tile as in texts of positions: ``12r5``."""
    return f"{face // EIGHTHS}r{face % EIGHTHS}"


def parse(line: str) -> Position:
    """Return the position of a text; its past is unknown. Raise BadPosition naming the field."""
    words = line.split(" ")
    if len(words) != 5:
        raise BadPosition(
            f"position: expected 5 fields (wells runners stack mode seat) separated by one space, got {len(words)}"
        )
    wells, runners, stack, mode, seat = words
    if mode not in SEATED:
        raise BadPosition(f"mode: expected one of {', '.join(SEATED)}, got {mode[:20]!r}")
    sides = SEATED[mode]
    if seat not in map(str, range(1, len(sides) + 1)):
        raise BadPosition(f"seat: expected a number from 1 to {len(sides)}, got {seat[:20]!r}")
    faces = _parse_wells(wells)
    position = Position(faces, _parse_runners(runners, mode), _parse_stack(stack, faces), mode, int(seat))
    for number, side in enumerate(sides, 1):
        if position.home(number) and number != position.seat:
            raise BadPosition(f"seat: expected {number}, as all runners of {side} are on their goal, got {seat}")
    laid = sum(map(bool, faces)) - (len(LAID_BEFORE) if mode == "3" else 0)
    number = max(1, laid + (not position.home(position.seat)))
    return replace(position, number=number, unseen=len(position.stack) - 1)


def _parse_wells(word: str) -> tuple[int, ...]:
    faces = [0] * len(WELLS)
    if word == "-":
        return tuple(faces)
    last = -1
    for entry in word.split(","):
        match = re.fullmatch(r"([a-e][1-5]):([1-9]|1[0-8])r([0-7])", entry, re.ASCII)
        if match is None or match[1] not in WELL:
            raise BadPosition(
                f"wells: expected '-' or well, tile and turn such as b3:12r5 joined by ',', got {entry[:20]!r}"
            )
        well = WELL[match[1]]
        if well <= last:
            raise BadPosition(f"wells: expected each well once, sorted by name, got {match[1]} after {WELLS[last]}")
        last = well
        faces[well] = int(match[2]) * EIGHTHS + int(match[3])
    return tuple(faces)


def _parse_runners(word: str, mode: str) -> tuple[tuple[int, ...], ...]:
    sides, groups = SEATED[mode], word.split(";")
    if len(groups) != len(sides):
        raise BadPosition(f"runners: expected {', '.join(sides)} joined by ';' in mode {mode}, got {len(groups)} sides")
    taken: set[str] = set()
    found = []
    for side, group in zip(sides, groups, strict=True):
        name, colon, listed = group.partition(":")
        if name != side or not colon:
            raise BadPosition(f"runners: expected {side}: and its nodes, got {group[:20]!r}")
        names = listed.split(",")
        for node in names:
            if node not in NODE:
                raise BadPosition(f"runners: {side}: expected nodes such as B3 or F2, got {node[:20]!r}")
            if any(node in HOMES[other] for other in HOMES if other not in {side, OPPOSITE[side]}):
                raise BadPosition(f"runners: {side}: expected stops and pads of its home and goal, got {node}")
            if node in taken:
                raise BadPosition(f"runners: {side}: expected one runner a node, got {node} again")
            taken.add(node)
        if names != sorted(names):
            raise BadPosition(f"runners: {side}: expected the nodes sorted, got {listed[:40]!r}")
        if len(names) != RUNNERS[mode]:
            raise BadPosition(f"runners: {side}: expected {RUNNERS[mode]} nodes in mode {mode}, got {len(names)}")
        found.append(tuple(NODE[node] for node in names))
    return tuple(found)


def _parse_stack(word: str, faces: tuple[int, ...]) -> tuple[int, ...]:
    tiles = []
    for entry in word.split(","):
        if not re.fullmatch(r"[1-9]|1[0-8]", entry, re.ASCII):
            raise BadPosition(f"stack: expected tile numbers from 1 to 18 joined by ',', got {entry[:20]!r}")
        tiles.append(int(entry))
    there = [face // EIGHTHS for face in faces if face] + tiles
    for tile in TILES:
        if there.count(tile) != 1:
            lies = f"{there.count(tile)} times" if tile in there else "nowhere"
            raise BadPosition(f"stack: expected every tile once on wells or in the stack, got tile {tile} {lies}")
    return tuple(tiles)

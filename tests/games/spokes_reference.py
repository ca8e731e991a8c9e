"""Spokes once more, slowly and obviously: stacks in a dict, every sentence of the rules as a loop.

Written from the rules alone, with labels instead of bits, to be compared with the real one.
"""

from __future__ import annotations

from collections.abc import Iterator

Board = dict[str, str]
"""Label → its stones, sorted: ``w``, ``b``, ``bw`` a block, anything else a stack."""

RINGS = {"A": 1, "B": 4, "C": 8, "D": 16, "": 16}
ORDER = ["A", "B", "C", "D", ""]
LABELS = [f"{ring}{k}" for ring, count in RINGS.items() for k in range(1, count + 1)]


def split(label: str) -> tuple[str, int]:
    return (label[0], int(label[1:])) if label[0].isalpha() else ("", int(label))


def around(label: str, step: int) -> str | None:
    ring, k = split(label)
    count = RINGS[ring]
    return None if count == 1 else f"{ring}{(k - 1 + step) % count + 1}"


def outwards(label: str) -> list[str]:
    ring, k = split(label)
    if ring == "A":
        return [f"B{n}" for n in range(1, 5)]
    if ring == "D":
        return [str(k)]
    if ring == "":
        return []
    return [f"{ORDER[ORDER.index(ring) + 1]}{2 * k - 1}"]


def inwards(label: str) -> str | None:
    ring, k = split(label)
    if ring == "A":
        return None
    if ring == "B":
        return "A1"
    if ring == "":
        return f"D{k}"
    return f"{ORDER[ORDER.index(ring) - 1]}{(k + 1) // 2}" if k % 2 else None


def neighbours(label: str) -> list[str]:
    near = [around(label, 1), around(label, -1), inwards(label), *outwards(label)]
    return [other for other in near if other]


def straight_on(pusher: str, pushed: str) -> str | None:
    for step in (1, -1):
        if around(pusher, step) == pushed:
            return around(pushed, step)
    if pushed == "A1":
        return around(pusher, 2)
    if inwards(pushed) == pusher:
        return outwards(pushed)[0] if outwards(pushed) else None
    return inwards(pushed)


def across(pusher: str, pushed: str) -> list[str]:
    if split(pusher)[0] == split(pushed)[0]:
        return [other for other in [inwards(pushed), *outwards(pushed)] if other]
    if pushed == "A1":
        return [str(around(pusher, 1)), str(around(pusher, -1))]
    return [str(around(pushed, 1)), str(around(pushed, -1))]


def excess_of(stones: str) -> str:
    blocks = min(stones.count("b"), stones.count("w"))
    if len(stones) == 2 * blocks:
        return "bw" if blocks > 1 else ""
    return "" if len(stones) == 1 else max("bw", key=stones.count)


def without(board: Board, label: str, pieces: str) -> Board:
    rest = list(board[label])
    for piece in pieces:
        rest.remove(piece)
    new = {**board, label: "".join(rest)}
    return new if rest else {other: stones for other, stones in new.items() if other != label}


def with_(board: Board, label: str, pieces: str) -> Board:
    return {**board, label: "".join(sorted(board.get(label, "") + pieces))}


def moves_of_excess(board: Board, label: str, pieces: str) -> list[str]:
    """Where excess may go by the letter of the rules, whether or not it ever settles; ``board`` is without it."""
    near = neighbours(label)
    empty = [other for other in near if other not in board]
    if pieces == "bw":
        return empty or [other for other in near if len(board[other]) == 1]
    opposite = {"b": "w", "w": "b"}[pieces]
    direct = empty + [other for other in near if board.get(other) == opposite]
    return direct or [other for other in near if board.get(other) == pieces]


def settles_somewhere(board: Board, label: str, pieces: str, seen: frozenset[str]) -> bool:
    """Whether excess standing on ``label`` (``board`` without it) can come to a node where it is no excess any more."""
    for target in moves_of_excess(board, label, pieces):
        after = with_(board, target, pieces)
        left = excess_of(after[target])
        if not left:
            return True
        if target not in seen:
            rest = without(after, target, left)
            if settles_somewhere(rest, target, left, seen | {target}):
                return True
    return False


def shifts(board: Board) -> Iterator[tuple[str, Board]]:
    for label in list(board):
        pieces = excess_of(board[label])
        if not pieces:
            continue
        rest = without(board, label, pieces)
        for target in moves_of_excess(rest, label, pieces):
            after = with_(rest, target, pieces)
            left = excess_of(after[target])
            if not left or settles_somewhere(without(after, target, left), target, left, frozenset({target})):
                yield f"{label}/{target}", after


def interactions(board: Board) -> Iterator[tuple[str, Board]]:
    for one, colour in board.items():
        if len(colour) != 1:
            continue
        for other in neighbours(one):
            stones = board.get(other, "")
            if len(stones) != 1:
                continue
            if stones != colour:
                yield f"{one}+{other}", with_(without(board, other, stones), one, stones)
                continue
            onward = straight_on(one, other)
            if onward is None:
                continue
            goals = [onward] if onward not in board else []
            if board.get(onward) == colour:
                goals = [goal for goal in across(one, other) if goal not in board]
            for goal in goals:
                yield f"{one}-{other}-{goal}", with_(without(board, other, stones), goal, stones)


def steps(board: Board) -> dict[str, Board]:
    """Every legal step and the board after it."""
    return dict(shifts(board)) or dict(interactions(board))


def endings(start_board: Board, limit: int = 3000) -> tuple[set[str], set[str]] | None:
    """The rests, and the loops after removal, by closing every set of positions under steps; None beyond the limit."""
    start = text(start_board)
    boards = {start: start_board}
    later: dict[str, dict[str, str]] = {}
    todo = [start]
    while todo:
        at = todo.pop()
        later[at] = {}
        for step, after in steps(boards[at]).items():
            name = text(after)
            later[at][step] = name
            if name not in boards:
                boards[name] = after
                todo.append(name)
        if len(boards) > limit:
            return None
    reach = {name: closure(name, later) for name in boards}
    rests = {name for name in boards if not later[name]}
    loops = set()
    for name, board in boards.items():
        if len(reach[name]) > 1 and all(name in reach[other] for other in reach[name]):
            touched = {
                label for other in reach[name] for step in later[other] if "-" in step for label in step.split("-")[:2]
            }
            kept = {label: stones for label, stones in board.items() if label not in touched or len(stones) > 1}
            loops.add(text(kept))
    return rests, loops


def closure(name: str, later: dict[str, dict[str, str]]) -> set[str]:
    seen, todo = {name}, [name]
    while todo:
        for other in later[todo.pop()].values():
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def text(board: Board) -> str:
    signs = {"": ".", "w": "w", "b": "b", "bw": "x"}
    groups = []
    for ring, count in RINGS.items():
        stacks = [board.get(f"{ring}{k}", "") for k in range(1, count + 1)]
        groups.append("".join(signs.get(stones, f"({stones})") for stones in stacks))
    return "/".join(groups)


def parse(cells: str) -> Board:
    names = {".": "", "w": "w", "b": "b", "x": "bw"}
    board, labels = {}, iter(LABELS)
    at = 0
    flat = cells.replace("/", "")
    while at < len(flat):
        if flat[at] == "(":
            end = flat.index(")", at)
            stones, at = flat[at + 1 : end], end + 1
        else:
            stones, at = names[flat[at]], at + 1
        label = next(labels)
        if stones:
            board[label] = stones
    return board

"""Phalanx once more, slow and obvious, written from phalanx.md on a dict of letters; shares nothing with the game."""

from __future__ import annotations

COLUMNS = "ABCDEFGHJ"
GOALS = {"b": "A9", "w": "J1"}
WAYS = {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}
Points = dict[str, str]
"""Point → b or w."""


def on_board() -> list[str]:
    return [f"{column}{row}" for row in range(9, 0, -1) for column in COLUMNS]


def go(point: str, way: str) -> str | None:
    """Return the next point in a direction, None beyond the edge."""
    across, up = WAYS[way]
    column, row = COLUMNS.index(point[0]) + across, int(point[1]) + up
    return f"{COLUMNS[column]}{row}" if 0 <= column < 9 and 1 <= row <= 9 else None


def around(point: str) -> set[str]:
    return {other for way in WAYS if (other := go(point, way)) is not None}


def parse(rows: str) -> Points:
    spread = "".join("." * int(sign) if sign.isdigit() else sign for sign in rows.replace("/", ""))
    return {point: sign for point, sign in zip(on_board(), spread, strict=True) if sign != "."}


def write(points: Points) -> str:
    rows = []
    for number in range(9, 0, -1):
        row, gap = "", 0
        for column in COLUMNS:
            sign = points.get(f"{column}{number}")
            if sign is None:
                gap += 1
            else:
                row, gap = row + (str(gap) if gap else "") + sign, 0
        rows.append(row + (str(gap) if gap else ""))
    return "/".join(rows)


def army(points: Points, point: str) -> set[str]:
    found = {point}
    while True:
        more = {n for one in found for n in around(one) if points.get(n) == points[point]} - found
        if not more:
            return found
        found |= more


def free(points: Points, point: str) -> bool:
    return point not in points and point not in GOALS.values()


def bury(points: Points) -> Points:
    """Remove the dead of both sides together."""
    return {point: side for point, side in points.items() if any(points.get(other) == side for other in around(point))}


def push(points: Points, side: str, rear: str, way: str) -> Points | None:
    """Return the board after a push, before deaths of those alone; None where it is not legal."""
    against = WAYS[way][0] * -1, WAYS[way][1] * -1
    behind = go(rear, next(name for name, step in WAYS.items() if step == against))
    if behind is not None and points.get(behind) == side:
        return None
    own, opposing, at = [], [], rear
    while at is not None and points.get(at) == side:
        own.append(at)
        at = go(at, way)
    while at is not None and points.get(at, side) != side:
        opposing.append(at)
        at = go(at, way)
    if not opposing or len(own) <= len(opposing):
        return None
    if at is not None and at in points:
        return None
    after = {point: colour for point, colour in points.items() if point not in own + opposing}
    for point in own + opposing:
        target = go(point, way)
        if target is not None and target not in GOALS.values():
            after[target] = points[point]
    return after


def boards(points: Points, side: str) -> dict[str, Points]:
    """Return action → board before deaths, for every action but the end of the turn."""
    found = {}
    own = [point for point, colour in points.items() if colour == side]
    for target in on_board():
        if not free(points, target):
            continue
        if len(own) < 9 and around(target) & set(own):
            found[f"+{target}"] = {**points, target: side}
        for source in own:
            if around(target) & (army(points, source) - {source}):
                moved = {**points, target: side}
                del moved[source]
                found[f"{source}-{target}"] = moved
    for rear in own:
        for way in WAYS:
            pushed = push(points, side, rear, way)
            if pushed is not None:
                found[f"{rear}>{way}"] = pushed
    return found


def winner(points: Points, acted: str) -> str | None:
    for side in (acted, "w" if acted == "b" else "b"):
        if set(points.values()) == {side} or any(points.get(point) == side for point in around(GOALS[side])):
            return side
    return None


def after(position: str, bonus: bool = False) -> dict[str, tuple[str, str | None]]:
    """Return action → (position, winner) for a running position whose past does not matter."""
    rows, side, left, turn = position.split()
    other, following = ("w" if side == "b" else "b"), int(turn) + 1
    full = 4 if bonus and following == 2 else 3
    found: dict[str, tuple[str, str | None]] = {"end": (f"{rows} {other} {full} {following}", None)}
    for action, placed in boards(parse(rows), side).items():
        board = bury(placed)
        won, rest = winner(board, side), int(left) - 1
        if won or rest:
            found[action] = f"{write(board)} {side} {rest} {turn}", won
        else:
            found[action] = f"{write(board)} {other} {full} {following}", None
    return found

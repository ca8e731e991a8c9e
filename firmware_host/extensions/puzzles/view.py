"""A puzzle as a page shows it, ready for JSON; and what is said to the actions that somebody tries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firmware_host.extensions.puzzles.judging import PuzzleVerdict, fits_board, verdict
from firmware_host.extensions.puzzles.puzzle import WHO, Puzzle, PuzzleKind, kinds_of
from firmware_host.games import naming
from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.drawing import MADE, arrows_along, drawing, layout_view, own_colours, ways_of
from firmware_host.games.game import Game, GameError, Occupancy, Step, bounded_cache
from firmware_host.games.positions import next_steps, occupancy_after, whole
from firmware_host.text.words import capital, say

MAX_ACTIONS = 40
"""Actions that are tried one after the other: no answer is so long."""
PART_OF_REPLY = say("part of the reply")
OPEN, SOLVED, WRONG = "open", "solved", "wrong"


@dataclass(frozen=True)
class _Attempt:
    """What some actions have led to: the position, what lies, the last step, and what is said of it."""

    position: Any
    state: str
    words: str
    steps: Sequence[Step] = ()
    lying: Occupancy | None = None
    arrows: Sequence[Any] = ()
    answered: frozenset[str] = frozenset()
    """Where the reply to a wrong answer has put or moved something."""


def summary(game: Game[Any], puzzle: Puzzle) -> dict[str, Any]:
    """Return a puzzle as a list has it."""
    title = kinds_of(game)[puzzle.kind].title
    fields = {"id": puzzle.id, "kind": puzzle.kind, "title": title, "grade": puzzle.grade}
    return {**fields, "on_board": fits_board(game, puzzle), "least": least_seconds(puzzle)}


def least_seconds(puzzle: Puzzle) -> int:
    """Return the shortest time in which a person may have solved a puzzle: two seconds to look, one for each action."""
    return 2 + len(puzzle.answer)


def puzzle_view(game: Game[Any], puzzle: Puzzle, actions: Sequence[str], stage: Sequence[str] = ()) -> dict[str, Any]:
    """Return a puzzle after some actions of its seat, the last of them in stages where the game has such.

    Raise GameError for an action that is not legal.
    """
    kind = kinds_of(game)[puzzle.kind]
    tried = _try_actions(game, puzzle, kind, actions, stage)
    position = tried.position
    lying = game.occupancy(position) if tried.lying is None else tried.lying
    plays = game.plays(position)
    tiles = capabilities_of(game).tiles
    over = tried.state != OPEN
    supply = tiles.supply(position) if tiles and not over else None
    return {
        **summary(game, puzzle),
        "game": game.name,
        "goals": game.goals,
        "asked": kind.asked,
        "seat": puzzle.seat,
        "teams": [list(team) for team in game.teams(position.mode)],
        "state": tried.state,
        "words": tried.words,
        "ends": puzzle.ends,
        "looked": puzzle.looked,
        "layout": _layout(game, kind),
        "board": {node: list(stack) for node, stack in lying.items()},
        "pieces": dict(game.pieces),
        "tints": naming.tints(game.pieces),
        "lights": {
            node: {"meaning": "interact", "words": PART_OF_REPLY, "seat": None} for node in sorted(tried.answered)
        },
        "arrows": list(tried.arrows),
        "supply": {"piece": supply.piece, "left": supply.left} if supply else None,
        "stage": list(stage),
        "steps": [_step(step) for step in tried.steps],
        "choices": [{"action": str(seat), "words": _player(game, plays, seat)} for seat in game.seats(position.mode)]
        if kind.claim.form == WHO and not over
        else [],
        "seats": _seats(game, position),
    }


def miniatures(game: Game[Any], puzzles: Sequence[Puzzle]) -> dict[str, Any]:
    """Return what small pictures of puzzles need: what lies on each board, its theme's layout and its mode's seats."""
    return _miniatures(game, tuple((puzzle.id, puzzle.position) for puzzle in puzzles))


@bounded_cache(1)  # One game's takes half a megabyte.
def _miniatures(game: Game[Any], puzzles: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return what small pictures of puzzles need, from their ids and positions: every position is parsed for it."""
    found: dict[str, Any] = {"pieces": dict(game.pieces), "tints": naming.tints(game.pieces)}
    boards, seats = {}, dict[str, Any]()
    for name, text in puzzles:
        position = game.parse(text)
        lying = {node: list(stack) for node, stack in game.occupancy(position).items()}
        boards[name] = {"board": lying, "mode": position.mode}
        seats.setdefault(position.mode, _seats(game, position))
    layouts = {kind: _layout(game, one) for kind, one in kinds_of(game).items()}
    return {**found, "layouts": layouts, "seats": seats, "boards": boards}


def _layout(game: Game[Any], kind: PuzzleKind) -> Mapping[str, Any]:
    return drawing(game, kind.layout) if kind.layout else layout_view(game)


def _seats(game: Game[Any], position: Any) -> list[dict[str, Any]]:
    plays, own = game.plays(position), own_colours(game, position.mode)
    return [
        {
            "seat": seat,
            "name": _player(game, plays, seat),
            "homes": list(game.homes(position.mode, seat)),
            "colour": own.get(seat, seat),
            "plays": plays.get(seat),
        }
        for seat in game.seats(position.mode)
    ]


def solution(game: Game[Any], puzzle: Puzzle) -> dict[str, Any]:
    """Return the answer: its actions, and each in words."""
    if kinds_of(game)[puzzle.kind].claim.form == WHO:
        words = [_player(game, game.plays(game.parse(puzzle.position)), int(puzzle.answer[0]))]
    else:
        words = [capital(game.words(action)) for action in puzzle.answer]
    return {"actions": list(puzzle.answer), "words": words}


def _player(game: Game[Any], plays: Mapping[int, str], seat: int) -> str:
    """Say who a seat is: the colour that it plays, else its number."""
    return capital(game.pieces[plays[seat]]) if seat in plays else say("Player {seat}", seat=seat)


def _step(step: Step) -> dict[str, Any]:
    return {
        "action": step.action,
        "words": step.words,
        "hidden": False,
        "moves": [[move.source, move.target] for move in step.moves],
        "line": list(step.line),
        "tap_twice": False,
        "partial": step.partial,
    }


def _try_actions(
    game: Game[Any], puzzle: Puzzle, kind: PuzzleKind, actions: Sequence[str], stage: Sequence[str]
) -> _Attempt:
    if len(actions) > MAX_ACTIONS:
        raise GameError(say("no puzzle takes more than {most} actions", most=MAX_ACTIONS))
    start = position = game.parse(puzzle.position)
    if kind.claim.form == WHO:
        return _try_answer(puzzle, kind, start, actions)
    arrows: Sequence[Any] = ()
    for number, action in enumerate(actions):
        step = whole(game, position, action) if number == len(actions) - 1 else None
        position = game.apply(position, {puzzle.seat: action}).position
        arrows = arrows_along(MADE, ways_of(step)) if step else ()
        found = verdict(game, puzzle, position, action)
        if found is not None:
            if number < len(actions) - 1:
                raise GameError(say("the turn is over before {action}", action=repr(actions[number + 1][:20])))
            return _after_end(game, found, position, arrows)
    lying = occupancy_after(game, position, stage)
    return _Attempt(position, OPEN, kind.asked, next_steps(game, position, stage), lying, () if stage else arrows)


def _try_answer(puzzle: Puzzle, kind: PuzzleKind, start: Any, actions: Sequence[str]) -> _Attempt:
    if not actions:
        return _Attempt(start, OPEN, kind.asked)
    if tuple(actions) == puzzle.answer:
        return _Attempt(start, SOLVED, say("Right!"))
    return _Attempt(start, WRONG, kind.missed)


def _after_end(game: Game[Any], found: PuzzleVerdict, position: Any, arrows: Sequence[Any]) -> _Attempt:
    """Return what is said at the end of the turn, and after a wrong one the reply to it."""
    if found.right:
        return _Attempt(position, SOLVED, found.words, arrows=arrows)
    touched: set[str] = set()
    for action in found.reply:
        actor = game.actor(position)
        last = whole(game, position, action)
        if actor is None or last is None:
            break
        arrows = arrows_along(MADE, ways_of(last))
        touched.update(move.target for move in last.moves if move.target is not None)
        position = game.apply(position, {actor: action}).position
    return _Attempt(position, WRONG, found.words, arrows=arrows, answered=frozenset(touched))

"""The engine protocol: one JSON object a line in, one line of answer out (formats.md, Engine protocol).

No state is kept between lines, except caches. Every line gets one line of answer: a refusal names the fault, and the
engine goes on.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, BinaryIO

from firmware_host.games.game import Analysis, BadAction, Game, GameOver, OverBudget, Status
from firmware_host.games.levels import levels
from firmware_host.games.offers import offers_of
from firmware_host.games.registry import GAMES
from firmware_host.games.thinkers import thinker_of
from firmware_host.games.thinking import Budget, Choice, Strength, choose
from firmware_host.services import json_lines
from firmware_host.services.engine_positions import actions_of, after, game_of, position_of
from firmware_host.services.json_lines import (
    Answer,
    BadRequest,
    Request,
    answered,
    flag,
    number,
    one_of,
    verb,
    whole,
)
from firmware_host.text.words import packed

MOST_PLAYOUTS = 1_000_000
DEEPEST_PERFT = 6
MOST_POSITIONS = 20_000_000
MOST_NODES = 1_000_000_000
SECONDS = 10.0
"""Default limit of a search's duration."""
LIST_SECONDS = 60.0
"""Default limit for counting (lists of ends, perft, playouts), and for thinking, which nodes limit first."""


_ASKER = os.getppid()
"""The parent process; after its death searches stop."""


def serve(stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Answer every line until end of file; return the exit code."""
    _Stop.listen()
    return json_lines.serve(answer_line, stdin, stdout)


def answer_line(line: str | bytes) -> str:
    """Return the answer to one line of request, in ASCII; never raises."""
    return answered(line, lambda request: _VERBS[verb(request, _FIELDS)](request))


# -- fields ------------------------------------------------------------------------------------------------------------


def _offers(game: Game[Any], name: str) -> Any:
    """Return an optional method of a game. Raise BadRequest if the game does not have it."""
    ability = getattr(game, name, None)
    if ability is None:
        raise BadRequest(f"do: {game.title} does not offer this")
    return ability


# -- verbs -------------------------------------------------------------------------------------------------------------


def _games(_request: Request) -> Answer:
    return {"games": {name: list(game.modes) for name, game in sorted(GAMES.items())}}


def _start(request: Request) -> Answer:
    game = game_of(request)
    whole(request, "seed", 0, -(2**63), 2**128 - 1)
    mode = one_of(request, "mode", game.modes, game.modes[0])
    known = set(_start_options(game))
    asked = set(_START_OPTIONS) - (_FOR_ALL - known)  # A seed is ignored where nothing is random.
    options = {name: request[name] for name in sorted(asked) if name in request}
    if not options:
        return {"position": game.text(game.start(mode))}
    foreign = set(options) - known
    start = offers_of(game).start_options
    if start is None or foreign:
        raise BadRequest(f"{min(foreign)}: {game.title} does not know this field")
    return {"position": game.text(start.start_with(mode, options))}


def _start_options(game: Game[Any]) -> Sequence[str]:
    options = offers_of(game).start_options
    return options.start_options if options else ()


def _actions(request: Request) -> Answer:
    game, position = position_of(request)
    return {"seats": {str(seat): list(actions) for seat, actions in game.actions(position).items()}}


def _apply(request: Request) -> Answer:
    game, position = position_of(request)
    if game.status(position).over:
        raise GameOver("the game is over")
    transition = after(game, position, actions_of(request, game, position))
    return {
        "position": game.text(transition.position),
        "removed": list(transition.removed),
        "status": _status_fields(transition.status),
    }


def _status(request: Request) -> Answer:
    game, position = position_of(request)
    return _status_fields(game.status(position))


def _status_fields(status: Status) -> Answer:
    if not status.over:
        return {"over": False}
    fields: Answer = {"over": True, "winners": list(status.winners)}
    if status.reason is not None:
        fields["reason"] = status.reason
    if status.scores:
        fields["scores"] = list(status.scores)
        fields["tiebreak"] = list(status.tiebreak)
    return fields


class _Stop:
    """Whether the search that runs has been told to stop, by ``SIGUSR1``."""

    requested = False

    @classmethod
    def listen(cls) -> None:
        """Handle the signal; it may have been blocked until now (:mod:`firmware_host.analysis.engine_process`)."""

        def stop(_number: int, _frame: object) -> None:
            cls.requested = True

        signal.signal(signal.SIGUSR1, stop)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})


def _deadline(seconds: float) -> Callable[[], bool]:
    """Return a function that is true after ``seconds`` from now, or once the search shall stop, or its asker is dead.

    What was told before concerned another search.
    """
    end, _Stop.requested = time.monotonic() + seconds, False
    return lambda: _Stop.requested or time.monotonic() >= end or os.getppid() != _ASKER


def _outcomes(request: Request) -> Answer:
    game, position = position_of(request)
    search = _offers(game, "outcomes")
    listed = flag(request, "list", False)
    out_of_time = _deadline(number(request, "seconds", LIST_SECONDS if listed else SECONDS))
    limits = {"budget": MOST_POSITIONS} if listed else {}
    if "max_positions" in request:
        most = whole(request, "max_positions", None, 1, MOST_POSITIONS)
        limits = {"budget": most, "deciding": most}
    found = search(position, **limits, out_of_time=out_of_time)
    if listed and not found.exact:
        raise OverBudget(f"list: the graph is larger than the budget ({found.positions} positions met)")
    answer: Answer = {
        "exact": found.exact,
        "rest_reachable": found.rest_reachable,
        "positions": found.positions,
        "rests": len(found.rests),
        "loops": len(found.loops),
    }
    if listed:
        cells_text = _offers(game, "cells_text")
        answer["rests"] = sorted(map(cells_text, found.rests))
        answer["loops"] = sorted(map(cells_text, found.loops))
    return answer


def _foresight(request: Request) -> Analysis:
    game, position = position_of(request)
    search = offers_of(game).search
    if search is None:
        raise BadRequest(f"do: {game.title} does not offer this")
    return search.foresee(position, MOST_POSITIONS, _deadline(number(request, "seconds", SECONDS)))


def _resolve(request: Request) -> Answer:
    found = _foresight(request)
    return {"steps": list(found.way), "end": found.end, "cells": found.cells, "exact": found.exact}


def _foresee(request: Request) -> Answer:
    return dataclasses.asdict(_foresight(request))


def _think(request: Request) -> Answer:
    asked = _Question(request)
    thought = asked.thinker.think(asked.position, asked.seat, asked.strength.budget, asked.rng)
    choices = [_choice_fields(choice) for choice in thought.choices]
    return {"choices": choices, "nodes": thought.nodes, "proved": thought.proved, "in_time": asked.in_time}


def _play(request: Request) -> Answer:
    asked = _Question(request)
    thought = asked.thinker.think(asked.position, asked.seat, asked.strength.budget, asked.rng)
    choice = choose(thought, asked.strength.spread, asked.rng)
    return {**_choice_fields(choice), "nodes": thought.nodes, "in_time": asked.in_time}


class _Question:
    """The fields of ``think`` and ``play``: position, thinker, seat, strength and random numbers."""

    def __init__(self, request: Request) -> None:
        """Read the request. Raise GameError (including BadRequest) naming the fault."""
        game, self.position = position_of(request)
        self.thinker = thinker_of(game)
        offered = game.actions(self.position)
        if not offered:
            raise GameOver("the game is over")
        self.seat = whole(request, "seat", next(iter(offered)), 1, max(offered))
        if "seat" not in request and len(offered) > 1:
            raise BadRequest("seat: expected a number, as several seats act together, but it is missing")
        if self.seat not in offered:
            raise BadAction(f"seat: expected a seat that acts now, {' or '.join(map(str, offered))}, got {self.seat}")
        seconds = number(request, "seconds", LIST_SECONDS)
        self.rng = Random(whole(request, "seed", 0, -(2**63), 2**128 - 1))
        self.in_time = True
        """Whether the nodes, not the clock, have ended the search: then equal requests give equal answers."""
        self._deadline = _deadline(seconds)
        self.strength = self._strength(request)

    def _strength(self, request: Request) -> Strength:
        """Return the strength of a level, by default the strongest; the request's own limits replace the level's."""
        strengths = self.thinker.strengths
        level = whole(request, "level", len(strengths), 1, len(strengths))
        chosen, budget = strengths[level - 1], strengths[level - 1].budget
        limits = Budget(
            whole(request, "nodes", budget.nodes, 1, MOST_NODES),
            whole(request, "depth", budget.depth, 0, MOST_NODES),
            whole(request, "width", budget.width, 0, MOST_NODES),
            whole(request, "evaluation", budget.evaluation, 0, MOST_NODES),
            self._out_of_time,
        )
        return dataclasses.replace(chosen, budget=limits)

    def _out_of_time(self) -> bool:
        if self._deadline():
            self.in_time = False
        return not self.in_time


def _choice_fields(choice: Choice) -> Answer:
    return {
        "action": choice.action,
        "value": choice.value,
        "share": choice.share,
        "line": list(choice.line),
        "reasons": list(choice.reasons),
        "packed": packed(list(choice.reasons)),
    }


def _levels(request: Request) -> Answer:
    strengths = thinker_of(game_of(request)).strengths
    found = zip(levels(len(strengths)), strengths, strict=True)
    return {
        "levels": [
            {"level": level.number, "name": level.name, "about": level.about, "nodes": strength.budget.nodes}
            for level, strength in found
        ]
    }


def _playouts(request: Request) -> Answer:
    game, position = position_of(request)
    playout = _offers(game, "playout")
    count = whole(request, "count", None, 1, MOST_PLAYOUTS)
    rng = Random(whole(request, "seed", 0, -(2**63), 2**63 - 1))
    began = time.perf_counter()
    out_of_time = _deadline(number(request, "seconds", LIST_SECONDS))
    wins = dict.fromkeys((str(seat) for seats in game.teams(_mode(position)) for seat in seats), 0)
    played = 0
    while played < count and not out_of_time():
        for seat in playout(position, rng).winners:
            wins[str(seat)] += 1
        played += 1
    return {"count": played, "seconds": round(time.perf_counter() - began, 6), "wins": wins}


def _mode(position: Any) -> str:
    mode: str = position.mode
    return mode


def _perft(request: Request) -> Answer:
    game, position = position_of(request)
    depth = whole(request, "depth", None, 0, DEEPEST_PERFT)
    return {"count": perft(game, position, depth, _deadline(number(request, "seconds", LIST_SECONDS)))}


def perft(game: Game[Any], position: Any, depth: int, out_of_time: Callable[[], bool] = lambda: False) -> int:
    """Return the number of action sequences of a length; a simultaneous round is one action, the end ends a sequence.

    A game with a quicker form of its rules counts by it. Raise OverBudget when time is out: a part is no answer.
    """
    own = getattr(game, "perft", None)
    if own is not None:
        return int(own(position, depth, out_of_time))
    if out_of_time():
        raise OverBudget("depth: not all sequences could be counted in the time (seconds)")
    offered = game.actions(position)
    if depth == 0 or not offered:
        return 1
    seats = list(offered)
    if depth == 1:
        return math.prod(len(offered[seat]) for seat in seats)
    return sum(
        perft(game, game.apply(position, dict(zip(seats, choice, strict=True))).position, depth - 1, out_of_time)
        for choice in itertools.product(*(offered[seat] for seat in seats))
    )


_FOR_ALL = frozenset({"seed"})
"""Fields of ``start`` that every game accepts, even if it does not use them."""
_START_OPTIONS = sorted({name for game in GAMES.values() for name in _start_options(game)})
"""Start options of all games."""

_THINKING = "game rules position moves seat level nodes depth width evaluation seed seconds"

_VERBS: Mapping[str, Callable[[Request], Answer]] = {
    "games": _games,
    "start": _start,
    "actions": _actions,
    "apply": _apply,
    "status": _status,
    "outcomes": _outcomes,
    "resolve": _resolve,
    "foresee": _foresee,
    "levels": _levels,
    "think": _think,
    "play": _play,
    "playouts": _playouts,
    "perft": _perft,
}
_FIELDS: Mapping[str, frozenset[str]] = {
    verb: frozenset(fields.split())
    for verb, fields in {
        "games": "",
        "start": " ".join(("game rules mode", *_FOR_ALL, *_START_OPTIONS)),
        "actions": "game rules position moves",
        "apply": "game rules position moves action actions",
        "status": "game rules position moves",
        "outcomes": "game rules position moves max_positions seconds list",
        "resolve": "game rules position moves seconds",
        "foresee": "game rules position moves seconds",
        "levels": "game rules",
        "think": _THINKING,
        "play": _THINKING,
        "playouts": "game rules position moves count seed seconds",
        "perft": "game rules position moves depth seconds",
    }.items()
}


if __name__ == "__main__":
    sys.exit(serve(sys.stdin.buffer, sys.stdout.buffer))

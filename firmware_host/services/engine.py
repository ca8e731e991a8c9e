"""The engine protocol: one JSON object a line in, one line of answer out (formats.md, Engine protocol).

No state is kept between lines, except caches. Every line gets one line of answer: a refusal names the fault, and the
engine goes on.
"""

from __future__ import annotations

import dataclasses
import io
import itertools
import math
import queue
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any, BinaryIO

from firmware_host import platform
from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import (
    Analysis,
    BadAction,
    BadPosition,
    Game,
    GameError,
    GameOver,
    OverBudget,
    Status,
    Transition,
)
from firmware_host.games.levels import choose_at, levels, lowest_level, strength_of
from firmware_host.games.registry import GAMES
from firmware_host.games.registry import game as find_game
from firmware_host.games.thinking import Budget, Choice, Strength, Thought, think_in_time
from firmware_host.searching.playouts import computer_player_of
from firmware_host.services import json_lines
from firmware_host.services.json_lines import Answer, Verb, Verbs, answer_to
from firmware_host.text.json_reader import (
    Fields,
    InvalidField,
    InvalidJson,
    flag,
    mapping,
    one_of,
    read_object,
    seconds,
    text,
    whole,
    wrong_field,
)
from firmware_host.text.words import pack_text
from hw.plugins import Plugins

NOBODY = "position: expected one in which somebody can act, or that is over"
MAX_PLAYOUTS = 1_000_000
DEEPEST_PERFT = 6
MAX_POSITIONS = 20_000_000
MAX_NODES = 1_000_000_000
SECONDS = 10.0
"""Default limit of a search's duration."""
LIST_SECONDS = 60.0
"""Default limit for counting (lists of ends, perft, playouts), and for thinking, which nodes limit first."""


MAX_AHEAD = 64
"""Maximum number of lines read ahead of the one that is being answered: a ``stop`` behind more is not heard yet."""

VERBS = Verbs()
ADDED: Plugins[Verb] = Plugins("lodestone.engine", "verb", Verb)
POSITION = "game rules position moves"
"""Fields of a request about a position."""
_THINKING = f"{POSITION} history new_game seat level nodes depth width evaluation seed seconds"


def serve(stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Answer every line until end of file; return the exit code."""
    return json_lines.serve(answer_line, _Ahead(stdin), stdout)


def answer_line(line: str | bytes) -> str:
    """Return the answer to one line of request, in ASCII; never raises."""
    return answer_to(line, _answer)


def _answer(request: Fields) -> Answer:
    if str(request.get("do")) not in VERBS.fields:
        _add_extensions()
    _, function = VERBS.of(request)
    given: Answer = function(request)
    return given


@cache
def _add_extensions() -> None:
    """Add the verbs of extensions: not before somebody asks for what is none of ours, as most processes never do."""
    for one in ADDED.usable().values():
        VERBS.verb(one.name, one.fields)(one.function)


# -- games and positions ---------------------------------------------------------------------------------------------


def game_of(request: Fields) -> Game[Any]:
    """Return the game under its rules. Raise GameError."""
    return find_game(text(request, "game"), mapping(request, "rules", {}))


def position_of(request: Fields) -> tuple[Game[Any], Any]:
    """Return the game and the position to which ``moves`` lead from ``position``. Raise GameError.

    What a text does not tell, such as earlier positions, the moves do.
    """
    game, transition = _call_loop(request)
    return game, transition.position


def _call_loop(request: Fields) -> tuple[Game[Any], Transition[Any]]:
    """Return how ``moves`` arrive where they lead to: a loop that they end in is called, as ``apply`` does."""
    game, reached = _follow(request)
    return game, loop_called(game, reached) if request.get("moves") and not reached.status.over else reached


def _follow(request: Fields) -> tuple[Game[Any], Transition[Any]]:
    game = game_of(request)
    position = game.parse(text(request, "position"))
    reached = Transition(position, game.status(position), {})
    moves = request.get("moves", [])
    if not isinstance(moves, list):
        raise wrong_field("a list of objects seat → action", request, "moves")
    for place, move in enumerate(moves, 1):
        try:
            reached = _after_move(game, reached.position, move)
        except (GameError, InvalidField) as error:
            raise BadAction(f"moves: number {place}: {error.message}") from error
    return game, reached


def position_now(request: Fields) -> tuple[Game[Any], Any]:
    """Return the game and the position, reached by ``history`` where there is one. Raise GameError."""
    game, position = position_of(request)
    if "history" not in request:
        return game, position
    history = mapping(request, "history", {})
    if set(history) != {"position", "moves"}:
        raise wrong_field("an object with position and moves", request, "history")
    # Whoever asks for more after it has called no loop there.
    _, reached = _follow({**history, "game": request["game"], "rules": request.get("rules", {})})
    if game.text(reached.position) != game.text(position):
        raise BadPosition(f"history: expected moves that lead to position, got {game.text(reached.position)}")
    return game, reached.position


def _after_move(game: Game[Any], position: Any, move: object) -> Transition[Any]:
    """Return what follows what seats did together, or after a seat has resigned, whose action is null."""
    if game.status(position).over:
        raise GameOver("the game is over")
    if isinstance(move, dict) and list(move.values()) == [None]:
        seats = {str(seat): seat for seat in game.seats(position.mode)}
        seat = one_of({"seat": next(iter(move))}, "seat", seats)
        return game.resign(position, seats[seat])
    # Who goes on has called no loop that takes a proof.
    return game.apply(position, _by_seat(game, position, move))


def after(game: Game[Any], position: Any, actions: Mapping[int, str]) -> Transition[Any]:
    """Return where actions lead, unbreakable loops called."""
    return loop_called(game, game.apply(position, actions))


def loop_called(game: Game[Any], transition: Transition[Any]) -> Transition[Any]:
    """Return what follows once an unbreakable loop is called; the transition itself where there is none."""
    search = capabilities_of(game).analysis
    nodes = search.loop(transition.position) if search else ()
    return search.call_loop(transition.position, nodes) if search and nodes else transition


def _by_seat(game: Game[Any], position: Any, actions: object) -> dict[int, str]:
    """Return actions by seats that act. Raise GameError for anything else."""
    if not isinstance(actions, dict) or not all(isinstance(action, str) for action in actions.values()):
        raise wrong_field("an object seat → action", {"actions": actions}, "actions")
    seats = {str(seat): seat for seat in game.actions(position)}
    unknown = set(actions) - set(seats)
    if unknown:
        raise BadAction(f"actions: expected seats {', '.join(seats)}, got {min(unknown)[:20]!r}")
    return {seats[seat]: action for seat, action in actions.items()}


def actions_of(request: Fields, game: Game[Any], position: Any) -> dict[int, str]:
    """Return seat → action from ``action`` or ``actions``."""
    if ("action" in request) == ("actions" in request):
        raise InvalidField("action: expected either action (one seat acts) or actions (seat → action), not both")
    if "action" in request:
        if game.simultaneous(position):
            raise InvalidField("actions: expected an object seat → action, as all seats act together")
        return {game.actor(position) or 0: text(request, "action")}
    return _by_seat(game, position, request["actions"])


def _offers(game: Game[Any], name: str) -> Any:
    """Return an optional method of a game. Raise InvalidField if the game does not have it."""
    ability = getattr(game, name, None)
    if ability is None:
        raise InvalidField(f"do: {game.title} does not offer this")
    return ability


# -- verbs -----------------------------------------------------------------------------------------------------------


@VERBS.verb("games")
def _games(_request: Fields) -> Answer:
    return {"games": {name: list(game.modes) for name, game in sorted(GAMES.items())}}


def _start_options(game: Game[Any]) -> Sequence[str]:
    options = capabilities_of(game).start_options
    return options.start_options if options else ()


_START_OPTIONS = sorted({name for game in GAMES.values() for name in _start_options(game)})
"""Start options of all games."""
_FOR_ALL = frozenset({"seed"})
"""Fields of ``start`` that every game accepts, even if it does not use them."""


@VERBS.verb("start", "game rules mode", *_FOR_ALL, *_START_OPTIONS)
def _start(request: Fields) -> Answer:
    game = game_of(request)
    whole(request, "seed", 0, -(2**63), 2**128 - 1)
    mode = one_of(request, "mode", game.modes, game.modes[0])
    known = set(_start_options(game))
    asked = set(_START_OPTIONS) - (_FOR_ALL - known)  # A seed is ignored where nothing is random.
    options = {name: request[name] for name in sorted(asked) if name in request}
    if not options:
        return {"position": game.text(game.start(mode))}
    foreign = set(options) - known
    start = capabilities_of(game).start_options
    if start is None or foreign:
        raise InvalidField(f"{min(foreign)}: {game.title} does not know this field")
    return {"position": game.text(start.start_with(mode, options))}


@VERBS.verb("actions", POSITION)
def _actions(request: Fields) -> Answer:
    game, position = position_of(request)
    return {"seats": {str(seat): list(actions) for seat, actions in game.actions(position).items()}}


@VERBS.verb("apply", POSITION, "action actions")
def _apply(request: Fields) -> Answer:
    game, position = position_of(request)
    if game.status(position).over:
        raise GameOver("the game is over")
    transition = after(game, position, actions_of(request, game, position))
    return {
        "position": game.text(transition.position),
        "removed": list(transition.removed),
        "status": _status_fields(transition.status),
    }


@VERBS.verb("status", POSITION)
def _status(request: Fields) -> Answer:
    _, transition = _call_loop(request)
    return _status_fields(transition.status)


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


class _Ahead:
    """Lines that a thread reads ahead, so that ``stop`` is heard while a search runs."""

    answering = stopped = 0
    """The number of the line that is being answered, and that of the last ``stop`` that was heard."""

    def __init__(self, stdin: BinaryIO) -> None:
        """Begin to read. The thread has a buffer of its own: the interpreter waits for nobody's at its end."""
        raw = getattr(stdin, "raw", None)
        self._stdin = stdin if raw is None else io.BufferedReader(raw)
        self._lines: queue.Queue[bytes] = queue.Queue(MAX_AHEAD)
        self._ended = False
        _Ahead.answering = _Ahead.stopped = 0
        threading.Thread(target=self._read, name="requests", daemon=True).start()

    def _read(self) -> None:
        try:
            with suppress(OSError):  # What can't be read any more has ended.
                for number in itertools.count(1):
                    line = self._stdin.readline(json_lines.MAX_LINE)
                    if not line:
                        break
                    if _is_stop(line):
                        _Ahead.stopped = number
                    self._lines.put(line)
        finally:
            self._lines.put(b"")

    def readline(self, _size: int, /) -> bytes:
        """Return the next line, or a piece of a longer one; nothing at the end, however often."""
        line = b"" if self._ended else self._lines.get()
        self._ended = not line
        _Ahead.answering += 1
        return line


def _is_stop(line: bytes) -> bool:
    if b'"stop"' not in line:
        return False
    try:
        return read_object(line).get("do") == "stop"
    except InvalidJson:
        return False


@VERBS.verb("stop")
def _stop(_request: Fields) -> Answer:
    return {}


class SearchTime:
    """The time of one search: over after some seconds, or once a later line says ``stop``, or its asker is dead."""

    def __init__(self, seconds: float) -> None:
        """Begin now."""
        self._began, self._seconds = time.monotonic(), seconds
        self.was_over = False
        """Whether anybody has been told that it is over."""

    def used(self) -> float:
        """Return the part of the time that has passed, 1 and more once it is over."""
        passed = time.monotonic() - self._began
        stopped = _Ahead.stopped > _Ahead.answering or not platform.parent_is_alive()
        return 1.0 if stopped or passed >= self._seconds else passed / self._seconds

    def over(self) -> bool:
        """Return whether the time is over."""
        self.was_over = self.was_over or self.used() >= 1
        return self.was_over


@VERBS.verb("outcomes", POSITION, "max_positions seconds list")
def _outcomes(request: Fields) -> Answer:
    game, position = position_of(request)
    search = _offers(game, "outcomes")
    listed = flag(request, "list", False)
    out_of_time = SearchTime(seconds(request, "seconds", LIST_SECONDS if listed else SECONDS)).over
    limits = {"budget": MAX_POSITIONS} if listed else {}
    if "max_positions" in request:
        most = whole(request, "max_positions", None, 1, MAX_POSITIONS)
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


def _analysis(request: Fields) -> Analysis:
    game, position = position_of(request)
    search = capabilities_of(game).analysis
    if search is None:
        raise InvalidField(f"do: {game.title} does not offer this")
    return search.foresee(position, MAX_POSITIONS, SearchTime(seconds(request, "seconds", SECONDS)).over)


@VERBS.verb("resolve", POSITION, "seconds")
def _resolve(request: Fields) -> Answer:
    found = _analysis(request)
    return {"steps": list(found.way), "end": found.end, "cells": found.cells, "exact": found.exact}


@VERBS.verb("foresee", POSITION, "seconds")
def _foresee(request: Fields) -> Answer:
    return dataclasses.asdict(_analysis(request))


@VERBS.verb("think", _THINKING)
def _think(request: Fields) -> Answer:
    asked = _Question(request)
    thought = asked.think()
    choices = [_choice_fields(choice) for choice in thought.choices]
    return {"choices": choices, "nodes": thought.nodes, "proved": thought.proved, "in_time": asked.in_time}


@VERBS.verb("play", _THINKING)
def _play(request: Fields) -> Answer:
    asked = _Question(request)
    thought = asked.think()
    choice = choose_at(asked.game, asked.position, asked.seat, thought, asked.strength, asked.rng)
    return {**_choice_fields(choice), "nodes": thought.nodes, "in_time": asked.in_time}


@VERBS.verb("choose", _THINKING)
def _choose(request: Fields) -> Answer:
    played = _play(request)
    return {"action": played["action"], "thought": {"nodes": played["nodes"], "value": played["value"]}}


class _Question:
    """The fields of ``think`` and ``play``: position, computer, seat, strength and random numbers."""

    def __init__(self, request: Fields) -> None:
        """Read the request. Raise GameError (including InvalidField) naming the fault."""
        game, self.position = position_now(request)
        self.game = game
        flag(request, "new_game", False)  # Nothing is kept between requests.
        self.computer = computer_player_of(game)
        offered = game.actions(self.position)
        if not offered:
            raise GameOver("the game is over")
        self.seat = whole(request, "seat", next(iter(offered)), 1, max(offered))
        if "seat" not in request and len(offered) > 1:
            raise InvalidField("seat: expected a number, as several seats act together, but it is missing")
        if self.seat not in offered:
            raise BadAction(f"seat: expected a seat that acts now, {' or '.join(map(str, offered))}, got {self.seat}")
        if not offered[self.seat]:
            raise BadPosition(NOBODY)
        self.rng = Random(whole(request, "seed", 0, -(2**63), 2**128 - 1))
        self.time = SearchTime(seconds(request, "seconds", LIST_SECONDS))
        self.in_time = True
        """Whether the nodes, not the clock, have ended the search: then equal requests give equal answers."""
        self.strength = self._strength(request)

    def _strength(self, request: Fields) -> Strength:
        """Return the strength of a level, by default the strongest; the request's own limits replace the level's."""
        highest = len(self.computer.strengths)
        level = whole(request, "level", highest, lowest_level(self.computer), highest)
        chosen = strength_of(self.computer, level, self.position.mode)
        budget = chosen.budget
        limits = Budget(
            whole(request, "nodes", budget.nodes, 1, MAX_NODES),
            whole(request, "depth", budget.depth, 0, MAX_NODES),
            whole(request, "width", budget.width, 0, MAX_NODES),
            whole(request, "evaluation", budget.evaluation, 0, MAX_NODES),
            0 if request["do"] == "think" else budget.variety,
            self.time.over,
        )
        return dataclasses.replace(chosen, budget=limits)

    def think(self) -> Thought:
        """Return what the computer finds."""
        thought = think_in_time(self.computer, self.position, self.seat, self.strength.budget, self.rng, self.time.used)
        self.in_time = not (self.time.was_over or thought.hurried)
        return thought


def _choice_fields(choice: Choice) -> Answer:
    return {
        "action": choice.action,
        "value": choice.value,
        "share": choice.share,
        "line": list(choice.line),
        "reasons": list(choice.reasons),
        "packed": pack_text(list(choice.reasons)),
    }


@VERBS.verb("levels", "game rules")
def _levels(request: Fields) -> Answer:
    game = game_of(request)
    computer = computer_player_of(game)
    known = levels(len(computer.strengths), lowest_level(computer))
    nodes = {level: strength_of(computer, level.number, game.modes[0]).budget.nodes for level in known}
    return {
        "levels": [
            {"level": level.number, "name": level.name, "about": level.about, "nodes": nodes[level]} for level in known
        ]
    }


@VERBS.verb("playouts", POSITION, "count seed seconds")
def _playouts(request: Fields) -> Answer:
    game, position = position_of(request)
    playout = _offers(game, "playout")
    count = whole(request, "count", None, 1, MAX_PLAYOUTS)
    rng = Random(whole(request, "seed", 0, -(2**63), 2**63 - 1))
    began = time.perf_counter()
    out_of_time = SearchTime(seconds(request, "seconds", LIST_SECONDS)).over
    offered = game.actions(position)
    if offered and not any(offered.values()):
        raise BadPosition(NOBODY)
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


@VERBS.verb("perft", POSITION, "depth seconds")
def _perft(request: Fields) -> Answer:
    game, position = position_of(request)
    depth = whole(request, "depth", None, 0, DEEPEST_PERFT)
    return {"count": perft(game, position, depth, SearchTime(seconds(request, "seconds", LIST_SECONDS)).over)}


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


if __name__ == "__main__":
    sys.exit(serve(sys.stdin.buffer, sys.stdout.buffer))

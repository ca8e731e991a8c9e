"""One game between two players: its result, time and nodes, repetitions, passes and illegal actions."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any

from firmware_host.analysis.engine_process import BrokenProcess
from firmware_host.extensions.lab.arena.match import Course, Match, open_course
from firmware_host.extensions.lab.arena.players import Contestant, contestant
from firmware_host.games.game import Game, GameError, Status
from firmware_host.text.words import Refused


@dataclass
class Spent:
    """Moves, nodes and seconds of one side in a game."""

    moves: int = 0
    nodes: int = 0
    seconds: float = 0.0


@dataclass
class GameResult:
    """The result of a game. ``score`` is A's: 1 won, 0 lost, in between drawn.

    ``reason`` is that of the game's end (``unfinished``: too long, ``fault``: an illegal or missing action,
    described in ``fault``). ``repeats`` counts positions that occurred before, ``passes`` actions without a
    move on the board.
    """

    opening: int
    team: int
    score: float = 0.0
    reason: str = ""
    actions: int = 0
    repeats: int = 0
    passes: int = 0
    fault: str | None = None
    a: Spent = field(default_factory=Spent)
    b: Spent = field(default_factory=Spent)


class Forfeit(Exception):
    """A side has lost the game by an illegal action, or by none."""

    def __init__(self, seat: int, why: str) -> None:
        super().__init__(why)
        self.seat = seat


def play(match: Match, number: int, team: int) -> dict[str, Any]:
    """Play one game of a match, from opening ``number``, A on the seats of ``team``; return a ``GameResult`` as a dict.

    Threads of a process (a Dask worker may have several) play one after the other: they share the players.
    """
    with _playing:
        return _play_alone(match, number, team)


def _play_alone(match: Match, number: int, team: int) -> dict[str, Any]:
    game, players = _players(match)
    seats = match.teams[team]
    result = GameResult(number, team)
    try:
        status = _play(game, match, result, {seat: players["a" if seat in seats else "b"] for seat in _all(match)})
    except Forfeit as forfeit:
        result.reason, result.fault = "fault", f"seat {forfeit.seat}: {forfeit}"
        result.score = 0.0 if forfeit.seat in seats else 1.0
    else:
        result.reason = status.reason or "" if status.over else "unfinished"
        result.score = score(status, seats, match.teams)
    return asdict(result)


def score(status: Status, seats: tuple[int, ...], teams: tuple[tuple[int, ...], ...]) -> float:
    """Return a side's score: 1, shared among the sides that have won, or among all if none has."""
    won = [team for team in teams if set(team) & set(status.winners)] or list(teams)
    return 1 / len(won) if seats in won else 0.0


def _play(game: Game[Any], match: Match, result: GameResult, players: Mapping[int, tuple[Contestant, str]]) -> Status:
    """Play to the end, or to ``match.longest`` actions; return the status."""
    course = open_course(game, match, result.opening)
    status = game.status(course.position)
    seen: Counter[str] = Counter((game.text(course.position),))
    while not status.over and result.actions < match.longest:
        chosen = {}
        for seat in sorted(game.actions(course.position)):
            rng = Random(f"{match.seed} {result.opening} {result.team} {result.actions} {seat}")
            chosen[seat] = _ask(course, seat, rng, players[seat], result)
        before = game.occupancy(course.position)
        status = course.go_on(chosen).status
        result.actions += 1
        result.passes += game.occupancy(course.position) == before
        text = game.text(course.position)
        result.repeats += seen[text] > 0
        seen[text] += 1
    return status


def _ask(course: Course, seat: int, rng: Random, asked: tuple[Contestant, str], result: GameResult) -> str:
    """Return a player's action and add up its time and nodes. Raise Forfeit if it is missing or illegal."""
    who, side = asked
    spent: Spent = getattr(result, side)
    began = who.clock()
    try:
        move = who.choose(course, seat, rng)
    except BrokenProcess as error:
        raise Forfeit(seat, str(error)) from error
    except (Exception, SystemExit) as error:  # A peer may raise anything.
        raise Forfeit(seat, f"{type(error).__name__}: {error}") from error
    spent.seconds += who.clock() - began
    spent.moves += 1
    spent.nodes += move.nodes
    if not isinstance(move.action, str):  # A peer may return anything.
        raise Forfeit(seat, f"expected an action, got {move.action!r:.40}")
    try:
        course.game.check(course.position, seat, move.action)
    except GameError as error:
        raise Forfeit(seat, f"{move.action!r:.40}: {error}") from error
    return move.action


_playing = threading.Lock()
_known: dict[Match, tuple[Game[Any], dict[str, tuple[Contestant, str]]]] = {}
"""Players kept from game to game, as their programs are slow to start."""


def _players(match: Match) -> tuple[Game[Any], dict[str, tuple[Contestant, str]]]:
    """Return the game and both players (side → player, side), made once in each process."""
    if match not in _known:
        game = match.open_game()
        named = {"a": match.a, "b": match.b}
        _known[match] = game, {side: (contestant(name, game, match), side) for side, name in named.items()}
    return _known[match]


def dismiss() -> None:
    """End all players of this process, once no game is being played."""
    with _playing:
        dismiss_now()


def dismiss_now() -> None:
    """End all players of this process, even in the middle of a game."""
    while _known:
        for who, _ in _known.popitem()[1][1].values():
            who.close()


def _all(match: Match) -> list[int]:
    return [seat for team in match.teams for seat in team]


def try_players(match: Match) -> tuple[str, str]:
    """Let both players choose one action, to find one that can't play before the match; return their marks.

    Raise Refused for an unknown player, or one without a legal action.
    """
    try:
        game, players = _players(match)
        course = open_course(game, match, 0)
        seat = min(game.actions(course.position))
        for side in ("a", "b"):
            try:
                _ask(course, seat, Random(0), players[side], GameResult(0, 0))
            except Forfeit as forfeit:
                raise Refused(f"{getattr(match, side)} does not play: {forfeit}") from forfeit
        return marks(match)
    finally:
        dismiss()


def marks(match: Match) -> tuple[str, str]:
    """Return what identifies the versions of both players. Raise Refused for an unknown player."""
    _, players = _players(match)
    return players["a"][0].mark, players["b"][0].mark

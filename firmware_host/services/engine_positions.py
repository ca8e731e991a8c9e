"""Positions of the engine's requests: read, and moved on by actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmware_host.games.game import BadAction, Game, GameError, GameOver, Transition
from firmware_host.games.offers import offers_of
from firmware_host.games.registry import game as find_game
from firmware_host.services.json_lines import BadRequest, Request, got, mapping, one_of, text


def game_of(request: Request) -> Game[Any]:
    """Return the game under its rules. Raise GameError."""
    return find_game(text(request, "game"), mapping(request, "rules", {}))


def position_of(request: Request) -> tuple[Game[Any], Any]:
    """Return the game and the position to which ``moves`` lead from ``position``. Raise GameError.

    What a text does not tell, such as earlier positions, the moves do.
    """
    game = game_of(request)
    position = game.parse(text(request, "position"))
    moves = request.get("moves", [])
    if not isinstance(moves, list):
        raise BadRequest(f"moves: expected a list of objects seat → action, {got(request, 'moves')}")
    for place, move in enumerate(moves, 1):
        try:
            position = _moved(game, position, move)
        except GameError as error:
            raise BadAction(f"moves: number {place}: {error.message}") from error
    return game, position


def _moved(game: Game[Any], position: Any, move: object) -> Any:
    """Return the position after what seats did together, or after a seat has resigned, whose action is null."""
    if game.status(position).over:
        raise GameOver("the game is over")
    if isinstance(move, dict) and list(move.values()) == [None]:
        seats = {str(seat): seat for seat in game.seats(position.mode)}
        seat = one_of({"seat": next(iter(move))}, "seat", seats)
        return game.resign(position, seats[seat]).position
    return after(game, position, _by_seat(game, position, move)).position


def after(game: Game[Any], position: Any, actions: Mapping[int, str]) -> Transition[Any]:
    """Return where actions lead, unbreakable loops called."""
    transition = game.apply(position, actions)
    search = offers_of(game).search
    nodes = search.loop(transition.position) if search else ()
    return search.call_loop(transition.position, nodes) if search and nodes else transition


def _by_seat(game: Game[Any], position: Any, actions: object) -> dict[int, str]:
    """Return actions by seats that act. Raise GameError for anything else."""
    if not isinstance(actions, dict) or not all(isinstance(action, str) for action in actions.values()):
        raise BadRequest(f"actions: expected an object seat → action, {got({'actions': actions}, 'actions')}")
    seats = {str(seat): seat for seat in game.actions(position)}
    unknown = set(actions) - set(seats)
    if unknown:
        raise BadAction(f"actions: expected seats {', '.join(seats)}, got {min(unknown)[:20]!r}")
    return {seats[seat]: action for seat, action in actions.items()}


def actions_of(request: Request, game: Game[Any], position: Any) -> dict[int, str]:
    """Return seat → action from ``action`` or ``actions``."""
    if ("action" in request) == ("actions" in request):
        raise BadRequest("action: expected either action (one seat acts) or actions (seat → action), not both")
    if "action" in request:
        if game.simultaneous(position):
            raise BadRequest("actions: expected an object seat → action, as all seats act together")
        return {game.actor(position) or 0: text(request, "action")}
    return _by_seat(game, position, request["actions"])

"""What screens see of a replay, ready for JSON: what is the same at all moments, and each moment."""

from __future__ import annotations

from typing import Any

from firmware_host.games import naming
from firmware_host.replay.scenes import Film
from firmware_host.replay.seals import SealShown
from firmware_host.table.queries.arrows import MADE, told
from firmware_host.table.view import layout_view


def film_view(film: Film) -> dict[str, Any]:
    """Return what is the same at all moments."""
    header, game = film.header, film.game
    return {
        "game": {"id": header["id"], "name": game.name, "title": game.title, "rules": film.rules},
        "mode": header["mode"],
        "started": header["started"],
        "clocks_words": film.clocks,
        "moments": len(film.scenes),
        "pieces": dict(game.pieces),
        "tints": naming.tints(game.pieces),
        "layout": layout_view(game),
        "seats": [
            {
                "seat": seat,
                "name": name,
                "homes": list(game.homes(header["mode"], seat)),
                "colour": film.colours[seat],
            }
            for seat, name in film.names.items()
        ],
    }


def moment_view(film: Film, at: int) -> dict[str, Any]:
    """Return one moment, from 0."""
    scene = film.scenes[at]
    return {
        "turn": scene.turn,
        "actor": scene.actor,
        "words": scene.words,
        "when": scene.at,
        "board": {node: list(stack) for node, stack in scene.board.items()},
        "lights": {
            node: {"meaning": lamp.meaning, "words": lamp.words, "seat": lamp.seat}
            for node, lamp in scene.marks.items()
        },
        "arrows": told(MADE, scene.ways),
        "plays": {str(seat): piece for seat, piece in scene.plays.items()},
        "scores": list(scene.scores),
        "clocks": [vars(clock) for clock in scene.clocks],
        "seals": [_seal(seal) for seal in scene.seals],
        "standing": list(film.standing) if at == len(film.scenes) - 1 else [],
    }


def _seal(seal: SealShown) -> dict[str, Any]:
    return {
        "seat": seal.seat,
        "turn": seal.turn,
        "commitment": seal.commitment,
        "action": seal.action,
        "words": seal.words,
        "nonce": seal.nonce,
        "void": seal.void,
    }

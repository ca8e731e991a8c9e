"""The view of a replay, ready for JSON: what is the same at all moments, and each moment."""

from __future__ import annotations

from firmware_host.games import naming
from firmware_host.replay import view_form as form
from firmware_host.replay.scenes import ClockStood, Film
from firmware_host.replay.seals import SealShown
from firmware_host.table.view import MADE, layout_view, told


def film_view(film: Film) -> form.FilmView:
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


def moment_view(film: Film, at: int) -> form.Moment:
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
        "clocks": [_clock(clock) for clock in scene.clocks],
        "seals": [_seal(seal) for seal in scene.seals],
        "standing": list(film.standing) if at == len(film.scenes) - 1 else [],
    }


def _seal(seal: SealShown) -> form.RecordedSeal:
    return {
        "seat": seal.seat,
        "turn": seal.turn,
        "commitment": seal.commitment,
        "action": seal.action,
        "words": seal.words,
        "nonce": seal.nonce,
        "void": seal.void,
    }


def _clock(clock: ClockStood) -> form.RecordedClock:
    return {"seat": clock.seat, "left": clock.left, "used": clock.used, "thought": clock.thought}

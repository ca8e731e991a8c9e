"""The names of runners, sides and tiles of Octiles in the grammatical forms that sentences need."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from firmware_host.games.naming import TILE, Forms, Noun, Piece
from firmware_host.games.octiles import board
from firmware_host.games.octiles.rules import EIGHTHS, face_text
from firmware_host.text.words import Text, say, say_in, say_many

RUNNER = Noun(
    a=say_in("accusative", "a runner"),
    the=say_in("accusative", "the runner"),
    subject=say_in("nominative", "the runner"),
    no=say("no runner"),
    those=say("the runners from {nodes}"),
)
RUNNERS: Mapping[str, Piece] = {
    "blue": Piece(
        say_in("piece", "blue runner"),
        Forms(
            a=say_in("accusative", "a blue runner"),
            the=say_in("accusative", "the blue runner"),
            subject=say_in("nominative", "the blue runner"),
        ),
        noun=RUNNER,
        tint="blue",
    ),
    "red": Piece(
        say_in("piece", "red runner"),
        Forms(
            a=say_in("accusative", "a red runner"),
            the=say_in("accusative", "the red runner"),
            subject=say_in("nominative", "the red runner"),
        ),
        noun=RUNNER,
        tint="red",
    ),
    "yellow": Piece(
        say_in("piece", "yellow runner"),
        Forms(
            a=say_in("accusative", "a yellow runner"),
            the=say_in("accusative", "the yellow runner"),
            subject=say_in("nominative", "the yellow runner"),
        ),
        noun=RUNNER,
        tint="yellow",
    ),
    "green": Piece(
        say_in("piece", "green runner"),
        Forms(
            a=say_in("accusative", "a green runner"),
            the=say_in("accusative", "the green runner"),
            subject=say_in("nominative", "the green runner"),
        ),
        noun=RUNNER,
        tint="green",
    ),
}
SIDES: Mapping[str, Text] = {
    "blue": say_in("side", "blue"),
    "red": say_in("side", "red"),
    "yellow": say_in("side", "yellow"),
    "green": say_in("side", "green"),
}
"""The names of sides in refusals: ``a runner of blue``."""


def pieces() -> dict[str, str]:
    """Return letter → runner, and text (``12r5``) → tile in each of its turnings."""
    named: dict[str, str] = {side[0]: RUNNERS[side] for side in board.SIDES}
    for tile in board.TILES:
        for turn in range(EIGHTHS):
            named[face_text(tile * EIGHTHS + turn)] = _tile(tile, turn)
    return named


def _tile(tile: int, turn: int) -> Piece:
    """Return the name of a turned tile; with its number it needs no article and has one form only."""
    name = say("tile {tile}, {turned}", tile=tile, turned=turning_words(turn))
    return Piece(name, Forms(a=name, the=name, subject=name), noun=TILE)


@cache
def turning_words(eighths: int) -> Text:
    """Return the turning of a tile in words."""
    if not eighths:
        return say("not turned")
    return say_many("turned by {count} eighth", "turned by {count} eighths", eighths)


@lru_cache(maxsize=256)
def run_words(source: str, target: str) -> Text:
    """Return a runner's move in words; cached, because every position has many."""
    if source == target:
        return say("runner round a loop back to {node}", node=source)
    return say("runner from {source} to {target}", source=source, target=target)


@lru_cache(maxsize=256)
def tile_words(tile: int, well: str, eighths: int) -> Text:
    """Return the place and the turning of a tile in words."""
    return say("tile {tile} on {well}, {turned}", tile=tile, well=well, turned=turning_words(eighths))

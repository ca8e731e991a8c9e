"""The names of hoplites in the grammatical forms that sentences need."""

from __future__ import annotations

from collections.abc import Mapping

from firmware_host.games.naming import Forms, Noun, Piece
from firmware_host.text.words import say, say_in

HOPLITE = Noun(
    a=say_in("accusative", "a hoplite"),
    the=say_in("accusative", "the hoplite"),
    subject=say_in("nominative", "the hoplite"),
    no=say("no hoplite"),
    those=say("the hoplites of {nodes}"),
)
PIECES: Mapping[str, Piece] = {
    "b": Piece(
        say_in("piece", "black"),
        Forms(
            a=say_in("accusative", "a black hoplite"),
            the=say_in("accusative", "the black hoplite"),
            subject=say_in("nominative", "the black hoplite"),
        ),
        noun=HOPLITE,
        tint="black",
    ),
    "w": Piece(
        say_in("piece", "white"),
        Forms(
            a=say_in("accusative", "a white hoplite"),
            the=say_in("accusative", "the white hoplite"),
            subject=say_in("nominative", "the white hoplite"),
        ),
        noun=HOPLITE,
        tint="white",
    ),
}

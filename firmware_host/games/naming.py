"""Names of pieces in the grammatical forms that sentences need: other languages decline nouns, unlike English.

Plain names of pieces (``{"w": "white"}``) stay English in all languages; a :class:`Piece` can be translated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from firmware_host.text.words import Text, say, say_in

TINTS = ("white", "black", "blue", "red", "yellow", "green")
"""The colours of pieces on screens; all others are drawn plain."""
PLAIN = "plain"


@dataclass(frozen=True)
class Forms:
    """A piece's name in a sentence, as object or as subject."""

    a: Text
    """Object, one of many: ``put a white stone on C6``."""
    the: Text
    """Object, a known one: ``take the white stone off``."""
    subject: Text
    """Subject, a known one: ``the white stone on C6 may be moved``."""


@dataclass(frozen=True)
class Noun(Forms):
    """The name of pieces of any colour: ``stone``."""

    no: Text
    """``no stone belongs on C6``"""
    those: Text
    """Object, several: ``the stones from C6 and C7``, with a gap {nodes}."""


STONE = Noun(
    a=say_in("accusative", "a stone"),
    the=say_in("accusative", "the stone"),
    subject=say_in("nominative", "the stone"),
    no=say("no stone"),
    those=say("the stones from {nodes}"),
)
TILE = Noun(
    a=say_in("accusative", "a tile"),
    the=say_in("accusative", "the tile"),
    subject=say_in("nominative", "the tile"),
    no=say("no tile"),
    those=say("the tiles from {nodes}"),
)
PIECE = Noun(
    a=say_in("accusative", "a piece"),
    the=say_in("accusative", "the piece"),
    subject=say_in("nominative", "the piece"),
    no=say("no piece"),
    those=say("the pieces from {nodes}"),
)
"""For pieces of an unknown or mixed kind."""


class Piece(Text):
    """The name of a piece (``white``) with its forms, noun and colour."""

    __slots__ = ("forms", "noun", "tint")
    forms: Forms
    noun: Noun
    tint: str

    def __new__(cls, name: Text, forms: Forms, *, noun: Noun = STONE, tint: str = PLAIN) -> Self:
        """``tint`` is the colour on screens, one of :data:`TINTS` or ``plain``."""
        made = super().__new__(cls, *name.parts)
        made.forms, made.noun, made.tint = forms, noun, tint
        return made


BLACK = Piece(
    say_in("piece", "black"),
    Forms(
        a=say_in("accusative", "a black stone"),
        the=say_in("accusative", "the black stone"),
        subject=say_in("nominative", "the black stone"),
    ),
    tint="black",
)
WHITE = Piece(
    say_in("piece", "white"),
    Forms(
        a=say_in("accusative", "a white stone"),
        the=say_in("accusative", "the white stone"),
        subject=say_in("nominative", "the white stone"),
    ),
    tint="white",
)


def forms(name: str) -> Forms:
    """Return the forms of a piece; a plain name gets general ones."""
    if isinstance(name, Piece):
        return name.forms
    one = say_in("accusative", "a {piece}", piece=name)
    return Forms(
        a=one if " " in name else say_in("accusative", "a {piece} stone", piece=name),
        the=say_in("accusative", "the {piece}", piece=name),
        subject=say_in("nominative", "the {piece}", piece=name),
    )


@lru_cache(maxsize=256)
def put_on(piece: str, node: str) -> str:
    """Return "PIECE on NODE"; cached, because every empty node is offered turn after turn."""
    return say("{piece} on {node}", piece=piece, node=node)


def tints(pieces: Mapping[str, str]) -> dict[str, str]:
    """Return piece letter → colour on screens."""
    return {letter: tint(name) for letter, name in pieces.items()}


def tint(name: str) -> str:
    """Return a piece's colour on screens, one of :data:`TINTS`, or ``plain``.

    For a plain name its first English word decides.
    """
    if isinstance(name, Piece):
        return name.tint
    first = name.partition(" ")[0]
    return first if first in TINTS else PLAIN

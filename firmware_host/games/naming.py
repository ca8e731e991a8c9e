"""What pieces are called, in each form that a sentence needs: other languages decline what English leaves alone.

A game that gives plain names (``{"w": "white"}``) is told in English wherever its pieces are named; one that gives each
a :class:`Piece` can be told in every language that has the words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from firmware_host.text.words import Text, say, say_in

TINTS = ("white", "black", "blue", "red", "yellow", "green")
"""What colours pieces may have on screens; all others are drawn plain."""
PLAIN = "plain"


@dataclass(frozen=True)
class Forms:
    """How a piece is named in a sentence: as what something is done to, or as what something is said of."""

    a: Text
    """Done to one of many: ``put a white stone on C6``."""
    the: Text
    """Done to a known one: ``take the white stone off``."""
    subject: Text
    """Said of a known one: ``the white stone on C6 may be moved``."""


@dataclass(frozen=True)
class Noun(Forms):
    """What pieces are called whatever their colour: ``stone``."""

    no: Text
    """``no stone belongs on C6``"""
    those: Text
    """``the stones of C6 and C7``: several, done to; with a blank {nodes}."""


STONE = Noun(
    a=say_in("accusative", "a stone"),
    the=say_in("accusative", "the stone"),
    subject=say_in("nominative", "the stone"),
    no=say("no stone"),
    those=say("the stones of {nodes}"),
)
TILE = Noun(
    a=say_in("accusative", "a tile"),
    the=say_in("accusative", "the tile"),
    subject=say_in("nominative", "the tile"),
    no=say("no tile"),
    those=say("the tiles of {nodes}"),
)
PIECE = Noun(
    a=say_in("accusative", "a piece"),
    the=say_in("accusative", "the piece"),
    subject=say_in("nominative", "the piece"),
    no=say("no piece"),
    those=say("the pieces of {nodes}"),
)
"""Of whatever may lie there where it is not known, or not all the same."""


class Piece(Text):
    """The name of a piece (``white``) with all that is said of it."""

    __slots__ = ("forms", "noun", "tint")
    forms: Forms
    noun: Noun
    tint: str

    def __new__(cls, name: Text, forms: Forms, *, noun: Noun = STONE, tint: str = PLAIN) -> Self:
        """Make a piece of its name; ``tint`` is what it looks like on screens, one of :data:`TINTS` or ``plain``."""
        made = super().__new__(cls, name.in_language, name.parts)
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
    """Return the forms of a piece; of one that is only a name what can be said of any."""
    if isinstance(name, Piece):
        return name.forms
    one = say_in("accusative", "a {piece}", piece=name)
    return Forms(
        a=one if " " in name else say_in("accusative", "a {piece} stone", piece=name),
        the=say_in("accusative", "the {piece}", piece=name),
        subject=say_in("nominative", "the {piece}", piece=name),
    )


@lru_cache(maxsize=1024)
def put_on(piece: str, node: str) -> str:
    """Say that a piece is put on a node; kept, as every empty node is offered turn after turn."""
    return say("{piece} on {node}", piece=piece, node=node)


def tints(pieces: Mapping[str, str]) -> dict[str, str]:
    """Return piece letter → what it looks like on screens."""
    return {letter: tint(name) for letter, name in pieces.items()}


def tint(name: str) -> str:
    """Return what a piece looks like on screens, one of :data:`TINTS`, or ``plain``.

    Of a piece that is only a name its first word is taken: the English one, which is the game's own.
    """
    if isinstance(name, Piece):
        return name.tint
    first = name.partition(" ")[0]
    return first if first in TINTS else PLAIN

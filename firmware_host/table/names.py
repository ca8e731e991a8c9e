"""Names that can be read: nothing without a shape, nothing that turns the direction of writing, no piles of marks."""

from __future__ import annotations

import re
import unicodedata

LONGEST_NAME = 24
SHAPELESS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""What counts as printable and shows nothing."""
MOST_MARKS = 3
"""So many marks may stand on one letter; no language has more, and a pile of them covers the lines above."""
_MARKS = re.compile(
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\U000e0100-\U000e01ef]"
)
"""Marks of no language in particular; what makes one letter with the one before is that letter by then."""
_LIKE_LATIN = str.maketrans(
    "АВЕЅІЈКМНОРСТУХԌԚԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧаеѕіјорсухԁһԛԝοα",
    "ABESIJKMHOPCTYXGQWABEZHIKMNOPTYXaesijopcyxdhqwoa",
)
"""Letters of two other alphabets that look like Latin ones."""


def is_name(name: str) -> bool:
    """Tell whether people can read this as a name: in the lobby, in records, and wherever else names come from."""
    fits = 0 < len(name) <= LONGEST_NAME and name == name.strip() and name.isprintable()
    return fits and not SHAPELESS & set(name) and looks(name) != "" and not _piles(name)


def looks(name: str) -> str:
    """Return what is left of a name for the eye: neither case nor blanks, nor in which alphabet it is written."""
    plain = unicodedata.normalize("NFKC", name).translate(_LIKE_LATIN).casefold()
    return "".join(_MARKS.sub("", plain).split())


def _piles(name: str) -> bool:
    marks = 0
    for letter in name:
        marks = marks + 1 if unicodedata.category(letter) in {"Mn", "Me"} else 0
        if marks > MOST_MARKS:
            return True
    return False

"""Readable names: visible characters only, no change of writing direction, no piles of combining marks."""

from __future__ import annotations

import re
import unicodedata

LONGEST_NAME = 24
SHAPELESS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Characters that count as printable and show nothing."""
MOST_MARKS = 3
"""Maximum number of marks on one letter; no language has more, and a pile of them covers the lines above."""
_MARKS = re.compile(
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\U000e0100-\U000e01ef]"
)
"""Marks of no particular language, after normalisation: a letter and its mark that form one character are one."""
_LIKE_LATIN = str.maketrans(
    "АВЕЅІЈКМНОРСТУХԌԚԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧаеѕіјорсухԁһԛԝοα",
    "ABESIJKMHOPCTYXGQWABEZHIKMNOPTYXaesijopcyxdhqwoa",
)
"""Letters of two other alphabets that look like Latin ones."""


def is_name(name: str) -> bool:
    """Return whether people can read this as a name: in the lobby, in records, and everywhere else."""
    fits = 0 < len(name) <= LONGEST_NAME and name == name.strip() and name.isprintable()
    return fits and not SHAPELESS & set(name) and looks(name) != "" and not _piles(name)


def looks(name: str) -> str:
    """Return a name as the eye compares it: without case, blanks and the difference between alphabets."""
    plain = unicodedata.normalize("NFKC", name).translate(_LIKE_LATIN).casefold()
    return "".join(_MARKS.sub("", plain).split())


def _piles(name: str) -> bool:
    marks = 0
    for letter in name:
        marks = marks + 1 if unicodedata.category(letter) in {"Mn", "Me"} else 0
        if marks > MOST_MARKS:
            return True
    return False

"""Names that can be read and told apart: nothing without a shape, and nothing that looks like somebody else's."""

from __future__ import annotations

import re
import unicodedata

from firmware_host.table.door import View
from firmware_host.table.errors import TableError
from firmware_host.table.seats import LONGEST_NAME
from firmware_host.words import say

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


def check_name(view: View, seat: int, name: str) -> None:
    """Raise TableError for a name on a seat that nobody can read, or that looks like another one's at the table.

    What else a name has to be the table itself says.
    """
    if SHAPELESS & set(name) or not _looks(name) or _piles(name):
        raise TableError("bad_name", say("name: expected 1 to {longest} printable characters", longest=LONGEST_NAME))
    for one in view["seats"]:
        if one["taken"] and one["seat"] != seat and _looks(one["name"]) == _looks(name):
            taken = say("somebody is already called {name}; choose another name", name=one["name"])
            raise TableError("bad_name", taken)


def _looks(name: str) -> str:
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

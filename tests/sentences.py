"""Sentences of the product, found by a few of their words.

A test that knows a sentence by heart looks for it for months after the program has said it last. So a test names a
sentence by as few of its words as tell it from all others, and has the rest from the catalogue:
``sentence("can't be saved", reason="the disk is full")``, ``is_in("can't be saved", message)``. Words that stand in no
sentence, or in several, are an error: here, and for every call in every test in ``tests/text/test_copies.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from babel.messages.pofile import read_po

from web_panel.languages import languages

VALUE = re.compile(r"\{(\w*)\}|%\((\w+)\)s")
"""What stands for a value, in Python and scripts, and in templates."""
Forms = tuple[str, ...]
"""A sentence as it stands in the program: one form, or one for 1 and one for other counts."""


@cache
def catalogue() -> Sequence[dict[str, Forms]]:
    """Return all that the program says: language → forms."""
    found = []
    for path in languages()["de"].paths:
        with path.open("rb") as lines:
            found += [one for one in read_po(lines) if one.id]
    return [{"en": _forms(one.id), "de": _forms(one.string)} for one in found]


def _forms(text: object) -> Forms:
    return tuple(text) if isinstance(text, (list, tuple)) else (str(text),)


@cache
def find(words: str, language: str = "en") -> Forms:
    """Return the forms of the one sentence in which these English words stand."""
    found = [said for said in catalogue() if any(words.casefold() in form.casefold() for form in said["en"])]
    chosen = [said for said in found if words in said["en"]] or found
    told = sorted({said["en"] for said in chosen})
    assert len(told) == 1, f"{words!r} stand in {len(told)} sentences: {told[:3]}; expected one"
    return chosen[0][language]


def sentence(words: str, /, *, language: str = "en", **values: object) -> str:
    """Return the sentence in which these words stand, with its values."""
    forms = find(words, language)
    form = forms[0] if len(forms) == 1 or values.get("count") == 1 else forms[-1]
    return VALUE.sub(lambda one: str(values[one[1] or one[2]]), form)


def is_in(words: str, text: str, language: str = "en") -> bool:
    """Return whether the sentence in which these words stand is told in a text, whatever its values are."""
    return re.search(pattern(words, language), text) is not None


def pattern(words: str, language: str = "en") -> str:
    """Return what finds the sentence in which these words stand in a text: for ``pytest.raises(match=)``."""
    return f"(?is){saying(words, language=language).pattern}"


def saying(words: str, /, *, language: str = "en", **values: object) -> re.Pattern[str]:
    """Return what finds the sentence in which these words stand on a page, with these of its values.

    JavaScript understands it, too: ``expect(page).to_contain_text(saying("can't be saved"))``.
    """
    forms = []
    for form in find(words, language):
        names = [one[1] or one[2] for one in VALUE.finditer(form)]
        first, *others = map(re.escape, parts(form))
        told = (re.escape(str(values[name])) if name in values else ".*" for name in names)
        forms.append(first + "".join(value + part for value, part in zip(told, others, strict=True)))
    return re.compile("|".join(forms), re.IGNORECASE | re.DOTALL)


def parts(form: str) -> list[str]:
    """Return what stands in a form before, between and after its values."""
    return VALUE.split(form)[::3]


RUN = 6
"""So many words in a row that stand in a sentence, too, are a copy of it."""


def words_of(text: str) -> list[str]:
    """Return the words of a text as they are compared."""
    return re.sub(r"[^\w\s'’]", "", text).casefold().split()


def runs(text: str) -> Iterator[tuple[str, ...]]:
    """Yield all words in a row of a text, :data:`RUN` at a time."""
    words = words_of(text)
    return (tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1))


@cache
def said_runs() -> frozenset[tuple[str, ...]]:
    """Return the runs of all sentences, in all languages."""
    forms = (form for said in catalogue() for forms in said.values() for form in forms)
    return frozenset(run for form in forms for part in parts(form) for run in runs(part))

"""Sentences for people, in English and in whatever language they are asked for later.

Whoever has something to say says it with :func:`say`; what comes back is the English text, and remembers how it was
made. So it can be stored, compared and written down as any other text, and whoever shows it to a person tells it in
that person's language. The English sentences are the keys of the catalogues (``web_panel/languages/*.po``).

What is joined by hand (``f"{one} {other}"``, ``+``, ``.join``) forgets how it was made, and stays English: put one
sentence into another as a value, and join with :func:`joined` and :func:`listed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, Self


class Words(Protocol):
    """The words of a language."""

    def find(self, form: str, context: str = "") -> str:
        """Return the sentence of a language for an English one; the English one where it has none."""
        ...

    def find_many(self, one: str, many: str, count: int) -> str:
        """Return the sentence for so many of something."""
        ...


class English:
    """The language in which all is written."""

    def find(self, form: str, context: str = "") -> str:  # noqa: ARG002 - English is the same in every context
        """Return the sentence itself."""
        return form

    def find_many(self, one: str, many: str, count: int) -> str:
        """Return the first for one of something, the second for none or more."""
        return one if count == 1 else many


ENGLISH = English()

Tell = Callable[[Words], str]


class Text(str):
    """A text in English which can be told in other languages too."""

    __slots__ = ("_tell",)
    _tell: Tell

    def __new__(cls, tell: Tell) -> Self:
        """Make a text of how it is told."""
        made = super().__new__(cls, tell(ENGLISH))
        made._tell = tell
        return made

    def told(self, words: Words) -> str:
        """Return the text in a language."""
        return self._tell(words)

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """A copy in another process is just English."""
        return str, (str(self),)


def say(form: str, /, **values: object) -> Text:
    """Return a sentence; ``{name}`` in it stands for a value (a text, a number, a name)."""
    return Text(lambda words: _filled(words.find(form), values, words))


def say_in(context: str, form: str, /, **values: object) -> Text:
    """Return a sentence which other languages tell differently in this context (a case, a gender, a meaning)."""
    return Text(lambda words: _filled(words.find(form, context), values, words))


def say_many(one: str, many: str, count: int, /, **values: object) -> Text:
    """Return the one sentence or the other, by how many there are; ``{count}`` stands for that number."""
    return Text(lambda words: _filled(words.find_many(one, many, count), {"count": count, **values}, words))


def fill(template: str, /, **values: object) -> Text:
    """Return a sentence that was said with gaps (``say("take {piece} off")``, without values), now filled."""
    return Text(lambda words: _filled(told(template, words), values, words))


def joined(parts: Iterable[str], between: str = ", ") -> Text:
    """Return texts one after the other."""
    kept = list(parts)
    return Text(lambda words: told(between, words).join(told(part, words) for part in kept))


def one_of(parts: Iterable[str]) -> Text:
    """Return ``b3``, ``b3 or c4``, or ``b3, c4 or d1``."""
    kept = list(parts)
    if len(kept) < 2:
        return joined(kept)
    return say("{first} or {last}", first=joined(kept[:-1]), last=kept[-1])


def listed(parts: Iterable[str]) -> Text:
    """Return ``Ann``, ``Ann and Bob``, or ``Ann, Bob and Cid``."""
    kept = list(parts)
    if len(kept) < 2:
        return joined(kept)
    return say("{first} and {last}", first=joined(kept[:-1]), last=kept[-1])


def capital(text: str) -> Text:
    """Return a text as it begins a sentence."""

    def tell(words: Words) -> str:
        told_text = told(text, words)
        return told_text[:1].upper() + told_text[1:]

    return Text(tell)


def told(text: str, words: Words) -> str:
    """Return any text in a language; what can't be told in another stays as it is."""
    return text.told(words) if isinstance(text, Text) else text


def translated(value: Any, words: Words) -> Any:
    """Return the same structure (of mappings, lists and plain values) with every text in a language."""
    if isinstance(value, Text):
        return value.told(words)
    if isinstance(value, Mapping):
        return {name: translated(inner, words) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [translated(inner, words) for inner in value]
    return value


def _filled(form: str, values: Mapping[str, object], words: Words) -> str:
    if not values:
        return form
    return form.format_map({name: told(v, words) if isinstance(v, str) else v for name, v in values.items()})

"""Sentences for people, in English, and translated when they are shown.

A module makes a sentence with :func:`say`. The result is the English text; it remembers its sentence and values. It can
be stored, compared and written like any other text, and a page shows it in the reader's language.
The English sentences are the keys of the catalogues (``web_panel/languages/*.po``).

A text joined by hand (``f"{one} {other}"``, ``+``, ``.join``) loses its sentence and values, and stays English. Instead
pass one sentence to another as a value, and join with :func:`join_sentences` and :func:`list_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, Self

from hw.ports import HardwareError, Message


class Words(Protocol):
    """The words of a language."""

    def find(self, form: str, context: str = "") -> str:
        """Return the translation of an English sentence, or the sentence itself if there is none."""
        ...

    def find_many(self, one: str, many: str, count: int) -> str:
        """Return the translation in the plural form for ``count``."""
        ...


class English:
    """The language of the sentences in the code."""

    def find(self, form: str, context: str = "") -> str:  # noqa: ARG002 - English is the same in every context
        """Return the sentence itself."""
        return form

    def find_many(self, one: str, many: str, count: int) -> str:
        """Return the first form for a count of 1, else the second."""
        return one if count == 1 else many


ENGLISH = English()

Values = Mapping[str, object]
Parts = tuple[str, tuple[Any, ...], Values]
"""How a text was made: the name of its kind (:data:`_KINDS`), its arguments and its values."""


class Text(str):
    """An English text that can be translated. It holds no function: a table in play has thousands of texts."""

    __slots__ = ("parts",)
    parts: Parts

    def __new__(cls, kind: str, given: tuple[Any, ...], values: Values) -> Self:
        """Make the English text of a kind of :data:`_KINDS`. Raise KeyError or TypeError for arguments it hasn't."""
        made = super().__new__(cls, _KINDS[kind](ENGLISH, values, *given))
        made.parts = (kind, given, values)
        return made

    def in_language(self, words: Words) -> str:
        """Return the text in a language."""
        kind, given, values = self.parts
        return _KINDS[kind](words, values, *given)

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Pickle as a plain English string."""
        return str, (str(self),)


def say(form: str, /, **values: object) -> Text:
    """Return a sentence; ``{name}`` in it stands for a value (a text, a number, a name)."""
    return Text("say", (form,), values)


def say_in(context: str, form: str, /, **values: object) -> Text:
    """Return a sentence whose translation depends on the context (a case, a gender, a meaning)."""
    return Text("say_in", (context, form), values)


def say_many(one: str, many: str, count: int, /, **values: object) -> Text:
    """Return the singular or plural sentence for a count; ``{count}`` stands for the number."""
    return Text("say_many", (one, many, count), values)


def fill(template: str, /, **values: object) -> Text:
    """Return a sentence that was made without its values (``say("take {piece} off")``), with them."""
    return Text("fill", (template,), values)


def join_sentences(parts: Iterable[str], between: str = ", ") -> Text:
    """Return texts in a row, with ``between`` between each two."""
    return Text("joined", (list(parts), between), {})


def one_of(parts: Iterable[str]) -> Text:
    """Return ``b3``, ``b3 or c4``, or ``b3, c4 or d1``."""
    texts = list(parts)
    if len(texts) < 2:
        return join_sentences(texts)
    return say("{first} or {last}", first=join_sentences(texts[:-1]), last=texts[-1])


def list_of(parts: Iterable[str]) -> Text:
    """Return ``Ann``, ``Ann and Bob``, or ``Ann, Bob and Cid``."""
    texts = list(parts)
    if len(texts) < 2:
        return join_sentences(texts)
    return say("{first} and {last}", first=join_sentences(texts[:-1]), last=texts[-1])


def capital(text: str) -> Text:
    """Return a text with a capital first letter, in every language."""
    return Text("capital", (text,), {})


def pack_text(text: object) -> Any:
    """Return a text, or a list of texts, as plain data for another process; :func:`unpack_text` is the inverse."""
    if isinstance(text, Text):
        how, given, values = text.parts
        return {
            "by": how,
            "of": [pack_text(one) for one in given],
            "with": {n: pack_text(v) for n, v in values.items()},
        }
    return [pack_text(one) for one in text] if isinstance(text, list) else text


def unpack_text(data: Any) -> Any:
    """Return the text that was packed. Raise ValueError for malformed data."""
    if isinstance(data, list):
        return [unpack_text(one) for one in data]
    if not isinstance(data, dict):
        return data
    try:
        values = {name: unpack_text(value) for name, value in data["with"].items()}
        return Text(data["by"], tuple(unpack_text(one) for one in data["of"]), values)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"no text: {data!r:.100}") from error


def translate(text: str, words: Words) -> str:
    """Return a text in a language; a plain ``str`` stays as it is."""
    return text.in_language(words) if isinstance(text, Text) else text


def translate_all(value: Any, words: Words) -> Any:
    """Return the same structure (of mappings, lists and plain values) with every text in a language."""
    if isinstance(value, Text):
        return value.in_language(words)
    if isinstance(value, Mapping):
        return {name: translate_all(inner, words) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [translate_all(inner, words) for inner in value]
    return value


def _fill_form(form: str, values: Mapping[str, object], words: Words) -> str:
    if not values:
        return form
    return form.format_map({name: translate(v, words) if isinstance(v, str) else v for name, v in values.items()})


def _say(words: Words, values: Values, form: str) -> str:
    return _fill_form(words.find(form), values, words)


def _say_in(words: Words, values: Values, context: str, form: str) -> str:
    return _fill_form(words.find(form, context), values, words)


def _say_many(words: Words, values: Values, one: str, many: str, count: int) -> str:
    return _fill_form(words.find_many(one, many, count), {"count": count, **values}, words)


def _fill(words: Words, values: Values, template: str) -> str:
    return _fill_form(translate(template, words), values, words)


def _join(words: Words, _: Values, texts: Sequence[str], between: str = ", ") -> str:
    return translate(between, words).join(translate(part, words) for part in texts)


def _capital(words: Words, _: Values, text: str) -> str:
    sentence = translate(text, words)
    return sentence[:1].upper() + sentence[1:]


_KINDS: Mapping[str, Callable[..., str]] = {
    "say": _say,
    "say_in": _say_in,
    "say_many": _say_many,
    "fill": _fill,
    "joined": _join,
    "capital": _capital,
}
"""Name of a kind of text, which stands in files → what returns it in a language, from its values and arguments."""


def lost_words(error: HardwareError) -> str:
    """Return an error's message, translatable where the hardware gives a ``Message``."""
    message = error.args[0] if error.args else ""
    return hardware_words(message) if isinstance(message, Message) else str(error)


def hardware_words(message: Message) -> str:
    """Return a message of the hardware, with the messages among its values, as a translatable sentence."""
    values = {name: hardware_words(one) if isinstance(one, Message) else one for name, one in message.values.items()}
    return say(message.form, **values)


class Refused(Exception):
    """A user's request can't be done; the message says what, where and what was expected."""

    @property
    def words(self) -> str:
        """Return the message; a translatable one (:func:`firmware_host.text.words.say`) stays so."""
        message = self.args[0] if self.args else ""
        return message if isinstance(message, str) else str(message)

"""Sentences: in English they are what they say, in other languages what those say, however they are nested."""

from __future__ import annotations

import copy
import json
import pickle
from string import ascii_letters

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.text.words import (
    ENGLISH,
    Text,
    capital,
    fill,
    join_sentences,
    list_of,
    one_of,
    pack_text,
    say,
    say_in,
    say_many,
    translate,
    translate_all,
    unpack_text,
)

GERMAN = {
    ("", "{name}: put {piece} on {node}"): "{name}: lege {piece} auf {node}",
    ("accusative", "a white stone"): "einen weißen Stein",
    ("nominative", "a white stone"): "ein weißer Stein",
    ("", "{first} and {last}"): "{first} und {last}",
    ("", "{first} or {last}"): "{first} oder {last}",
    ("", "{count} stone"): "{count} Stein",
    ("", "{count} stones"): "{count} Steine",
    ("", "take {piece} off"): "nimm {piece} weg",
    ("", "off it goes"): "ab damit",
}


class German:
    """Some words of German."""

    def find(self, form: str, context: str = "") -> str:
        return GERMAN.get((context, form), form)

    def find_many(self, one: str, many: str, count: int) -> str:
        return self.find(one if count == 1 else many)


def test_a_sentence_with_a_sentence_in_it() -> None:
    text = say("{name}: put {piece} on {node}", name="Ann", piece=say_in("accusative", "a white stone"), node="C6")
    assert text == "Ann: put a white stone on C6"
    assert text.in_language(German()) == "Ann: lege einen weißen Stein auf C6"
    assert say_in("nominative", "a white stone").in_language(German()) == "ein weißer Stein"


def test_names_are_not_told_and_braces_in_them_are_no_gaps() -> None:
    text = say("{name}: put {piece} on {node}", name="{piece}", piece="{0}", node="{")
    assert text == "{piece}: put {0} on {"
    assert text.in_language(German()) == "{piece}: lege {0} auf {"


def test_gaps_are_filled_later() -> None:
    template = say("take {piece} off")
    assert template == "take {piece} off"
    text = fill(template, piece=say_in("accusative", "a white stone"))
    assert text == "take a white stone off"
    assert text.in_language(German()) == "nimm einen weißen Stein weg"
    assert fill("take {piece} off", piece="it") == "take it off", "a plain string is filled, too"


def test_chains() -> None:
    assert [one_of(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a or b", "a, b or c"]
    assert [list_of(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
    assert translate(one_of("ab"), German()) == "a oder b"
    assert translate(list_of("abc"), German()) == "a, b und c"
    assert join_sentences([say("off it goes"), "x"], "; ").in_language(German()) == "ab damit; x"
    assert capital(say("off it goes")).in_language(German()) == "Ab damit"


def test_one_and_many() -> None:
    assert [say_many("{count} stone", "{count} stones", count) for count in (0, 1, 2)] == [
        "0 stones",
        "1 stone",
        "2 stones",
    ]
    assert [say_many("{count} stone", "{count} stones", count).in_language(German()) for count in (1, 2)] == [
        "1 Stein",
        "2 Steine",
    ]


def test_what_leaves_the_program_is_plain() -> None:
    text = say("off it goes")
    assert json.loads(json.dumps({"text": text})) == {"text": "off it goes"}
    for other in (pickle.loads(pickle.dumps(text)), copy.deepcopy(text)):
        assert type(other) is str
        assert other == text
    assert {text: 1}["off it goes"] == 1


def test_structures() -> None:
    value = {"n": 1, "lines": (say("off it goes"), "x", None), "inner": {"text": say("off it goes")}}
    assert translate_all(value, German()) == {"n": 1, "lines": ["ab damit", "x", None], "inner": {"text": "ab damit"}}


def _texts() -> st.SearchStrategy[str]:
    plain = st.text(ascii_letters + "{} ", max_size=8)

    def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.builds(lambda a, b: say("{first} and {last}", first=a, last=b), inner, inner),
            st.builds(lambda a: fill(say("take {piece} off"), piece=a), inner),
            st.builds(
                lambda a, n: say_many("{count} of {what}", "{count} of all {what}", n, what=a), inner, st.integers()
            ),
            st.lists(inner, max_size=4).map(list_of),
            st.lists(inner, max_size=4).map(lambda parts: join_sentences(parts, "; ")),
            inner.map(capital),
        )

    return st.recursive(plain, nested, max_leaves=12)


@given(_texts())
def test_in_english_a_sentence_is_itself(text: str) -> None:
    assert translate(text, ENGLISH) == text
    assert not isinstance(text, Text) or text.in_language(ENGLISH) == str(text)


def test_a_text_goes_to_another_process_and_is_told_there_in_any_language() -> None:
    class Loud:
        def find(self, form: str, context: str = "") -> str:
            return f"{context}<{form}>"

        def find_many(self, one: str, many: str, count: int) -> str:
            return self.find(one if count == 1 else many)

    texts = [
        say("{name} wins.", name="Ann"),
        say_in("case ", "a stone of {name}", name=say("nobody")),
        say_many("one stone", "{count} stones", 3),
        fill(say("{name} comes off"), name=join_sentences(["A", say("b")])),
        list_of([say("one"), say("two"), "D4"]),
        capital(say("a stone")),
    ]
    for text in texts:
        again = unpack_text(json.loads(json.dumps(pack_text(text))))
        assert again == text
        assert again.in_language(Loud()) == text.in_language(Loud()) != text
    assert unpack_text(pack_text("as it is")) == "as it is"


@pytest.mark.parametrize("data", [{}, {"by": "eval", "of": ["1"], "with": {}}, {"by": "say", "of": [], "with": {}}])
def test_what_is_no_text_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match="no text"):
        unpack_text(data)

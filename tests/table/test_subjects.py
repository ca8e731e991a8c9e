"""Subjects of the table: a file each, collected, and none sets another's state."""

from __future__ import annotations

import ast
import importlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict, get_args, get_type_hints

import pytest

from firmware_host.table import subjects as package
from firmware_host.table import view
from firmware_host.table.ledger import _OWN, Ledger
from firmware_host.table.ledger import _handlers as folds
from firmware_host.table.subject import Subject, SubjectState, own_subjects, subjects
from firmware_host.table.view import public_view, view_form
from lodestone.evening import Evening

FOLDER = Path(package.__file__ or "").parent
HOUSE = FOLDER.parents[2]
FILES = sorted(path for path in FOLDER.glob("*.py") if path.stem != "__init__")


def test_each_file_is_a_subject_and_all_are_collected() -> None:
    found = [importlib.import_module(f"{package.__name__}.{path.stem}").SUBJECT for path in FILES]
    assert [*own_subjects()] == found
    assert all(isinstance(one, Subject) for one in found)


def test_no_entry_and_no_field_of_the_view_belongs_to_two_subjects() -> None:
    evening = Evening().sit_and_start("Ann", "Bob")
    for names in (
        [*_OWN, *(kind for one in subjects() for kind in one.entries)],
        [name for one in subjects() for name in one.view(evening.table)],
        [name for one in subjects() for name in one.seat_view(evening.table, 1)],
    ):
        assert [name for name, times in Counter(names).items() if times > 1] == []
    assert set(folds()) == {*_OWN, *(kind for one in subjects() for kind in one.entries)}


def test_what_a_subject_shows_is_described_by_its_own_types() -> None:
    table = Evening().sit_and_start("Ann", "Bob").table
    form = get_type_hints(view_form(), include_extras=True)
    assert form.keys() == public_view(table).keys() | {"seq", "you", "host"}
    (player,) = get_args(form["seats"])
    assert get_type_hints(player).keys() == public_view(table)["seats"][0].keys()


def test_what_a_stranger_s_subject_can_not_describe_keeps_no_panel_from_opening(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its types may be imported for checkers alone, or be none that JSON has."""

    class Odd(TypedDict):
        cheers: set[int]

    def unknown(_table: object) -> Applause: ...  # type: ignore[name-defined]  # noqa: F821 - as for checkers alone
    def odd(_table: object) -> Odd: ...

    odd.__annotations__["return"] = Odd
    strange = (Subject(view=unknown), Subject(view=odd))
    monkeypatch.setattr(view, "subjects", lambda: (*subjects(), *strange))
    assert "cheers" not in get_type_hints(view_form())
    assert "Applause" in caplog.text
    assert "set" in caplog.text


def setters(tree: ast.Module) -> Iterator[str]:
    """Yield the name of each state that a module replaces and does not own."""
    made = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None]
    named = [(node.target if isinstance(node, ast.AnnAssign) else node.targets[0], node.value) for node in made]
    own = {ast.unparse(name) for name, value in named if value and ast.unparse(value).startswith("SubjectState(")}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "put":
            state = ast.unparse(node.func.value)
            if state.rpartition(".")[2].isupper() and state not in own:
                yield ast.unparse(node)


@pytest.mark.parametrize("folder", ["firmware_host", "web_panel", "lodestone"])
def test_no_module_sets_the_state_of_another(folder: str) -> None:
    for path in (HOUSE / folder).rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if ".put(" in text:
            assert [*setters(ast.parse(text))] == [], path


def test_a_state_set_by_a_stranger_is_found() -> None:
    stranger = "from firmware_host.table.subjects.hints import KEPT\nKEPT.put(table, 1)"
    assert [*setters(ast.parse(stranger))] == ["KEPT.put(table, 1)"]


def test_a_state_begins_anew_in_each_ledger() -> None:
    state = SubjectState(0)
    one, other = (Ledger(Evening().game, name, "2") for name in ("g1", "g2"))
    state.put(one, 3)
    assert (state.of(one), state.of(other)) == (3, 0)

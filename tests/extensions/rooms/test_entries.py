"""Entries of other tables: the verb of `lodestone table`, what is refused, and which kinds there are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from firmware_host.extensions.rooms.entries import _ENTRIES, EntryReceived
from firmware_host.games.registry import game
from firmware_host.link.common_log import SharedEntry
from firmware_host.link.entry_fields import FIELDS
from firmware_host.services.table_protocol import TableSession, line_of
from firmware_host.table.table import TRANSITIONS, transitions
from tests.sentences import sentence


def ask(session: TableSession, **request: Any) -> dict[str, Any]:
    return dict(json.loads(session.answer_line(json.dumps(request))))


@pytest.fixture
def session() -> TableSession:
    """A game of Coil whose second seat is played elsewhere; its first stone lies."""
    begun = TableSession()
    far = {"seats": {"2": "There"}, "writes": True}
    assert ask(begun, do="open", game="coil", far=far, time=0)["ok"]
    ask(begun, do="sense", nodes={"a1": "x"}, time=1)
    assert ask(begun, do="tick", time=4)["committed"] == ["a1"]
    return begun


def test_the_log_and_the_table_know_the_same_kinds() -> None:
    assert _ENTRIES.keys() == FIELDS.keys()


def test_an_entry_that_follows_is_applied_and_guided_to(session: TableSession) -> None:
    coil, begun = game("coil"), ask(session, do="look")["position"]
    position = coil.parse(begun)
    action = next(one for one in coil.actions(position)[2] if one != "pass")
    data = {"seat": 2, "action": action, "position": begun}
    refused = ask(session, do="entry", kind="action", data=data, time=5)["error"]
    assert (refused["code"], refused["message"]) == ("bad_entry", sentence("the position after it is another"))
    after = coil.text(coil.apply(position, {2: action}).position)
    answer = ask(session, do="entry", kind="action", data={**data, "position": after}, time=5)
    assert (answer["committed"], answer["position"], answer["phase"]) == ([action], after, "setup")
    assert answer["tasks"], "hands lay here what lies there"


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ({"kind": "hint", "data": {}}, "bad_entry", "are not shared"),
        ({"kind": "start", "data": {}}, "bad_entry", "the game has begun already"),
        ({"kind": "action", "data": {}}, "bad_entry", "field is missing or wrong"),
        ({"kind": "action", "data": {"seat": 1, "action": "a2", "position": ""}}, "bad_entry", "does not act now"),
        ({"kind": "action", "data": {"seat": 2, "action": "c3"}}, "bad_entry", "missing or wrong: position"),
        ({"kind": "action", "data": {"seat": "2", "action": "c3", "position": ""}}, "bad_entry", "wrong: seat"),
        ({"kind": "draw", "data": {}}, "bad_entry", "missing or wrong: position"),
        ({"kind": "draw", "data": {"position": "", "more": 1}}, "bad_entry", "missing or wrong: more"),
        ({"kind": "reveal", "data": {"seals": 5, "position": ""}}, "bad_entry", "missing or wrong: seals"),
        ({"kind": "reveal", "data": {"seals": 5, "position": ""}, "own": True}, "bad_entry", "wrong: seals"),
        ({"kind": "action", "data": []}, "bad_request", "data: expected an object"),
        ({"kind": 7, "data": {}}, "bad_request", "kind: expected a text"),
        ({"kind": "action"}, "bad_request", "data: expected an object"),
        ({"kind": "action", "data": {}, "own": 1}, "bad_request", "own: expected true or false"),
        ({"kind": "action", "data": {}, "seat": 1}, "bad_request", "entry does not know this field"),
    ],
)
def test_what_does_not_follow_is_refused(session: TableSession, line: Any, code: str, words: str) -> None:
    before = ask(session, do="look")
    error = ask(session, do="entry", **line)["error"]
    assert error["code"] == code
    assert words in error["message"]
    assert ask(session, do="look") == before


@pytest.mark.parametrize("seats", [5, {"one": ["", "", ""]}, {"1": ["", ""]}])
def test_an_entry_from_outside_has_no_wrong_field(seats: Any) -> None:
    entry = {"game": "g", "number": 0, "kind": "reveal", "prev": "0" * 64, "table": "0" * 64, "signature": "0" * 128}
    SharedEntry.from_dict({**entry, "data": {"seals": {"1": ["", "", ""]}, "position": ""}})
    with pytest.raises(ValueError, match="seals"):
        SharedEntry.from_dict({**entry, "data": {"seals": seats, "position": ""}})
    with pytest.raises(ValueError, match="object"):
        SharedEntry.from_dict({**entry, "data": []})


def test_a_log_has_the_line_of_an_entry_but_not_of_seals() -> None:
    data = {"seat": 2, "position": "x"}
    told = line_of(EntryReceived(at=1.0, kind="resign", data=data))
    assert told == {"do": "entry", "kind": "resign", "data": data, "own": False}
    assert line_of(EntryReceived(at=1.0, kind="reveal", data={})) is None


def test_it_is_the_rooms_that_say_where_entries_lead() -> None:
    assert EntryReceived in transitions()
    assert EntryReceived not in TRANSITIONS

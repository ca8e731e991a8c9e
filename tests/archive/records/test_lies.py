"""Records that somebody has changed who can compute hashes: each lie is named at its line."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.archive.format import DATA
from firmware_host.archive.journal import Journal
from firmware_host.archive.records import RecordError, export, show_text, verify_lines
from firmware_host.games.game import Analysis
from firmware_host.games.spokes import rules
from tests.archive.records.recorder import (
    SPOKES,
    Events,
    Recorder,
    a_decided_record,
    a_drawn_record,
    a_loop_record,
    a_lots_record,
    a_record,
    both,
    drop,
    first,
    forged,
    head,
    line_of,
    refusal,
    repeat,
    set_data,
)
from tests.sampling import together
from tests.sentences import sentence

EMPTY = SPOKES.text(SPOKES.start("2"))
LIES = {
    "wrong start": (set_data("start", position=EMPTY.replace("./", "w/", 1)), "start", 0, "position"),
    "position after a reveal": (set_data("reveal", position=EMPTY), "reveal", 0, "recorded"),
    "position after a step": (set_data("action", position=EMPTY), "action", 0, "recorded"),
    "removed nodes": (set_data("reveal", removed=["A1"]), "reveal", 0, "removed nodes"),
    "position after a correction": (set_data("correction", position="x"), "correction", 0, "recorded"),
    "correction beyond the start": (set_data("correction", to=7), "correction", 0, "moments are in force"),
    "position after resigning": (set_data("resign", position=EMPTY), "resign", 0, "recorded"),
    "resigning seat": (set_data("resign", seat=2), "resign", 0, "recorded"),
    "winner": (set_data("result", winners=[1]), "result", 0, "winners: [1] recorded, [2] by the rules"),
    "scores": (set_data("result", scores=[9, 9]), "result", 0, "scores"),
    "tie-break": (set_data("result", tiebreak=[9, 9]), "result", 0, "tiebreak"),
    "reason": (set_data("result", reason="filled"), "result", 0, "reason"),
    "step of the other seat": (set_data("action", seat=9), "action", 0, "seat 9"),
    "illegal step": (set_data("action", action="A1-B1-C1"), "action", 0, "not possible"),
    "no step at all": (set_data("action", action="nonsense"), "action", 0, "not possible"),
    "opening another node": (set_data("opening", action="wA1"), "opening", 0, "not what seat 1 sealed"),
    "opening with another nonce": (set_data("opening", nonce="0" * 32), "opening", 0, "not what seat 1 sealed"),
    "opening for another seat": (set_data("opening", seat=2), "opening", 0, "not what seat 2 sealed"),
    "opening for a seat that is not": (set_data("opening", seat=3), "opening", 0, "seat 3"),
    "seal of another turn": (set_data("seal", turn=2), "seal", 0, "turn: expected 1"),
    "seal twice": (repeat("seal"), "seal", 1, "sealed turn 1 already"),
    "opening twice": (repeat("opening"), "opening", 1, "opened its seal of turn 1 already"),
    "another's seal": (
        lambda _header, events: events[first(events, "seal", 1)]["data"].update(
            commitment=events[first(events, "seal")]["data"]["commitment"]
        ),
        "seal",
        1,
        "another seat's",
    ),
    "a seal changed": (set_data("seal", 2, commitment="0" * 64), "opening", 0, "not what seat 1 sealed"),
    "reveal of something else": (set_data("reveal", actions={"1": "wA1", "2": "bA1"}), "reveal", 0, "the openings are"),
    "reveal of another turn": (set_data("reveal", turn=5), "reveal", 0, "turn: expected 1, found 5"),
    "reseal of another turn": (set_data("reseal", turn=5), "reseal", 0, "turn: expected 1, found 5"),
    "phones that open another turn": (set_data("opens", turn=5), "opens", 0, "turn: expected 1, found 5"),
    "phones that open before all have sealed": (drop("seal", 3), "opens", 0, "before all have sealed"),
    "a seal that never was": (both(drop("opens"), drop("seal", 3)), "opening", 0, "not everybody has sealed"),
    "a void turn of one seat": (set_data("reseal", by="host", seat=1), "reseal", 0, "voids no turn"),
    "masking no node": (set_data("mask", node="Z9"), "mask", 0, "not on this board"),
    "unmasking what is not masked": (set_data("unmask", node="A1"), "unmask", 0, "not masked"),
    "a seat that is not moves": (set_data("moved", seat=3), "moved", 0, "seat 3 moves to another phone"),
    "taken back by nobody": (set_data("correction", by="me"), "correction", 0, "hand, agreement or host"),
    "two starts": (repeat("start"), "seal", 0, "started already"),
    "two results": (repeat("result"), "result", 0, "after its end"),
    "an unknown kind": (
        lambda _header, events: events[first(events, "reveal")].update(kind="magic"),
        "reveal",
        0,
        "kind: expected one of",
    ),
}


LOOP_LIES = {
    "position after a loop": (set_data("loop", position=EMPTY), "recorded"),
    "nodes without stones": (set_data("loop", nodes=["A1"]), sentence("carries a single stone")),
    "a node that is not": (set_data("loop", nodes=["C2", "C3", "Z9"]), "got 'Z9'"),
    "a node twice": (set_data("loop", nodes=["C2", "C3", "C2"]), "each node once"),
    "fewer stones": (set_data("loop", nodes=["C2"]), "recorded"),
    "a proof that is none": (set_data("loop", by="proof"), "steps lead out of it"),
    "a loop while all seal": (
        lambda _header, events: events.insert(1, json.loads(json.dumps(events[first(events, "loop")]))),
        "nothing is being resolved",
    ),
}


NOT_SEALED = sentence("one that it has sealed", name="Ada")
LOT_LIES = {
    "another number": (set_data("lot", number="0" * 64), NOT_SEALED),
    "a later number": (
        lambda _header, events: events[first(events, "lot")]["data"].update(
            number=events[first(events, "lot", 2)]["data"]["number"]
        ),
        NOT_SEALED,
    ),
    "another seal": (
        set_data("start", lots={"1": "0" * 64, "2": "1" * 64}),
        NOT_SEALED,
    ),
    "another table": (set_data("lot", seat=2), sentence("has no lot to draw", name="Grace")),
    "a tile that was not drawn": (set_data("lot", 1, position="x"), "recorded is not that of the rules"),
    "a lot left out": (drop("lot", 1), "line 4: "),
    "a seed beside it": (set_data("start", seed=1), "nothing else says how the stack lies"),
}


@pytest.mark.parametrize("lie", LOT_LIES)
def test_a_lot_that_was_not_sealed_so_is_named(lie: str) -> None:
    change, words = LOT_LIES[lie]
    assert "lots as they were sealed" in str(verify_lines(a_lots_record()))
    assert words in refusal(lambda: verify_lines(forged(change, a_lots_record())))


@pytest.mark.parametrize("text", ["++", "a/b/c", "a-b", "wZ9", "A1+A2"])
def test_a_sealed_text_that_is_no_placement_is_named(text: str, journal: Journal) -> None:
    """Nothing is wrong with its seal."""
    recorder = Recorder(journal, "g1")
    actions, nonces = recorder.choices()
    actions[1] = text
    turn = recorder.seal(actions, nonces)
    recorder.write("opens", turn=turn)
    for seat, action in actions.items():
        recorder.write("opening", seat=seat, turn=turn, action=action, nonce=nonces[seat])
    told = {str(seat): action for seat, action in actions.items()}
    recorder.write("reveal", turn=turn, actions=told, position=EMPTY, removed=[])
    said = refusal(lambda: verify_lines(tuple(export(journal, "g1"))))
    assert sentence("placement: expected a colour", example="wD12", given=repr(text)) in said


@pytest.mark.parametrize("lie", LOOP_LIES)
def test_a_loop_that_can_not_be_called_is_named(lie: str) -> None:
    change, words = LOOP_LIES[lie]
    said = refusal(lambda: verify_lines(forged(change, a_loop_record())))
    assert words in said
    assert said.startswith(f"line {3 if 'seal' in lie else line_of('loop', record=a_loop_record())}: ")


def test_a_called_loop_verifies_and_is_told(journal: Journal) -> None:
    assert "won by seat 2 (loop)" in str(verify_lines(a_loop_record()))
    recorder = Recorder(journal, "g1")
    recorder.circle()
    recorder.call_loop("agreement", "C2", "C3")
    told = show_text(journal, "g1")
    assert f"  All players agree on a loop.\n  {sentence('An unbreakable loop: the stones', nodes='C2, C3')}" in told


@pytest.mark.parametrize(("by", "nodes"), [("endless", ["C2", "C3", "C6", "D14"]), ("circling", ["C2", "C3"])])
def test_endless_circling_verifies_by_the_rule_that_the_record_names(
    by: str, nodes: list[str], journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records of earlier versions clear the circle, those of this one what could still move."""
    monkeypatch.setattr(rules, "OFTEN", 1)
    monkeypatch.setattr(type(SPOKES), "foresee", lambda *_: Analysis(False, None), raising=False)
    recorder = Recorder(journal, "g1")
    recorder.place(p1="wC6", p2="bD14")
    recorder.circle()
    recorder.call_loop(by, *nodes)
    lines = tuple(export(journal, "g1"))
    assert "(loop)" in str(verify_lines(lines))
    other = {"endless": "circling", "circling": "endless"}[by]
    assert "the stones circle on" in refusal(lambda: verify_lines(forged(set_data("loop", by=other), lines)))


def test_a_proof_is_looked_at_again_as_far_as_a_short_search_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it can't decide is believed; a loop of other stones is not."""
    proved = forged(set_data("loop", by="proof"), a_loop_record())
    found = [Analysis(None, None), Analysis(False, True, ("C2", "C3")), Analysis(False, True, ("C2", "D3"))]
    monkeypatch.setattr(type(SPOKES), "foresee", lambda *_: found[0], raising=False)
    assert "(loop)" in str(verify_lines(proved))
    del found[0]
    assert "(loop)" in str(verify_lines(proved))
    del found[0]
    assert "the loop is on ['C2', 'D3']" in refusal(lambda: verify_lines(proved))


def test_nobody_sits_down_on_a_seat_that_is_not() -> None:
    def change(_header: dict[str, Any], events: Events) -> None:
        sitting = {"seat": 3, "name": "HAL", "computer": True}
        events.insert(1, {"at": events[0]["at"], "kind": "seat", "data": sitting})

    assert refusal(lambda: verify_lines(forged(change))) == "line 3: seat: expected one of [1, 2], found 3"


@together("lie", LIES)
def test_each_kind_of_lie_is_named_at_its_line(lie: str) -> None:
    change, kind, skip, words = LIES[lie]
    lines = forged(change)
    shift = {"two results": 1, "phones that open before all have sealed": -1, "a seal that never was": -2}
    said = refusal(lambda: verify_lines(lines))
    assert said.startswith(f"line {line_of(kind, skip) + shift.get(lie, 0)}: ")
    assert words in said


HEADER_LIES = {
    "another game's id": (head(id="spokes-ffffffff"), "not what seat 1 sealed"),
    "an unknown game": (head(game="chess"), "line 1: game: expected one of"),
    "an unknown mode": (head(mode="3"), "line 1: mode"),
    "another mode": (head(mode="2v2"), "line 1: seats"),
    "rules": (head(rules={"wrap": True}), "line 1: rules"),
    "a missing seat": (head(seats={"1": {"name": "Ada", "computer": False}}), "line 1: seats"),
    "a seat's shape": (head(seats={"1": {"name": "Ada"}, "2": {}}), "line 1: seats.1.computer: expected true or false"),
    "a colour that is not": (
        head(seats={"1": {"name": "Ada", "computer": False, "colour": 9}, "2": {"name": "Grace", "computer": True}}),
        "line 1: seats.1.colour: expected a colour, 1 to 8",
    ),
    "a colour twice": (
        head(seats={seat: {"name": seat, "computer": False, "colour": 3} for seat in ("1", "2")}),
        "line 1: seats: each colour once, found [3, 3]",
    ),
    "the start": (head(started="2026-11-21T09:00:00+00:00"), "at: expected the header's"),
    "no start": (head(started=None), "at: expected the header's"),
    "a newer format": (head(record=3), "line 1: record: expected format 1 or 2, found '3'"),
    "another field": (head(winner="me"), "line 1: winner: there is no such field"),
}


@together("lie", HEADER_LIES)
def test_a_wrong_header_is_named(lie: str) -> None:
    change, words = HEADER_LIES[lie]
    assert words in refusal(lambda: verify_lines(forged(change)))


def test_a_start_that_is_announced_must_be_there() -> None:
    assert "no start among the events" in refusal(lambda: verify_lines(forged(lambda _header, events: events.clear())))
    early = forged(drop("start"))
    assert refusal(lambda: verify_lines(early)).startswith("line 2: kind: expected start")


@together("kind", sorted(set(DATA) - {"seat", "abandoned", "flag"}))
def test_each_field_of_each_event_is_needed_and_nothing_else_is_taken(kind: str) -> None:
    hinted = partial(a_record, hinted=True)
    records = {
        "loop": a_loop_record,
        "decided": a_decided_record,
        "draw": a_drawn_record,
        "hint": hinted,
        "hints": hinted,
        "lot": a_lots_record,
    }
    record = records.get(kind, a_record)()
    line = line_of(kind, record=record)
    for entry in DATA[kind]:
        field = entry.removesuffix("?")

        def without(_header: dict[str, Any], events: Events, field: str = field) -> None:
            del events[first(events, kind)]["data"][field]

        if entry == field:
            lines = forged(without, record)
            assert f"line {line}: data.{field}: expected" in refusal(lambda lines=lines: verify_lines(lines))
        for wrong in ({"a": {}}, -1, 1.5):
            lines = forged(set_data(kind, **{field: wrong}), record)
            assert refusal(lambda lines=lines: verify_lines(lines)).startswith(f"line {line}: data.{field}: expected")
    assert "no such field" in refusal(lambda: verify_lines(forged(set_data(kind, extra=1), record)))


ANYBODYS = {"guidance", "hints", "hint", "moved"}
"""Kinds that say what a seat wished for, was told, or that it goes on by another phone: another one is as good."""


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_whatever_is_forged_is_refused_with_a_line_never_a_crash(data: st.DataObject) -> None:
    """Overwrite a field with another value of the record, or with nonsense, and hash correctly."""
    events = [json.loads(line) for line in a_record()[1:]]
    values = [value for event in events for value in event["data"].values()]
    void = range(1, first(events, "reseal"))  # Of seals that were never opened, only the chain can tell what they were.
    place = data.draw(
        st.sampled_from(
            [place for place in range(len(events)) if place not in void and events[place]["kind"] not in ANYBODYS]
        )
    )
    field = data.draw(st.sampled_from(sorted(events[place]["data"])))
    value = data.draw(st.sampled_from(values) | st.text(max_size=5) | st.integers(0, 9))

    def change(_header: dict[str, Any], changed: Events) -> None:
        changed[place]["data"][field] = value

    if events[place]["data"][field] == value or field in {"reason", "by"}:
        return
    with pytest.raises(RecordError) as caught:
        verify_lines(forged(change))
    assert caught.value.line is not None
    assert caught.value.line >= place + 2

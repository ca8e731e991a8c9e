"""The table protocol: every refusal, and one answer a line, whatever the line holds."""

from __future__ import annotations

import io
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.registry import GAMES
from firmware_host.services.json_lines import MAX_LINE
from firmware_host.services.table_protocol import _VERBS, EVENT_REQUESTS, TableSession, serve
from tests.sampling import together
from tests.sentences import sentence
from tests.service import ANSWERED, PAIR, Table, pair, pushed
from tests.table.doors import LODESTONE, Refused

PAGE = Path(__file__).parents[2] / "docs" / "table-protocol.md"

# -- refusals ----------------------------------------------------------------------------------------------------------

OPEN = '{"do": "open", "game": "spokes", '
DEED = '{"do": "request", "what": '
REFUSED = [
    ("{", "bad_json", "expected a JSON object: "),
    ("[]", "bad_json", "got list"),
    ('{"do": "tick", "do": "look"}', "bad_json", sentence("a name occurs in it")),
    ('{"do": "tick", "time": NaN}', "bad_json", "NaN is no number"),
    ("[" * 100_000, "bad_json", "expected a JSON object: "),
    ("{}", "bad_request", "do: expected a text, but it is missing"),
    ('{"do": ""}', "bad_request", f'do: expected one of {", ".join(sorted(_VERBS.fields))}, got ""'),
    (
        '{"do": "dance"}',
        "bad_request",
        f'do: expected one of {", ".join(sorted(_VERBS.fields))}, got "dance"',
    ),
    ('{"do": "look", "colour": 1}', "bad_request", "colour: look does not know this field; expected view"),
    ('{"do": "look", "view": 1}', "bad_request", "view: expected true or false, got 1"),
    ('{"do": "open"}', "bad_request", "game: expected a text, but it is missing"),
    ('{"do": "open", "game": "chess"}', "unknown_game", "spokes"),
    (OPEN + '"mode": "3"}', "bad_request", 'mode: expected one of 2, 4, 2v2, got "3"'),
    (OPEN + '"kind": "smell"}', "bad_request", "kind: expected one of presence, polarity"),
    (OPEN + '"rules": {"magic": true}}', "bad_request", "magic"),
    (OPEN + '"rules": []}', "bad_request", "rules: expected an object, got []"),
    (OPEN + '"seats": ["Ann"]}', "bad_request", 'seats: expected a list of 2 names, got ["Ann"]'),
    (OPEN + '"seats": ["Ann", "ann"]}', "bad_name", "ann"),
    (OPEN + '"seats": ["", "Bob"]}', "bad_name", "1 to 24 letters"),
    (OPEN + '"computers": [3]}', "bad_request", "computers: expected a list of seats, of 1, 2"),
    (OPEN + '"computers": [true]}', "bad_request", "computers: expected a list of seats"),
    (OPEN + '"seed": -1}', "bad_request", "seed: expected a whole number from 0"),
    (OPEN + '"position": 7}', "bad_request", "position: expected a text, got 7"),
    (OPEN + '"position": "nowhere"}', "bad_position", "6 fields"),
    (OPEN + '"time": -1}', "bad_request", "time: expected a number of seconds from 0"),
    (OPEN + '"time": 1e999}', "bad_json", sentence("is larger than numbers may", digits="1e999")),
    ('{"do": "tick", "id": -1e999}', "bad_json", sentence("is larger than numbers may", digits="-1e999")),
    (OPEN + '"timings": {"nap": 1}}', "bad_request", "timings: expected some of settle"),
    (
        OPEN + '"timings": {"settle": "1"}}',
        "bad_request",
        'settle: expected a number of seconds from 0 to 1000000000, got "1"',
    ),
    (OPEN + '"timings": {"one_sensor": 1}}', "bad_request", "one_sensor: expected true or false"),
    ('{"do": "sense"}', "bad_request", "nodes: expected an object, but it is missing"),
    ('{"do": "sense", "nodes": {"Z9": "x"}}', "bad_request", 'nodes: expected nodes of this board, got "Z9"'),
    (
        '{"do": "sense", "nodes": {"D1": "N"}}',
        "bad_request",
        'D1: expected a presence reading, one of "", "?", "x", got "N"',
    ),
    ('{"do": "sense", "nodes": {"D1": null}}', "bad_request", "got null"),
    (
        '{"do": "sense", "time": 1, "nodes": {}}',
        "bad_request",
        "expected a number of seconds from 2 to 3602, got 1",
    ),
    ('{"do": "tick", "time": 1e8}', "bad_request", "from 2 to 3602"),
    ('{"do": "tick", "time": true}', "bad_request", "got true"),
    ('{"do": "restart", "time": "now"}', "bad_request", 'got "now"'),
    ('{"do": "request"}', "bad_request", "what: expected a text, but it is missing"),
    (DEED + '"sing"}', "bad_request", "what: expected one of seal, agree, choose, confirm"),
    (DEED + '"resign"}', "bad_request", "seat: expected one of 1, 2, but it is missing"),
    (DEED + '"resign", "seat": 3}', "bad_request", "seat: expected one of 1, 2, got 3"),
    (DEED + '"resign", "seat": true}', "bad_request", "seat: expected one of 1, 2, got true"),
    (DEED + '"resign", "seat": 1, "node": "D1"}', "bad_request", "node: request resign does not know this field"),
    (DEED + '"pause", "seat": 1}', "bad_request", "seat: request pause does not know this field; expected time, what"),
    (DEED + '"confirm", "seat": 1}', "bad_request", "action: expected a text, but it is missing"),
    (DEED + '"confirm", "seat": 1, "action": "D1"}', "wrong_phase", "confirming"),
    (DEED + '"seal", "seat": 1, "action": "w1"}', "bad_action", "is a home"),
    (DEED + '"propose", "seat": 1, "proposal": "beer"}', "bad_proposal", "beer"),
    (DEED + '"propose", "seat": 1, "proposal": "reseal", "about": [1]}', "bad_request", "about: expected one of 1, 2"),
    (DEED + '"agree", "seat": 1, "proposal": "take-back"}', "bad_proposal", ""),
    (DEED + '"hints", "seat": 1, "on": "yes"}', "bad_request", 'on: expected true or false, got "yes"'),
    (DEED + '"mask", "node": "Z9"}', "bad_node", "Z9"),
    (DEED + '"unmask", "node": "D1"}', "bad_node", "not masked"),
]


@together(("line", "code", "words"), REFUSED)
def test_refusals_name_what_was_wrong_and_change_nothing(line: str, code: str, words: str) -> None:
    table = pushed()
    before = table.ask(do="look", view=True)
    answer = json.loads(table.line(line))
    assert (answer["ok"], answer["error"]["code"]) == (False, code), answer
    assert words in answer["error"]["message"]
    assert table.ask(do="look", view=True) == before


def test_before_open_there_is_no_table() -> None:
    for verb in set(_VERBS.fields) - {"open"}:
        with pytest.raises(Refused, match="bad_request: do: expected open before anything else"):
            Table().ask(do=verb, **({"what": "pause"} if verb == "request" else {}))


def test_not_your_turn() -> None:
    with pytest.raises(Refused, match="not_your_turn: seat 2 resolves this turn"):
        pair().deed("choose", seat=1, action="D12-D13-D14")


def test_a_refused_seal_is_not_kept() -> None:
    table = Table()
    table.ask(do="open", game="spokes")
    with pytest.raises(Refused, match="wrong_phase"):
        pair().deed("seal", seat=1, action="wD1")
    table.tick(1)
    table.deed("seal", seat=1, action="wD1")
    with pytest.raises(Refused, match="already_sealed"):
        table.deed("seal", seat=1, action="wD2")
    told = table.deed("seal", seat=2, action="wD3")
    assert next(entry for entry in told["journal"] if entry["kind"] == "reveal")["actions"] == {"1": "wD1", "2": "wD3"}


# -- lines -------------------------------------------------------------------------------------------------------------


def served(lines: bytes) -> list[Any]:
    out = io.BytesIO()
    assert serve(io.BytesIO(lines), out) == 0
    assert out.getvalue().isascii()
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_every_line_is_answered_in_its_turn() -> None:
    opening = OPEN.encode() + b'"seats": ["Zo\xc3\xab", "Bob"]}\n'
    huge = b'{"do": "look", "id": "' + b"x" * MAX_LINE + b'"}\n'
    answers = served(b'{"do": "look", "id": "\xff"}\n\n' + opening + huge + b'rubbish\n{"do": "look", "id": [2]}')
    assert [answer["ok"] for answer in answers] == [False, True, False, False, True]
    assert [answer["error"]["code"] for answer in answers if not answer["ok"]] == ["bad_json"] * 3
    assert "0xff" in answers[0]["error"]["message"]
    assert f"less than {MAX_LINE} bytes" in answers[2]["error"]["message"]
    assert answers[4]["id"] == [2], "the last line needs no line feed"


def test_the_command_speaks_the_protocol() -> None:
    lines = b'{"do": "open", "game": "coil", "id": 1}\n\xff\n{"do": "tick", "time": 1, "id": 2}\n'
    done = subprocess.run([LODESTONE, "table"], input=lines, capture_output=True, timeout=200, check=True)
    first, second, third = map(json.loads, done.stdout.splitlines())
    assert (first["phase"], second["error"]["code"], third["phase"]) == ("setup", "bad_json", "resolving")
    told = subprocess.run(
        [LODESTONE, "table", "--help"], capture_output=True, text=True, timeout=200, check=True
    ).stdout
    assert all(f'"do": "{verb}"' in told for verb in _VERBS.fields)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
nodes = st.sampled_from(["D12", "D13", "D14", "D11", "A1", "C6", "Z9"])
likely_values: dict[str, st.SearchStrategy[Any]] = {
    "game": st.sampled_from(sorted(GAMES)),
    "mode": st.sampled_from(["2", "4", "2v2", "3"]),
    "kind": st.sampled_from(["presence", "polarity", "level", "coded"]),
    "position": st.just(PAIR),
    "seats": st.just(["Ann", "Bob"]),
    "rules": st.just({}),
    "computers": st.just([2]),
    "seed": st.integers(0, 9),
    "timings": st.just({"settle": 0.1}),
    "clocks": st.sampled_from([None, {"main": 60}, {"main": 5, "increment": 1, "strict": True}, {"odds": {"2": 9}}]),
    "time": st.integers(0, 60) | st.floats(0, 60) | st.just(10**400),
    "nodes": st.dictionaries(nodes, st.sampled_from(["", "x", "N", "S", "?", "N<", "7r5"]), max_size=4),
    "what": st.sampled_from(sorted(EVENT_REQUESTS)),
    "seat": st.sampled_from([1, 2, 3]),
    "action": st.sampled_from(["wD1", "bD2", "D12-D13-D14", "D13-D12-D11", "", "tidied", "take-back", "end"]),
    "proposal": st.sampled_from(["take-back", "reseal", "void", "loop", "decided"]),
    "about": st.sampled_from([None, 1, 2]),
    "on": st.booleans(),
    "node": nodes,
    "view": st.booleans(),
    "level": st.sampled_from([1, 2, 3]),
    "far": st.sampled_from([None, {"seats": {"2": "There"}, "writes": True}, {"seats": {"1": "There"}, "waits": True}]),
    "lots": st.sampled_from([None, {"1": "0" * 64, "2": "1" * 64}]),
    "of": st.just("table"),
    "number": st.just("2" * 64),
    "own": st.booleans(),
    "data": st.sampled_from(
        [
            {},
            {"seat": 1, "action": "D12-D13-D14", "position": PAIR},
            {"seat": 2, "position": PAIR},
            {"to": 0, "by": "hand"},
            {"seals": {"1": ["0" * 64, "wD1", "0" * 32]}},
            {"nodes": ["D12"], "by": "proof"},
            {"turn": 1, "seat": []},
        ]
    ),
}
SHARED_KINDS = ("action", "lot", "loop", "resign", "correction", "draw", "decided", "reveal", "reseal", "start")


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    """Return a request that may be well-formed, often in part only."""
    verb = draw(st.sampled_from(sorted(_VERBS.fields)))
    request: dict[str, Any] = {"do": verb}
    fields = set(_VERBS.fields[verb])
    if verb == "request":
        request["what"] = draw(likely_values["what"])
        fields = set(EVENT_REQUESTS[request["what"]].fields) | {"time"}
    for name in sorted(fields):
        if draw(st.integers(0, 9)) or name == "game":
            likely = st.sampled_from(SHARED_KINDS) if (verb, name) == ("entry", "kind") else likely_values[name]
            request[name] = draw(likely if draw(st.integers(0, 19)) else anything)
    return request


@settings(max_examples=150, deadline=None)
@given(st.lists(requests() | anything, max_size=12), st.booleans())
def test_any_requests_get_an_answer_each(asked: list[Any], begun: bool) -> None:
    table = pair() if begun else Table()
    for request in asked:
        text = table.line(json.dumps(request))
        assert "\n" not in text
        answer = json.loads(text)
        assert set(answer) - {"view"} == ANSWERED if answer["ok"] else answer["error"]["message"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=30).filter(lambda line: b"\n" not in line and line.strip()), max_size=6))
def test_any_bytes_get_an_answer_each(lines: list[bytes]) -> None:
    answers = served(b"".join(line + b"\n" for line in lines) + b'{"do": "look", "id": 7}')
    assert len(answers) == len(lines) + 1
    assert answers[-1]["id"] == 7


@pytest.mark.thorough
@settings(max_examples=20, deadline=None)
@given(st.lists(requests(), max_size=12))
def test_the_same_lines_get_the_same_answers(asked: list[Any]) -> None:
    lines = [json.dumps({"do": "open", "game": "spokes", "position": PAIR}), *map(json.dumps, asked)]
    first, second = TableSession(), TableSession()
    assert [first.answer_line(line) for line in lines] == [second.answer_line(line) for line in lines]


# -- the page ----------------------------------------------------------------------------------------------------------


def test_a_request_has_its_older_name_too() -> None:
    table = pushed()
    assert table.ask(do="deed", time=10, what="pause")["lights"] == {}


def test_the_page_names_every_verb_field_request_and_answer() -> None:
    words = set(re.findall(r"`([\w-]+)`", PAGE.read_text()))
    wanted = ANSWERED.union(_VERBS.fields, EVENT_REQUESTS, *_VERBS.fields.values())
    assert wanted <= words, wanted - words


def test_the_example_of_the_page_is_true() -> None:
    """Lines after `>` are asked; what is shown of an answer, `...` left out, is in it."""
    service = TableSession()
    shown = [line[4:] for line in PAGE.read_text().splitlines() if line.startswith("    ")]
    asked = [line[2:] for line in shown if line.startswith("> ")]
    told = [line[2:] for line in shown if line.startswith("< ")]
    assert len(asked) == len(told) >= 5
    for line, part in zip(asked, told, strict=True):
        answer = json.loads(service.answer_line(line))
        for name, value in json.loads(part.replace(", ...}", "}")).items():
            assert answer[name] == value, line

"""Records: what is exported verifies, whatever is changed is found and named, and nothing private gets out."""

import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_host.games.game import Foresees, Foresight
from firmware_host.games.registry import game as find_game
from firmware_host.journal import Journal
from firmware_host.record_form import DATA, write_lines
from firmware_host.records import RecordError, export, find, list_text, show_text, verify_file, verify_lines
from firmware_host.table.sealing import FIRST_HISTORY, commitment, next_history

SPOKES = find_game("spokes")
NAMES = ("Ada", "Grace", "Zoë", "Barbara")
CLAIM = "claim-that-nobody-may-see"


class Recorder:
    """Plays Spokes at random by the rules and writes the entries that a table writes."""

    def __init__(self, journal: Journal, game_id: str, mode: str = "2", seed: int = 0) -> None:
        self.journal, self.id, self.rng = journal, game_id, random.Random(seed)
        self.seconds = 0
        self.history = FIRST_HISTORY
        self.moments = [SPOKES.start(mode)]
        self.write("game", id=game_id, game="spokes", mode="2", rules={}, board="spokes-45", version="0.1.0")
        self.write("mode", mode=mode)
        for seat in SPOKES.seats(mode):
            self.write("seat", seat=seat, name=NAMES[seat - 1], claim=CLAIM, computer=seat == 2)
        self.write("start", position=SPOKES.text(self.now))

    @property
    def now(self) -> Any:
        return self.moments[-1]

    def write(self, kind: str, **data: Any) -> None:
        self.seconds += 1
        at = f"2026-11-21T{10 + self.seconds // 3600:02}:{self.seconds // 60 % 60:02}:{self.seconds % 60:02}.000+00:00"
        self.journal.append(self.id, kind, data, at)

    def choices(self) -> tuple[dict[int, str], dict[int, str]]:
        actions = {seat: SPOKES.random_action(self.now, seat, self.rng) for seat in SPOKES.actions(self.now)}
        return actions, {seat: f"{self.rng.getrandbits(128):032x}" for seat in actions}

    def seal(self, actions: dict[int, str], nonces: dict[int, str]) -> int:
        turn = SPOKES.turn(self.now)
        for seat, action in actions.items():
            digest = commitment(self.id, turn, seat, self.history, action, nonces[seat])
            self.write("seal", seat=seat, turn=turn, commitment=digest)
        return turn

    def place(self, **chosen: str) -> None:
        actions, nonces = self.choices()
        actions |= {int(seat[1:]): action for seat, action in chosen.items()}
        turn = self.seal(actions, nonces)
        for seat in actions:
            self.write("opening", seat=seat, turn=turn, action=actions[seat], nonce=nonces[seat])
        after = SPOKES.apply(self.now, actions)
        told = {str(seat): action for seat, action in actions.items()}
        self.history = next_history(self.history, turn, actions, nonces)
        self.write("reveal", turn=turn, actions=told, position=SPOKES.text(after.position), removed=list(after.removed))
        self.arrive(after)

    def reseal(self) -> None:
        turn = self.seal(*self.choices())
        self.write("reseal", turn=turn)

    def step(self) -> None:
        (seat,) = SPOKES.actions(self.now)
        action = SPOKES.random_action(self.now, seat, self.rng)
        after = SPOKES.apply(self.now, {seat: action})
        position = SPOKES.text(after.position)
        self.write("action", seat=seat, action=action, position=position, removed=list(after.removed))
        self.arrive(after)

    def circle(self) -> None:
        """Begin with two stones that can still be moved."""
        self.place(p1="wC2", p2="wC3")

    def call_loop(self, by: str, *nodes: str) -> None:
        assert isinstance(SPOKES, Foresees)
        after = SPOKES.call_loop(self.now, nodes)
        self.write("loop", nodes=list(nodes), position=SPOKES.text(after.position), by=by)
        self.arrive(after)

    def back(self, count: int = 1, by: str = "hand") -> None:
        del self.moments[-count:]
        self.write("correction", to=len(self.moments) - 1, by=by, position=SPOKES.text(self.now))

    def resign(self, seat: int) -> None:
        after = SPOKES.resign(self.now, seat)
        self.write("resign", seat=seat, position=SPOKES.text(after.position))
        self.arrive(after)

    def arrive(self, after: Any) -> None:
        self.moments.append(after.position)
        if after.status.over:
            status = after.status
            self.write(
                "result",
                reason=status.reason,
                winners=list(status.winners),
                scores=list(status.scores),
                tiebreak=list(status.tiebreak),
            )

    def go_on(self) -> None:
        if SPOKES.simultaneous(self.now):
            self.place()
        else:
            self.step()

    def finish(self, *, corrected: bool = False) -> None:
        while not SPOKES.status(self.now).over:
            if corrected and len(self.moments) > 2 and self.rng.random() < 0.15:
                self.back(self.rng.choice((1, 2)), self.rng.choice(("hand", "agreement")))
            if corrected and SPOKES.simultaneous(self.now) and self.rng.random() < 0.2:
                self.reseal()
            self.go_on()


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal(tmp_path / "journal.sqlite")
    yield opened
    opened.close()


@cache
def a_record(mode: str = "2", seed: int = 3, turns: int = 3) -> tuple[str, ...]:
    """Return the lines of a game whose beginning is corrected and resealed, resigned after some turns."""
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.sqlite")
        recorder = Recorder(journal, "spokes-0a1b2c3d", mode, seed)
        recorder.reseal()
        recorder.place()
        recorder.back(by="agreement")
        recorder.write("mask", node="D4", reason="flapping (channel 20)")
        recorder.write("unmask", node="D4")
        recorder.write("guidance", seat=1, on=False)
        while SPOKES.turn(recorder.now) <= turns or SPOKES.simultaneous(recorder.now):
            recorder.go_on()
        recorder.resign(1)
        lines = tuple(export(journal, recorder.id))
        journal.close()
    return lines


@cache
def a_loop_record() -> tuple[str, ...]:
    """Return the lines of a game that ends with stones which all players agree to call a loop."""
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.sqlite")
        recorder = Recorder(journal, "spokes-0a1b2c3e")
        recorder.circle()
        recorder.call_loop("agreement", "C2", "C3")
        lines = tuple(export(journal, recorder.id))
        journal.close()
    return lines


def refusal(deed: Callable[[], object]) -> str:
    with pytest.raises(RecordError) as caught:
        deed()
    return str(caught.value)


# -- what is recorded verifies -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "seed"), [("2", 1), ("2", 2), ("4", 3), ("2v2", 4)])
def test_a_whole_random_game_verifies(journal: Journal, mode: str, seed: int) -> None:
    recorder = Recorder(journal, "spokes-00ff00ff", mode, seed)
    recorder.finish(corrected=True)
    journal.verify()
    report = verify_lines(export(journal, recorder.id))
    assert report.events == len(journal.entries(recorder.id)) - 2 - len(SPOKES.seats(mode))
    assert (report.mode, report.game) == (mode, "spokes")
    assert report.seals >= report.turns * len(SPOKES.seats(mode)) > 0
    assert (
        report.state
        == f"won by seat {' and '.join(map(str, SPOKES.status(recorder.now).winners))} ("
        + (journal.games()[0].reason or "")
        + ")"
    )


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10**6), st.sampled_from(["2", "4", "2v2"]), st.integers(0, 40))
def test_a_game_in_progress_verifies_at_every_moment(seed: int, mode: str, moves: int) -> None:
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.sqlite")
        recorder = Recorder(journal, "spokes-1", mode, seed)
        for _ in range(moves):
            if SPOKES.status(recorder.now).over:
                break
            if len(recorder.moments) > 1 and recorder.rng.random() < 0.1:
                recorder.back()
            recorder.go_on()
        lines = list(export(journal, recorder.id))
        over = SPOKES.status(recorder.now).over
        journal.close()
    report = verify_lines(lines)
    assert report.events == len(lines) - 1
    assert ("not finished" in str(report)) == (not over)


def test_the_header_says_what_a_reader_needs() -> None:
    header = json.loads(a_record()[0])
    assert header["seats"] == {"1": {"name": "Ada", "computer": False}, "2": {"name": "Grace", "computer": True}}
    assert (header["record"], header["id"], header["game"], header["mode"]) == (1, "spokes-0a1b2c3d", "spokes", "2")
    assert (header["board"], header["version"], header["rules"]) == ("spokes-45", "0.1.0", {})
    assert header["started"] == "2026-11-21T10:00:05.000+00:00"
    assert header["events"] == len(a_record()) - 1


def test_lines_are_ascii_whatever_the_names() -> None:
    lines = a_record("4")
    assert all(line.isascii() for line in lines)
    assert json.loads(lines[0])["seats"]["3"]["name"] == "Zoë"
    assert verify_lines(lines).mode == "4"


def test_a_lobby_and_an_abandoned_game_verify(journal: Journal) -> None:
    journal.append(
        "g0", "game", {"id": "g0", "game": "spokes", "mode": "2", "rules": {}, "board": "b", "version": "1"}, ""
    )
    journal.append("g0", "mask", {"node": "A1", "reason": "stuck"}, "2026-11-21T10:00:00Z")
    assert "not started" in str(verify_lines(export(journal, "g0")))
    recorder = Recorder(journal, "g1")
    recorder.place()
    journal.abandon("g1")
    assert "abandoned" in str(verify_lines(export(journal, "g1")))


def test_a_sensor_masked_in_the_lobby_may_be_unmasked_in_play(journal: Journal) -> None:
    head = {"id": "g1", "game": "spokes", "mode": "2", "rules": {}, "board": "b", "version": "1"}
    at = "2026-11-21T10:00:00Z"
    journal.append("g1", "game", head, at)
    journal.append("g1", "mask", {"node": "A1", "reason": "stuck"}, at)
    for seat in (1, 2):
        journal.append("g1", "seat", {"seat": seat, "name": NAMES[seat], "claim": CLAIM, "computer": False}, at)
    journal.append("g1", "start", {"position": SPOKES.text(SPOKES.start("2"))}, at)
    journal.append("g1", "unmask", {"node": "A1"}, at)
    assert verify_lines(export(journal, "g1")).events == 3


def test_masks_may_follow_the_result(journal: Journal) -> None:
    recorder = Recorder(journal, "g1")
    recorder.place()
    recorder.resign(2)
    recorder.write("mask", node="A1", reason="stuck")
    assert "won by seat 1 (resigned)" in str(verify_lines(export(journal, "g1")))


# -- what stays private ------------------------------------------------------------------------------------------------


def test_claims_are_never_exported_or_shown(journal: Journal) -> None:
    recorder = Recorder(journal, "g1")
    recorder.place()
    recorder.write("seat", seat=2, name="HAL", claim=CLAIM, computer=True)
    text = "\n".join([*export(journal, "g1"), show_text(journal, "g1"), list_text(journal)])
    assert "HAL" in text
    assert CLAIM not in text
    assert "claim" not in text
    assert verify_lines(export(journal, "g1")).events == 7


def test_a_placement_that_was_not_revealed_is_not_exported(journal: Journal) -> None:
    """Neither that of a phone that opened first, nor one that a new sealing or a resignation made void."""
    recorder = Recorder(journal, "g1", "4")

    def open_two() -> str:
        actions, nonces = recorder.choices()
        turn = recorder.seal(actions, nonces)
        for seat in (1, 2):
            recorder.write("opening", seat=seat, turn=turn, action=actions[seat], nonce=nonces[seat])
        return nonces[1]

    def exported() -> str:
        lines = list(export(journal, "g1"))
        verify_lines(lines)
        return "\n".join(lines) + show_text(journal, "g1")

    half_open = open_two()
    assert half_open not in exported()
    recorder.write("reseal", turn=1)
    resigned = open_two()
    assert resigned not in exported()
    recorder.resign(1)
    recorder.write("reseal", turn=1)
    recorder.place()
    text = exported()
    assert '"kind":"reveal"' in text
    assert half_open not in text
    assert resigned not in text


# -- what is changed is found ------------------------------------------------------------------------------------------


def test_every_flipped_byte_is_found_at_its_line(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    whole = ("\n".join(a_record()) + "\n").encode()
    path.write_bytes(whole)
    assert verify_file(path).events == len(a_record()) - 1
    rng = random.Random(5)
    places = sorted({*rng.sample(range(len(whole)), 250), 0, len(whole) - 1, whole.index(b"\n")})
    for at in places:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1 :])
        line = whole[:at].count(b"\n") + 1
        assert refusal(lambda: verify_file(path)).startswith(f"line {line}: "), at


@pytest.mark.parametrize("keep", [0, 1, 5, -1])
def test_a_cut_record_is_found(keep: int) -> None:
    lines = a_record()[:keep]
    assert refusal(lambda: verify_lines(lines)).startswith(f"line {len(lines) + 1}: ")


def test_lines_left_out_swapped_or_repeated_are_found() -> None:
    lines = list(a_record())
    assert refusal(lambda: verify_lines(lines[:4] + lines[5:])).startswith("line 5: hash")
    assert refusal(lambda: verify_lines([*lines[:4], lines[5], lines[4], *lines[6:]])).startswith("line 5: hash")
    assert refusal(lambda: verify_lines([*lines, lines[-1]])).startswith(f"line {len(lines) + 1}: hash")
    assert refusal(lambda: verify_lines([*lines[:2], "", *lines[2:]])).startswith("line 3: expected one JSON object")


def test_a_file_cut_within_its_last_line_is_found(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join(a_record()))
    assert refusal(lambda: verify_file(path)).startswith(f"line {len(a_record())}: the file does not end")
    assert "can't be read: No such file" in refusal(lambda: verify_file(tmp_path / "none"))


# -- lies told with correct hashes -------------------------------------------------------------------------------------

Events = list[dict[str, Any]]


def forged(change: Callable[[dict[str, Any], Events], None], record: tuple[str, ...] | None = None) -> list[str]:
    """Return a record in which something was changed by somebody who can compute hashes."""
    header, *events = (json.loads(line) for line in record or a_record())
    for fields in (header, *events):
        del fields["hash"]
        fields.pop("n", None)
    change(header, events)
    header["events"] = len(events)
    return list(write_lines(header, events))


def first(events: Events, kind: str, skip: int = 0) -> int:
    return [place for place, event in enumerate(events) if event["kind"] == kind][skip]


def set_data(kind: str, skip: int = 0, **data: Any) -> Callable[[dict[str, Any], Events], None]:
    def change(_header: dict[str, Any], events: Events) -> None:
        events[first(events, kind, skip)]["data"] |= data

    return change


def drop(kind: str, skip: int = 0) -> Callable[[dict[str, Any], Events], None]:
    def change(_header: dict[str, Any], events: Events) -> None:
        del events[first(events, kind, skip)]

    return change


def repeat(kind: str, skip: int = 0) -> Callable[[dict[str, Any], Events], None]:
    def change(_header: dict[str, Any], events: Events) -> None:
        place = first(events, kind, skip)
        events.insert(place + 1, json.loads(json.dumps(events[place])))

    return change


def head(**fields: Any) -> Callable[[dict[str, Any], Events], None]:
    return lambda header, _events: header.update(fields)


def line_of(kind: str, skip: int = 0, record: tuple[str, ...] | None = None) -> int:
    """Return the number of the line of an event of the true record."""
    return first([json.loads(line) for line in (record or a_record())[1:]], kind, skip) + 2


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
    "a seal that never was": (drop("seal", 2), "opening", 0, "not everybody has sealed"),
    "reveal of something else": (set_data("reveal", actions={"1": "wA1", "2": "bA1"}), "reveal", 0, "the openings are"),
    "reveal of another turn": (set_data("reveal", turn=5), "reveal", 0, "turn: expected 1, found 5"),
    "reseal of another turn": (set_data("reseal", turn=5), "reseal", 0, "turn: expected 1, found 5"),
    "masking no node": (set_data("mask", node="Z9"), "mask", 0, "not on this board"),
    "unmasking what is not masked": (set_data("unmask", node="A1"), "unmask", 0, "not masked"),
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
    "nodes without stones": (set_data("loop", nodes=["A1"]), "none of them carries a single stone"),
    "a node that is not": (set_data("loop", nodes=["C2", "C3", "Z9"]), "got 'Z9'"),
    "a node twice": (set_data("loop", nodes=["C2", "C3", "C2"]), "each node once"),
    "fewer stones": (set_data("loop", nodes=["C2"]), "recorded"),
    "a proof that is none": (set_data("loop", by="proof"), "steps lead out of it"),
    "a loop while all seal": (
        lambda _header, events: events.insert(1, json.loads(json.dumps(events[first(events, "loop")]))),
        "nothing is being resolved",
    ),
}


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
    assert "  All players agree on a loop.\n  An unbreakable loop: the stones on C2, C3 are removed." in told


def test_a_proof_is_looked_at_again_as_far_as_a_short_search_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it can't decide is believed; a loop of other stones is not."""
    proved = forged(set_data("loop", by="proof"), a_loop_record())
    found = [Foresight(None, None), Foresight(False, True, ("C2", "C3")), Foresight(False, True, ("C2", "D3"))]
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


@pytest.mark.parametrize("lie", LIES)
def test_each_kind_of_lie_is_named_at_its_line(lie: str) -> None:
    change, kind, skip, words = LIES[lie]
    lines = forged(change)
    shift = {"seal twice": 0, "opening twice": 0, "two starts": 0, "two results": 1, "a seal that never was": -1}
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
    "the start": (head(started="2026-11-21T09:00:00+00:00"), "at: expected the header's"),
    "no start": (head(started=None), "at: expected the header's"),
    "a newer format": (head(record=2), "line 1: record: expected format 1, found '2'"),
    "another field": (head(winner="me"), "line 1: winner: there is no such field"),
}


@pytest.mark.parametrize("lie", HEADER_LIES)
def test_a_wrong_header_is_named(lie: str) -> None:
    change, words = HEADER_LIES[lie]
    assert words in refusal(lambda: verify_lines(forged(change)))


def test_a_start_that_is_announced_must_be_there() -> None:
    assert "no start among the events" in refusal(lambda: verify_lines(forged(lambda _header, events: events.clear())))
    early = forged(drop("start"))
    assert refusal(lambda: verify_lines(early)).startswith("line 2: kind: expected start")


@pytest.mark.parametrize("kind", sorted(set(DATA) - {"seat", "abandoned"}))
def test_each_field_of_each_event_is_needed_and_nothing_else_is_taken(kind: str) -> None:
    record = a_loop_record() if kind == "loop" else a_record()
    line = line_of(kind, record=record)
    for field in DATA[kind]:

        def without(_header: dict[str, Any], events: Events, field: str = field) -> None:
            del events[first(events, kind)]["data"][field]

        lines = forged(without, record)
        assert f"line {line}: data.{field}: expected" in refusal(lambda lines=lines: verify_lines(lines))
        for wrong in ({"a": {}}, -1, 1.5):
            lines = forged(set_data(kind, **{field: wrong}), record)
            assert refusal(lambda lines=lines: verify_lines(lines)).startswith(f"line {line}: data.{field}: expected")
    assert "no such field" in refusal(lambda: verify_lines(forged(set_data(kind, extra=1), record)))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_whatever_is_forged_is_refused_with_a_line_never_a_crash(data: st.DataObject) -> None:
    """Overwrite a field with another value of the record, or with nonsense, and hash correctly."""
    events = [json.loads(line) for line in a_record()[1:]]
    values = [value for event in events for value in event["data"].values()]
    void = range(1, first(events, "reseal"))  # Of seals that were never opened, only the chain can tell what they were.
    place = data.draw(
        st.sampled_from(
            [place for place in range(len(events)) if place not in void and events[place]["kind"] != "guidance"]
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


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=30) | st.sampled_from(a_record()) | st.just("[" * 50_000), max_size=4))
def test_any_other_text_is_refused_with_a_line(lines: list[str]) -> None:
    with pytest.raises(RecordError) as caught:
        verify_lines(lines)
    assert caught.value.line is not None


# -- finding, listing, telling -----------------------------------------------------------------------------------------


def test_a_game_is_found_by_the_beginning_of_its_id(journal: Journal) -> None:
    for game in ("spokes-aa11", "spokes-aa22", "spokes-aa22b"):
        Recorder(journal, game)
    assert find(journal, "spokes-aa11") == find(journal, "spokes-aa1") == find(journal, "aa1") == "spokes-aa11"
    assert find(journal, "spokes-aa22") == "spokes-aa22", "a whole id is not the beginning of another"
    assert "beginning of 3 games: spokes-aa11, spokes-aa22, spokes-aa22b" in refusal(lambda: find(journal, "aa"))
    for unknown in ("", "b", "pokes"):
        assert "no game" in refusal(lambda unknown=unknown: find(journal, unknown))
    assert "no game 'x'" in refusal(lambda: export(journal, "x"))


def test_the_list_shows_a_game_a_line(journal: Journal) -> None:
    assert list_text(journal) == "No games have been played yet."
    recorder = Recorder(journal, "spokes-aa11")
    recorder.place()
    recorder.resign(1)
    Recorder(journal, "spokes-bb22", "4")
    head_line, one, two = list_text(journal).splitlines()
    assert head_line.split() == ["GAME", "STARTED", "(UTC)", "MODE", "PLAYERS", "TURNS", "RESULT"]
    assert one == "spokes-aa11  2026-11-21 10:00  2     Ada, Grace                1      Grace won (resigned)"
    assert two == "spokes-bb22  2026-11-21 10:00  4     Ada, Grace, Zoë, Barbara  0      unfinished"


def test_a_game_is_told_turn_by_turn(journal: Journal) -> None:
    recorder = Recorder(journal, "spokes-aa11", seed=8)
    recorder.reseal()
    recorder.place()
    placed = journal.entries("spokes-aa11")[-1].data["actions"]
    recorder.back(by="agreement")
    recorder.place()
    while not SPOKES.simultaneous(recorder.now):
        recorder.step()
    assert "The game is not finished; as it stands:" in show_text(journal, "spokes-aa11")
    recorder.resign(1)
    text = show_text(journal, "spokes-aa11")
    told = text.splitlines()
    assert told[0] == "Spokes, mode 2: Ada, Grace (computer)"
    assert "  All seals of turn 1 are void; everybody seals anew." in told
    assert f"  Ada places {SPOKES.words(placed['1'])}." in told
    undone = ", ".join(SPOKES.words(placed[seat]) for seat in ("1", "2"))
    assert f"  Taken back by agreement: {undone}." in told
    assert sum(line.startswith("Turn 1 (10:0") for line in told) == 2
    assert told[-4:-2] == ["", "The end: resigned."]
    assert told[-1].startswith("  Grace: ")
    assert told[-1].endswith(" - won")


def test_a_journal_that_breaks_the_rules_is_told_so(journal: Journal) -> None:
    recorder = Recorder(journal, "g1")
    recorder.write("action", seat=1, action="A1-B1-C1", position="x", removed=[])
    assert "game g1: event 2 (action): " in refusal(lambda: show_text(journal, "g1"))
    assert refusal(lambda: verify_lines(export(journal, "g1"))).startswith("line 3: ")

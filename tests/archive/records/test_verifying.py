"""Records: what is exported verifies, whatever is changed is found at its line, and nothing private gets out."""

from __future__ import annotations

import hashlib
import json
import random
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_host.archive.journal import Journal
from firmware_host.archive.records import RecordError, export, list_text, show_text, verify_file, verify_lines
from tests.archive.records.recorder import CLAIM, NAMES, SPOKES, Recorder, a_record, refusal
from tests.sampling import few

# -- what is recorded verifies -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "seed"), few([("2", 1), ("2", 2), ("4", 3), ("2v2", 4)], 2))
def test_a_whole_random_game_verifies(journal: Journal, mode: str, seed: int) -> None:
    recorder = Recorder(journal, "spokes-00ff00ff", mode, seed)
    recorder.finish(corrected=True)
    journal.verify()
    report = verify_lines(export(journal, recorder.id))
    assert report.events == len(journal.entries(recorder.id)) - 1 - len(SPOKES.seats(mode))
    assert (report.mode, report.game) == (mode, "Spokes")
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


def test_the_chain_is_the_documented_hash(journal: Journal) -> None:
    """Written from docs/formats.md alone."""
    recorder = Recorder(journal, "spokes-00ff00ff", "2", 1)
    recorder.go_on()
    before = hashlib.sha256(b"lodestone-record-v1").hexdigest()
    for line in export(journal, recorder.id):
        fields = json.loads(line)
        told = fields.pop("hash")
        rest = json.dumps(fields, sort_keys=True, separators=(",", ":"))
        before = hashlib.sha256(f"{before}\n{rest}".encode("ascii")).hexdigest()
        assert told == before


def test_the_header_says_what_a_reader_needs() -> None:
    header = json.loads(a_record()[0])
    assert header["seats"] == {"1": {"name": "Ada", "computer": False}, "2": {"name": "Grace", "computer": True}}
    assert (header["record"], header["id"], header["game"], header["mode"]) == (1, "spokes-0a1b2c3d", "spokes", "2")
    assert (header["board"], header["version"], header["rules"]) == ("spokes-45", "0.1.0", {})
    assert header["started"] == "2026-11-21T10:00:04.000+00:00"
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
    assert verify_lines(export(journal, "g1")).events == 8


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


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=30) | st.sampled_from(a_record()) | st.just("[" * 50_000), max_size=4))
def test_any_other_text_is_refused_with_a_line(lines: list[str]) -> None:
    with pytest.raises(RecordError) as caught:
        verify_lines(lines)
    assert caught.value.line is not None


def test_a_line_without_an_end_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """A file of any size needs no more memory than its longest line may have."""
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.truncate(1 << 31)  # A hole: nothing of it is on the disk.
    tracemalloc.start()
    try:
        assert "line 1: longer than" in refusal(lambda: verify_file(path))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()

"""The engine protocol: one answer a line, whatever the line holds."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.games.registry import game as find_game
from firmware_host.services import engine
from firmware_host.services.json_lines import MAX_LINE, answer_to
from tests.sampling import together

START = "./..../......../................/................ 2 1 1 place -"
PAIR = "./..../......../...........wb.../................ 2 2 2 resolve -"
CODES = {"bad_json", "bad_request", "unknown_game", "bad_position", "bad_action", "game_over", "over_budget"}


def ask(**request: Any) -> Any:
    return json.loads(engine.answer_line(json.dumps(request)))


def test_games_and_start() -> None:
    answer = ask(do="games", id=7)
    assert (answer["id"], answer["ok"], answer["games"]["spokes"]) == (7, True, ["2", "4", "2v2"])
    assert ask(do="start", game="spokes", mode="2")["position"] == START


def test_a_position_with_the_history_that_leads_to_it() -> None:
    """As the arena sends it: docs/engine.md."""
    moves = [{"1": "bD9", "2": "bD9"}]
    asked = {
        "do": "play",
        "game": "spokes",
        "nodes": 300,
        "position": "./..../......../........(bb)......./................ 2 1 1 resolve -",
        "new_game": True,
    }
    assert ask(**asked, history={"position": START, "moves": moves})["ok"]
    for history, words in (
        ({"position": START, "moves": []}, "history: expected moves that lead to position"),
        ({"position": START, "moves": [{"1": "b@A1"}]}, "moves: number 1"),
        ({"position": START}, "expected an object with position and moves"),
    ):
        assert words in ask(**asked, history=history)["error"]["message"]
    assert "new_game" in ask(**{**asked, "new_game": 1})["error"]["message"]


def test_perft_counts_joint_placements() -> None:
    assert ask(do="perft", game="spokes", position=START, depth=0)["count"] == 1
    assert ask(do="perft", game="spokes", position=START, depth=1)["count"] == 58 * 58
    assert ask(do="perft", game="spokes", position=PAIR, depth=1)["count"] == 2
    assert ask(do="perft", game="spokes", position=PAIR, depth=2)["count"] == 2 * (2 * 28) ** 2


def test_playouts_are_repeatable_and_add_up() -> None:
    one = ask(do="playouts", game="spokes", position=START, count=20, seed=4)
    other = ask(do="playouts", game="spokes", position=START, count=20, seed=4)
    assert one["wins"] == other["wins"]
    assert sum(one["wins"].values()) == 20


def test_outcomes() -> None:
    answer = ask(do="outcomes", game="spokes", position=PAIR, list=True)
    assert answer["exact"] is True
    assert len(answer["rests"]) == 2
    assert answer["rest_reachable"] is True
    assert ask(do="outcomes", game="spokes", position=START)["error"]["code"] == "bad_request"


@together(
    ("line", "code", "words"),
    [
        ("{", "bad_json", "JSON"),
        ("[]", "bad_json", "object"),
        ('{"do": "dance"}', "bad_request", "do"),
        ("{}", "bad_request", "do: expected a text"),
        ('{"do": ["games"]}', "bad_request", "do: expected a text"),
        ('{"do": {}}', "bad_request", "do: expected a text"),
        ('{"do": "start", "game": "chess"}', "unknown_game", "spokes"),
        ('{"do": "start", "game": "spokes", "mode": "3"}', "bad_request", "mode"),
        ('{"do": "start", "game": "spokes", "rules": {"magic": 1}}', "bad_request", "magic"),
        (json.dumps({"do": "start", "game": "phalanx", "rules": {"second_player_bonus": 1}}), "bad_request", "true"),
        ('{"do": "actions", "game": "spokes", "position": "nowhere"}', "bad_position", "6 fields"),
        ('{"do": "actions", "game": "spokes", "position": 7}', "bad_request", "position"),
        (json.dumps({"do": "apply", "game": "spokes", "position": START, "action": "wD1"}), "bad_request", "actions"),
        (json.dumps({"do": "apply", "game": "spokes", "position": START}), "bad_request", "action"),
        (
            json.dumps({"do": "apply", "game": "spokes", "position": START, "actions": {"1": "wD1", "2": "w1"}}),
            "bad_action",
            "is a home",
        ),
        (
            json.dumps({"do": "apply", "game": "spokes", "position": START, "actions": {"1": "wD1"}}),
            "bad_action",
            "each of seats",
        ),
        (json.dumps({"do": "apply", "game": "spokes", "position": PAIR, "action": "D1+D2"}), "bad_action", "D1"),
        (
            json.dumps({"do": "apply", "game": "spokes", "position": START.replace("place", "over"), "action": "wD1"}),
            "game_over",
            "over",
        ),
        (json.dumps({"do": "perft", "game": "spokes", "position": START, "depth": True}), "bad_request", "depth"),
        (json.dumps({"do": "playouts", "game": "spokes", "position": START}), "bad_request", "count"),
        (
            json.dumps({"do": "outcomes", "game": "spokes", "position": PAIR, "list": True, "max_positions": 1}),
            "over_budget",
            "budget",
        ),
        (json.dumps({"do": "status", "game": "spokes", "position": START, "colour": 1}), "bad_request", "colour"),
    ],
)
def test_refusals_name_what_was_wrong(line: str, code: str, words: str) -> None:
    answer = json.loads(engine.answer_line(line))
    assert answer["ok"] is False
    assert answer["error"]["code"] == code
    assert words in answer["error"]["message"]


@pytest.mark.parametrize("field", ["id", "do", "position", "moves", "seed"])
def test_a_value_in_many_brackets_is_refused(field: str) -> None:
    """One that could just be read could not be written into the message: the engine ended."""
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        for depth in (*range(880, 1010, 1), 100_000):
            value = f"{opening * depth}1{closing * depth}"
            line = f'{{"do": "play", "game": "spokes", "position": "x", "{field}": {value}}}'
            answer = json.loads(engine.answer_line(line))
            assert answer["error"]["code"] in {"bad_json", "bad_request", "bad_position"}


def test_serve_answers_every_line_in_order_and_ends() -> None:
    answers = served(b'{"do": "games", "id": 1}\n\nrubbish\n{"do": "games", "id": [2]}\n')
    assert [answer["id"] for answer in answers] == [1, None, [2]]


def served(lines: bytes) -> list[Any]:
    out = io.BytesIO()
    assert engine.serve(io.BytesIO(lines), out) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=30).filter(lambda line: b"\n" not in line and line.strip()), max_size=6))
def test_any_bytes_get_an_answer_each(lines: list[bytes]) -> None:
    answers = served(b"".join(line + b"\n" for line in lines) + b'{"do": "games", "id": 7}')
    assert len(answers) == len(lines) + 1
    assert all(answer["ok"] or answer["error"]["code"] in CODES for answer in answers)
    assert answers[-1]["id"] == 7, "the last line needs no line feed"


@pytest.mark.thorough
def test_bytes_that_are_not_utf_8_are_refused_in_every_locale() -> None:
    for locale in ("C", "C.UTF-8", "POSIX"):
        done = subprocess.run(
            [sys.executable, "-m", "firmware_host.services.engine"],
            input=b'{"do": "games", "id": "\xff"}\n{"do": "games", "id": "Zo\xc3\xab"}\n',
            env={**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            capture_output=True, check=True, timeout=200,
        )  # fmt: skip
        first, second = map(json.loads, done.stdout.splitlines())
        assert first["error"]["code"] == "bad_json"
        assert "0xff" in first["error"]["message"]
        assert (second["ok"], second["id"]) == (True, "Zo\u00eb")
        assert done.stdout.isascii()


@pytest.mark.thorough
def test_a_line_that_is_too_long_is_refused_and_not_kept() -> None:
    """150 MB in one line took 337 MB; its answer comes in its turn, and the engine goes on."""
    program = (
        "import sys; from firmware_host.services import engine; engine.serve(sys.stdin.buffer, sys.stdout.buffer);"
    )
    program += "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM:')))"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for part in (b'{"do": "games", "id": "', *[b"x" * (1 << 20)] * 150, b'"}\n', b'{"do": "games", "id": 2}\n'):
            process.stdin.write(part)
        process.stdin.close()
        refused, answered, peak = process.stdout.read().splitlines()
    assert json.loads(refused)["error"]["code"] == "bad_json"
    assert "less than 1048576 bytes" in json.loads(refused)["error"]["message"]
    assert json.loads(answered)["id"] == 2
    assert int(peak) < 120_000, f"{peak} kB, of which the games take most"


@pytest.mark.parametrize("module", ["engine", "table_protocol"])
@pytest.mark.parametrize("length", [MAX_LINE - 1, MAX_LINE, MAX_LINE + 1, 2 * MAX_LINE])
def test_a_last_line_without_an_end_is_answered_and_the_program_ends(module: str, length: int) -> None:
    """However long it is; the end of the input is seen again where it was seen once."""
    command = [sys.executable, "-m", f"firmware_host.services.{module}"]
    done = subprocess.run(command, input=b"x" * length, capture_output=True, check=True, timeout=100)
    (answer,) = map(json.loads, done.stdout.splitlines())
    assert answer["error"]["code"] == "bad_json"


def test_an_input_that_breaks_off_is_an_end() -> None:
    """A read that fails must not leave who waits for a line waiting for ever."""

    class Broken(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, _: object) -> int:
            raise OSError(errno.EIO, "Input/output error")

    out = io.BytesIO()
    assert engine.serve(io.BufferedReader(Broken()), out) == 0
    assert not out.getvalue()


def test_the_longest_line_is_still_read() -> None:
    start = b'{"do": "games", "id": "'
    line = start + b"x" * (MAX_LINE - len(start) - 3) + b'"}\n'
    assert len(line) == MAX_LINE
    assert served(line)[0]["ok"] is True
    assert [answer["ok"] for answer in served(b" " + line + line)] == [False, True]


def test_counting_keeps_to_its_time() -> None:
    for seconds in (0.3, 3.0, 30.0):  # A busy machine may do nothing for a while.
        answer = ask(do="playouts", game="spokes", position=START, count=1_000_000, seconds=seconds)
        if answer["count"]:
            break
    assert 0 < answer["count"] < 1_000_000
    assert sum(answer["wins"].values()) <= answer["count"]
    refused = ask(do="perft", game="spokes", position=START, depth=6, seconds=0.3)
    assert refused["error"]["code"] == "over_budget"
    assert "seconds" in refused["error"]["message"]
    assert ask(do="playouts", game="spokes", position=START, count=3, seconds=0)["count"] == 0
    assert ask(do="perft", game="spokes", position=START, depth=1, seconds=-1)["error"]["code"] == "bad_request"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
likely = st.fixed_dictionaries(
    {"do": st.sampled_from(["games", "start", "actions", "apply", "status", "outcomes", "playouts", "perft"])},
    optional={
        "game": st.just("spokes") | anything,
        "position": st.sampled_from([START, PAIR]) | anything,
        "mode": st.just("4") | anything,
        "action": st.just("D12+D13") | anything,
        "actions": anything,
        "depth": st.integers(-1, 1) | anything,
        "count": st.integers(-1, 2) | anything,
        "seconds": anything,
        "list": anything,
        "rules": anything,
    },
)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40) | anything.map(json.dumps) | likely.map(json.dumps))
def test_any_line_gets_one_line_of_answer(line: str) -> None:
    text = engine.answer_line(line)
    assert "\n" not in text
    answer = json.loads(text)
    assert answer["ok"] is True or answer["error"]["code"] in CODES


def test_a_search_ends_when_whoever_asked_has_died() -> None:
    """Its program killed, a search of an hour must not go on for an hour."""
    dense = "w/xx../w.w.w.w./.w.w.w.w.www..ww/w.w.w.w.w.w.w.w. 2 9 1 resolve -"
    request = json.dumps({"do": "foresee", "game": "spokes", "position": dense, "seconds": 3600})
    asker = "import os, subprocess, sys; "
    asker += "p = subprocess.Popen([sys.executable, '-m', 'firmware_host.services.engine'], "
    asker += "stdin=subprocess.PIPE, stdout=subprocess.PIPE); p.stdin.write(b'{}\\n'); p.stdin.flush(); "
    asker += f"p.stdout.readline(); p.stdin.write({request.encode()!r} + b'\\n'); p.stdin.flush(); "
    asker += "print(p.pid, flush=True); os._exit(0)"
    # The search has our pipe, too, and closes it when it ends.
    done = subprocess.run([sys.executable, "-c", asker], capture_output=True, text=True, check=True, timeout=200)
    assert int(done.stdout.splitlines()[0]) > 0


def test_a_search_that_is_told_to_stop_answers_and_the_engine_goes_on() -> None:
    game = find_game("coil")
    request = {"do": "play", "game": "coil", "position": game.text(game.start("2")), "seat": 1, "nodes": 10**9}
    lines = [json.dumps({"id": number, "seconds": 3600, **request}).encode() + b"\n" for number in (1, 2)]
    command = [sys.executable, "-m", "firmware_host.services.engine"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"{}\n")
        process.stdin.flush()
        assert b"bad_request" in process.stdout.readline()
        for number, line in enumerate(lines, 1):
            process.stdin.write(line)
            process.stdin.flush()
            process.stdin.write(b'{"do": "stop"}\n')
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert (answer["id"], answer["ok"], answer["in_time"]) == (number, True, False)
            assert json.loads(process.stdout.readline()) == {"id": None, "ok": True}
        process.stdin.close()


STUCK = [
    "w/..../......../................/................ 2 1 1 resolve -",
    "x/bwww/xwwbwwxw/bxwbbbbxxwbwbwwx/b.wbwbwwbbxbbb(bbbw)w 2 1 2 place -",
]
"""At rest while it is resolved; nobody can place: no game comes to these, but a text can say it."""


@together("position", STUCK)
def test_a_position_in_which_nobody_can_act_is_refused_to_who_would_play_it(position: str) -> None:
    for line in ({"do": "think", "seat": 1}, {"do": "play", "seat": 1}, {"do": "playouts", "count": 2}):
        answer = ask(game="spokes", position=position, **line)
        assert answer["error"]["code"] == "bad_position", line


def test_a_fault_of_ours_is_answered_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    def fails(_: Any) -> dict[str, Any]:
        raise KeyError("g7")

    answer = json.loads(answer_to('{"id": 3, "do": "tick"}', fails))
    assert (answer["id"], answer["ok"], answer["error"]["code"]) == (3, False, "internal")
    assert "g7" in caplog.text

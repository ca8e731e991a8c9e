"""``lodestone room`` and the log: what people are told of what is wrong."""

from __future__ import annotations

import logging
import re
from contextlib import closing
from pathlib import Path

import pytest

from firmware_host.link.broker import TELLING, Broker
from tests.e2e.program import Program
from tests.forked import run
from tests.link.brokers import RealBroker
from tests.sentences import sentence
from tests.waiting import eventually


def test_a_refusal_is_told_as_the_table_tells_it(tmp_path: Path) -> None:
    """And not as the number of an answer."""
    program = Program(tmp_path, "--kind", "polarity").start()
    try:
        for line, why in (
            ("join nonsense", "an invitation begins with lodestone-room:, this text does not"),
            ("open --broker nowhere", "expected mqtt://HOST"),
            ("leave", sentence("this table is in no")),
        ):
            ended = run("room", *line.split(), "--data", str(tmp_path))
            assert (ended.returncode, ended.stderr.count("\n")) == (1, 1), ended.stderr
            assert f"the table refuses: {why}" in ended.stderr.replace("broker: ", "")
    finally:
        program.stop()


def test_words_are_told_once_there_is_somebody_to_compare_them_with(tmp_path: Path, broker: RealBroker) -> None:
    """They follow from the keys of all tables: those of one alone would be others than a moment later."""
    programs = [Program(tmp_path / name, "--kind", "polarity").start() for name in ("one", "two")]

    def room(name: str, *line: str) -> str:
        return run("room", *line, "--data", str(tmp_path / name), check=True).stdout

    try:
        opened = room("one", "open", "--broker", broker.url, "--name", "One")
        assert f"One, at {broker.url}: connected" in opened
        assert "The same words" not in opened
        joined = room("two", "join", re.findall(r"lodestone-room:\S+secret=\S+", opened)[0], "--name", "Two")
        assert "One: here" in joined
        words = re.findall("The same words .*", joined)
        assert words == re.findall("The same words .*", room("one", "show")) != []
    finally:
        for program in programs:
            program.stop()


@pytest.mark.usefixtures("hurried")
def test_a_broker_out_of_reach_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    """A person who has mistyped an address sees it where the program runs."""
    with (
        caplog.at_level(logging.WARNING, "firmware_host.link.broker"),
        closing(Broker("mqtt://127.0.0.1:1", "nothing", lambda: ("lodestone/1/nobody", b""))) as tried,
    ):
        eventually(lambda: tried._failures > 3 * TELLING, "it tries again and again")
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith("No connection to the broker mqtt://127.0.0.1:1: ")

"""No opening is anywhere before all have sealed: not in memory, journal, log, answers or streams."""

from __future__ import annotations

import logging
from pathlib import Path
from random import Random

import pytest

from tests.web_panel.capture import Secret, Watch, play, search


def test_seals_are_nowhere_before_the_last(tmp_path: Path) -> None:
    """A sample; `make bench seals` plays a thousand."""
    account = play(tmp_path, 300)
    assert account.seals >= 300
    assert account.early > 15, "phones that opened too early"
    assert account.found >= account.rounds, "after the reveal they are found: the search is not blind"


def test_four_people(tmp_path: Path) -> None:
    account = play(tmp_path, 60, mode="4", seed=2, broken=0.5)
    assert account.seals >= 60


def test_the_search_finds_what_is_hidden_deep() -> None:
    """The instrument itself: text in text, bytes, numbers, closures, caches, exceptions."""
    secret = Secret(Random(3))
    nonce = secret.nonce()

    def closed_over() -> str:
        return held

    held = f"x{nonce}y"
    for thing in (
        {"a": [(f"opening {nonce}",)]},
        [bytes.fromhex(nonce) + b"rest"],
        {"n": int(nonce, 16)},
        [closed_over],
        ValueError(f"not {nonce}"),
        bytearray(f"<{nonce}>", "ascii"),
    ):
        assert search([thing], [nonce])[1], thing
    assert search([{"a": "b" * 100}, secret], [nonce])[1] == [], "scrambled it is not found"


def test_the_log_is_heard_with_its_arguments(caplog: pytest.LogCaptureFixture) -> None:
    watch = Watch()
    log = logging.getLogger("some.part")
    log.addHandler(watch)
    with caplog.at_level(logging.DEBUG):
        log.debug("sealed %s", "abcdef")
    log.removeHandler(watch)
    assert "abcdef" in watch.said[0]

"""The log is kept, stays small, and holds no secret, however it got there."""

from __future__ import annotations

import logging
import secrets
import stat
from pathlib import Path
from time import thread_time

import pytest

from firmware_host.archive import log as logs
from firmware_host.archive.data_folder import host_token
from firmware_host.archive.log import kept_log, scrub
from firmware_host.link.evidence import log_text
from firmware_host.session.loop import LoopFaults
from firmware_host.table.subjects.rounds import SealOpened

LOG = logging.getLogger("firmware_host.session.runtime")
PLACEMENT = "wD12"
NONCE = "00ff" * 8


def raised(error: Exception) -> Exception:
    try:
        try:
            raise KeyError(PLACEMENT)
        except KeyError as inner:
            raise error from inner
    except Exception as caught:  # noqa: BLE001 - it is what is logged
        return caught


def test_planted_secrets_are_not_in_it(tmp_path: Path) -> None:
    token = host_token(tmp_path)
    key, ticket, cookie = secrets.token_bytes(32), secrets.token_urlsafe(16), "eyJzZWF0IjoxfQ.aB3_-x"
    seal = SealOpened(at=1.0, seat=1, turn=1, action="wD12", nonce=NONCE)
    with kept_log(tmp_path):
        LOG.warning("Play stands still: %s", OSError(28, "No space left on device", "/data/journal.sqlite"))
        LOG.error("an event: %r", seal)
        LOG.error("open seals: openings={1: 'wD12', 2: 'bD13'}, placements=['wD12'], sealed: wD12")
        LOG.error("the host is http://board.lan/host#%s, seat http://board.lan/join/1#%s", token, ticket)
        LOG.error("Cookie: lodestone-seat=%s; lodestone-host=%s", cookie, cookie)
        LOG.error("headers {'lodestone-ask': 1} and lodestone-seat=%s", cookie)
        LOG.error('body {"action": "wD12", "nonce": "%s", "ticket": "%s"}', NONCE, ticket)
        LOG.error("key %s or %r", key.hex(), key.hex().encode())
        LoopFaults().note(
            "computer", raised(ValueError(f"two lines: {PLACEMENT}\nTraceback: {PLACEMENT}\n  {NONCE}")), 0.0
        )
        LoopFaults().note("journal", raised(OSError(5, "Input/output error")), 0.0)
        try:
            raise ExceptionGroup(PLACEMENT, [ValueError(PLACEMENT)])
        except ExceptionGroup:
            LOG.exception("a group")
    text = log_text(tmp_path)
    for secret in (token, key.hex(), ticket, cookie, NONCE, "wD12", "bD13"):
        assert secret not in text, text
    assert "No space left on device" in text, "what helps to mend a fault stays"
    assert "OSError: [Errno 5] Input/output error" in text
    assert "in raised" in text
    assert stat.S_IMODE((tmp_path / "log" / "lodestone.log").stat().st_mode) == 0o600


def test_tokens_of_every_shape_go_and_words_stay() -> None:
    for _ in range(300):
        token = secrets.token_urlsafe(16)
        assert token not in scrub(f"it was {token}.")
    words = "sensor D12 of spokes-45 is silent (firmware_host/session/runtime.py, line 31, in journal_files_taken_away)"
    assert scrub(words) == words


@pytest.mark.parametrize("part", ["_", "A", "a_", "é", "key=", 'key="', "key=(", "/host/", "b'\\", "aA", "(["])
def test_a_long_line_of_another_table_takes_no_time(part: str) -> None:
    """The loop's thread writes the log: a topic of 60 kB took it half a minute, and hours with other letters."""
    began = thread_time()
    scrub(part * (60_000 // len(part)) + "a" * 300)
    assert thread_time() - began < 5


def test_a_long_line_is_cut(tmp_path: Path) -> None:
    with kept_log(tmp_path):
        LOG.warning("a topic: %s", "word " * 10_000)
    text = log_text(tmp_path)
    assert len(text) < logs.LONGEST_LINE + 100
    assert text.rstrip().endswith(" …")


def test_it_stays_small_and_the_older_part_is_read_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "LARGEST", 2000)
    with kept_log(tmp_path):
        for number in range(200):
            LOG.warning("line %d", number)
    text = log_text(tmp_path)
    assert len(text) < 4200
    numbers = [int(line.rpartition(" ")[2]) for line in text.splitlines()]
    assert numbers == list(range(numbers[0], 200))
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "log").iterdir()} == {0o600}


def test_a_table_without_a_place_for_its_log_plays_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "log").write_text("no folder")
    with kept_log(tmp_path):
        LOG.warning("heard on standard error")
    assert "heard on standard error" in capsys.readouterr().err

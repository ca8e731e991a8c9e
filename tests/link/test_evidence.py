"""What others have sent is told in the log, and does not fill it."""

from __future__ import annotations

import logging
from pathlib import Path

from firmware_host.archive.log import kept_log
from firmware_host.link.evidence import A_KIND_S, MAX_KINDS, Evidence, log_text


def test_a_flood_leaves_the_log_as_it_is(tmp_path: Path) -> None:
    """A line a minute for each kind, with how many more there were; kinds without end count as one."""
    now = 0.0
    log = logging.getLogger("firmware_host.link.flood")
    evidence = Evidence(log, lambda: now)
    with kept_log(tmp_path):
        for _ in range(1000):
            evidence.note("refused", "message %d is refused", 7)
        now = A_KIND_S
        evidence.note("refused", "message %d is refused", 8)
        for number in range(MAX_KINDS + 1000):
            evidence.note(f"kind {number}", "another")
    lines = log_text(tmp_path).splitlines()
    assert lines[0].endswith("message 7 is refused")
    assert lines[1].endswith("message 8 is refused; and 999 more like it before")
    assert len(lines) <= MAX_KINDS + 3


def test_an_error_is_told_with_its_way_once(tmp_path: Path) -> None:
    now = 0.0
    evidence = Evidence(logging.getLogger("firmware_host.link.flood"), lambda: now)
    with kept_log(tmp_path):
        for later in (0.0, 1.0, A_KIND_S, 2 * A_KIND_S):
            now = later
            try:
                int("x")
            except ValueError as error:
                evidence.note_error(error, "No answer to %s", "/page")
    told = log_text(tmp_path)
    assert told.count("No answer to /page: ValueError") == 3
    assert told.count("and 1 more like it before") == 1
    assert told.count("Traceback") == 1
    assert "invalid literal" not in told

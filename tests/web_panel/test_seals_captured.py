"""No opening is anywhere before all have sealed: not in memory, journal, log, answers or streams."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from firmware_host.games.seals import commitment
from firmware_host.session.computers import ComputerPlayers, ComputerSeals
from lodestone.tables import KEY, SimulatedTable
from tests.sampling import cases
from tests.web_panel.capture import Secret, Watch, play, search
from tests.web_panel.table import Phone, host_phone, panel


@pytest.mark.parametrize(
    ("seals", "broken"), cases([(2, 0.5), (4, 0.5), (8, 0.4), (15, 0.2), (40, 0.2), (150, 0.2)], (2, 0.5))
)
def test_seals_are_nowhere_before_the_last(tmp_path: Path, seals: int, broken: float) -> None:
    """A sample; `make bench seals` plays a thousand."""
    account = play(tmp_path, seals, broken=broken)
    assert account.seals >= seals
    assert account.early > seals // 30, "phones that opened too early"
    assert account.half == account.rounds, "two phones: once a round one has opened and the other has not"
    assert account.found >= account.rounds, "after the reveal they are found: the search is not blind"


@pytest.mark.thorough
@pytest.mark.parametrize("seals", cases([6, 12, 32], 6))
def test_four_people(tmp_path: Path, seals: int) -> None:
    account = play(tmp_path, seals, mode="4", seed=2, broken=0.5)
    assert account.seals >= seals
    assert account.half == 3 * account.rounds


def test_a_computers_opening_is_kept_nowhere_but_follows_from_the_key(table: SimulatedTable) -> None:
    """What is true of computers: no file, answer or object holds their openings before the reveal, as with people.

    But they have no secret of their own. Placement and nonce follow from the table's key and the state of the game, so
    that a restart loses nothing: whoever can read the key's file can work them out before the reveal. The people at the
    table can't; the one who runs it could.
    """
    app = panel(table)
    ann = Phone(app)
    assert ann.join(1, "Ann")[0] == 200
    host = host_phone(app)
    assert host.post("host/computer", {"seat": 2})[0] == 200
    assert host.post("host/start")[0] == 200
    table.wait(1.0)
    seal = ann.view()["seal"]
    assert list(seal["commitments"]) == ["2"], "the computer has sealed, Ann has not"
    running = table.runtime._table
    assert running is not None
    assert running.ledger.round is not None
    action, nonce = ComputerSeals(ComputerPlayers(KEY))._random(running, running.ledger.round, 2)
    worked_out = commitment(seal["game"], seal["turn"], 2, seal["history"], action, nonce)
    assert worked_out == seal["commitments"]["2"], "from the key"
    assert search([table.runtime, app], [nonce])[1] == []
    for path in filter(Path.is_file, Path(table.journal.path).parent.rglob("*")):
        assert nonce.encode() not in path.read_bytes()
        assert KEY not in path.read_bytes(), "nor does the journal hold the key"
    other = ComputerSeals(ComputerPlayers(b"x" * 32))._random(running, running.ledger.round, 2)
    assert other[1] != nonce, "without the key it is anybody's guess"


def test_the_search_finds_what_is_hidden_deep() -> None:
    """The instrument itself: text in text, bytes, numbers, closures, caches, exceptions."""
    secret = Secret()
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

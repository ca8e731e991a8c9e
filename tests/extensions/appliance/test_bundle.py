"""What a table by itself has seen goes into one file, without a secret, whatever its log was told."""

from __future__ import annotations

import logging
from pathlib import Path

from firmware_host.archive.data_folder import host_token, table_key
from firmware_host.archive.log import kept_log
from lodestone.tables import SimulatedTable
from tests.link.bundles import assert_secretless, bundle, secrets_of


def test_a_table(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    token, key = host_token(folder), table_key(folder)
    table = SimulatedTable(folder, game="spokes", seats=["Alexandra", "Konstantin"])
    try:
        here = table.runtime.table()
        table.seal({seat: here.game.actions(here.ledger.now.position)[seat][7] for seat in (1, 2)})
    finally:
        table.close()
    with kept_log(folder):
        log = logging.getLogger("firmware_host.link")
        log.warning("The link is http://table/host#%s, the key is key=%s", token, key.hex())
        log.warning("Cookie: lodestone-host=%s", token)
    found = bundle(folder, tmp_path / "bundle.zip")
    kept = " ".join(secrets_of(folder))
    assert all(what in kept for what in ("host as it is", "key in hex", "nonce")), kept
    assert_secretless(found, folder)
    assert "The link is" in found["log.txt"]
    assert not any(name in str(found) for name in ("Alexandra", "Konstantin"))

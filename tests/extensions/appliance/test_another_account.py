"""A backup, a restore and the log of what belongs to another account: refused in one line."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from firmware_host.extensions.appliance.backup import make_backup
from tests.commands.test_another_account import SHUT, data_in, said
from tests.rights import can_be_bound
from tests.sampling import cases

VERBS = ("backup OUT", "restore IN", "restore IN --replace", "log", "log --evening")


@pytest.mark.skipif(not can_be_bound(), reason="nobody is bound by rights here")
@pytest.mark.parametrize(("shut", "verb"), cases(list(product(SHUT, VERBS))))
def test_it_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str, shut: str) -> None:
    data = data_in(tmp_path)
    make_backup(data, tmp_path / "in.zip", "1.0")
    files = {"OUT": str(tmp_path / "out.zip"), "IN": str(tmp_path / "in.zip")}
    refused = said(data, shut, [files.get(word, word) for word in verb.split()], capsys)
    assert refused or verb.startswith("log") or "--replace" in verb

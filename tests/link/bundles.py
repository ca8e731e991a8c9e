"""What ``lodestone log --bundle`` writes."""

from __future__ import annotations

import json
import re
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from firmware_host.commands.cli import main
from firmware_host.link.evidence import SETTINGS
from firmware_host.link.trust import Invitation


def bundle(folder: Path, target: Path) -> dict[str, Any]:
    """Return name → content of a bundle; skip the test if somebody has deleted who makes one."""
    pytest.importorskip("firmware_host.extensions.appliance.log")
    assert main(["log", "--data", str(folder), "--bundle", str(target)]) == 0
    with zipfile.ZipFile(target) as packed:
        return {
            name: json.loads(packed.read(name)) if name.endswith(".json") else packed.read(name).decode()
            for name in packed.namelist()
        }


def secrets_of(folder: Path) -> dict[str, str]:
    """Return where → secret, for all that a data folder keeps: tokens, keys, invitations, claims of seats, nonces."""
    found = {f"{path.name} {form}": text for path in _small(folder) for form, text in _forms(path.read_bytes())}
    for path in folder.glob("*.sqlite"):
        with closing(sqlite3.connect(path)) as database:
            tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            for table in tables:
                rows = database.execute(f"SELECT * FROM {table}").fetchall()
                words = json.dumps(rows, default=bytes.hex).replace("\\", "")
                for kind, secret in re.findall(r'"(claim|nonce|ticket)": *"([^"]{8,})"', words):
                    found[f"{path.name} {kind} {secret[:4]}"] = secret
            settings = dict(database.execute("SELECT name, value FROM setting")) if "setting" in tables else {}
        found |= _of_settings(path.name, settings) if settings else {}
    return found


def _small(folder: Path) -> Iterator[Path]:
    return (folder / name for name in ("host", "key") if (folder / name).exists())


def _forms(content: bytes) -> Iterator[tuple[str, str]]:
    yield "in hex", content.hex()
    if content.isascii():
        yield "as it is", content.decode("ascii").strip()


def _of_settings(where: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Return what a room or a club keeps under names."""
    known = {name: str(value) for name, value in settings.items() if name not in SETTINGS}
    link = settings["invitation"]
    invitation = Invitation.parse(link, urlsplit(link).scheme)
    known["secret"], known["reading key"] = (invitation.secret or b"").hex(), invitation.read_key.hex()
    known["secret in the link"] = parse_qs(urlsplit(link).query)["secret"][0]
    return {f"{where} {name}": value for name, value in known.items() if len(value) >= 16}


def assert_secretless(bundled: object, *folders: Path) -> None:
    """Fail if a bundle has a secret that one of the folders keeps; each has some."""
    text = json.dumps(bundled, ensure_ascii=False)
    for folder in folders:
        found = secrets_of(folder)
        assert found, folder
        assert not [where for where, secret in found.items() if secret in text]

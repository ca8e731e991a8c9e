"""What a club has seen, for ``lodestone log --bundle``: numbers and hashes, no names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firmware_host.link.evidence import database_copy


def archive_evidence(path: Path) -> Mapping[str, Any]:
    """Return what was done in a club's tournaments, and which records came; players by their numbers alone."""
    with database_copy(path) as found:
        acts = [
            {"tournament": tournament, "number": number, "at": at, "kind": kind}
            | {name: value for name, value in json.loads(data).items() if name != "name"}
            for tournament, number, at, kind, data in found.execute(
                "SELECT tournament, number, at, kind, data FROM club_act ORDER BY tournament, number"
            )
        ]
        records = [
            {"number": number, "digest": digest, "game": game, "entries": entries, "table": table[:16], "came": at}
            for number, digest, game, entries, table, at in found.execute(
                "SELECT number, digest, game_id, entries, table_key, received FROM club_record ORDER BY number"
            )
        ]
        return {"acts": acts, "records": records}

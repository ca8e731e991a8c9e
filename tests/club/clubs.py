"""Databases, tournaments and records for the club's tests."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from firmware_host.archive.glicko import Rating
from firmware_host.club.tournament import SWISS, Act, Tournament

INITDB, PG_CTL = shutil.which("initdb"), shutil.which("pg_ctl")
AT = "2026-05-01T18:00:00Z"


def tournament(players: int, system: str = SWISS, rounds: int = 5) -> Tournament:
    """Return a tournament in Coil before its first round."""
    found = Tournament(1)
    head = {"name": "May", "game": "coil", "rules": {}, "mode": "2", "system": system, "rounds": rounds}
    found = found.apply(found.act("create", head, AT))
    for number in range(1, players + 1):
        found = do(found, "enter", player=number, name=f"Player {number}")
    return found


def do(what: Tournament, kind: str, **data: Any) -> Tournament:
    """Return the tournament after an act."""
    return what.apply(what.act(kind, data, AT))


def pair(what: Tournament) -> Tournament:
    """Return it with the next round paired."""
    pairs, bye = what.next_pairing({number: Rating() for number in what.players})
    return do(what, "pair", round=len(what.rounds) + 1, pairs=[list(one) for one in pairs], bye=bye)


def play_round(what: Tournament, rng: Random) -> Tournament:
    """Return it with all open results of the last round, by records of no content."""
    number = len(what.rounds)
    for place, board in enumerate(what.rounds[-1].boards, 1):
        if board.points is None:
            points = rng.choice(([2, 0], [1, 1], [0, 2]))
            digest = hashlib.sha256(f"{what.id} {number} {place}".encode()).hexdigest()
            what = do(what, "result", round=number, board=place, points=points, how="record", record=digest)
    return what


def acts_of(what: Tournament) -> Sequence[Act]:
    """Return its acts."""
    return what.acts


@contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """Run a PostgreSQL server of its own in a folder; yield the address of its database."""
    home = folder / "postgres"
    home.mkdir()
    own: dict[str, Any] = {}
    if os.geteuid() == 0:  # The server refuses root.
        shutil.chown(home, "nobody")
        for above in [folder, *folder.parents]:
            if not above.stat().st_mode & 1 and above != Path("/"):
                above.chmod(above.stat().st_mode | 0o011)
        own = {"user": "nobody"}
    run: Callable[..., Any] = subprocess.run
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "cwd": home, **own}
    run([str(INITDB), "-D", str(home / "data"), "-U", "club", "-A", "trust", "-N", "-E", "UTF8"], **quiet)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = f"-p {port} -k {home} -c listen_addresses=127.0.0.1 -c fsync=off"
    run([str(PG_CTL), "-D", str(home / "data"), "-o", options, "-l", str(home / "log"), "-w", "start"], **quiet)
    try:
        yield f"postgresql://club@127.0.0.1:{port}/postgres"
    finally:
        run([str(PG_CTL), "-D", str(home / "data"), "-m", "immediate", "stop"], **quiet)


PYTHON = sys.executable

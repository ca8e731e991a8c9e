"""What somebody is told who starts a club that can't run: one sentence, and no second club in one folder."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

from firmware_host.club.club import found
from firmware_host.link.common_log import RoomFile
from firmware_host.link.membership import SERVED
from firmware_host.link.serving import PORT
from tests.club.clubs import ClubProgram
from tests.link.brokers import RealBroker


def refused(folder: Path, *options: str) -> str:
    """Return why a club does not start."""
    command = [sys.executable, "-m", "firmware_host", "club", "--port", "0", "--data", str(folder), *options]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1), ended.stderr
    return ended.stderr


def test_two_clubs_do_not_share_a_folder(tmp_path: Path, broker: RealBroker) -> None:
    """They would use the same counters, and each would undo what the other tells the tables."""
    first = ClubProgram(tmp_path, broker.url)
    assert "club.sqlite is in use: another program runs with this folder" in refused(tmp_path / "data")
    first.kill()
    ClubProgram(tmp_path).close()


def test_a_club_that_has_served_serves_again(tmp_path: Path) -> None:
    """The port is taken here: that it is asked for shows that the club wants to be the broker."""
    with closing(socket.socket()) as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):  # Then something else has it.
            taken.bind(("", PORT))
            taken.listen()
        assert f"no broker can be opened at port {PORT} of this machine: " in refused(tmp_path, "--serve")
        with closing(RoomFile(tmp_path / "club.sqlite")) as kept:
            found(kept, "Hall", "mqtt://127.0.0.1")
            kept.keep(SERVED, "yes")
        assert f"no broker can be opened at port {PORT}" in refused(tmp_path)
        assert "expected mqtt://HOST" in refused(tmp_path, "--broker", "nowhere")

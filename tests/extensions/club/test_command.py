"""What somebody is told who starts a club that can't run: one sentence, and no second club in one folder."""

from __future__ import annotations

import itertools
import socket
import threading
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from firmware_host.extensions.appliance.backup import make_backup, restore
from firmware_host.extensions.club.club import Club, found_club
from firmware_host.extensions.club.evidence import kept_place, opened_place
from firmware_host.extensions.club.store import Archive
from firmware_host.extensions.club.tournament import fold
from firmware_host.extensions.rooms.membership import SERVED
from firmware_host.link.common_log import RoomFile
from firmware_host.link.serving import PORT
from tests.extensions.club.clubs import HEAD, ClubProgram
from tests.extensions.club.test_store import RECORD
from tests.forked import run
from tests.link.brokers import RealBroker
from tests.link.bundles import bundle
from tests.sentences import saying, sentence


def refused(folder: Path, *options: str) -> str:
    """Return why a club does not start."""
    ended = run("club", "--port", "0", "--data", str(folder), *options)
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1), ended.stderr
    return ended.stderr


def test_two_clubs_do_not_share_a_folder(tmp_path: Path, broker: RealBroker) -> None:
    """They would use the same counters, and each would undo what the other tells the tables."""
    first = ClubProgram(tmp_path, broker.url)
    assert sentence("is in use: another program", path="club.sqlite") in refused(tmp_path / "data")
    first.kill()
    ClubProgram(tmp_path).close()


def test_an_archive_elsewhere_is_kept(tmp_path: Path, broker: RealBroker, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next start opens the same one, from any folder; one that can't be opened is not kept."""
    monkeypatch.chdir(tmp_path)
    first = ClubProgram(tmp_path, broker.url, "--database", "sqlite:///results.sqlite")
    first.ask("/api/arbiter/enter", {"token": first.token})
    assert first.act("create", **{**HEAD, "rules": []}) == ""
    first.close()
    assert "can't be opened" in refused(tmp_path / "data", "--database", "sqlite:////dev/null")
    monkeypatch.chdir("/")
    again = ClubProgram(tmp_path)
    assert f"archive: sqlite:///{tmp_path}/results.sqlite" in again.printed
    assert [one["name"] for one in again.get("/api/club")["tournaments"]] == ["May"]
    again.close()


def test_an_archive_in_the_folder_goes_along_with_it(tmp_path: Path, broker: RealBroker) -> None:
    """A restored folder writes into its own archive, whatever that is called, and the bundle has what is in it."""
    inside = tmp_path / "data" / "results.db"
    first = ClubProgram(tmp_path, broker.url, "--database", f"sqlite:///{inside}")
    first.ask("/api/arbiter/enter", {"token": first.token})
    assert first.act("create", **{**HEAD, "rules": []}) == ""
    make_backup(tmp_path / "data", tmp_path / "club.zip", "1.0")
    first.close()
    restore(tmp_path / "club.zip", tmp_path / "moved" / "data")
    again = ClubProgram(tmp_path / "moved")
    assert f"archive: sqlite:///{tmp_path}/moved/data/results.db" in again.printed
    again.ask("/api/arbiter/enter", {"token": again.token})
    assert again.act("players", tournament=1, names="Ann\nBen") == ""
    told = bundle(tmp_path / "moved" / "data", tmp_path / "bundle.zip")
    assert [act["kind"] for act in told["tournaments.json"]["acts"]] == ["create", "enter", "enter"]
    again.close()
    with closing(Archive(f"sqlite:///{inside}")) as archive:
        assert len(archive.acts()[1]) == 1


@pytest.mark.parametrize(
    ("place", "kept"),
    [
        ("sqlite:////home/club/data/results.db", "sqlite:///results.db"),
        ("sqlite:////home/club/data/more/a%20b.db?mode=rw", "sqlite:///more/a%20b.db?mode=rw"),
        ("sqlite:////home/club/results.db", None),
        ("sqlite:////home/club/data2/results.db", None),
        ("sqlite://", None),
        ("postgresql://club@db.example/club", None),
    ],
)
def test_where_an_archive_is_kept(place: str, kept: str | None) -> None:
    """One in the folder by its place there, any other one as it was given; a folder that has moved finds it."""
    data = Path("/home/club/data")
    assert kept_place(place, data) == (kept or place)
    assert opened_place(kept_place(place, data), data) == place
    if kept:
        assert opened_place(kept, Path("/elsewhere")) == place.replace("/home/club/data", "/elsewhere")
    assert opened_place(None, data) == "sqlite:////home/club/data/archive.sqlite"


def test_backups_of_a_running_club_are_whole(tmp_path: Path, club: Club) -> None:
    """Acts and records are written all the time; each backup has at least what was there when it was begun."""
    club.create(HEAD)
    folder, ended = tmp_path / "club", threading.Event()

    def load() -> None:
        for number in itertools.count():
            club.enter(1, [f"Player {number}"])
            club.act(1, "withdraw", {"player": number + 1})
            club.archive.add_record(replace(RECORD, digest=f"{number:064}"), "line\n" * 500)
            club._kept.keep("name", f"Hall {number}")
            if ended.wait(0.02):
                return

    writer = threading.Thread(target=load)
    writer.start()
    for number in range(6):
        acts = club.tournament_view(1)["version"]
        make_backup(folder, tmp_path / f"{number}.zip", "1.0")
        restore(tmp_path / f"{number}.zip", tmp_path / f"{number}")
        with closing(Archive(f"sqlite:///{tmp_path}/{number}/archive.sqlite")) as archive:
            assert len(fold(1, archive.acts(1)[1]).acts) >= acts
            assert all(archive.record_text(one.digest) for one in archive.records())
        with closing(RoomFile(tmp_path / f"{number}" / "club.sqlite")) as kept:
            assert (kept.setting("name") or "").startswith("Hall")
    ended.set()
    writer.join()


def test_a_club_that_has_served_serves_again(tmp_path: Path) -> None:
    """The port is taken here: that it is asked for shows that the club wants to be the broker."""
    with closing(socket.socket()) as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):  # Then something else has it.
            taken.bind(("", PORT))
            taken.listen()
        assert saying("no broker can be opened", port=PORT).search(refused(tmp_path, "--serve"))
        with closing(RoomFile(tmp_path / "club.sqlite")) as kept:
            found_club(kept, "Hall", "mqtt://127.0.0.1")
            kept.keep(SERVED, "yes")
        assert saying("no broker can be opened", port=PORT).search(refused(tmp_path))
        assert "expected mqtt://HOST" in refused(tmp_path, "--broker", "nowhere")


@pytest.mark.parametrize("given", ["ü x", "", "hall.example", "ftp://hall", "http://a b", "http://hall:99999"])
def test_an_address_of_the_page_is_one_of_the_web(given: str, tmp_path: Path) -> None:
    ended = run("club", "--port", "0", "--data", str(tmp_path), "--serve", "--address", given)
    assert ended.returncode == 2
    assert "--address: expected http://NAME or https://NAME, got" in ended.stderr
    assert list(tmp_path.iterdir()) == []
